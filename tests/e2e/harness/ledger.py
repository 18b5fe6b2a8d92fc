"""A watch of the test's own that writes down every pod's life, to say afterwards what went wrong in it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import aiohttp

from tests.e2e.harness.api import Expired, Object, Refused
from tests.e2e.harness.until import until
from tests.e2e.harness.world import World, node_of


class Ledger:
    """Who was seen on which node, and who went away, by namespace and name."""

    def __init__(self) -> None:
        self.nodes: defaultdict[str, list[str]] = defaultdict(list)
        self.deleted: set[str] = set()
        self._writing: asyncio.Task[None]

    @classmethod
    @asynccontextmanager
    async def watching(cls, world: World) -> AsyncIterator[Ledger]:
        """Watch the world's pods until the block ends."""
        ledger = cls()
        version = await ledger._look(world)
        ledger._writing = asyncio.create_task(ledger._write(world, version))
        try:
            yield ledger
        finally:
            ledger._writing.cancel()
            await asyncio.wait([ledger._writing])

    async def _write(self, world: World, version: str) -> None:
        while True:
            try:
                async for kind, pod in world.api.watch("Pod", version, world.namespace):
                    if kind != "BOOKMARK":
                        self._note(pod, deleted=kind == "DELETED")
            except Expired:  # a restarted server remembers nothing: go on from what there is
                version = await self._look_again(world)

    async def _look_again(self, world: World) -> str:
        """A server that has just been started answers when it is ready, and refuses until then."""
        while True:
            try:
                return await self._look(world)
            except (aiohttp.ClientError, Refused):
                await asyncio.sleep(0.1)

    async def _look(self, world: World) -> str:
        pods, version = await world.api.list_at("Pod", world.namespace)
        for pod in pods:
            self._note(pod)
        return version

    def _note(self, pod: Object, *, deleted: bool = False) -> None:
        name, node = pod["metadata"]["name"], node_of(pod)
        if deleted:
            self.deleted.add(name)
        elif node not in self.nodes[name]:
            self.nodes[name].append(node)

    @property
    def bound(self) -> int:
        return sum(any(nodes) for nodes in self.nodes.values())

    async def until_bound(self, count: int, within: float) -> None:
        async def look() -> bool:
            assert not self._writing.done(), f"the watch ended: {self._writing.exception()!r}"
            return self.bound >= count

        await until(look, f"{count} pods are bound", within)

    def assert_bound_once(self, names: Iterable[str]) -> None:
        """Each had no node, then one, then never another, and is still there."""
        wrong = {name: self.nodes[name] for name in names if len([n for n in self.nodes[name] if n]) != 1}
        assert not wrong, f"not bound exactly once: {dict(list(wrong.items())[:5])}"
        assert not self.deleted & set(names), "pods are gone that nobody deleted"
