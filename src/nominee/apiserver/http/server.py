"""The listening socket, its connections, and their end."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass, field
from pathlib import Path

from nominee.apiserver.http.connection import Connection, Handler, Patience
from nominee.apiserver.http.reader import Sizes

_HANDSHAKE = 10.0
_SWEEP = 0.5


@dataclass(frozen=True, slots=True)
class Limits:
    """What one server bears."""

    sizes: Sizes = field(default_factory=Sizes)
    patience: Patience = field(default_factory=Patience)
    connections: int = 4096


def tls_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """TLS from 1.2 on, HTTP/1.1 only, no client certificates."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["http/1.1"])
    return context


class Server:
    """Serves `handler` on one address; use it as an async context."""

    def __init__(self, handler: Handler, limits: Limits | None = None) -> None:
        self.port = 0
        self._handler = handler
        self._limits = limits or Limits()
        self._connections: set[Connection] = set()
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.TimerHandle | None = None

    async def start(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> int:
        """Listen; answers with the port, which is one that is free if `port` is 0."""
        loop = asyncio.get_running_loop()
        handshake = _HANDSHAKE if tls else None
        self._server = await loop.create_server(
            self._connection, host, port, ssl=tls, backlog=1024, ssl_handshake_timeout=handshake
        )
        self._sweep(loop)
        self.port = self._server.sockets[0].getsockname()[1]
        return self.port

    @property
    def connections(self) -> int:
        """How many there are at this moment."""
        return len(self._connections)

    async def stop(self) -> None:
        """Listen no longer, and cut off who is there."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        if self._server is None:
            return
        self._server.close()
        for connection in tuple(self._connections):
            connection.abort()
        await self._server.wait_closed()

    def _connection(self) -> Connection:
        return Connection(self._handler, self, self._limits.sizes, self._limits.patience)

    def opened(self, connection: Connection) -> bool:
        if len(self._connections) >= self._limits.connections:
            return False
        self._connections.add(connection)
        return True

    def closed(self, connection: Connection) -> None:
        self._connections.discard(connection)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        for connection in tuple(self._connections):
            if connection.deadline is not None and connection.deadline < now:
                connection.abort()
        self._sweeper = loop.call_later(_SWEEP, self._sweep, loop)
