"""One connection to a server: a request, its answer, the next request."""

from __future__ import annotations

import asyncio
import socket
from typing import cast

from nominee.client.http1 import MalformedError, ResponseParser
from nominee.errors import TransportError

LATE = "the API server did not answer in time"
_MOST_UNREAD = 1 << 22
_KEEP_ALIVE = (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3))


class Connection(asyncio.Protocol):
    """Asks a server one thing at a time; whoever does not read the answer to its end closes it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.idle_since = 0.0
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._parser = ResponseParser.idle()
        self._whole = True
        self._unread = 0
        self._paused = False
        self._waiter: asyncio.Future[None] | None = None
        self._broken: str | None = None

    @property
    def usable(self) -> bool:
        """Whether another request may be sent."""
        return (
            self._broken is None
            and self._transport is not None
            and not self._transport.is_closing()
            and self._parser.reusable
        )

    @property
    def transport(self) -> asyncio.Transport:
        """What it is made on."""
        assert self._transport is not None  # noqa: S101 - it is set before anybody gets hold of this
        return self._transport

    def close(self) -> None:
        """Close it at once, whatever is under way."""
        self._broken = self._broken or "closed"
        if self._transport is not None:
            self._transport.abort()

    async def ask(self, request: bytes, seconds: float) -> ResponseParser:
        """Send a request, and read the whole answer."""
        self._begin(request, whole=True)
        await self._progress(seconds)
        return self._parser

    async def begin(self, request: bytes, seconds: float) -> ResponseParser:
        """Send a request, and read the head of the answer; the body is left to `piece`."""
        self._begin(request, whole=False)
        while self._parser.status < 200:
            await self._progress(seconds)
        return self._parser

    async def piece(self, seconds: float) -> bytes:
        """The next piece of the body; empty at its end."""
        while True:
            if data := self._parser.take():
                self._go_on_reading()
                return data
            if self._parser.complete:
                return b""
            await self._progress(seconds)

    def upgraded(self, transport: asyncio.BaseTransport) -> None:
        """From here on, everything goes through this transport."""
        self.connection_made(transport)
        self._parser = ResponseParser.idle()

    def _begin(self, request: bytes, *, whole: bool) -> None:
        if self._transport is None or self._broken is not None:
            raise TransportError(f"the connection to the API server broke: {self._broken}", sent=False)
        self._parser, self._whole, self._unread = ResponseParser(), whole, 0
        self._transport.write(request)

    async def _progress(self, seconds: float) -> None:
        """Wait until there is more of the answer, or all of it."""
        if self._broken is not None:
            raise TransportError(f"the connection to the API server broke: {self._broken}")
        waiter = self._waiter = self._loop.create_future()
        timer = self._loop.call_later(seconds, self._expire)
        try:
            await waiter
        except BaseException:  # cancelled, too: the answer may still come, and is nobody's
            self.close()
            raise
        finally:
            timer.cancel()
            self._waiter = None

    def _expire(self) -> None:
        self._settle(TransportError(LATE))

    def _settle(self, error: TransportError | None = None) -> None:
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            if error is None:
                waiter.set_result(None)
            else:
                waiter.set_exception(error)

    # -- asyncio.Protocol -------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # those of uvloop only look like one

    def data_received(self, data: bytes) -> None:
        parser = self._parser
        if parser.complete:
            self.close()  # nobody has asked
            return
        try:
            done = parser.feed(data)
        except MalformedError as error:
            self._fail(f"the answer is not HTTP: {error}")
            self.close()
            return
        if done or (not self._whole and parser.status >= 200):
            self._settle()
        if not self._whole:
            self._hold_back(len(data))

    def _hold_back(self, arrived: int) -> None:
        """A reader that does not keep up must not fill the memory."""
        self._unread += arrived
        if self._unread > _MOST_UNREAD and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()

    def _go_on_reading(self) -> None:
        self._unread = 0
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        was_complete = self._parser.complete
        self._parser.end()
        if self._parser.complete and not was_complete:
            self._broken = "closed"
            self._settle()
        else:
            self._fail(str(exc) if exc is not None else "closed by the server")

    def _fail(self, why: str) -> None:
        if self._broken is None:
            self._broken = why
        self._settle(TransportError(f"the connection to the API server broke: {self._broken}"))


def notice_vanished_peers(transport: asyncio.BaseTransport) -> None:
    """Let the system itself find out when the other machine is not there any more."""
    made: socket.socket | None = transport.get_extra_info("socket")
    if made is None:
        return
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE:
        if hasattr(socket, name):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
