"""Pods that must wait before their next attempt, longer each time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from nominee.queue.heap import Heap
from nominee.queue.queued_pod import NEVER, QueuedPod

_MOST_DOUBLINGS = 62


class BackoffQueue:
    """Two heaps: pods that were rejected, and pods whose attempt failed with an error.

    With `pop_early` (gate SchedulerPopFromBackoffQ) ends of back-off are whole seconds, rejected pods
    that share one stand in the order of the active queue, and the first may be taken before its time.
    Times are seconds; completed back-off is looked for on whole seconds (`completed`).

    Reproduces pkg/scheduler/backend/queue/backoff_queue.go, v1.37.
    """

    def __init__(
        self,
        initial: float,
        longest: float,
        sort_key: Callable[[QueuedPod], Any],
        *,
        pop_early: bool,
    ) -> None:
        self._initial = initial
        self._longest = longest
        self._sort_key = sort_key
        self._pop_early = pop_early
        self.rejected: Heap[QueuedPod] = Heap()
        self.failed: Heap[QueuedPod] = Heap()

    def __len__(self) -> int:
        return len(self.rejected) + len(self.failed)

    def __iter__(self) -> Iterator[QueuedPod]:
        yield from self.rejected
        yield from self.failed

    def get(self, uid: str) -> QueuedPod | None:
        return self.rejected.get(uid) or self.failed.get(uid)

    def is_backing_off(self, queued: QueuedPod, now: float) -> bool:
        """Whether back-off has not ended; one that ends in the current second still counts."""
        return self.expiration(queued) >= (math.floor(now) if self._pop_early else now)

    def expiration(self, queued: QueuedPod) -> float:
        """When back-off ends, reckoned once per attempt."""
        if queued.backoff_expiration is None:
            queued.backoff_expiration = self._reckon(queued)
        return queued.backoff_expiration

    def _reckon(self, queued: QueuedPod) -> float:
        count = queued.consecutive_errors_count or queued.unschedulable_count
        if self._longest == 0 or count == 0:
            return NEVER
        duration = min(self._initial * 2.0 ** min(count - 1, _MOST_DOUBLINGS), self._longest)
        expiration = queued.timestamp + duration
        return math.floor(expiration) if self._pop_early else expiration

    def add(self, queued: QueuedPod) -> None:
        """A pod nobody rejected failed with an error."""
        self._push(self.rejected if queued.rejectors else self.failed, queued)

    def reorder(self, queued: QueuedPod) -> None:
        """The pod was replaced, and perhaps its place in the order with it."""
        self._push(self.rejected if queued.pod.uid in self.rejected else self.failed, queued)

    def _push(self, heap: Heap[QueuedPod], queued: QueuedPod) -> None:
        expiration = self.expiration(queued)
        by_order = self._pop_early and heap is self.rejected
        heap.push(queued.pod.uid, (expiration, self._sort_key(queued) if by_order else ()), queued)

    def remove(self, uid: str) -> QueuedPod | None:
        return self.rejected.remove(uid) or self.failed.remove(uid)

    def pop_first(self) -> QueuedPod | None:
        """The rejected pod whose back-off ends first, although it has not ended."""
        return self.rejected.pop() if self._pop_early and self.rejected else None

    def completed(self, now: float) -> Iterator[QueuedPod]:
        """Remove the pods that were done at the last whole second."""
        tick = math.floor(now)
        for heap in (self.rejected, self.failed):
            while heap and heap.first_key()[0] < tick:
                yield heap.pop()

    def next_completion(self) -> float | None:
        """The earliest whole second at which somebody is done; None while the queue is empty."""
        ends = [heap.first_key()[0] for heap in (self.rejected, self.failed) if heap]
        return math.floor(min(ends)) + 1 if ends else None
