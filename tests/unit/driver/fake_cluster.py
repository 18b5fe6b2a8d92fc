"""An API server made of a dictionary: it shows the driver what was written, and fails as it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import msgspec

from nominee.config.features import FeatureGates
from nominee.driver import Driver, drive
from nominee.driver.api import Bounds
from nominee.errors import Conflict, NomineeError, NotFound
from nominee.framework import Pod
from nominee.model.pod import Pod as PodObject
from nominee.scheduler.ports import Recorder
from nominee.sim.assembly import make_scheduler
from tests.virtual_time import VirtualClock

Fault = NomineeError | Callable[[], Awaitable[None]]


class FakeCluster:
    """Pods by `namespace/name`; `calls` holds what was asked, in order, as `verb key`.

    `faults` are used up in the order in which they were given, by verb. With `late` the server acts
    before it fails. `latency` is what every call takes.
    """

    def __init__(self) -> None:
        self.pods: dict[str, PodObject] = {}
        self.calls: list[str] = []
        self.patches: list[dict[str, Any]] = []
        self.events: dict[str, dict[str, Any]] = {}
        self.faults: dict[str, list[Fault]] = {}
        self.late = False
        self.latency = 0.0
        self.driver: Driver | None = None
        self.most_at_once = 0
        self._at_once = 0

    def put(self, pod: PodObject) -> None:
        self.pods[pod.key] = pod
        if self.driver is not None:
            self.driver.seen(pod)

    def fail(self, verb: str, *faults: Fault) -> None:
        self.faults.setdefault(verb, []).extend(faults)

    def node_of(self, name: str) -> str:
        return self.pods[f"default/{name}"].spec.node_name

    def made(self, verb: str) -> list[str]:
        return [call for call in self.calls if call.startswith(verb + " ")]

    async def _call(self, verb: str, key: str, act: Callable[[], Any]) -> Any:
        self.calls.append(f"{verb} {key}")
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await self._answer(verb, act)
        finally:
            self._at_once -= 1

    async def _answer(self, verb: str, act: Callable[[], Any]) -> Any:
        if self.latency:
            await asyncio.sleep(self.latency)
        faults = self.faults.get(verb)
        fault = faults.pop(0) if faults else None
        if isinstance(fault, NomineeError):
            if self.late:
                act()
            raise fault
        if fault is not None:
            await fault()
        return act()

    def _pod(self, key: str, uid: str = "") -> PodObject:
        found = self.pods.get(key)
        if found is None:
            raise NotFound(404, f'pods "{key.rpartition("/")[2]}" not found')
        if uid and found.metadata.uid != uid:
            raise Conflict(409, "the UID in the precondition does not match")
        return found

    # -- what the driver calls --------------------------------------------------------------------

    async def get(self, kind: str, key: str) -> dict[str, Any]:
        def act() -> dict[str, Any]:
            pod = self._pod(key)
            return {"metadata": {"uid": pod.metadata.uid}, "spec": {"nodeName": pod.spec.node_name}}

        return await self._call("get", key, act)  # type: ignore[no-any-return]

    async def create(self, kind: str, item: dict[str, Any]) -> dict[str, Any]:
        return await self._call("create", kind, lambda: item)  # type: ignore[no-any-return]

    async def update(self, kind: str, item: dict[str, Any], *, subresource: str = "") -> dict[str, Any]:
        return await self._call("update", kind, lambda: item)  # type: ignore[no-any-return]

    async def patch_status(self, kind: str, key: str, patch: dict[str, Any]) -> dict[str, Any]:
        return await self._call("patch", key, lambda: patch)  # type: ignore[no-any-return]

    async def delete(self, kind: str, key: str) -> None:
        await self._call("delete", key, lambda: None)

    async def bind(self, pod: Pod, node_name: str) -> None:
        def act() -> None:
            found = self._pod(pod.key, pod.uid)
            if found.spec.node_name:
                raise Conflict(409, f'pod {pod.name} is already assigned to node "{found.spec.node_name}"')
            spec = msgspec.structs.replace(found.spec, node_name=node_name)
            self.put(msgspec.structs.replace(found, spec=spec))

        await self._call("bind", pod.key, act)

    async def patch_pod_status(self, pod: Pod, patch: dict[str, Any]) -> None:
        def act() -> None:
            self._pod(pod.key, pod.uid)
            self.patches.append(patch)

        await self._call("patch", pod.key, act)

    async def delete_pod(self, pod: Pod) -> None:
        def act() -> None:
            found = self._pod(pod.key, pod.uid)
            del self.pods[pod.key]
            if self.driver is not None:
                self.driver.gone(found)

        await self._call("delete", pod.key, act)

    async def create_event(self, namespace: str, event: dict[str, Any]) -> None:
        def act() -> None:
            name = event["metadata"]["name"]
            if name in self.events:
                raise Conflict(409, f'events "{name}" already exists')
            self.events[name] = event

        await self._call("event", event["regarding"]["name"], act)

    async def patch_event(self, namespace: str, name: str, patch: dict[str, Any]) -> None:
        def act() -> None:
            if name not in self.events:
                raise NotFound(404, f'events "{name}" not found')
            self.events[name] = {**self.events[name], **patch}

        await self._call("series", name, act)


class World:
    """A driver at work on a FakeCluster, in virtual time."""

    def __init__(
        self,
        nodes: Iterable[Any] = (),
        pods: Iterable[Any] = (),
        *,
        plugins: Iterable[type] = (),
        bounds: Bounds | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self.cluster = FakeCluster()
        self.scheduler = make_scheduler(None, FeatureGates(), plugins, 0, recorder)
        self.driver = drive(self.scheduler, self.cluster, VirtualClock(), bounds)
        self.cluster.driver = self.driver
        for node in nodes:
            self.driver.seen(node.build())
        for pod in pods:
            self.cluster.put(pod.build())
        self.driver.start()

    def add(self, *pods: Any) -> None:
        for pod in pods:
            self.cluster.put(pod.build())

    async def until(self, condition: Callable[[], bool], seconds: float = 3600) -> None:
        """Let virtual time pass until something is so."""
        for _ in range(round(seconds / 0.05)):
            if condition():
                return
            await asyncio.sleep(0.05)
        raise AssertionError("that did not come about")

    async def quiet(self) -> None:
        """Let everything happen that is under way."""
        await asyncio.sleep(0.001)
        await self.until(lambda: not self.driver.under_way)

    def node_of(self, name: str) -> str:
        return self.cluster.node_of(name)
