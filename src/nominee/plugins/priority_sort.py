"""PrioritySort: the highest priority first, and among equals whoever came first."""

from __future__ import annotations

from dataclasses import dataclass

from nominee.framework import Queued


@dataclass(frozen=True, slots=True)
class PrioritySort:
    """Reproduces pkg/scheduler/framework/plugins/queuesort/priority_sort.go, v1.37."""

    def sort_key(self, queued: Queued, /) -> tuple[int, float]:
        return -queued.pod.priority, queued.timestamp
