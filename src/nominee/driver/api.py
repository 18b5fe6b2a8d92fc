"""What binding plugins get as `api`: the cluster, with a bound on calls, events, and sleep."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nominee.driver.patience import bind_for_certain
from nominee.driver.ports import Cluster
from nominee.driver.slots import Slots
from nominee.framework import Pod
from nominee.scheduler.effects import RecordEvent


@dataclass(slots=True)
class Bounds:
    """How many calls of a kind may be under way. What is more waits, and binding never waits for the rest.

    Once more bindings wait than are under way, further decisions would only grow old in line.
    """

    binds: Slots = field(default_factory=lambda: Slots(64))
    writes: Slots = field(default_factory=lambda: Slots(64))
    most_waiting_writes: int = 5000

    @property
    def exceeded(self) -> bool:
        binds = self.binds
        return binds.waiting > binds.limit or self.writes.waiting > self.most_waiting_writes


class DriverApi:
    """The framework's Api over a Cluster."""

    def __init__(self, cluster: Cluster, bounds: Bounds, record: Callable[[RecordEvent], None]) -> None:
        self._cluster = cluster
        self._bounds = bounds
        self._record = record

    async def bind(self, pod: Pod, node_name: str) -> None:
        """Bind the pod; when this returns or raises, it is certain what became of it."""
        async with self._bounds.binds:
            await bind_for_certain(self._cluster, pod, node_name)

    async def get(self, kind: str, key: str) -> dict[str, Any]:
        return await self._cluster.get(kind, key)

    async def create(self, kind: str, item: dict[str, Any]) -> dict[str, Any]:
        async with self._bounds.writes:
            return await self._cluster.create(kind, item)

    async def update(self, kind: str, item: dict[str, Any], *, subresource: str = "") -> dict[str, Any]:
        async with self._bounds.writes:
            return await self._cluster.update(kind, item, subresource=subresource)

    async def patch_status(self, kind: str, key: str, patch: dict[str, Any]) -> dict[str, Any]:
        async with self._bounds.writes:
            return await self._cluster.patch_status(kind, key, patch)

    async def delete(self, kind: str, key: str) -> None:
        async with self._bounds.writes:
            await self._cluster.delete(kind, key)

    def record(self, kind: str, reason: str, action: str, note: str, pod: Pod) -> None:
        """An event, with those of the scheduler."""
        self._record(RecordEvent(kind, reason, action, note, pod))

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
