"""Requests and answers, as the front sees them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from urllib.parse import parse_qsl

JSON = "application/json"


@dataclass(slots=True)
class Request:
    """One request, its body read.

    path      decoded; `target` is what stood in the request line
    headers   names in lower case; of several of one name the values are joined by a comma
    too_large its body is longer than the server takes, and has not been read
    """

    method: str
    target: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes = b""
    keep_alive: bool = True
    too_large: bool = False

    def first(self, name: str, default: str = "") -> str:
        """The first value of a query parameter."""
        values = self.query.get(name)
        return values[0] if values else default


@lru_cache(maxsize=1024)
def parse_query(text: str) -> Mapping[str, list[str]]:
    """The parameters of a query; what makes no sense in it is passed over, as Go does."""
    query: dict[str, list[str]] = {}
    for name, value in parse_qsl(text, keep_blank_values=True, max_num_fields=1000):
        query.setdefault(name, []).append(value)
    return query


@dataclass(slots=True)
class Answer:
    """A whole answer; `parts` follow `body` where it is long."""

    status: int = 200
    body: bytes = b""
    content_type: str = JSON
    headers: list[tuple[str, str]] = field(default_factory=list)
    parts: Iterable[bytes] | None = None


@dataclass(slots=True)
class Stream:
    """An answer without an end that is known: each item is sent at once."""

    items: AsyncIterator[bytes]
    content_type: str = JSON
    headers: list[tuple[str, str]] = field(default_factory=list)


_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus}


def head_of(answer: Answer | Stream, *, close: bool) -> bytes:
    """The status line and the headers, as far as the connection does not add to them."""
    status = answer.status if isinstance(answer, Answer) else 200
    lines = [_LINES[status], b"Content-Type: ", answer.content_type.encode("latin-1", "replace"), b"\r\n"]
    lines.append(b"Cache-Control: no-cache, private\r\n")
    for name, value in answer.headers:
        lines.append(f"{name}: {value}\r\n".encode("latin-1", "replace"))
    if close:
        lines.append(b"Connection: close\r\n")
    if isinstance(answer, Answer) and answer.parts is None:
        lines.append(b"Content-Length: %d\r\n\r\n" % len(answer.body))
    else:
        lines.append(b"Transfer-Encoding: chunked\r\n\r\n")
    return b"".join(lines)
