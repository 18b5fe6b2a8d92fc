"""A proxy in front of the API server that fails as networks and servers do: seeded, and counted."""

from __future__ import annotations

import asyncio
import itertools
import random
import re
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from tests.e2e.harness.control_plane import SCHEDULER, ControlPlane

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
# Of one connection only; and bodies pass as they are, not compressed.
DROPPED = {"connection", "transfer-encoding", "content-length", "host", "keep-alive", "accept-encoding"}


NOTHING = re.compile(r"(?!)")


@dataclass
class Faults:
    """How often requests fail, and how long a watch lives; 0 for never."""

    share: float = 0.0
    watch_seconds: float = 0.0
    seed: int = 1
    silence: float = 2.0  # how long a request that was acted upon waits for its answer in vain
    last_words: tuple[bytes, ...] = (b"",)  # what watches say before they are cut, one after the other
    token: str = ""  # the only one that is accepted, if any is named
    held: re.Pattern[str] = NOTHING  # requests that match wait at the gate, as "POST /api/…"
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    garble: tuple[bytes, bytes] = (b"", b"")  # what in answers is replaced by what
    counts: Counter[str] = field(default_factory=Counter)


class FaultProxy:
    """TLS in front, with the API server's own certificate, and TLS behind."""

    def __init__(self, control_plane: ControlPlane, faults: Faults) -> None:
        self.faults = faults
        self._control_plane = control_plane
        self._dice = random.Random(faults.seed)
        self._last_words = itertools.cycle(faults.last_words)
        self.kinds: dict[str, Handler] = {
            "429": self._too_many,
            "429 with Retry-After": self._too_many_later,
            "500": self._internal_error,
            "504 after acting": self._act_then_time_out,
            "no JSON after acting": self._act_then_talk_nonsense,
            "half an answer": self._act_then_break_off,
            "silence after acting": self._act_then_fall_silent,
        }
        self.url = ""

    @classmethod
    @asynccontextmanager
    async def running(cls, control_plane: ControlPlane, faults: Faults) -> AsyncIterator[FaultProxy]:
        proxy = cls(control_plane, faults)
        tls = ssl.create_default_context(cafile=str(control_plane.pki.authority))
        connector = aiohttp.TCPConnector(ssl=tls, limit=0)
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=5)
        async with aiohttp.ClientSession(
            connector=connector,
            timeout=timeout,
            auto_decompress=False,
            skip_auto_headers=["Accept-Encoding", "Content-Type"],
        ) as proxy._session:
            runner = web.ServerRunner(web.Server(proxy._serve, access_log=None), shutdown_timeout=0.1)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=_serving(control_plane))
            await site.start()
            port = runner.addresses[0][1]
            proxy.url = f"https://127.0.0.1:{port}"
            try:
                yield proxy
            finally:
                await runner.cleanup()

    _session: aiohttp.ClientSession

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await self._answer(request)
        except aiohttp.ClientError:  # the server went away: so does the connection
            return _hang_up(request)

    async def _answer(self, request: Any) -> web.StreamResponse:
        if self.faults.token and request.headers.get("Authorization") != f"Bearer {self.faults.token}":
            self.faults.counts["401"] += 1
            return _status(401, "Unauthorized")
        if self.faults.held.search(f"{request.method} {request.path}"):
            self.faults.counts["held"] += 1
            await self.faults.gate.wait()
        if request.query.get("watch") in {"1", "true"}:
            return await self._watch(request)
        if self._dice.random() >= self.faults.share:
            return await self._forward(request)
        kind = self._dice.choice(list(self.kinds))
        self.faults.counts[kind] += 1
        return await self.kinds[kind](request)

    async def _forward(self, request: Any) -> web.StreamResponse:
        async with self._ask(request, await request.read()) as answer:
            body = self._garbled(await answer.read())
            return web.Response(status=answer.status, body=body, headers=_headers(answer.headers))

    def _garbled(self, body: bytes) -> bytes:
        wanted, instead = self.faults.garble
        if not wanted or wanted not in body:
            return body
        self.faults.counts["garbled"] += 1
        return body.replace(wanted, instead)

    def _ask(self, request: Any, body: bytes) -> Any:
        url, headers = self._control_plane.url + request.raw_path, _headers(request.headers)
        if self.faults.token:  # the server behind knows another one
            headers["Authorization"] = f"Bearer {self._control_plane.tokens[SCHEDULER]}"
        return self._session.request(request.method, url, data=body or None, headers=headers)

    async def _watch(self, request: Any) -> web.StreamResponse:
        """Pass events on until the watch has lived long enough, then cut it, possibly within an event."""
        async with self._ask(request, b"") as answer:
            response = web.StreamResponse(status=answer.status, headers=_headers(answer.headers))
            response.enable_chunked_encoding()
            await response.prepare(request)
            try:
                async with asyncio.timeout(self.faults.watch_seconds or None):
                    async for chunk in answer.content.iter_any():
                        await response.write(self._garbled(chunk))
            except TimeoutError:
                self.faults.counts["watch cut"] += 1
                if last_words := next(self._last_words):
                    await response.write(last_words)
                    await response.write_eof()
                    return response
                return _hang_up(request)
            await response.write_eof()
            return response

    # The faults

    async def _too_many(self, request: Any) -> web.StreamResponse:
        return _status(429, "TooManyRequests")

    async def _too_many_later(self, request: Any) -> web.StreamResponse:
        return _status(429, "TooManyRequests", {"Retry-After": "1"})

    async def _internal_error(self, request: Any) -> web.StreamResponse:
        return _status(500, "InternalError")

    async def _act_then_time_out(self, request: Any) -> web.StreamResponse:
        await self._forward(request)
        return _status(504, "Timeout")

    async def _act_then_talk_nonsense(self, request: Any) -> web.StreamResponse:
        await self._forward(request)
        return web.Response(text="<html>it works", content_type="application/json")

    async def _act_then_break_off(self, request: Any) -> web.StreamResponse:
        await self._forward(request)
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b'{"kind": "Pod", "meta')
        return _hang_up(request)

    async def _act_then_fall_silent(self, request: Any) -> web.StreamResponse:
        await self._forward(request)
        await asyncio.sleep(self.faults.silence)
        return _hang_up(request)


def _serving(control_plane: ControlPlane) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(control_plane.pki.certificate, control_plane.pki.key)
    return context


def _headers(headers: Any) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in DROPPED}


def _hang_up(request: web.BaseRequest) -> web.StreamResponse:
    if request.transport:
        request.transport.abort()
    return web.Response(status=502)


def _status(code: int, reason: str, headers: dict[str, str] | None = None) -> web.Response:
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": "the proxy says no",
        "reason": reason,
        "code": code,
    }
    return web.json_response(body, status=code, headers=headers)
