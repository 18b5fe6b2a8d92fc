"""HTTP/1.1 as bytes: an answer is read from whatever pieces arrive. No input or output here."""

from __future__ import annotations

import enum
import re

CRLF = b"\r\n"
_HEXADECIMAL = re.compile(rb"[0-9a-fA-F]{1,15}")
_LONGEST_HEAD = 1 << 17
_LONGEST_LINE = 1 << 12


class MalformedError(Exception):
    """What arrived is not HTTP/1.1."""


class Headers:
    """The headers of an answer. Few are ever asked for, so they are looked up in the bytes."""

    __slots__ = ("_lower", "_raw")

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._lower = raw.lower()

    def get(self, name: str, default: str | None = None) -> str | None:
        """The first header of this name, whatever its case."""
        start = b"\r\n" + name.lower().encode() + b":"
        at = self._lower.find(start)
        if at < 0:
            return default
        at += len(start)
        end = self._raw.find(CRLF, at)
        return self._raw[at : end if end >= 0 else None].strip().decode("latin-1")


class _State(enum.IntEnum):
    """What is expected next; the order is that of `ResponseParser._STEPS`."""

    HEAD = 0
    SIZED = enum.auto()
    UNTIL_CLOSE = enum.auto()
    CHUNK_SIZE = enum.auto()
    CHUNK = enum.auto()
    CHUNK_END = enum.auto()
    TRAILER = enum.auto()
    COMPLETE = enum.auto()


class ResponseParser:
    """Reads one answer. `feed` it, then look at what is known so far.

    status      0 until the head has arrived
    reusable    whether the connection may be used again, once the answer is complete
    """

    __slots__ = ("_buffer", "_left", "_pieces", "_state", "headers", "reusable", "status")

    def __init__(self) -> None:
        self.status = 0
        self.headers = Headers(b"")
        self.reusable = True
        self._state = _State.HEAD
        self._buffer = b""
        self._left = 0
        self._pieces: list[bytes] = []

    @classmethod
    def idle(cls) -> ResponseParser:
        """One to which nothing more is to come."""
        parser = cls()
        parser._state = _State.COMPLETE
        return parser

    @property
    def complete(self) -> bool:
        return self._state is _State.COMPLETE

    def take(self) -> bytes:
        """What has arrived of the body since the last time."""
        pieces = self._pieces
        if len(pieces) == 1:
            self._pieces = []
            return pieces[0]
        body = b"".join(pieces)
        pieces.clear()
        return body

    def feed(self, data: bytes) -> bool:
        """Take in what arrived; True if the answer is complete. Raises MalformedError."""
        if self._buffer:
            data = self._buffer + data
            self._buffer = b""
        at = 0
        while at >= 0:
            at = self._STEPS[self._state](self, data, at)
        return self._state is _State.COMPLETE

    def end(self) -> None:
        """The other side has closed the connection; complete only if that was to be the end."""
        self.reusable = False
        if self._state is _State.UNTIL_CLOSE:
            self._state = _State.COMPLETE

    # Each step takes its part of the data and answers where the next begins, or -1 if it needs more.

    def _head(self, data: bytes, at: int) -> int:
        end = data.find(b"\r\n\r\n", at)
        if end < 0:
            return self._wait(data, at, _LONGEST_HEAD)
        raw = data[at:end]
        self.status = _status(raw)
        if self.status < 200:  # "100 continue": the real one follows
            return end + 4
        self.headers = Headers(raw)
        self._frame()
        return end + 4

    def _frame(self) -> None:
        """Find out where the body ends."""
        headers = self.headers
        if (connection := headers.get("connection")) and "close" in connection.lower():
            self.reusable = False
        encoding = headers.get("transfer-encoding")
        length = headers.get("content-length")
        if self.status in (204, 304):
            self._state = _State.COMPLETE
        elif encoding is not None:
            if encoding.lower() != "chunked":
                raise MalformedError(f"transfer encoding {encoding!r}")
            self._state = _State.CHUNK_SIZE
        elif length is None:
            self._state = _State.UNTIL_CLOSE
            self.reusable = False
        elif length.isascii() and length.isdigit():
            self._left = int(length)
            self._state = _State.SIZED
        else:
            raise MalformedError(f"content length {length!r}")

    def _sized(self, data: bytes, at: int) -> int:
        at = self._body(data, at)
        if not self._left:
            self._state = _State.COMPLETE
            return at
        return -1

    def _until_close(self, data: bytes, at: int) -> int:
        self._left = len(data) - at
        self._body(data, at)
        return -1

    def _chunk_size(self, data: bytes, at: int) -> int:
        end = data.find(CRLF, at)
        if end < 0:
            return self._wait(data, at, _LONGEST_LINE)
        digits = data[at:end].partition(b";")[0].strip()
        if not _HEXADECIMAL.fullmatch(digits):
            raise MalformedError(f"chunk size {digits[:60]!r}")
        self._left = int(digits, 16)
        self._state = _State.CHUNK if self._left else _State.TRAILER
        return end + 2

    def _chunk(self, data: bytes, at: int) -> int:
        at = self._body(data, at)
        if self._left:
            return -1
        self._state = _State.CHUNK_END
        return at

    def _chunk_end(self, data: bytes, at: int) -> int:
        if len(data) - at < 2:
            return self._wait(data, at, 2)
        if data[at : at + 2] != CRLF:
            raise MalformedError("a chunk is longer than it says")
        self._state = _State.CHUNK_SIZE
        return at + 2

    def _trailer(self, data: bytes, at: int) -> int:
        end = data.find(CRLF, at)
        if end < 0:
            return self._wait(data, at, _LONGEST_LINE)
        if end == at:
            self._state = _State.COMPLETE
        return end + 2

    def _complete(self, data: bytes, at: int) -> int:
        if at < len(data):
            self.reusable = False  # nobody has asked for what follows
        return -1

    def _body(self, data: bytes, at: int) -> int:
        end = min(at + self._left, len(data))
        if end > at:
            self._pieces.append(data[at:end])
            self._left -= end - at
        return end

    def _wait(self, data: bytes, at: int, longest: int) -> int:
        self._buffer = data[at:]
        if len(self._buffer) > longest:
            raise MalformedError("a line or a head without an end")
        return -1

    _STEPS = (_head, _sized, _until_close, _chunk_size, _chunk, _chunk_end, _trailer, _complete)


def _status(head: bytes) -> int:
    line = head.partition(CRLF)[0]
    version, _, rest = line.partition(b" ")
    digits = rest[:3]
    if version not in (b"HTTP/1.1", b"HTTP/1.0") or not digits.isdigit():
        raise MalformedError(f"{line[:60]!r} is no answer")
    return int(digits)
