"""What HTTP says, as nominee's errors."""

from __future__ import annotations

import json

import pytest

from nominee.client.failures import error_of, error_of_status, retry_after
from nominee.client.http1 import Headers
from nominee.errors import Expired, TooManyRequests

NONE = Headers(b"")


def headers(**named: str) -> Headers:
    lines = (f"\r\n{name.replace('_', '-')}: {value}" for name, value in named.items())
    return Headers(("HTTP/1.1 429 x" + "".join(lines)).encode("latin-1"))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"kind": "Status", "message": "no such pod", "reason": "NotFound"}', "no such pod"),
        (b'{"kind": "Status", "reason": "NotFound"}', "NotFound"),
        (b'{"kind": "Pod", "message": "x"}', '{"kind": "Pod", "message": "x"}'),
        (b"404  page\nnot found\n", "404 page not found"),
        (b"", "Not Found"),
        (b"x" * 1000, "x" * 300),
        (b"\xff", "\ufffd"),
    ],
)
def test_the_servers_own_words(body: bytes, reason: str) -> None:
    assert error_of(404, NONE, body, 0.0).reason == reason


def test_a_status_nobody_has_heard_of() -> None:
    assert error_of(499, NONE, b"", 0.0).reason == "no reason given"


def test_429_says_when_to_come_back() -> None:
    error = error_of(429, headers(Retry_After="7"), b"", 0.0)
    assert isinstance(error, TooManyRequests)
    assert error.retry_after == 7.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("12", 12.0),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("²", None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert retry_after(headers(Retry_After=value), None, now=10.0) == seconds


def test_retry_after_may_stand_in_the_body() -> None:
    assert retry_after(NONE, {"details": {"retryAfterSeconds": 3}}, 0.0) == 3.0
    assert retry_after(NONE, {"details": None}, 0.0) is None
    assert retry_after(NONE, {"details": ["soon"]}, 0.0) is None
    assert retry_after(NONE, {"details": {"retryAfterSeconds": "soon"}}, 0.0) is None


def test_a_status_that_ends_a_watch() -> None:
    error = error_of_status(json.loads('{"code": 410, "message": "too old resource version"}'))
    assert isinstance(error, Expired)
    assert error_of_status({}).status == 500
