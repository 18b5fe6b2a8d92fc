"""Requests to one API server: connections that are kept, proofs that are renewed.

A client of our own on asyncio's protocols: a scheduler sends two small requests for each pod, and most of
what a general client spends on them buys nothing here. See docs/adr.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from nominee.client.access import Access
from nominee.client.connection import Connection
from nominee.client.credentials import Certificate, Proof
from nominee.client.dialing import Dialer
from nominee.client.http1 import Headers
from nominee.client.tls import tls_context
from nominee.errors import ConfigError, InputError

IDLE_SECONDS = 60.0
"""Connections that were idle for longer are not used again: kube-apiserver closes them after 90 s."""
_WITH_BODY = ("POST", "PUT", "PATCH")


class Answer(NamedTuple):
    """What the server said."""

    status: int
    headers: Headers
    body: bytes


class Request(NamedTuple):
    """What to ask; the target is a path with its query, quoted."""

    method: str
    target: str
    body: bytes | None = None
    content_type: str = ""


class Stream:
    """An answer that arrives in pieces, for at most so many seconds and with no longer silence."""

    def __init__(self, connection: Connection, answer: Answer, seconds: float, silence: float) -> None:
        self.status = answer.status
        self.headers = answer.headers
        self._connection = connection
        self._silence = silence
        self._end = asyncio.get_running_loop().time() + seconds

    async def read(self) -> bytes:
        """All of it, as one would read an error."""
        return b"".join([piece async for piece in self.pieces()])

    async def pieces(self) -> AsyncGenerator[bytes]:
        """What has arrived, as it arrives."""
        now = asyncio.get_running_loop().time
        while piece := await self._connection.piece(max(0.0, min(self._silence, self._end - now()))):
            yield piece


class Transport:
    """Sends requests to the server of an `Access`. Must be closed; belongs to one event loop."""

    def __init__(self, access: Access, user_agent: str) -> None:
        self._access = access
        self._dialer = Dialer(access)
        self._user_agent = user_agent
        self._idle: list[Connection] = []
        self._shown: Certificate | None = None
        self._context: ssl.SSLContext | None = None
        self._head: tuple[Proof, bytes] | None = None
        self._renewing: asyncio.Lock | None = None

    async def close(self) -> None:
        """Close all connections that are not in use."""
        for connection in self._idle:
            connection.close()
        self._idle.clear()
        await asyncio.sleep(0)  # the event loop's turn to let go of them

    async def send(self, request: Request, seconds: float) -> Answer:
        """Send a request and read the whole answer. Raises TransportError if there is none in time."""
        proof = self._access.credentials.ready() or await self._renewed(None)
        answer = await self._send_as(proof, request, seconds)
        if answer.status == 401 and (fresh := await self._renewed(proof)) != proof:
            return await self._send_as(fresh, request, seconds)
        return answer

    @asynccontextmanager
    async def stream(self, request: Request, seconds: float, silence: float) -> AsyncIterator[Stream]:
        """Begin to read an answer without an end."""
        proof = self._access.credentials.ready() or await self._renewed(None)
        connection, answer = await self._open(proof, request, silence)
        if answer.status == 401 and (fresh := await self._renewed(proof)) != proof:
            connection.close()
            connection, answer = await self._open(fresh, request, silence)
        try:
            yield Stream(connection, answer, seconds, silence)
        finally:
            connection.close()

    # -- one request ----------------------------------------------------------------------------

    async def _send_as(self, proof: Proof, request: Request, seconds: float) -> Answer:
        connection = await self._connected(proof)
        read = await connection.ask(self._bytes_of(request, proof), seconds)
        answer = Answer(read.status, read.headers, read.take())
        self._keep(connection, proof)
        return answer

    async def _open(self, proof: Proof, request: Request, silence: float) -> tuple[Connection, Answer]:
        connection = await self._connected(proof)
        read = await connection.begin(self._bytes_of(request, proof), silence)
        return connection, Answer(read.status, read.headers, b"")

    def _bytes_of(self, request: Request, proof: Proof) -> bytes:
        method, target, body, content_type = request
        line = f"{method} {self._dialer.prefix}{target} HTTP/1.1\r\n"
        if " " in target or not line.isascii() or not target.isprintable():
            raise InputError(f"{target!r} is no path: it must be quoted")
        head = self._head_of(proof)
        if body is None and method not in _WITH_BODY:
            return b"%b%b\r\n" % (line.encode(), head)
        body = body or b""
        form = content_type.encode()
        return b"%b%bContent-Type: %b\r\nContent-Length: %d\r\n\r\n%b" % (
            line.encode(),
            head,
            form,
            len(body),
            body,
        )

    def _head_of(self, proof: Proof) -> bytes:
        """The headers that all requests with this proof have in common."""
        if self._head is None or self._head[0] is not proof:
            self._head = proof, self._common_headers(proof)
        return self._head[1]

    def _common_headers(self, proof: Proof) -> bytes:
        headers = [
            ("Host", self._dialer.host),
            ("User-Agent", self._user_agent),
            ("Accept", "application/json"),
            # Compressing costs the server more than it saves on the way to a scheduler nearby.
            ("Accept-Encoding", "identity"),
            *self._access.headers,
        ]
        if proof.authorization is not None:
            headers.append(("Authorization", proof.authorization))
        for name, value in headers:
            if not value.isprintable():
                message = f"what goes into the header {name} holds control characters"
                raise ConfigError(message, source=self._access.source or None)
        return "".join(f"{name}: {value}\r\n" for name, value in headers).encode()

    # -- connections and proofs -----------------------------------------------------------------

    async def _connected(self, proof: Proof) -> Connection:
        """A connection that nobody uses; the one used last, so that others may grow old."""
        if proof.certificate != self._shown:
            await self.close()
            self._shown, self._context = proof.certificate, None
        oldest = asyncio.get_running_loop().time() - IDLE_SECONDS
        while self._idle:
            connection = self._idle.pop()
            if connection.usable and connection.idle_since > oldest:
                return connection
            connection.close()
        if self._context is None and self._dialer.secure:
            self._context = tls_context(self._access.trust, proof.certificate, self._access.source)
        return await self._dialer.dial(self._context)

    def _keep(self, connection: Connection, proof: Proof) -> None:
        if connection.usable and proof.certificate == self._shown:
            connection.idle_since = asyncio.get_running_loop().time()
            self._idle.append(connection)
        else:
            connection.close()

    async def _renewed(self, refused: Proof | None) -> Proof:
        """A new proof, asked for once by however many requests need it at the same time."""
        if self._renewing is None:
            self._renewing = asyncio.Lock()
        async with self._renewing:
            ready = self._access.credentials.ready()
            if ready is not None and ready != refused:
                return ready
            return await self._access.credentials.renew(refused)
