"""Keys that wait for a controller: each once, some only from a time on."""

from __future__ import annotations

import heapq
from collections import OrderedDict

from nominee.clock import Clock

FIRST_DELAY = 0.005
LONGEST_DELAY = 1000.0


class WorkQueue:
    """Keys in the order in which they came; a key that is there already does not come twice.

    Reproduces the rate limiting queue of client-go util/workqueue, v1.37: failures of a key double its
    delay, from 5 ms up to 1,000 s.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ready: OrderedDict[str, None] = OrderedDict()
        self._delayed: list[tuple[float, str]] = []
        self._due: dict[str, float] = {}
        self._failures: dict[str, int] = {}
        self._held: dict[str, float] = {}

    def __len__(self) -> int:
        """How many keys are there, due or not."""
        return len(self._ready) + len(self._due)

    def add(self, key: str) -> None:
        """Let a key be taken as soon as possible."""
        if key in self._held and key not in self._ready:
            self._hold_back(key)
        else:
            self._ready[key] = None

    def add_after(self, key: str, seconds: float) -> None:
        """Let a key be taken once so much time has passed; the earliest of several times counts."""
        if seconds <= 0:
            self.add(key)
        else:
            self._delay(key, self._clock.now() + seconds)

    def add_failed(self, key: str) -> None:
        """Try a key again after a delay that doubles with each failure."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        self.add_after(key, min(FIRST_DELAY * 2.0 ** min(failures, 30), LONGEST_DELAY))

    def forget(self, key: str) -> None:
        """A key has succeeded: its next failure is the first."""
        self._failures.pop(key, None)

    def hold(self, key: str, seconds: float) -> None:
        """Do not hand out this key again for so long, whoever adds it: it is costly."""
        self._held[key] = self._clock.now() + seconds
        if key in self._ready:
            del self._ready[key]
            self._hold_back(key)

    def take(self) -> str | None:
        """Hand out the next key that is due."""
        self._ripen()
        if not self._ready:
            return None
        return self._ready.popitem(last=False)[0]

    def next_time(self) -> float | None:
        """When there is something to take: now, at a later time, or never as far as is known."""
        if self._ready:
            return self._clock.now()
        while self._delayed and self._due.get(self._delayed[0][1]) != self._delayed[0][0]:
            heapq.heappop(self._delayed)
        return self._delayed[0][0] if self._delayed else None

    def _hold_back(self, key: str) -> None:
        until = self._held[key]
        if until <= self._clock.now():
            del self._held[key]
            self._ready[key] = None
        else:
            self._delay(key, until)

    def _delay(self, key: str, until: float) -> None:
        if until < self._due.get(key, float("inf")):
            self._due[key] = until
            heapq.heappush(self._delayed, (until, key))

    def _ripen(self) -> None:
        now = self._clock.now()
        while self._delayed and self._delayed[0][0] <= now:
            until, key = heapq.heappop(self._delayed)
            if self._due.get(key) == until:
                del self._due[key]
                self._held.pop(key, None)
                self._ready[key] = None
