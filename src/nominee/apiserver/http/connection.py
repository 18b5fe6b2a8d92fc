"""One connection: reads requests, has them answered, writes the answers, and gives up on who is too slow."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol, cast

from nominee.apiserver.http.head import MalformedError
from nominee.apiserver.http.message import Answer, Request, Stream, head_of
from nominee.apiserver.http.reader import RequestReader, Sizes

Handler = Callable[[Request], Awaitable[Answer | Stream]]

_PIPELINED = 64 * 1024
"""Bytes that are taken while a request is being answered; whoever sends more has to wait."""

_PART = 256 * 1024
_LAST_CHUNK = b"0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long, in seconds, a client may take: for a head, a body, between requests, to read an answer."""

    head: float = 10.0
    body: float = 30.0
    idle: float = 120.0
    write: float = 30.0
    linger: float = 2.0


class Connections(Protocol):
    """Who knows of all connections."""

    def opened(self, connection: Connection) -> bool:
        """Whether there is room for one more."""
        ...

    def closed(self, connection: Connection) -> None: ...


class Connection(asyncio.Protocol):
    """A task for each connection answers its requests one after the other.

    `deadline` is when it is cut off unless something happens: the server looks at it now and then, which
    is cheaper than a timer for each request.
    """

    def __init__(self, handler: Handler, connections: Connections, sizes: Sizes, patience: Patience) -> None:
        self.deadline: float | None = None
        self._handler = handler
        self._connections = connections
        self._patience = patience
        self._reader = RequestReader(sizes)
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = None
        self._wanted: asyncio.Future[None] | None = None
        self._blocked: asyncio.Future[None] | None = None
        self._reading = True
        self._discarding = False

    # -- what the event loop says -------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if not self._connections.opened(self):
            self._transport.abort()
            return
        self._transport.set_write_buffer_limits(high=4 * _PART)
        self._wait("head")
        self._task = self._loop.create_task(self._serve())

    def connection_lost(self, exc: Exception | None) -> None:
        self.deadline = None
        self._connections.closed(self)
        if self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        if self._discarding:
            return
        self._reader.feed(data)
        if self._wanted is not None:
            if not self._wanted.done():
                self._wanted.set_result(None)
        elif self._reader.pending > _PIPELINED and self._reading:
            self._transport.pause_reading()
            self._reading = False

    def eof_received(self) -> None:
        """Nobody waits for an answer any more: the transport closes."""

    def pause_writing(self) -> None:
        self._blocked = self._loop.create_future()

    def resume_writing(self) -> None:
        if self._blocked is not None and not self._blocked.done():
            self._blocked.set_result(None)
        self._blocked = None

    def abort(self) -> None:
        """Cut it off."""
        self._transport.abort()

    # -- serving ------------------------------------------------------------------------------------

    async def _serve(self) -> None:
        try:
            while await self._serve_one():
                self._wait("idle")
        except MalformedError as problem:
            self._refuse(problem)
            await self._linger()
        finally:
            self._transport.close()

    async def _serve_one(self) -> bool:
        """Answer a request; tells whether there may be another one."""
        request = await self._next()
        self.deadline = None
        answer = await self._handler(request)
        await self._send(answer, request)
        if request.too_large:
            await self._linger()
        return request.keep_alive

    async def _next(self) -> Request:
        while (request := self._reader.next()) is None:
            self._expect()
            self._wanted = self._loop.create_future()
            if not self._reading:
                self._reading = True
                self._transport.resume_reading()
            try:
                await self._wanted
            finally:
                self._wanted = None
        return request

    def _expect(self) -> None:
        """The first bytes of a head or of a body start its time; more of them do not prolong it."""
        if self._reader.continues:
            self._reader.continues = False
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        awaiting = self._reader.awaiting
        if awaiting and awaiting != self._awaiting:
            self._wait(awaiting)

    def _wait(self, what: str) -> None:
        self._awaiting = what
        self.deadline = self._loop.time() + getattr(self._patience, what)

    async def _send(self, answer: Answer | Stream, request: Request) -> None:
        head = head_of(answer, close=not request.keep_alive)
        if isinstance(answer, Stream):
            await self._send_stream(head, answer)
        elif answer.parts is not None:
            await self._send_parts(head, answer)
        else:
            self._transport.write(head if request.method == "HEAD" else head + answer.body)
            await self._written()

    async def _send_stream(self, head: bytes, stream: Stream) -> None:
        self._transport.write(head)
        async with aclosing(stream.items) as items:  # type: ignore[type-var]
            async for item in items:
                self._transport.write(b"%x\r\n%b\r\n" % (len(item), item))
                await self._written()
        self._transport.write(_LAST_CHUNK)

    async def _send_parts(self, head: bytes, answer: Answer) -> None:
        self._transport.write(head)
        gathered, size = [answer.body], len(answer.body)
        for part in answer.parts or ():
            gathered.append(part)
            size += len(part)
            if size >= _PART:
                self._transport.write(b"%x\r\n%b\r\n" % (size, b"".join(gathered)))
                gathered, size = [], 0
                await self._written()
        self._transport.write(b"%x\r\n%b\r\n" % (size, b"".join(gathered)) if size else b"")
        self._transport.write(_LAST_CHUNK)
        await self._written()

    async def _written(self) -> None:
        """Go on when the client has read most of what was sent; the deadline cuts off one who does not."""
        if self._blocked is not None:
            self.deadline = self._loop.time() + self._patience.write
            await self._blocked
            self.deadline = None

    def _refuse(self, problem: MalformedError) -> None:
        body = f"{problem.status} {problem.why}".encode()
        answer = Answer(problem.status, body, "text/plain; charset=utf-8")
        self._transport.write(head_of(answer, close=True) + body)

    async def _linger(self) -> None:
        """Let the client read the answer before the connection breaks under what it still sends."""
        self._discarding = True
        if self._transport.is_closing():
            return
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._wait("linger")
        await self._loop.create_future()
