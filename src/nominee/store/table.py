"""All objects of one resource, in the order of their keys, and their latest changes."""

from __future__ import annotations

from asyncio import Future
from bisect import bisect_left
from collections.abc import Sequence

from nominee.store.history import History
from nominee.store.ports import Change, Stored

Keys = list[str]


class Table:
    """Objects by key. The order of keys is made up when somebody asks for it, from the last one."""

    __slots__ = ("_added", "_removed", "_sorted", "_waiting", "history", "latest", "records", "resource")

    def __init__(self, resource: str, history: History) -> None:
        self.resource = resource
        self.records: dict[str, Stored] = {}
        self.history = history
        self.latest = 0
        self._sorted: list[str] = []
        self._added: list[str] = []
        self._removed = True  # nothing is sorted yet
        self._waiting: list[Future[None]] = []

    def apply(self, change: Change) -> None:
        """Make a change take place."""
        stored = change.stored
        self.latest = stored.version
        if change.type == "DELETED":
            del self.records[stored.key]
            self._removed = True
            return
        if change.type == "ADDED":
            self._added.append(stored.key)
        self.records[stored.key] = stored

    def list(self, namespace: str) -> Sequence[Stored]:
        records = self.records
        return [records[key] for key in self._keys(namespace)]

    def list_at(self, namespace: str, version: int) -> Sequence[Stored]:
        if version >= self.latest:
            return self.list(namespace)
        past = dict(self.records)
        self.history.undo(past, version)
        prefix = f"{namespace}/" if namespace else ""
        return [past[key] for key in sorted(past) if key.startswith(prefix)]

    def _keys(self, namespace: str) -> Keys:
        keys = self._in_order()
        if not namespace:
            return keys
        start = bisect_left(keys, f"{namespace}/")
        return keys[start : bisect_left(keys, f"{namespace}0", start)]  # "0" comes right after "/"

    def _in_order(self) -> Keys:
        """Sorting what is sorted but for its end is almost free."""
        if self._removed:
            self._sorted = list(self.records)
            self._sorted.sort()
        elif self._added:
            self._sorted += self._added
            self._sorted.sort()
        self._added = []
        self._removed = False
        return self._sorted

    # -- those who wait for changes -------------------------------------------------------------------

    def wait(self, waiting: Future[None]) -> None:
        """Wake this one at the next change."""
        self._waiting.append(waiting)

    def leave(self, waiting: Future[None]) -> None:
        """Wake one who has given up, or was woken before."""
        if waiting in self._waiting:
            self._waiting.remove(waiting)
        if not waiting.done():
            waiting.set_result(None)

    def wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if not each.done():
                each.set_result(None)
