"""The highest priority first, and among equals whoever came first."""

from dataclasses import dataclass

from nominee.framework import Pod
from nominee.plugins.priority_sort import PrioritySort
from nominee.testing import make_cluster, make_pod, pod_of


@dataclass(frozen=True)
class Waiting:
    pod: Pod
    timestamp: float
    attempts: int = 1


def test_orders_by_priority_then_by_age() -> None:
    cluster = make_cluster()
    low, high = make_pod("low").priority(-5), make_pod("high").priority(10)
    queue = [
        Waiting(pod_of(cluster, pod), timestamp)
        for pod, timestamp in ((low, 1.0), (make_pod("plain"), 2.0), (high, 4.0), (high, 3.0))
    ]
    ordered = sorted(queue, key=PrioritySort().sort_key)
    assert [(w.pod.name, w.timestamp) for w in ordered] == [
        ("high", 3.0),
        ("high", 4.0),
        ("plain", 2.0),
        ("low", 1.0),
    ]
