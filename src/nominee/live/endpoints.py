"""What the scheduler answers over HTTP: whether it is well, its metrics, its configuration.

Reproduces newEndpointsHandler and newHealthEndpointsAndMetricsHandler of
cmd/kube-scheduler/app/server.go, v1.37, without TLS and authentication: listen where only those can
reach it who may see it.

The server is a few lines of our own: it reads requests without a body and answers one on each connection.
A general one would take longer to load than the scheduler needs to place its first pod.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

import orjson

from nominee.errors import ConfigError

log = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds in which a request must have arrived, and in which its answer must have been taken."""
_LONGEST_HEAD = 16_384
_MOST_CONNECTIONS = 64


class Answer(NamedTuple):
    """What is sent back."""

    body: bytes
    content_type: str = "text/plain; charset=utf-8"
    status: HTTPStatus = HTTPStatus.OK


class Asked(NamedTuple):
    """What a request asks for."""

    path: str
    query: str
    accept: str


Page = Callable[[Asked], Answer]


class Endpoints:
    """An HTTP server with a page for each path."""

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self.port = 0
        self._pages = dict(pages)
        self._server: asyncio.Server | None = None
        self._open = 0

    async def start(self, address: str) -> None:
        """Listen on `host:port`; port 0 takes a free one. Raises ConfigError if that can not be done."""
        host, port = parse_address(address)
        try:
            self._server = await asyncio.start_server(self._serve, host or None, port, limit=_LONGEST_HEAD)
        except (OSError, UnicodeError) as error:  # a host that can not be one has no encoding
            why = getattr(error, "strerror", None) or str(error)
            raise ConfigError(
                f"{why}: give another HOST:PORT", source=f"--metrics-address {address}"
            ) from None
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            if self._open <= _MOST_CONNECTIONS:
                async with asyncio.timeout(PATIENCE):
                    await self._answer(reader, writer)
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
            pass  # whoever asked is slow, gone, or no HTTP client
        except Exception:
            log.exception("could not answer")
        finally:
            self._open -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        answer = self._look_up(head)
        fields = (
            f"HTTP/1.1 {answer.status.value} {answer.status.phrase}",
            f"Content-Type: {answer.content_type}",
            f"Content-Length: {len(answer.body)}",
            "X-Content-Type-Options: nosniff",
            "Connection: close",
        )
        writer.write("\r\n".join(fields).encode() + b"\r\n\r\n")
        if not head.startswith("HEAD "):
            writer.write(answer.body)
        await writer.drain()

    def _look_up(self, head: str) -> Answer:
        line, *fields = head.split("\r\n")
        method, _, rest = line.partition(" ")
        if method not in {"GET", "HEAD"}:
            return _refusal(HTTPStatus.METHOD_NOT_ALLOWED)
        path, _, query = rest.partition(" ")[0].partition("?")
        page = self._pages.get(path)
        if page is None:
            return _refusal(HTTPStatus.NOT_FOUND)
        accept = next((f.partition(":")[2].strip() for f in fields if f.lower().startswith("accept:")), "")
        return page(Asked(path, query, accept))


def _refusal(status: HTTPStatus) -> Answer:
    return Answer(f"{status.value} {status.phrase.lower()}\n".encode(), status=status)


def parse_address(address: str) -> tuple[str, int]:
    """`host:port`, `[::1]:port` or `:port`, which is every address of the machine."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ConfigError("expected HOST:PORT", source=f"--metrics-address {address}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def json_page(make: Callable[[], Any]) -> Page:
    """A page that shows a value."""
    return lambda _: Answer(orjson.dumps(make()), "application/json")
