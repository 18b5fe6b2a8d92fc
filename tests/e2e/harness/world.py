"""One test's part of the cluster: a namespace, what the test puts into it, and what it waits for."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from tests.e2e.harness.api import KINDS, Api, Missing, Object, Refused, path_of
from tests.e2e.harness.objects import make
from tests.e2e.harness.objects import pod as pod_of_class
from tests.e2e.harness.until import until

# What tests make outside of namespaces, and what in them blocks others; in the order of its removal.
LEFTOVERS = (
    "Pod",
    "Node",
    "PodDisruptionBudget",
    "PersistentVolumeClaim",
    "PersistentVolume",
    "ResourceClaim",
    "ResourceSlice",
    "DeviceClass",
    "StorageClass",
    "CSINode",
    "CSIDriver",
)


class World:
    """The test as administrator, kubelet and controllers: none of these run."""

    def __init__(self, api: Api, namespace: str) -> None:
        self.api = api
        self.namespace = namespace

    async def add(self, *items: Object) -> None:
        """Create them in this order; what has no namespace of its own but needs one gets the test's."""
        for item in items:
            await self.api.create(self._placed(item))
            if item["kind"] == "PriorityClass":
                await self._known_to_admission(item["metadata"]["name"])

    async def _known_to_admission(self, priority_class: str) -> None:
        """Admission looks classes up in a cache of its own, and refuses pods of one that is not in it yet."""
        probe = self._placed(pod_of_class("probe", priority=priority_class))
        path = f"{path_of('Pod', self.namespace)}?dryRun=All"

        async def look() -> bool:
            try:
                await self.api.call("POST", path, probe)
            except Refused:
                return False
            return True

        await until(look, f"admission knows {priority_class}")

    async def add_many(self, items: list[Object]) -> None:
        await self.api.create_all(self._placed(item) for item in items)

    def _placed(self, item: Object) -> Object:
        if KINDS[item["kind"]][2]:
            item["metadata"].setdefault("namespace", self.namespace)
        return item

    # What is there

    async def get(self, kind: str, name: str) -> Object:
        return await self.api.get(kind, name, self.namespace if KINDS[kind][2] else "")

    async def pod(self, name: str) -> Object:
        return await self.get("Pod", name)

    async def pods(self) -> dict[str, Object]:
        return {pod["metadata"]["name"]: pod for pod in await self.api.all("Pod", self.namespace)}

    async def exists(self, kind: str, name: str) -> bool:
        try:
            await self.get(kind, name)
        except Missing:
            return False
        return True

    async def events(self, name: str, reason: str) -> list[Object]:
        """Events of that reason regarding the pod of that name, oldest first."""
        found = [
            event
            for event in await self.api.all("Event", self.namespace)
            if event["regarding"]["name"] == name and event["reason"] == reason
        ]
        return sorted(found, key=lambda event: str(event["metadata"]["creationTimestamp"]))

    # What is to come

    async def placed(self, name: str, *, on: str = "", within: float = 30) -> str:
        """The node the pod is bound to, once it is."""

        async def look() -> str:
            return node_of(await self.pod(name))

        found = await until(look, f"pod {name} is bound", within)
        assert not on or found == on, f"pod {name} is on {found}, not on {on}"
        return found

    async def unschedulable(self, name: str, *, within: float = 30) -> str:
        """The message of the condition that says why the pod has no node."""

        async def look() -> str:
            condition = condition_of(await self.pod(name), "PodScheduled")
            said = condition.get("reason") in {"Unschedulable", "SchedulerError"}
            return str(condition["message"]) if said else ""

        return await until(look, f"pod {name} is unschedulable", within)

    async def unschedulable_with(self, name: str, part: str, *, within: float = 30) -> str:
        """The same, once the message contains this."""

        async def look() -> str:
            message = str(condition_of(await self.pod(name), "PodScheduled").get("message", ""))
            return message if part in message else ""

        return await until(look, f"pod {name} is unschedulable with {part!r}", within)

    async def nominated(self, name: str, *, on: str, within: float = 30) -> Object:
        """The pod, once its nominated node is that."""

        async def look() -> Object | None:
            pod = await self.pod(name)
            return pod if nominated_of(pod) == on else None

        found = await until(look, f"pod {name} is nominated for {on or 'no node'}", within)
        assert found
        return found

    async def terminating(self, name: str, *, within: float = 30) -> Object:
        async def look() -> Object | None:
            pod = await self.pod(name)
            return pod if pod["metadata"].get("deletionTimestamp") else None

        found = await until(look, f"pod {name} is being deleted", within)
        assert found
        return found

    async def gone(self, name: str, *, within: float = 30) -> None:
        async def look() -> bool:
            return not await self.exists("Pod", name)

        await until(look, f"pod {name} is gone", within)

    async def event(self, name: str, reason: str, *, within: float = 30) -> Object:
        async def look() -> list[Object]:
            return await self.events(name, reason)

        return (await until(look, f"an event {reason} of pod {name}", within))[0]

    async def until(self, look: Callable[[], Awaitable[Any]], what: str, within: float = 30) -> Any:
        return await until(look, what, within)

    # The kubelet's and the controllers' part

    async def running(self, *names: str, started: str = "") -> None:
        """Let pods run, as a kubelet would report it."""
        started = started or dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        status = {"status": {"phase": "Running", "startTime": started}}
        for name in names:
            await self.api.patch("Pod", name, status, namespace=self.namespace, subresource="status")

    async def finish(self, name: str) -> None:
        """Delete a pod for good: no finalizers, no grace."""
        no_finalizers = {"metadata": {"finalizers": None}}
        await self.api.patch("Pod", name, no_finalizers, namespace=self.namespace)
        with suppress(Missing):  # it may have gone with its last finalizer
            await self.api.delete("Pod", name, self.namespace, grace=0)

    async def allow_disruptions(self, budget: str, allowed: int) -> None:
        """The disruption controller's part. It must have seen the budget's current generation."""
        status = {
            "disruptionsAllowed": allowed,
            "currentHealthy": allowed,
            "desiredHealthy": 0,
            "expectedPods": 0,
            "observedGeneration": 1,
        }
        await self.api.patch(
            "PodDisruptionBudget",
            budget,
            {"status": status},
            namespace=self.namespace,
            subresource="status",
        )

    @classmethod
    async def create(cls, api: Api, namespace: str) -> World:
        await api.create(make("Namespace", namespace))
        return cls(api, namespace)

    async def clear(self) -> None:
        """Remove everything that a test to come could meet."""
        for kind in LEFTOVERS:
            await self._remove_all(kind)

    async def _remove_all(self, kind: str) -> None:
        namespaces = {self.namespace} if KINDS[kind][2] else {""}
        for item in await self.api.all(kind):
            namespaces.add(item["metadata"].get("namespace", ""))
            if item["metadata"].get("finalizers"):
                await self._strip(kind, item)
        await asyncio.gather(*(self.api.delete_all(kind, namespace) for namespace in namespaces))

    async def _strip(self, kind: str, item: Object) -> None:
        meta = item["metadata"]
        no_finalizers = {"metadata": {"finalizers": None}}
        with suppress(Missing):
            await self.api.patch(kind, meta["name"], no_finalizers, namespace=meta.get("namespace", ""))


def node_of(pod: Object) -> str:
    return str(pod["spec"].get("nodeName", ""))


def nominated_of(pod: Object) -> str:
    return str(pod["status"].get("nominatedNodeName", ""))


def condition_of(pod: Object, kind: str) -> Object:
    """The pod's condition of that type, or nothing."""
    for condition in pod["status"].get("conditions", []):
        if condition["type"] == kind:
            found: Object = condition
            return found
    return {}
