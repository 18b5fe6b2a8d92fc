"""A heap whose members can be found, removed and re-ordered by uid."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_Entry = tuple[Any, int, str, T]  # key, order of arrival, uid, item

_SLACK = 64  # dead entries that are never worth a clean-up


class Heap(Generic[T]):
    """The smallest key first; of equal keys, whichever came first.

    A removed entry stays in the list, dead, until it reaches the top or the dead outnumber the
    living: removal costs a dictionary access, and heapq does its work in C.
    """

    __slots__ = ("_arrivals", "_entries", "_living")

    def __init__(self) -> None:
        self._entries: list[_Entry[T]] = []
        self._living: dict[str, _Entry[T]] = {}
        self._arrivals = count()

    def __len__(self) -> int:
        return len(self._living)

    def __contains__(self, uid: object) -> bool:
        return uid in self._living

    def __iter__(self) -> Iterator[T]:
        """The members in no particular order."""
        return (entry[3] for entry in self._living.values())

    def get(self, uid: str) -> T | None:
        entry = self._living.get(uid)
        return entry[3] if entry is not None else None

    def push(self, uid: str, key: Any, item: T) -> None:
        """Add a member, or give it another key; with the same key it keeps its place."""
        held = self._living.get(uid)
        if held is not None:
            if held[0] == key and held[3] is item:
                return
            self.remove(uid)
        entry = self._living[uid] = (key, next(self._arrivals), uid, item)
        heappush(self._entries, entry)

    def pop(self) -> T:
        """Remove the first member; IndexError when there is none."""
        while True:
            entry = heappop(self._entries)
            if self._living.get(entry[2]) is entry:
                del self._living[entry[2]]
                return entry[3]

    def first_key(self) -> Any:
        """The smallest key, or None when the heap is empty."""
        entries = self._entries
        while entries:
            if self._living.get(entries[0][2]) is entries[0]:
                return entries[0][0]
            heappop(entries)
        return None

    def remove(self, uid: str) -> T | None:
        entry = self._living.pop(uid, None)
        if entry is None:
            return None
        if len(self._entries) > 2 * len(self._living) + _SLACK:
            self._entries = list(self._living.values())
            heapify(self._entries)
        return entry[3]

    def clear(self) -> None:
        """Remove all members; the dead leave too."""
        self._living.clear()
        self._entries.clear()

    def problems(self) -> Iterator[str]:
        """What is wrong with the heap; nothing, unless nominee has a bug."""
        entries = self._entries
        for i in range(1, len(entries)):
            if entries[i][:2] < entries[(i - 1) // 2][:2]:
                yield f"entry {i} comes before its parent"
        listed = {id(entry) for entry in entries}
        for uid, entry in self._living.items():
            if id(entry) not in listed:
                yield f"{uid!r} is not in the list"
