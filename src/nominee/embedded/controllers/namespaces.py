"""Namespaces that are deleted: first their content, then they themselves.

Reproduces pkg/controller/namespace/deletion, v1.37.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from nominee.apiserver.rest import DeleteOptions
from nominee.embedded.controllers.access import MANAGER, Access
from nominee.embedded.controllers.controller import Keys
from nominee.embedded.controllers.ownership import being_deleted
from nominee.errors import ApiError
from nominee.store.ports import Change, JsonObject, Stored

NAMESPACES = "namespaces"
FINALIZER = "kubernetes"
AT_ONCE = 200
# Conditions in upstream's order, with what is said of each when there is nothing to complain about.
FINE = {
    "NamespaceDeletionDiscoveryFailure": ("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": (
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    "NamespaceDeletionContentFailure": (
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    "NamespaceContentRemaining": ("ContentRemoved", "All content successfully removed"),
    "NamespaceFinalizersRemaining": ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}
Said = tuple[str, str]


class NamespaceController:
    """Empties namespaces that are being deleted."""

    name = "namespace-controller"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._terminating: set[str] = set()

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {NAMESPACES: self._own_keys, "": self._content_keys}

    def _own_keys(self, change: Change) -> Iterable[str]:
        name = change.stored.key
        if change.type == "DELETED" or not being_deleted(change.stored.object):
            self._terminating.discard(name)
            return ()
        self._terminating.add(name)
        return (name,)

    def _content_keys(self, change: Change) -> Iterable[str]:
        if not self._terminating or change.type != "DELETED":
            return ()
        namespace = change.stored.object["metadata"].get("namespace", "")
        return (namespace,) if namespace in self._terminating else ()

    def reconcile(self, key: str) -> float | None:
        namespace = self._access.get(NAMESPACES, key)
        if namespace is None or not being_deleted(namespace):
            return None
        failures = self._empty(key)
        remaining = self._content(key)
        namespace = self._write_conditions(namespace, failures, remaining)
        if not remaining:
            self._finalize(namespace)
            return None
        # What is held by finalizers or by grace tells of its end; what was not reached yet does not.
        pending = any(not being_deleted(stored.object) for stored in remaining)
        return (1.0 if failures else 0.0) if pending else None

    def _content(self, namespace: str) -> list[Stored]:
        store = self._access.rest.store
        resources = [kind.names.resource for kind in self._access.rest.registry if kind.names.namespaced]
        return [stored for resource in resources for stored in store.list(resource, namespace)]

    def _empty(self, namespace: str) -> list[str]:
        """Delete what is not deleted yet; answers with what went wrong."""
        failures = []
        waiting = (stored for stored in self._content(namespace) if not being_deleted(stored.object))
        for _, stored in zip(range(AT_ONCE), waiting, strict=False):
            try:
                self._access.delete(stored.resource, stored.key, DeleteOptions(propagation="Background"))
            except ApiError as error:
                failures.append(error.reason)
        return failures

    def _write_conditions(
        self, namespace: JsonObject, failures: list[str], remaining: list[Stored]
    ) -> JsonObject:
        said = _complaints(failures, remaining)
        before = {item["type"]: item for item in (namespace.get("status") or {}).get("conditions") or ()}
        conditions = [self._condition(kind, said, before.get(kind)) for kind in FINE]
        if conditions == list(before.values()):
            return namespace
        status = {**(namespace.get("status") or {}), "conditions": conditions}
        return self._access.update_status(NAMESPACES, {**namespace, "status": status})

    def _condition(self, kind: str, said: Mapping[str, Said], before: JsonObject | None) -> JsonObject:
        reason, message = said.get(kind, FINE[kind])
        status = "True" if kind in said else "False"
        told = {"status": status, "reason": reason, "message": message}
        if before is not None and told.items() <= before.items():
            return before
        return {"type": kind, "lastTransitionTime": self._access.timestamp(), **told}

    def _finalize(self, namespace: JsonObject) -> None:
        spec = namespace.get("spec") or {}
        kept = [item for item in spec.get("finalizers") or () if item != FINALIZER]
        item = {**namespace, "spec": {**spec, "finalizers": kept}}
        rest = self._access.rest
        name = namespace["metadata"]["name"]
        rest.update(NAMESPACES, name, item, rest.context(MANAGER), "finalize")


def _complaints(failures: list[str], remaining: list[Stored]) -> dict[str, Said]:
    said: dict[str, Said] = {}
    if failures:
        listed = ", ".join(sorted(set(failures)))
        message = f"Failed to delete all resource types, {len(failures)} remaining: {listed}"
        said["NamespaceDeletionContentFailure"] = ("ContentDeletionFailed", message)
    if remaining:
        kinds = Counter(stored.resource for stored in remaining)
        listed = ", ".join(
            sorted(f"{_qualified(kind)} has {count} resource instances" for kind, count in kinds.items())
        )
        message = f"Some resources are remaining: {listed}"
        said["NamespaceContentRemaining"] = ("SomeResourcesRemain", message)
    held = Counter(
        finalizer for stored in remaining for finalizer in stored.object["metadata"].get("finalizers") or ()
    )
    if held:
        listed = ", ".join(
            sorted(f"{finalizer} in {count} resource instances" for finalizer, count in held.items())
        )
        message = f"Some content in the namespace has finalizers remaining: {listed}"
        said["NamespaceFinalizersRemaining"] = ("SomeFinalizersRemain", message)
    return said


def _qualified(resource: str) -> str:
    """Upstream puts a dot behind plurals of the core group, too."""
    return resource if "." in resource else f"{resource}."
