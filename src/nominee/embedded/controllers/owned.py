"""Objects by their owners, kept up to date with every write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from nominee.embedded.controllers.ownership import controller_of
from nominee.model.selectors import Selector
from nominee.store.ports import Change, Stored

Place = tuple[str, str]
"""Resource and key of an object."""

Orphan = tuple[Stored, Mapping[str, str]]
"""An object and its labels, which are at hand even where its tree is not."""


NO_LABELS: Mapping[str, str] = {}


class Owned:
    """Looks up what an object owns, and what nobody is in charge of.

    `adoptable` names the resources whose objects controllers adopt: of these the ones without a
    controller are kept by namespace.
    """

    def __init__(self, adoptable: Iterable[str]) -> None:
        self._by_owner: dict[str, dict[Place, Stored]] = {}
        self._orphans: dict[str, dict[str, dict[str, Orphan]]] = {resource: {} for resource in adoptable}

    def apply(self, change: Change) -> None:
        """Take a write in."""
        stored, previous = change.stored, change.previous
        references = stored.object["metadata"].get("ownerReferences")
        if previous is not None and previous.object["metadata"].get("ownerReferences") != references:
            self._remove(previous)
        if change.type == "DELETED":
            self._remove(stored)
        else:
            self._add(stored)

    def dependents(self, uid: str) -> list[Stored]:
        """All that names this uid among its owners."""
        return list(self._by_owner.get(uid, {}).values())

    def has_dependents(self, uid: str) -> bool:
        """Whether anything names this uid among its owners."""
        return uid in self._by_owner

    def controlled(self, resource: str, uid: str) -> Iterator[Stored]:
        """The objects of a resource that the object with this uid is in charge of."""
        for (owned_resource, _), stored in self._by_owner.get(uid, {}).items():
            if owned_resource == resource:
                reference = controller_of(stored.object)
                if reference is not None and reference.get("uid") == uid:
                    yield stored

    def orphans(self, resource: str, namespace: str, selector: Selector) -> Iterator[Stored]:
        """The objects of a namespace that are selected and that nobody is in charge of."""
        for stored, labels in self._orphans[resource].get(namespace, {}).values():
            if labels and selector.matches(labels):
                yield stored

    def _add(self, stored: Stored) -> None:
        metadata = stored.object["metadata"]
        references = metadata.get("ownerReferences")
        for reference in references or ():
            self._by_owner.setdefault(reference["uid"], {})[stored.resource, stored.key] = stored
        if stored.resource in self._orphans and not (references and controller_of(stored.object)):
            namespaces = self._orphans[stored.resource]
            labels = metadata.get("labels") or NO_LABELS
            namespaces.setdefault(metadata.get("namespace", ""), {})[stored.key] = (stored, labels)

    def _remove(self, stored: Stored) -> None:
        metadata = stored.object["metadata"]
        for reference in metadata.get("ownerReferences") or ():
            mine = self._by_owner.get(reference["uid"])
            if mine is not None:
                mine.pop((stored.resource, stored.key), None)
                if not mine:
                    del self._by_owner[reference["uid"]]
        if stored.resource in self._orphans:
            self._orphans[stored.resource].get(metadata.get("namespace", ""), {}).pop(stored.key, None)
