"""What the driver asks of the cluster, answered out of our own store, without HTTP.

Nothing here waits for the disk: what is lost in a crash is the end of the order of writes, and the
scheduler reads what is left of it when it starts again.
"""

from __future__ import annotations

from typing import Any

import orjson

from nominee.apiserver.kind import Context, JsonObject
from nominee.apiserver.rest import DeleteOptions, Rest
from nominee.apiserver.status import not_found
from nominee.framework import Pod
from nominee.store.ports import Stored

MANAGER = "nominee"
_EVENTS = "events.k8s.io/v1"


class StoreCluster:
    """Implements `nominee.driver.ports.Cluster`."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest
        self._resources: dict[str, str] = {}

    def _resource(self, kind: str) -> str:
        """Where objects of a kind are stored; definitions of resources may add kinds at any time."""
        found = self._resources.get(kind)
        if found is None:
            for served in self._rest.registry:
                self._resources.setdefault(served.names.kind, served.names.resource)
            found = self._resources.get(kind)
        if found is None:
            raise not_found(kind, "")
        return found

    def _context(self) -> Context:
        return self._rest.context(MANAGER)

    # -- what plugins use -----------------------------------------------------------------------------

    async def get(self, kind: str, key: str) -> dict[str, Any]:
        return _copied(self._rest.get(self._resource(kind), key))

    async def create(self, kind: str, item: dict[str, Any]) -> dict[str, Any]:
        namespace = item.get("metadata", {}).get("namespace", "")
        return _copied(self._rest.create(self._resource(kind), namespace, item, self._context()))

    async def update(self, kind: str, item: dict[str, Any], *, subresource: str = "") -> dict[str, Any]:
        resource = self._resource(kind)
        return _copied(self._rest.update(resource, _key(item), item, self._context(), subresource))

    async def patch_status(self, kind: str, key: str, patch: dict[str, Any]) -> dict[str, Any]:
        how = "strategic" if kind == "Pod" else "merge"
        resource = self._resource(kind)
        return _copied(self._rest.patch(resource, key, how, patch, self._context(), subresource="status"))

    async def delete(self, kind: str, key: str) -> None:
        self._rest.delete(self._resource(kind), key, DeleteOptions(), self._context())

    # -- what effects consist of ----------------------------------------------------------------------

    async def bind(self, pod: Pod, node_name: str) -> None:
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"namespace": pod.namespace, "name": pod.name, "uid": pod.uid},
            "target": {"kind": "Node", "name": node_name},
        }
        self._rest.connect("pods", pod.key, "binding", binding, self._context())

    async def patch_pod_status(self, pod: Pod, patch: dict[str, Any]) -> None:
        self._rest.patch("pods", pod.key, "strategic", patch, self._context(), subresource="status")

    async def delete_pod(self, pod: Pod) -> None:
        self._rest.delete("pods", pod.key, DeleteOptions(uid=pod.uid), self._context())

    async def create_event(self, namespace: str, event: dict[str, Any]) -> None:
        event = {"apiVersion": _EVENTS, "kind": "Event", **event}
        self._rest.record("events", namespace, event, self._context())

    async def patch_event(self, namespace: str, name: str, patch: dict[str, Any]) -> None:
        key = f"{namespace}/{name}"
        self._rest.patch("events", key, "merge", patch, self._context(), api_version=_EVENTS)


def _key(item: JsonObject) -> str:
    metadata = item["metadata"]
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])


def _copied(stored: Stored) -> dict[str, Any]:
    """Plugins may change what they get."""
    copy: dict[str, Any] = orjson.loads(stored.json)
    return copy
