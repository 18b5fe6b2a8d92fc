"""The cluster over the network: what the driver asks of it, as requests to its API server."""

from __future__ import annotations

from typing import Any

import orjson

from nominee.client import Client, PatchType, look_up
from nominee.framework import Pod

_STRATEGIC = PatchType.STRATEGIC_MERGE.value
_MERGE = PatchType.MERGE.value


class ApiCluster:
    """Implements `nominee.driver.ports.Cluster`.

    events   a client with a limit of its own, so that events never hold up bindings; kube-scheduler keeps
             them apart too
    """

    def __init__(self, client: Client, events: Client | None = None) -> None:
        self._client = client
        self._events = events or client

    async def get(self, kind: str, key: str) -> dict[str, Any]:
        return await self._client.get(await look_up(self._client, kind), key)

    async def create(self, kind: str, item: dict[str, Any]) -> dict[str, Any]:
        return await self._client.create(await look_up(self._client, kind), item)

    async def update(self, kind: str, item: dict[str, Any], *, subresource: str = "") -> dict[str, Any]:
        resource = await look_up(self._client, kind)
        return await self._client.update(resource, item, subresource=subresource)

    async def patch_status(self, kind: str, key: str, patch: dict[str, Any]) -> dict[str, Any]:
        how = PatchType.STRATEGIC_MERGE if kind == "Pod" else PatchType.MERGE
        resource = await look_up(self._client, kind)
        return await self._client.patch(resource, key, patch, how, subresource="status")

    async def delete(self, kind: str, key: str) -> None:
        await self._client.delete(await look_up(self._client, kind), key)

    # The calls below are made for every pod: their answers are not read, their paths are not looked up.

    async def bind(self, pod: Pod, node_name: str) -> None:
        """Create the pod's binding (pkg/scheduler/framework/plugins/defaultbinder, v1.37)."""
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"namespace": pod.namespace, "name": pod.name, "uid": pod.uid},
            "target": {"kind": "Node", "name": node_name},
        }
        await self._client.send("POST", f"{_path(pod)}/binding", orjson.dumps(binding))

    async def patch_pod_status(self, pod: Pod, patch: dict[str, Any]) -> None:
        # Written twice it says the same: the uid sees to it that it is the same pod.
        await self._client.send(
            "PATCH", f"{_path(pod)}/status", orjson.dumps(patch), _STRATEGIC, repeatable=True
        )

    async def delete_pod(self, pod: Pod) -> None:
        await self._client.delete("Pod", pod.key, uid=pod.uid)

    async def create_event(self, namespace: str, event: dict[str, Any]) -> None:
        path = f"/apis/events.k8s.io/v1/namespaces/{namespace}/events"
        await self._events.send("POST", path, orjson.dumps(event))

    async def patch_event(self, namespace: str, name: str, patch: dict[str, Any]) -> None:
        path = f"/apis/events.k8s.io/v1/namespaces/{namespace}/events/{name}"
        await self._events.send("PATCH", path, orjson.dumps(patch), _MERGE)


def _path(pod: Pod) -> str:
    # Names of stored objects need no quoting.
    return f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}"
