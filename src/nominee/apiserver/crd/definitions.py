"""Definitions as they come, change and go: what is served follows them.

apiextensions-apiserver/pkg/controller/{status,establish,finalizer}, v1.37, all within the write itself:
who has created a definition can use it with the next request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from nominee.apiserver.crd.custom_kind import custom_kind
from nominee.apiserver.crd.definition import CLEANUP, RESOURCE
from nominee.apiserver.kind import JsonObject
from nominee.apiserver.rest import DeleteOptions, Rest
from nominee.errors import NotFound
from nominee.store.ports import Change, Stored

_MANAGER = "kube-apiserver"


class Definitions:
    """Listens to the store; `start` serves what is there already."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest
        self._terminating: dict[str, Callable[[], None]] = {}

    def start(self) -> None:
        """Serve what is defined, now and from now on."""
        for stored in self._rest.store.list(RESOURCE):
            self._serve(stored)
        self._rest.store.listen(self._heard, [RESOURCE])

    def _heard(self, change: Change) -> None:
        if change.type == "DELETED":
            self._rest.registry.remove(change.stored.key)
        else:
            self._serve(change.stored)

    def _serve(self, stored: Stored) -> None:
        """A definition was written: settle its names, serve it, or make it end."""
        latest = self._rest.store.get(RESOURCE, stored.key)
        if latest is None or latest.version != stored.version:
            return  # written once more meanwhile, and that will be heard, too
        if "deletionTimestamp" in stored.object["metadata"]:
            self._register(stored.object)
            self._clean_up(stored)
            return
        status = self._status(stored.object)
        if status != stored.object.get("status"):
            item = {**stored.object, "status": status}
            self._rest.update(RESOURCE, stored.key, item, self._rest.context(_MANAGER), "status")
        elif _holds(stored.object, "NamesAccepted"):
            self._register(stored.object)

    def _register(self, definition: JsonObject) -> None:
        kind = custom_kind(definition)
        if kind is None:
            self._rest.registry.remove(definition["metadata"]["name"])
        else:
            self._rest.registry.add(kind)

    # -- names --------------------------------------------------------------------------------------

    def _status(self, definition: JsonObject) -> JsonObject:
        names = definition["spec"]["names"]
        status = dict(definition.get("status") or {})
        conflicts = list(self._taken(definition))
        if not conflicts:
            accepted = ("NamesAccepted", "True", "NoConflicts", "no conflicts found")
            established = (
                "Established",
                "True",
                "InitialNamesAccepted",
                "the initial names have been accepted",
            )
            status["acceptedNames"] = names
        else:
            accepted = ("NamesAccepted", "False", *conflicts[-1])  # upstream overwrites, too
            established = ("Established", "False", "NotAccepted", "not all names are accepted")
        status["conditions"] = self._conditions(status.get("conditions") or [], accepted, established)
        return status

    def _taken(self, definition: JsonObject) -> Iterator[tuple[str, str]]:
        """Reason and message for each name that another kind of the group has already."""
        spec, key = definition["spec"], definition["metadata"]["name"]
        others = [
            kind.names
            for kind in self._rest.registry
            if kind.names.group == spec["group"] and kind.names.resource != key
        ]
        names = spec["names"]
        resources = {name for other in others for name in (other.plural, other.singular, *other.short)}
        kinds = {name for other in others for name in (other.kind, f"{other.kind}List")}
        asked = [
            ("PluralConflict", names["plural"], resources),
            ("SingularConflict", names.get("singular"), resources),
        ]
        asked += [("ShortNamesConflict", name, resources) for name in names.get("shortNames") or ()]
        asked += [("KindConflict", names["kind"], kinds), ("ListKindConflict", names.get("listKind"), kinds)]
        for reason, name, used in asked:
            if name in used:
                yield reason, f'"{name}" is already in use'

    def _conditions(self, before: list[JsonObject], *wanted: tuple[str, str, str, str]) -> list[JsonObject]:
        kept = [c for c in before if c.get("type") not in {each[0] for each in wanted}]
        now = self._rest.context().now
        return [*(_condition(before, each, now) for each in wanted), *kept]

    # -- the end ------------------------------------------------------------------------------------

    def _clean_up(self, stored: Stored) -> None:
        """Delete the instances; the definition goes when the last of them is gone."""
        key = stored.key
        if CLEANUP not in (stored.object["metadata"].get("finalizers") or ()):
            return
        context = self._rest.context(_MANAGER)
        for instance in tuple(self._rest.store.list(key)) if key in self._rest.registry else ():
            if "deletionTimestamp" not in instance.object["metadata"]:
                self._delete(key, instance, context)
        if self._rest.store.list(key):
            self._wait_for(key)
            return
        self._let_go(key)

    def _delete(self, resource: str, instance: Stored, context: Any) -> None:
        try:
            self._rest.delete(resource, instance.key, DeleteOptions(), context)
        except NotFound:  # gone with another one
            return

    def _wait_for(self, key: str) -> None:
        if key not in self._terminating:
            self._terminating[key] = self._rest.store.listen(lambda change: self._gone(key, change), [key])

    def _gone(self, key: str, change: Change) -> None:
        if change.type == "DELETED" and not self._rest.store.list(key):
            self._let_go(key)

    def _let_go(self, key: str) -> None:
        leave = self._terminating.pop(key, None)
        if leave is not None:
            leave()
        stored = self._rest.store.get(RESOURCE, key)
        if stored is None:
            return
        metadata = dict(stored.object["metadata"])
        metadata["finalizers"] = [name for name in metadata.get("finalizers") or () if name != CLEANUP]
        item = {**stored.object, "metadata": metadata}
        self._rest.update(RESOURCE, key, item, self._rest.context(_MANAGER))


def _condition(before: list[JsonObject], wanted: tuple[str, str, str, str], now: str) -> JsonObject:
    """A condition as it is to be; its time is that of the last change."""
    kind, status, reason, message = wanted
    old = next((c for c in before if c.get("type") == kind), None)
    same = old is not None and old.get("status") == status
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": old["lastTransitionTime"] if old and same else now,
    }


def _holds(definition: JsonObject, kind: str) -> bool:
    conditions = (definition.get("status") or {}).get("conditions") or ()
    return any(c.get("type") == kind and c.get("status") == "True" for c in conditions)
