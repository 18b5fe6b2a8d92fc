"""The other objects decisions depend on: services, budgets, claims, volumes, namespaces."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from msgspec import structs

from nominee.errors import InternalError
from nominee.model.meta import NamedObject

K = TypeVar("K", bound=NamedObject)
_NONE: Mapping[str, NamedObject] = {}
_MEMORY = 4096  # changes of a kind to remember

GroupOf = Callable[[Any], Hashable]


class ObjectTable:
    """Objects by kind and `namespace/name`, with a version per kind for whoever remembers answers.

    An *assumed* object stands in for the stored one from the moment the scheduler decided to change
    it until the API server says anything new about it: every reader sees the decision at once.
    Follows passiveAssumeCache (plugins/volumebinding/passive_assume_cache.go, v1.37).
    """

    def __init__(self) -> None:
        self._kinds: dict[type[NamedObject], dict[str, NamedObject]] = {}
        self._assumed: dict[type[NamedObject], dict[str, NamedObject]] = {}
        self._versions: dict[type[NamedObject], int] = {}
        self._changes: dict[type[NamedObject], deque[str]] = {}
        self._groups: dict[type[NamedObject], dict[GroupOf, dict[Hashable, dict[str, None]]]] = {}
        self.clock = 0  # changes with every change of any object

    def put(self, item: NamedObject) -> None:
        kind, key = type(item), item.key
        objects, assumed = self._kinds.setdefault(kind, {}), self._assumed.get(kind, {})
        before = objects.get(key)
        objects[key] = item
        if key in assumed:
            if item != before:
                self._changed(kind, key, assumed.pop(key), item)
        elif before is None or not _alike(before, item):
            self._changed(kind, key, before, item)

    def drop(self, item: NamedObject) -> None:
        kind = type(item)
        stored = self._kinds.get(kind, {}).pop(item.key, None)
        seen = self._assumed.get(kind, {}).pop(item.key, stored)
        if seen is not None:
            self._changed(kind, item.key, seen, None)

    def assume(self, item: NamedObject) -> None:
        """Let this stand in for the stored object, which it was made from."""
        kind = type(item)
        before = self.get(kind, item.key)
        if before is None:
            msg = f"{kind.__name__} {item.key!r} is assumed but not known"
            raise InternalError(msg)
        self._assumed.setdefault(kind, {})[item.key] = item
        self._changed(kind, item.key, before, item)

    def restore(self, item: NamedObject) -> None:
        """Undo `assume` of this object; nothing happens if it was superseded meanwhile."""
        kind = type(item)
        assumed = self._assumed.get(kind, {})
        if assumed.get(item.key) is item:
            del assumed[item.key]
            self._changed(kind, item.key, item, self._kinds[kind][item.key])

    def touch(self, kind: type[NamedObject], key: str) -> None:
        """Count a change of the object though it is as it was: something else is known of it."""
        self._changed(kind, key, None, None)

    def get(self, kind: type[K], key: str) -> K | None:
        """The object with that `namespace/name` (or name, for objects of the cluster)."""
        assumed = self._assumed.get(kind)
        if assumed and key in assumed:
            return assumed[key]  # type: ignore[return-value]
        return self.stored(kind, key)

    def stored(self, kind: type[K], key: str) -> K | None:
        """The same as the API server has it, whatever is assumed."""
        return self._kinds.get(kind, _NONE).get(key)  # type: ignore[return-value]

    def all(self, kind: type[K]) -> Iterable[K]:
        objects = self._kinds.get(kind, _NONE)
        if assumed := self._assumed.get(kind):
            return ({**objects, **assumed}).values()  # type: ignore[return-value]
        return objects.values()  # type: ignore[return-value]

    def grouped(self, kind: type[K], group_of: Callable[[K], Hashable], group: Hashable) -> list[K]:
        """The objects for which `group_of` gives `group`; kept up to date from the first question on."""
        by_function = self._groups.setdefault(kind, {})
        groups = by_function.get(group_of)
        if groups is None:
            groups = by_function[group_of] = {}
            for item in self.all(kind):
                groups.setdefault(group_of(item), {})[item.key] = None
        found = (self.get(kind, key) for key in groups.get(group, ()))
        return [item for item in found if item is not None]

    def version(self, kind: type[NamedObject]) -> int:
        """Changes with every change of an object of the kind."""
        return self._versions.get(kind, 0)

    def changes_since(self, kind: type[NamedObject], version: int) -> list[str] | None:
        """The keys that changed since that version of the kind; None if nobody remembers."""
        behind = self.version(kind) - version
        changes = self._changes.get(kind, ())
        if version < 0 or behind > len(changes):
            return None
        return [changes[i] for i in range(-behind, 0)]

    def _changed(
        self, kind: type[NamedObject], key: str, before: NamedObject | None, after: NamedObject | None
    ) -> None:
        self.clock += 1
        self._versions[kind] = self._versions.get(kind, 0) + 1
        self._changes.setdefault(kind, deque(maxlen=_MEMORY)).append(key)
        for group_of, groups in self._groups.get(kind, {}).items():
            if before is not None:
                old = groups.get(group_of(before), {})
                old.pop(key, None)
                if not old:
                    groups.pop(group_of(before), None)
            if after is not None:
                groups.setdefault(group_of(after), {})[key] = None


def _alike(before: NamedObject, after: NamedObject) -> bool:
    """Whether nothing changed that a decision could depend on: versions grow with every heartbeat."""
    if before == after:
        return True
    meta = structs.replace(
        after.metadata,
        resource_version=before.metadata.resource_version,
        generation=before.metadata.generation,
    )
    return structs.replace(after, metadata=meta) == before
