"""What is going to happen, in order of time."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

Entry = tuple[float, int, Callable[..., None], tuple[Any, ...]]


class Agenda:
    """A virtual clock and the actions that wait for it; what is due at one time runs first come, first."""

    def __init__(self, start: float = 0.0) -> None:
        self.now = start
        self._heap: list[Entry] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._heap)

    def at(self, time: float, action: Callable[..., None], *arguments: Any) -> None:
        """Do something at a time; what should have been done already is done now."""
        self._count += 1
        heappush(self._heap, (max(time, self.now), self._count, action, arguments))

    def after(self, seconds: float, action: Callable[..., None], *arguments: Any) -> None:
        """Do something so many seconds from now."""
        self._count += 1
        heappush(self._heap, (self.now + seconds, self._count, action, arguments))

    def next_time(self) -> float | None:
        return self._heap[0][0] if self._heap else None

    @property
    def due(self) -> bool:
        return bool(self._heap) and self._heap[0][0] <= self.now

    def run_due(self) -> None:
        """Do everything that is due, and what that makes due."""
        heap, now = self._heap, self.now
        while heap and heap[0][0] <= now:
            _, _, action, arguments = heappop(heap)
            action(*arguments)
