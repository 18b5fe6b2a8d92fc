"""The garbage collector: what is owned goes with its owners, or is let go.

Reproduces pkg/controller/garbagecollector/garbagecollector.go, v1.37. The store tells of every change
before it returns, so what is known of owners and dependents is never late.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum

from nominee.apiserver.kind import Kind
from nominee.apiserver.rest import DeleteOptions
from nominee.apiserver.rest.options import Propagation
from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Keys
from nominee.embedded.controllers.ownership import being_deleted, with_owners
from nominee.store.ports import Change, JsonObject, Stored

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"
AT_ONCE = 100


class Owner(Enum):
    """What a reference points at."""

    SOLID = "there"
    DANGLING = "not there, or another of the same name"
    WAITING = "about to go, once its dependents are gone"


class GarbageCollector:
    """Deletes what has lost its owners, and holds owners back for the sake of their dependents."""

    name = "garbage-collector-controller"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._rest = access.rest
        self._kinds: dict[tuple[str, str], Kind | None] = {}
        self._revision = -1

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {"": self._keys}

    # -- which objects to look at -------------------------------------------------------------------

    def _keys(self, change: Change) -> Iterable[str]:
        stored = change.stored
        metadata = stored.object["metadata"]
        references = metadata.get("ownerReferences")
        if change.type == "DELETED":
            return self._keys_around(stored, references)
        if "deletionTimestamp" in metadata:
            finalizers = metadata.get("finalizers") or ()
            return (_key_of(stored),) if ORPHAN in finalizers or FOREGROUND in finalizers else ()
        if not references:
            return ()
        before = change.previous
        if before is not None and before.object["metadata"].get("ownerReferences") == references:
            return ()
        if all(self._owner(stored, reference) is Owner.SOLID for reference in references):
            return ()
        return (_key_of(stored),)

    def _keys_around(self, stored: Stored, references: list[JsonObject] | None) -> list[str]:
        """Of something that is gone: those who depended on it, and those who waited for that."""
        uid = stored.object["metadata"]["uid"]
        keys = []
        if self._access.owned.has_dependents(uid):
            keys = [_key_of(dependent) for dependent in self._access.owned.dependents(uid)]
        for reference in references or ():
            kind = self._kind_of(reference)
            if kind is not None:
                keys.append(f"{kind.names.resource} {_owner_key(kind, stored, reference)}")
        return keys

    def reconcile(self, key: str) -> float | None:
        resource, _, place = key.partition(" ")
        stored = self._rest.store.get(resource, place)
        if stored is None:
            return None
        finalizers = stored.object["metadata"].get("finalizers") or ()
        if not being_deleted(stored.object):
            self._collect(stored)
            return None
        if FOREGROUND in finalizers:
            return self._delete_dependents(stored)
        if ORPHAN in finalizers:
            return self._release_dependents(stored)
        return None

    # -- owners -------------------------------------------------------------------------------------

    def _kind_of(self, reference: JsonObject) -> Kind | None:
        registry = self._rest.registry
        if self._revision != registry.revision:
            self._kinds.clear()
            self._revision = registry.revision
        place = (reference.get("apiVersion", ""), reference.get("kind", ""))
        if place not in self._kinds:
            self._kinds[place] = registry.of(*place)
        return self._kinds[place]

    def _owner(self, stored: Stored, reference: JsonObject) -> Owner:
        kind = self._kind_of(reference)
        if kind is None or (kind.names.namespaced and not _namespace(stored)):
            return Owner.SOLID  # nobody can tell: what is not known is let be
        owner = self._access.get(kind.names.resource, _owner_key(kind, stored, reference))
        if owner is None or owner["metadata"].get("uid") != reference.get("uid"):
            return Owner.DANGLING
        if being_deleted(owner) and FOREGROUND in (owner["metadata"].get("finalizers") or ()):
            return Owner.WAITING
        return Owner.SOLID

    def _collect(self, stored: Stored) -> None:
        """Delete an object without owners; of one that has some, forget those that it has not."""
        references = stored.object["metadata"].get("ownerReferences") or []
        owners = [self._owner(stored, reference) for reference in references]
        if not references or all(owner is Owner.SOLID for owner in owners):
            return
        if Owner.SOLID in owners:
            kept = [
                reference for reference, owner in zip(references, owners, strict=True) if owner is Owner.SOLID
            ]
            self._access.update(stored.resource, with_owners(stored.object, kept))
            return
        dependents = self._access.owned.dependents(stored.object["metadata"]["uid"])
        if Owner.WAITING in owners and dependents:
            if any(_deletes_dependents(dependent.object) for dependent in dependents):
                stored = self._unblock(stored)
            self._delete(stored, "Foreground")
        else:
            self._delete(stored, _usual(stored.object))

    def _unblock(self, stored: Stored) -> Stored:
        """Two that wait for each other would wait for ever."""
        references = stored.object["metadata"]["ownerReferences"]
        freed = [{**reference, "blockOwnerDeletion": False} for reference in references]
        self._access.update(stored.resource, with_owners(stored.object, freed))
        return self._rest.get(stored.resource, stored.key)

    def _delete(self, stored: Stored, propagation: Propagation) -> None:
        uid = stored.object["metadata"]["uid"]
        self._access.delete(stored.resource, stored.key, DeleteOptions(propagation=propagation, uid=uid))

    # -- dependents ---------------------------------------------------------------------------------

    def _delete_dependents(self, stored: Stored) -> float | None:
        """In the foreground: the owner goes after those that block it."""
        blocking = list(self._blocking(stored))
        if not blocking:
            self._remove_finalizer(stored, FOREGROUND)
            return None
        waiting = [item for item in blocking if not being_deleted(item.object)]
        for dependent in waiting[:AT_ONCE]:
            self._collect(dependent)
        return 0.0 if len(waiting) > AT_ONCE else None

    def _blocking(self, stored: Stored) -> Iterator[Stored]:
        uid = stored.object["metadata"]["uid"]
        for dependent in self._access.owned.dependents(uid):
            references = dependent.object["metadata"].get("ownerReferences") or ()
            if any(item.get("uid") == uid and item.get("blockOwnerDeletion") for item in references):
                yield dependent

    def _release_dependents(self, stored: Stored) -> float | None:
        """Orphaned: the owner goes, and nobody refers to it any more."""
        uid = stored.object["metadata"]["uid"]
        dependents = self._access.owned.dependents(uid)
        for dependent in dependents[:AT_ONCE]:
            references = dependent.object["metadata"].get("ownerReferences") or ()
            kept = [reference for reference in references if reference.get("uid") != uid]
            self._access.update(dependent.resource, with_owners(dependent.object, kept))
        if len(dependents) > AT_ONCE:
            return 0.0
        self._remove_finalizer(stored, ORPHAN)
        return None

    def _remove_finalizer(self, stored: Stored, finalizer: str) -> None:
        metadata = stored.object["metadata"]
        kept = [item for item in metadata.get("finalizers") or () if item != finalizer]
        item = {**stored.object, "metadata": {**metadata, "finalizers": kept}}
        self._access.update(stored.resource, item)


def _key_of(stored: Stored) -> str:
    return f"{stored.resource} {stored.key}"


def _namespace(stored: Stored) -> str:
    namespace: str = stored.object["metadata"].get("namespace", "")
    return namespace


def _owner_key(kind: Kind, dependent: Stored, reference: JsonObject) -> str:
    name: str = reference.get("name", "")
    return f"{_namespace(dependent)}/{name}" if kind.names.namespaced else name


def _deletes_dependents(item: JsonObject) -> bool:
    return being_deleted(item) and FOREGROUND in (item["metadata"].get("finalizers") or ())


def _usual(item: JsonObject) -> Propagation:
    finalizers = item["metadata"].get("finalizers") or ()
    if ORPHAN in finalizers:
        return "Orphan"
    return "Foreground" if FOREGROUND in finalizers else "Background"
