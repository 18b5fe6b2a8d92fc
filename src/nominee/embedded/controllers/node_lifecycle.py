"""Nodes: taints that say what their conditions say, and silence that is taken for death.

Reproduces pkg/controller/nodelifecycle/node_lifecycle_controller.go, v1.37, but for zones. Only nodes
that have once renewed a lease are expected to go on doing so: nodes that somebody writes by hand, as
in tests of schedulers, stay what they are said to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Keys
from nominee.embedded.controllers.events import Subject
from nominee.store.ports import Change, JsonObject

NODE = Subject("v1", "Node")
LEASES = "leases.coordination.k8s.io"
LEASE_NAMESPACE = "kube-node-lease"
MONITOR = " monitor"
MONITOR_SECONDS = 5.0
GRACE_SECONDS = 50.0

UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
TAINTS: Mapping[tuple[str, str], str] = {
    ("Ready", "False"): NOT_READY,
    ("Ready", "Unknown"): UNREACHABLE,
    ("MemoryPressure", "True"): "node.kubernetes.io/memory-pressure",
    ("DiskPressure", "True"): "node.kubernetes.io/disk-pressure",
    ("NetworkUnavailable", "True"): "node.kubernetes.io/network-unavailable",
    ("PIDPressure", "True"): "node.kubernetes.io/pid-pressure",
}
MANAGED = {*TAINTS.values(), UNSCHEDULABLE}
REPORTED = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")


class NodeLifecycle:
    """Keys are nodes, and one that looks whether all are alive."""

    name = "node-lifecycle-controller"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._events = access.recorder("node-controller")
        self._heard: dict[str, float] = {}

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {"nodes": self._keys_of_node, LEASES: self._hear}

    def _keys_of_node(self, change: Change) -> Iterable[str]:
        name = change.stored.key
        if change.type == "DELETED":
            self._heard.pop(name, None)
            return ()
        return (name,)

    def _hear(self, change: Change) -> Iterable[str]:
        namespace, _, name = change.stored.key.partition("/")
        if namespace != LEASE_NAMESPACE or change.type == "DELETED":
            return ()
        first = not self._heard
        self._heard[name] = self._access.now()
        return (MONITOR,) if first else ()

    def reconcile(self, key: str) -> float | None:
        if key == MONITOR:
            return self._monitor()
        node = self._access.get("nodes", key)
        if node is not None:
            self._taint(node)
        return None

    # -- silence ------------------------------------------------------------------------------------

    def _monitor(self) -> float | None:
        now = self._access.now()
        for name, heard in list(self._heard.items()):
            if now - heard > GRACE_SECONDS:
                node = self._access.get("nodes", name)
                if node is None:
                    del self._heard[name]
                else:
                    self._declare_unknown(node)
        return MONITOR_SECONDS if self._heard else None

    def _declare_unknown(self, node: JsonObject) -> None:
        status = node.get("status") or {}
        before = {item["type"]: item for item in status.get("conditions") or ()}
        if (before.get("Ready") or {}).get("status") == "Unknown":
            return
        moment = self._access.timestamp()
        unknown = {kind: _unknown(kind, before.get(kind), moment) for kind in REPORTED}
        conditions = list({**before, **unknown}.values())
        self._access.update_status("nodes", {**node, "status": {**status, "conditions": conditions}})
        message = f"Node {node['metadata']['name']} status is now: NodeNotReady"
        self._events.normal(NODE, node, "NodeNotReady", message)

    # -- taints -------------------------------------------------------------------------------------

    def _taint(self, node: JsonObject) -> None:
        """Give a node the taints that its conditions and its cordon ask for, and no others of these."""
        spec = node.get("spec") or {}
        taints = spec.get("taints") or []
        wanted = self._wanted(node, taints)
        if wanted == taints:
            return
        others = {name: value for name, value in spec.items() if name != "taints"}
        changed = {**others, "taints": wanted} if wanted else others
        self._access.update("nodes", {**node, "spec": changed})

    def _wanted(self, node: JsonObject, taints: list[JsonObject]) -> list[JsonObject]:
        wanted = _asked_for(node)
        present = {(item["key"], item["effect"]) for item in taints}
        kept = [
            item
            for item in taints
            if item["key"] not in MANAGED
            or item["effect"] == "PreferNoSchedule"
            or (item["key"], item["effect"]) in wanted
        ]
        moment = self._access.timestamp()
        new = [
            {"key": key, "effect": effect, "timeAdded": moment}
            for key, effect in wanted
            if (key, effect) not in present
        ]
        return [*kept, *new]


def _asked_for(node: JsonObject) -> list[tuple[str, str]]:
    """Key and effect of each taint; a node that is not ready drives pods away as well."""
    wanted = []
    for item in (node.get("status") or {}).get("conditions") or ():
        key = TAINTS.get((item.get("type", ""), item.get("status", "")))
        if key is not None:
            wanted.append((key, "NoSchedule"))
            if key in (NOT_READY, UNREACHABLE):
                wanted.append((key, "NoExecute"))
    if (node.get("spec") or {}).get("unschedulable"):
        wanted.append((UNSCHEDULABLE, "NoSchedule"))
    return wanted


def _unknown(kind: str, before: JsonObject | None, moment: str) -> dict[str, Any]:
    if before is None:
        said = ("NodeStatusNeverUpdated", "Kubelet never posted node status.")
        heard = moment
    else:
        said = ("NodeStatusUnknown", "Kubelet stopped posting node status.")
        heard = before.get("lastHeartbeatTime", moment)
    return {
        "type": kind,
        "status": "Unknown",
        "lastHeartbeatTime": heard,
        "lastTransitionTime": moment,
        "reason": said[0],
        "message": said[1],
    }
