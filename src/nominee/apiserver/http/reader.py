"""Requests out of the bytes of a connection, as they come; everything that is kept is bounded."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nominee.apiserver.http.head import Head, MalformedError, parse_head
from nominee.apiserver.http.message import Request

_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*;[^\r\n]*)?[ \t]*")
_LONGEST_CHUNK_LINE = 256
_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Sizes:
    """The most bytes of a head and of a body; Kubernetes takes bodies of 3 MiB."""

    head: int = 64 * 1024
    body: int = 3 * 1024 * 1024


class RequestReader:
    """Takes bytes in `feed`, hands requests out of `next`, one at a time.

    `awaiting` tells what it waits for: "" before a request, else "head" or "body".
    """

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._data = bytearray()
        self._searched = 0
        self._head: Head | None = None
        self._chunks: bytearray | None = None
        self.continues = False

    @property
    def awaiting(self) -> str:
        if self._head is not None:
            return "body"
        return "head" if self._data else ""

    @property
    def pending(self) -> int:
        """Bytes that are kept."""
        return len(self._data)

    def feed(self, data: bytes) -> None:
        """More bytes have come."""
        self._data += data

    def next(self) -> Request | None:
        """The next request, if all of it is there; raises `MalformedError`."""
        if self._head is None and not self._read_head():
            return None
        head = self._head
        if head is None:
            return None
        body = self._read_chunks() if head.length is None else self._read_body(head.length)
        if body is None and not head.request.too_large:
            return None
        head.request.body = body or b""
        self._head, self._chunks = None, None
        return head.request

    def _read_head(self) -> bool:
        while self._data.startswith(b"\r\n"):  # RFC 9112, 2.2: clients may send one too many
            del self._data[:2]
        end = self._data.find(_END, self._searched)
        if end > self._sizes.head or (end < 0 and len(self._data) > self._sizes.head):
            raise MalformedError(431, "the head is too large")
        if end < 0:
            self._searched = max(0, len(self._data) - 3)
            return False
        self._head = parse_head(bytes(self._data[:end]))
        del self._data[: end + len(_END)]
        self._searched = 0
        self.continues = self._head.expects_continue
        return True

    def _read_body(self, length: int) -> bytes | None:
        if length > self._sizes.body:
            self._refuse()
            return None
        if len(self._data) < length:
            return None
        body = bytes(self._data[:length])
        del self._data[:length]
        return body

    def _refuse(self) -> None:
        if self._head is not None:
            self._head.request.too_large = True
            self._head.request.keep_alive = False
        self._data.clear()

    def _read_chunks(self) -> bytes | None:
        if self._chunks is None:
            self._chunks = bytearray()
        while True:
            end = self._data.find(b"\r\n")
            if end < 0 or end > _LONGEST_CHUNK_LINE:
                if len(self._data) > _LONGEST_CHUNK_LINE:
                    raise MalformedError(400, "malformed chunk")
                return None
            size = self._chunk_size(bytes(self._data[:end]))
            if size == 0:
                return self._trailer(end)
            if len(self._chunks) + size > self._sizes.body:
                self._refuse()
                return None
            if len(self._data) < end + 2 + size + 2:
                return None
            self._take(self._chunks, end + 2, size)

    def _chunk_size(self, line: bytes) -> int:
        match = _CHUNK.fullmatch(line)
        if match is None:
            raise MalformedError(400, "malformed chunk")
        return int(match[1], 16)

    def _take(self, body: bytearray, start: int, size: int) -> None:
        if self._data[start + size : start + size + 2] != b"\r\n":
            raise MalformedError(400, "malformed chunk")
        body += self._data[start : start + size]
        del self._data[: start + size + 2]

    def _trailer(self, end: int) -> bytes | None:
        """After the last chunk: nothing, or fields that nobody asks for."""
        if self._data[end + 2 : end + 4] == b"\r\n":
            last = end
        else:
            last = self._data.find(_END, end)
            if last < 0:
                if len(self._data) > self._sizes.head:
                    raise MalformedError(431, "the trailer is too large")
                return None
        del self._data[: last + 4]
        return bytes(self._chunks or b"")
