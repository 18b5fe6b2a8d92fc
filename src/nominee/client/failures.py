"""The one place that turns what HTTP says into nominee's errors."""

from __future__ import annotations

import json
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from nominee.client.http1 import Headers
from nominee.errors import (
    API_ERRORS,
    ApiError,
    TooManyRequests,
)

_TEXT_LIMIT = 300


def error_of(status: int, headers: Headers, body: bytes, now: float) -> ApiError:
    """The error that an answer of 400 and above stands for; `now` is needed for dates in Retry-After."""
    said = _status_object(body)
    reason = _words(said, status, body)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return TooManyRequests(status, reason, retry_after(headers, said, now), said)
    return API_ERRORS.get(status, ApiError)(status, reason, said)


def error_of_status(said: dict[str, Any]) -> ApiError:
    """The error that a `Status` object stands for, such as one that a watch ends with."""
    code = said.get("code")
    status = code if isinstance(code, int) and code else 500
    return API_ERRORS.get(status, ApiError)(status, _words(said, status, b""), said)


def retry_after(headers: Headers, said: dict[str, Any] | None, now: float) -> float | None:
    """The seconds after which to come back; None if the server does not say."""
    text = headers.get("Retry-After")
    if text is None:
        details = (said or {}).get("details")
        seconds = details.get("retryAfterSeconds") if isinstance(details, dict) else None
        return float(seconds) if isinstance(seconds, int) and seconds > 0 else None
    if text.isascii() and text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except ValueError:
        return None


def _status_object(body: bytes) -> dict[str, Any] | None:
    try:
        said = json.loads(body)
    except ValueError:
        return None
    return said if isinstance(said, dict) and said.get("kind") == "Status" else None


def _words(said: dict[str, Any] | None, status: int, body: bytes) -> str:
    if said is not None and (words := said.get("message") or said.get("reason")):
        return str(words)
    text = " ".join(body[: 4 * _TEXT_LIMIT].decode(errors="replace").split())[:_TEXT_LIMIT]
    if text:
        return text
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "no reason given"
