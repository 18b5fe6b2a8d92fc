"""Pods that wait for an event, filed under the plugins whose events may help them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from nominee.queue.heap import Heap
from nominee.queue.queued_pod import QueuedPod

FLUSH_INTERVAL = 30  # seconds between two looks for pods that have waited too long


class _Place(NamedTuple):
    queued: QueuedPod
    gated: bool
    files: tuple[str, ...]


class UnschedulablePods:
    """By uid, and by rejector: an event visits only pods that a plugin which registered it rejected.

    A gated pod is filed under its gating plugin alone, for no other plugin's event can free it; and under
    none at all while `is_shut`, which means that whoever holds it will say when he lets it go (`open`):
    from then on it is filed as if it had never been held.
    `longest` is how many seconds a pod waits for an event before it is tried again without one.
    """

    def __init__(self, longest: float, is_shut: Callable[[QueuedPod], bool] | None = None) -> None:
        self._longest = longest
        self._is_shut = is_shut
        self._places: dict[str, _Place] = {}
        self._files: dict[str, dict[str, QueuedPod]] = {}
        self._timeouts: Heap[QueuedPod] = Heap()
        self.gated = 0

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, uid: object) -> bool:
        return uid in self._places

    def __iter__(self) -> Iterator[QueuedPod]:
        return (place.queued for place in self._places.values())

    def get(self, uid: str) -> QueuedPod | None:
        place = self._places.get(uid)
        return place.queued if place is not None else None

    def is_gated(self, uid: str) -> bool:
        return self._places[uid].gated

    def add(self, queued: QueuedPod) -> None:
        uid, gating = queued.pod.uid, queued.gating_plugin
        files = (gating,) if gating else tuple(queued.rejectors)
        if gating and self._is_shut is not None and self._is_shut(queued):
            files = ()
        self._places[uid] = _Place(queued, bool(gating), files)
        self.gated += bool(gating)
        for plugin in files:
            self._files.setdefault(plugin, {})[uid] = queued
        self._timeouts.push(uid, self._timeout(queued), queued)

    def open(self, uid: str) -> None:
        """Its gate is not shut any more: events may free the pod."""
        place = self._places.get(uid)
        if place is not None and place.gated and not place.files:
            files = tuple(place.queued.rejectors)
            self._places[uid] = place._replace(files=files)
            for plugin in files:
                self._files.setdefault(plugin, {})[uid] = place.queued

    def remove(self, uid: str) -> QueuedPod | None:
        place = self._places.pop(uid, None)
        if place is None:
            return None
        self.gated -= place.gated
        for plugin in place.files:
            file = self._files[plugin]
            del file[uid]
            if not file:
                del self._files[plugin]
        self._timeouts.remove(uid)
        return place.queued

    def rejected_by(self, plugins: Iterable[str]) -> Iterable[QueuedPod]:
        """The pods filed under any of these plugins, each once."""
        files = [self._files[plugin] for plugin in plugins if plugin in self._files]
        if len(files) == 1:
            return list(files[0].values())
        return {uid: queued for file in files for uid, queued in file.items()}.values()

    def flushed(self, now: float) -> list[QueuedPod]:
        """The pods that had waited too long at the last look, marked as flushed; they are still here."""
        tick = now // FLUSH_INTERVAL * FLUSH_INTERVAL
        late = []
        while self._timeouts and self._timeouts.first_key() <= tick:
            late.append(self._timeouts.pop())
        for queued in late:
            queued.was_flushed, queued.flush_timestamp = True, now
            self._timeouts.push(queued.pod.uid, self._timeout(queued), queued)
        return late

    def next_timeout(self) -> float | None:
        """The earliest look at which somebody will have waited too long."""
        timeout: float | None = self._timeouts.first_key()
        return timeout

    def _timeout(self, queued: QueuedPod) -> float:
        """The first multiple of the interval later than the longest wait.

        Reproduces flushUnschedulableEntitiesLeftover
        (pkg/scheduler/backend/queue/scheduling_queue.go, v1.37).
        """
        since = max(queued.timestamp, queued.flush_timestamp)
        return (since + self._longest) // FLUSH_INTERVAL * FLUSH_INTERVAL + FLUSH_INTERVAL

    def problems(self) -> Iterator[str]:
        """What is wrong with the files; nothing, unless nominee has a bug."""
        yield from self._timeouts.problems()
        if {q.pod.uid for q in self._timeouts} != set(self._places):
            yield "timeouts do not agree with the pods"
        if self.gated != sum(place.gated for place in self._places.values()):
            yield "gated pods are counted wrongly"
        filed = {(plugin, uid) for plugin, file in self._files.items() for uid in file}
        if filed != {(plugin, uid) for uid, place in self._places.items() for plugin in place.files}:
            yield "files do not agree with the pods"
        for uid, (queued, gated, files) in self._places.items():
            usual = {queued.gating_plugin} if queued.gating_plugin else queued.rejectors
            was_shut = gated and set(files) in (set(), queued.rejectors)
            if gated != bool(queued.gating_plugin) or (set(files) != usual and not was_shut):
                yield f"{uid!r} is filed under {files!r}"
