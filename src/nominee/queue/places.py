"""The places where pods wait, and the counts that go with coming and leaving."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

from nominee.queue.backoff import BackoffQueue
from nominee.queue.heap import Heap
from nominee.queue.observer import QueueObserver
from nominee.queue.queued_pod import QueuedPod
from nominee.queue.unschedulable import UnschedulablePods

Place = Literal["active", "backoff", "error_backoff", "unschedulable", "gated", "in_flight"]


class Places:
    """A waiting pod is in exactly one of `active`, `backoff` and `aside`."""

    def __init__(
        self,
        sort_key: Callable[[QueuedPod], Any],
        backoff: BackoffQueue,
        aside: UnschedulablePods,
        observer: QueueObserver,
    ) -> None:
        self._sort_key = sort_key
        self._observer = observer
        self.active: Heap[QueuedPod] = Heap()
        self.backoff = backoff
        self.aside = aside

    def __len__(self) -> int:
        return len(self.active) + len(self.backoff) + len(self.aside)

    def __iter__(self) -> Iterator[QueuedPod]:
        yield from self.active
        yield from self.backoff
        yield from self.aside

    def get(self, uid: str) -> QueuedPod | None:
        return self.active.get(uid) or self.backoff.get(uid) or self.aside.get(uid)

    def where(self, uid: str) -> Place | None:
        if uid in self.active:
            return "active"
        if uid in self.backoff.rejected:
            return "backoff"
        if uid in self.backoff.failed:
            return "error_backoff"
        if uid in self.aside:
            return "gated" if self.aside.is_gated(uid) else "unschedulable"
        return None

    def activate(self, queued: QueuedPod, event: str) -> None:
        self.active.push(queued.pod.uid, self._sort_key(queued), queued)
        self._observer.incoming("active", event)
        self._observer.pending("active", 1)

    def back_off(self, queued: QueuedPod, event: str) -> None:
        self.backoff.add(queued)
        self._observer.incoming("backoff", event)
        self._observer.pending("backoff", 1)

    def set_aside(self, queued: QueuedPod, event: str) -> None:
        """Also for a pod that is there already and whose gating plugin or rejectors changed."""
        stayed = self.remove_from_aside(queued.pod.uid)
        self.aside.add(queued)
        self._observer.pending("gated" if queued.gating_plugin else "unschedulable", 1)
        if not stayed:
            self._observer.incoming("unschedulable", event)

    def reorder(self, queued: QueuedPod) -> None:
        """The pod was replaced by a newer version of itself: it may sort elsewhere."""
        uid = queued.pod.uid
        if uid in self.active:
            self.active.push(uid, self._sort_key(queued), queued)
        elif uid not in self.aside:
            self.backoff.reorder(queued)

    def pop(self) -> QueuedPod | None:
        """The first active pod, or else the one that is to be active next, if that is allowed."""
        if self.active:
            self._observer.pending("active", -1)
            return self.active.pop()
        queued = self.backoff.pop_first()
        if queued is not None:
            self._observer.pending("backoff", -1)
            self._observer.incoming("active", "PopFromBackoffQ")
        return queued

    def completed_backoff(self, now: float) -> Iterator[QueuedPod]:
        """Remove the pods whose back-off is over."""
        for queued in self.backoff.completed(now):
            self._observer.pending("backoff", -1)
            yield queued

    def remove(self, uid: str) -> QueuedPod | None:
        """Remove the pod from wherever it waits."""
        for queue, label in ((self.active, "active"), (self.backoff, "backoff")):
            queued = queue.remove(uid)
            if queued is not None:
                self._observer.pending(label, -1)
                return queued
        return self.remove_from_aside(uid)

    def clear(self) -> None:
        """Remove all, and every trace of their order: the next ones may be sorted by something else."""
        for queued in list(self):
            self.remove(queued.pod.uid)
        for heap in (self.active, self.backoff.rejected, self.backoff.failed):
            heap.clear()

    def remove_from_aside(self, uid: str) -> QueuedPod | None:
        if uid not in self.aside:
            return None
        self._observer.pending("gated" if self.aside.is_gated(uid) else "unschedulable", -1)
        return self.aside.remove(uid)
