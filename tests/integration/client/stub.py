"""A small API server of the tests' own: answers are scripted per path, what was asked is kept."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class StubServer:
    """Answers each path with the next of its answers; the last one is repeated."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    answers: dict[tuple[str, str], deque[Handler]] = field(default_factory=lambda: defaultdict(deque))
    connections: set[object] = field(default_factory=set)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    def on(self, method: str, path: str, *handlers: Handler) -> None:
        """Answer this with these, one after the other."""
        self.answers[method, path].extend(handlers)

    def asked_for(self, method: str, path: str) -> list[Asked]:
        return [each for each in self.asked if (each.method, each.path) == (method, path)]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is true of what was asked."""
        async with asyncio.timeout(10), self.news:
            await self.news.wait_for(condition)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        asked = Asked(request.method, request.path, dict(request.query), dict(request.headers), body)
        async with self.news:
            self.asked.append(asked)
            self.connections.add(request.transport)
            self.news.notify_all()
        answers = self.answers.get((request.method, request.path))
        if not answers:
            return await status(404, f"nothing at {request.path}")(request)
        handler = answers.popleft() if len(answers) > 1 else answers[0]
        return await handler(request)


@asynccontextmanager
async def serving(tls: ssl.SSLContext | None = None) -> AsyncIterator[StubServer]:
    """A server on a free port of loopback."""
    server = StubServer()
    # The tests look at what clients do; that a handler was cut off is part of it.
    runner = web.ServerRunner(
        web.Server(server.handle, access_log=None), handle_signals=False, shutdown_timeout=0.1
    )
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    port = runner.addresses[0][1]
    server.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
    try:
        yield server
    finally:
        await runner.cleanup()


def answer(body: Any, code: int = 200, headers: dict[str, str] | None = None) -> Handler:
    """A JSON answer."""

    async def handler(_: web.BaseRequest) -> web.StreamResponse:
        return web.json_response(body, status=code, headers=headers)

    return handler


def plain(text: str) -> Handler:
    """An answer that is whatever it is."""

    async def handler(_: web.BaseRequest) -> web.StreamResponse:
        return web.Response(text=text)

    return handler


def status(code: int, message: str, reason: str = "", headers: dict[str, str] | None = None) -> Handler:
    """A refusal as the API server words it."""
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code}
    return answer({**body, "message": message, "reason": reason}, code, headers)


async def cut(request: web.BaseRequest) -> web.StreamResponse:
    """End the connection without an answer."""
    assert request.transport is not None
    request.transport.abort()
    raise asyncio.CancelledError


async def silence(_: web.BaseRequest) -> web.StreamResponse:
    """Never answer."""
    await asyncio.Event().wait()
    raise AssertionError


def event(change: str, item: dict[str, Any]) -> bytes:
    """A line of a watch."""
    return json.dumps({"type": change, "object": item}).encode() + b"\n"


def watch(*pieces: bytes, then: Callable[[web.BaseRequest], Awaitable[Any]] | None = None) -> Handler:
    """A watch that sends these pieces and ends, or goes on with `then`."""

    async def handler(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        response.enable_chunked_encoding()
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
        if then is not None:
            await then(request)
        return response

    return handler


def listing(items: list[dict[str, Any]], version: str = "10", token: str = "") -> Handler:
    """A list, or a page of one."""
    return answer({"metadata": {"resourceVersion": version, "continue": token}, "items": items})


def pod(name: str, version: str = "1", **spec: Any) -> dict[str, Any]:
    meta = {"name": name, "namespace": "default", "uid": f"uid-{name}", "resourceVersion": version}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}
