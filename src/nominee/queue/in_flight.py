"""Pods under way, and what happened since the first of them was popped.

A pod that comes back rejected must not miss an event that came while it was being tried: the events
are kept in one list, and each pod remembers how long that was when its attempt began.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from nominee.framework import ClusterEvent
from nominee.queue.observer import POD_POPPED, QueueObserver


@dataclass(frozen=True, slots=True)
class Happening:
    """An event with the objects it is about, None for "there is none"."""

    event: ClusterEvent
    old: Any
    new: Any
    label: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", str(self.event))  # once, for it is asked for per pod


class InFlight:
    """Which pods are being tried, and the events each may have missed.

    Follows inFlightPods and inFlightEvents (pkg/scheduler/backend/queue/active_queue.go, v1.37).
    """

    def __init__(self, observer: QueueObserver) -> None:
        self._observer = observer
        # In order of popping, so positions never fall. An OrderedDict finds its first key at once, a
        # dict walks past all the keys that were deleted before it.
        self._began: OrderedDict[str, int] = OrderedDict()
        self._events: deque[Happening] = deque()
        self._first = 0  # the position of the first event kept

    def __len__(self) -> int:
        return len(self._began)

    def __contains__(self, uid: object) -> bool:
        return uid in self._began

    def __iter__(self) -> Iterator[str]:
        return iter(self._began)

    @property
    def events(self) -> int:
        """How many events are remembered."""
        return len(self._events)

    def begin(self, uid: str) -> None:
        self._began[uid] = self._first + len(self._events)
        self._observer.in_flight_events(POD_POPPED, 1)

    def done(self, uid: str) -> bool:
        """The attempt is over; forget the events that nobody else under way can have missed."""
        began = self._began.pop(uid, None)
        if began is None:
            return False
        self._observer.in_flight_events(POD_POPPED, -1)
        if self._events and began == self._first:
            self._prune()
        return True

    def record(self, happening: Happening) -> None:
        """Remember an event for as long as somebody is under way who may have missed it."""
        if self._began:
            self._events.append(happening)
            self._observer.in_flight_events(happening.label, 1)

    def since(self, uid: str) -> Iterator[Happening]:
        """What happened since the pod was popped."""
        return islice(self._events, self._began[uid] - self._first, None)

    def _prune(self) -> None:
        keep_from = next(iter(self._began.values()), self._first + len(self._events))
        forgotten: Counter[str] = Counter()
        while self._first < keep_from:
            forgotten[self._events.popleft().label] += 1
            self._first += 1
        for label, number in forgotten.items():
            self._observer.in_flight_events(label, -number)

    def problems(self) -> Iterator[str]:
        """What is wrong with the books; nothing, unless nominee has a bug."""
        began = list(self._began.values())
        if began != sorted(began):
            yield "the pods under way are out of order"
        if self._events and (not began or began[0] != self._first):
            yield "events are kept that nobody can have missed"
        if began and not self._first <= began[0] <= began[-1] <= self._first + len(self._events):
            yield "a pod began outside of the list of events"
