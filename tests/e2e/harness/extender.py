"""A scheduler extender as others write them: an HTTP server that speaks Go's field names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from tests.e2e.harness.api import Object

Verb = Callable[[Object], Awaitable[Any]]


class Extender:
    """Answers verbs with what the test lets it, and keeps what it was asked."""

    def __init__(self, **verbs: Verb) -> None:
        self.asked: list[tuple[str, Object]] = []
        self.url = ""
        self._verbs = verbs

    @classmethod
    @asynccontextmanager
    async def running(cls, **verbs: Verb) -> AsyncIterator[Extender]:
        extender = cls(**verbs)
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/{verb}", extender._serve)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        extender.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield extender
        finally:
            await runner.cleanup()

    async def _serve(self, request: web.Request) -> web.Response:
        verb, args = request.match_info["verb"], await request.json()
        self.asked.append((verb, args))
        return web.json_response(await self._verbs[verb](args))

    def config(self, **fields: Any) -> dict[str, Any]:
        """What stands in a scheduler's configuration to have it asked all that it can answer."""
        verbs = {f"{verb}Verb": verb for verb in self._verbs}
        weight = {"weight": 1} if "prioritize" in self._verbs else {}
        return {"extenders": [{"urlPrefix": self.url, "httpTimeout": "2s"} | verbs | weight | fields]}

    def asked_about(self, verb: str) -> list[str]:
        """The names of the pods that it was asked about."""
        return [args["Pod"]["metadata"]["name"] for asked, args in self.asked if asked == verb]


def refusing(reasons: dict[str, str], *, for_good: bool = False) -> Verb:
    """A filter that takes all nodes but these, whichever way nodes are sent."""
    failed = "FailedAndUnresolvableNodes" if for_good else "FailedNodes"

    async def verb(args: Object) -> Object:
        refused = {name: reasons[name] for name in names_in(args) if name in reasons}
        if args.get("NodeNames") is not None:
            return {"NodeNames": [n for n in args["NodeNames"] if n not in reasons], failed: refused}
        items = [item for item in args["Nodes"]["items"] if item["metadata"]["name"] not in reasons]
        return {"Nodes": {"items": items}, failed: refused}

    return verb


def preferring(name: str) -> Verb:
    """Ten points for one node, none for others."""

    async def verb(args: Object) -> list[Object]:
        return [{"Host": node, "Score": 10 if node == name else 0} for node in names_in(args)]

    return verb


async def silent(_: Object) -> None:
    """No answer within anybody's patience."""
    await asyncio.sleep(3600)


def names_in(args: Object) -> list[str]:
    if args.get("NodeNames") is not None:
        return list(args["NodeNames"])
    return [item["metadata"]["name"] for item in args["Nodes"]["items"]]
