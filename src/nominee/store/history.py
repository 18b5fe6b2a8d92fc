"""The latest changes of one resource: what watches read and earlier lists are made of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from nominee.errors import Expired
from nominee.store.ports import Change, Stored


@dataclass(frozen=True, slots=True)
class Window:
    """How much of the past is kept of each resource."""

    changes: int = 32_768
    bytes: int = 64 * 2**20


def version_of(change: Change) -> int:
    """The version that a change has made."""
    return change.stored.version


class History:
    """Changes in order. A position counts all changes that there ever were, those forgotten too.

    Readers keep positions, nobody keeps readers: one who does not read costs nothing, and finds that
    its position has been forgotten. `floor` is the version after which everything is still there.
    """

    __slots__ = ("_bytes", "_changes", "_forgotten", "_window", "floor")

    def __init__(self, window: Window, floor: int = 0) -> None:
        self.floor = floor
        self._window = window
        self._changes: list[Change] = []
        self._forgotten = 0
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._changes)

    def append(self, change: Change) -> Sequence[Change]:
        """Note a change; answers with those that are forgotten for it, many at a time and seldom."""
        self._changes.append(change)
        self._bytes += _size(change)
        window = self._window
        if len(self._changes) <= window.changes + window.changes // 4 and self._bytes <= window.bytes:
            return ()
        return self._forget()

    def _forget(self) -> Sequence[Change]:
        """Down to three quarters of the bytes, so that it is not done for every change."""
        excess = max(len(self._changes) - self._window.changes, 0)
        size = self._bytes - sum(_size(change) for change in self._changes[:excess])
        while size > self._window.bytes * 3 // 4 and excess < len(self._changes) - 1:
            size -= _size(self._changes[excess])
            excess += 1
        forgotten = self._changes[:excess]
        if forgotten:
            del self._changes[:excess]
            self._forgotten += excess
            self._bytes = size
            self.floor = version_of(forgotten[-1])
        return forgotten

    @property
    def end(self) -> int:
        """The position behind the last change."""
        return self._forgotten + len(self._changes)

    def position(self, version: int) -> int:
        """Where the changes after a version begin; `Expired` if some of them are forgotten."""
        if version < self.floor:
            raise too_old(version, self.floor)
        return self._forgotten + bisect_right(self._changes, version, key=version_of)

    def read(self, position: int, limit: int) -> Sequence[Change]:
        """The changes from a position on; `Expired` if some of them are forgotten."""
        start = position - self._forgotten
        if start < 0:
            raise too_old(None, self.floor)
        return self._changes[start : start + limit]

    def undo(self, records: dict[str, Stored], version: int) -> None:
        """Turn the present state into the one at a version."""
        start = self.position(version) - self._forgotten
        for change in reversed(self._changes[start:]):
            if change.previous is None:
                del records[change.stored.key]
            else:
                records[change.stored.key] = change.previous


def too_old(version: int | None, floor: int) -> Expired:
    """As the watch cache of the API server says it (apiserver/pkg/storage/cacher/watch_cache.go, v1.37)."""
    if version is None:
        return Expired(410, f"too old resource version: the watch fell behind ({floor})")
    return Expired(410, f"too old resource version: {version} ({floor})")


def _size(change: Change) -> int:
    """What a change keeps in memory that would not be there without it."""
    kept = 0 if change.previous is None else len(change.previous.json)
    return kept + len(change.stored.json) if change.type == "DELETED" else kept
