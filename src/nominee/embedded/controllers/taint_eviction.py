"""Taints with effect NoExecute drive pods away, at once or after as long as they tolerate them.

Reproduces pkg/controller/tainteviction/taint_eviction.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Keys
from nominee.embedded.controllers.disrupting import marked
from nominee.embedded.controllers.events import Subject
from nominee.embedded.controllers.ownership import being_deleted
from nominee.embedded.controllers.pods import node_of
from nominee.model.node import Taint
from nominee.model.pod import Toleration
from nominee.model.taints import NO_EXECUTE, tolerates
from nominee.store.ports import Change, JsonObject

POD = Subject("v1", "Pod")
FOREVER = float("inf")


class TaintEviction:
    """Keys are pods."""

    name = "taint-eviction-controller"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._events = access.recorder(self.name)
        self._since: dict[str, float] = {}
        """When pods that are to go were first seen to have to."""

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {"pods": self._keys_of_pod, "nodes": self._keys_of_node}

    def _keys_of_pod(self, change: Change) -> Iterable[str]:
        pod, key = change.stored.object, change.stored.key
        if change.type == "DELETED":
            self._since.pop(key, None)
            return ()
        node = node_of(pod)
        if not node or not self._taints(node):
            return ()
        before = change.previous
        if before is not None and node_of(before.object) == node:
            tolerations = before.object["spec"].get("tolerations")
            return () if tolerations == pod["spec"].get("tolerations") else (key,)
        return (key,)

    def _keys_of_node(self, change: Change) -> Iterable[str]:
        now = _no_execute(change.stored.object)
        before = () if change.previous is None else _no_execute(change.previous.object)
        return () if now == before else self._access.placed.on(change.stored.key)

    def _taints(self, node: str) -> tuple[JsonObject, ...]:
        item = self._access.get("nodes", node)
        return () if item is None else _no_execute(item)

    def reconcile(self, key: str) -> float | None:
        pod = self._access.get("pods", key)
        if pod is None or being_deleted(pod):
            self._since.pop(key, None)
            return None
        seconds = tolerated_seconds(self._taints(node_of(pod)), pod)
        if seconds == FOREVER:
            if self._since.pop(key, None) is not None:
                self._events.normal(POD, pod, "TaintManagerEviction", f"Cancelling deletion of Pod {key}")
            return None
        now = self._access.now()
        wait = self._since.setdefault(key, now) + seconds - now
        if wait > 0:
            return wait
        self._evict(key, pod)
        return None

    def _evict(self, key: str, pod: JsonObject) -> None:
        self._events.normal(POD, pod, "TaintManagerEviction", f"Marking for deletion Pod {key}")
        message = "Taint manager: deleting due to NoExecute taint"
        moment = self._access.timestamp()
        self._access.update_status("pods", marked(pod, "DeletionByTaintManager", message, moment))
        self._access.delete("pods", key)
        self._since.pop(key, None)


def _no_execute(node: JsonObject) -> tuple[JsonObject, ...]:
    taints = (node.get("spec") or {}).get("taints") or ()
    return tuple(taint for taint in taints if taint.get("effect") == NO_EXECUTE)


def tolerated_seconds(taints: Iterable[JsonObject], pod: JsonObject) -> float:
    """For how long a pod puts up with these taints: the least that it says of any of them."""
    tolerations = msgspec.convert(pod["spec"].get("tolerations") or (), tuple[Toleration, ...])
    least = FOREVER
    for taint in msgspec.convert(tuple(taints), tuple[Taint, ...]):
        fitting = next((item for item in tolerations if tolerates(item, taint)), None)
        if fitting is None:
            return 0.0
        if fitting.toleration_seconds is not None:
            least = min(least, max(0.0, float(fitting.toleration_seconds)))
    return least
