"""Pods of nodes that are no more.

Reproduces gcOrphaned of pkg/controller/podgc/gc_controller.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nominee.apiserver.rest import DeleteOptions
from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Keys
from nominee.embedded.controllers.disrupting import marked
from nominee.embedded.controllers.pods import node_of, terminated
from nominee.store.ports import Change

QUARANTINE_SECONDS = 40.0
AT_ONCE = 100


class PodGarbageCollector:
    """Keys are nodes. Those that are missing may come back for a while."""

    name = "pod-garbage-collector-controller"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._missing: dict[str, float] = {}

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {
            "nodes": lambda change: (change.stored.key,) if change.type == "DELETED" else (),
            "pods": self._keys_of_pod,
        }

    def _keys_of_pod(self, change: Change) -> Iterable[str]:
        node = node_of(change.stored.object)
        if not node or change.type == "DELETED" or self._access.rest.store.get("nodes", node) is not None:
            return ()
        return (node,)

    def reconcile(self, key: str) -> float | None:
        if self._access.get("nodes", key) is not None:
            self._missing.pop(key, None)
            return None
        pods = self._access.placed.on(key)
        if not pods:
            self._missing.pop(key, None)
            return None
        now = self._access.now()
        wait = self._missing.setdefault(key, now) + QUARANTINE_SECONDS - now
        if wait > 0:
            return wait
        for pod in pods[:AT_ONCE]:
            self._collect(pod)
        return 0.0 if len(pods) > AT_ONCE else None

    def _collect(self, key: str) -> None:
        pod = self._access.get("pods", key)
        if pod is None:
            return
        if not terminated(pod):
            moment = self._access.timestamp()
            failed = marked(pod, "DeletionByPodGC", "PodGC: node no longer exists", moment)
            failed["status"]["phase"] = "Failed"
            self._access.update_status("pods", failed)
        self._access.delete("pods", key, DeleteOptions(grace_period_seconds=0))
