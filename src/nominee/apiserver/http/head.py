"""The head of a request: its line and its headers, strictly read (RFC 9112)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from nominee.apiserver.http.message import Request, parse_query

_LINE = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}) ([\x21-\x7e\x80-\xff]+) HTTP/1\.([01])")
_FIELD = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"https?://[^/]*", re.IGNORECASE)
_ONCE = frozenset(("host", "content-length", "authorization", "content-type", "transfer-encoding", "expect"))
_MOST_FIELDS = 200


class MalformedError(Exception):
    """What came is not HTTP, or not the part of it that is spoken here; the connection ends."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(status, why)
        self.status = status
        self.why = why


@dataclass(slots=True)
class Head:
    """A request without its body, and how long that is: None if it comes in chunks."""

    request: Request
    length: int | None
    expects_continue: bool


def parse_head(data: bytes) -> Head:
    """Read a head, without the empty line at its end."""
    first, *lines = data.split(b"\r\n")
    line = _LINE.fullmatch(first)
    if line is None:
        raise MalformedError(400, "malformed request line")
    headers = _headers(lines)
    minor = line[3]
    if minor == b"1" and "host" not in headers:
        raise MalformedError(400, "missing required Host header")
    path, query = _target(line[2].decode("latin-1"))
    request = Request(
        method=line[1].decode(),
        target=line[2].decode("latin-1"),
        path=path,
        query=parse_query(query) if query else {},
        headers=headers,
        keep_alive=_keeps_alive(minor, headers.get("connection", "")),
    )
    return Head(request, _length(headers), _expects(headers))


def _headers(lines: list[bytes]) -> dict[str, str]:
    if len(lines) > _MOST_FIELDS:
        raise MalformedError(431, "too many header fields")
    headers: dict[str, str] = {}
    for line in lines:
        field = _field(line)
        if field is None:
            raise MalformedError(400, "malformed header")
        name, value = field
        if name not in headers:
            headers[name] = value
        elif name not in _ONCE:
            headers[name] += ", " + value
        elif headers[name] != value:
            raise MalformedError(400, f"several headers {name}")
    return headers


@lru_cache(maxsize=2048)
def _field(line: bytes) -> tuple[str, str] | None:
    match = _FIELD.fullmatch(line)
    if match is None:
        return None
    return match[1].decode().lower(), match[2].decode("latin-1").strip(" \t")


def _target(target: str) -> tuple[str, str]:
    if not target.startswith("/"):
        target = _SCHEME.sub("", target, count=1) or "/"
    path, _, query = target.partition("?")
    path = path.partition("#")[0]
    if not path.startswith("/") or _BAD_ESCAPE.search(path):
        raise MalformedError(400, "malformed request target")
    return (unquote_to_bytes(path).decode("utf-8", "replace") if "%" in path else path), query


def _keeps_alive(minor: bytes, connection: str) -> bool:
    wishes = {wish.strip().lower() for wish in connection.split(",")} if connection else set()
    return "keep-alive" in wishes if minor == b"0" else "close" not in wishes


def _length(headers: dict[str, str]) -> int | None:
    coding = headers.get("transfer-encoding")
    length = headers.get("content-length")
    if coding is not None:
        if length is not None:
            raise MalformedError(400, "both Content-Length and Transfer-Encoding")
        if coding.lower() != "chunked":
            raise MalformedError(501, "unsupported transfer encoding")
        return None
    if length is None:
        return 0
    if not (length.isascii() and length.isdigit() and len(length) < 19):
        raise MalformedError(400, "bad Content-Length")
    return int(length)


def _expects(headers: dict[str, str]) -> bool:
    expected = headers.get("expect")
    if expected is None:
        return False
    if expected.lower() != "100-continue":
        raise MalformedError(417, "unknown expectation")
    return True
