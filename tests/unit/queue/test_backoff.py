from typing import Any

import pytest

from nominee.queue.backoff import BackoffQueue
from nominee.queue.queued_pod import NEVER, QueuedPod
from nominee.testing import make_cluster, make_pod

CLUSTER = make_cluster()


def _queue(initial: float = 1, longest: float = 10, *, pop_early: bool = True) -> BackoffQueue:
    return BackoffQueue(initial, longest, lambda queued: -queued.pod.priority, pop_early=pop_early)


def _queued(
    name: str = "a", at: float = 100.0, *, rejections: int = 1, errors: int = 0, priority: int = 0
) -> QueuedPod:
    queued = QueuedPod(CLUSTER.pod(make_pod(name).priority(priority).obj), at)
    queued.unschedulable_count, queued.consecutive_errors_count = rejections, errors
    queued.blame([] if errors else ["Fit"])
    return queued


@pytest.mark.parametrize(
    ("count", "seconds"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (6, 10), (60, 10), (5000, 10)]
)
def test_back_off_doubles_up_to_the_longest(count: int, seconds: float) -> None:
    assert _queue().expiration(_queued(at=100.0, rejections=count)) == 100 + seconds


def test_an_initial_back_off_above_the_longest_is_cut() -> None:
    assert _queue(initial=60, longest=10).expiration(_queued(at=100.0)) == 110


def test_errors_in_a_row_count_instead_of_rejections() -> None:
    assert _queue().expiration(_queued(at=100.0, rejections=9, errors=2)) == 102


@pytest.mark.parametrize("settings", [{"longest": 0}, {}])
def test_no_back_off_without_attempts_or_with_none_allowed(settings: dict[str, Any]) -> None:
    queued = _queued(rejections=1 if settings else 0)
    queue = _queue(**settings)
    assert queue.expiration(queued) == NEVER
    assert not queue.is_backing_off(queued, 0.0)


def test_the_end_is_reckoned_once_per_attempt() -> None:
    queue, queued = _queue(), _queued(at=100.0)
    queue.expiration(queued)
    queued.timestamp = 500.0
    assert queue.expiration(queued) == 101


@pytest.mark.parametrize(
    ("pop_early", "now", "waits"),
    [
        (True, 101.0, True),
        (True, 101.99, True),  # the end, 101.6, was cut to 101: still the current second
        (True, 102.0, False),
        (False, 101.6, True),
        (False, 101.7, False),
    ],
)
def test_an_end_in_the_current_second_still_counts(pop_early: bool, now: float, waits: bool) -> None:
    queue = _queue(pop_early=pop_early)
    assert queue.is_backing_off(_queued(at=100.6), now) is waits


def test_completed_back_off_leaves_at_the_next_whole_second() -> None:
    queue = _queue()
    queue.add(_queued(at=100.6))
    assert queue.next_completion() == 102
    assert not list(queue.completed(101.99))
    assert [q.pod.name for q in queue.completed(102.0)] == ["a"]
    assert queue.next_completion() is None


def test_without_early_popping_completed_back_off_is_looked_for_on_whole_seconds_too() -> None:
    queue = _queue(pop_early=False)
    queue.add(_queued(at=100.6))
    assert queue.next_completion() == 102
    assert not list(queue.completed(101.9))
    assert list(queue.completed(102.3))


def test_ends_in_the_same_second_are_in_the_order_of_the_active_queue() -> None:
    queue = _queue()
    for name, at, priority in (("low", 100.1, 1), ("high", 100.9, 2), ("earlier", 99.9, 0)):
        queue.add(_queued(name, at, priority=priority))
    assert [q.pod.name for q in queue.completed(200.0)] == ["earlier", "high", "low"]


def test_without_early_popping_the_end_alone_decides() -> None:
    queue = _queue(pop_early=False)
    for name, at, priority in (("later", 100.9, 2), ("sooner", 100.1, 1)):
        queue.add(_queued(name, at, priority=priority))
    assert queue.pop_first() is None
    assert [q.pod.name for q in queue.completed(200.0)] == ["sooner", "later"]


def test_failed_pods_are_never_popped_early() -> None:
    queue = _queue()
    queue.add(_queued("failed", errors=1))
    assert "default/failed" in queue.failed
    assert queue.pop_first() is None
    assert [q.pod.name for q in queue.completed(102.0)] == ["failed"]


def test_a_pod_is_found_and_removed_in_either_heap() -> None:
    queue = _queue()
    queue.add(_queued("rejected"))
    queue.add(_queued("failed", errors=1))
    assert len(queue) == 2
    for name in ("rejected", "failed"):
        assert queue.get(f"default/{name}") is queue.remove(f"default/{name}")
    assert not queue
    assert queue.remove("default/failed") is None


def test_a_pod_of_a_new_priority_is_sorted_anew() -> None:
    queue, queued = _queue(), _queued("a")
    queue.add(queued)
    queue.add(_queued("b", priority=5))
    queued.pod = CLUSTER.pod(make_pod("a").priority(9).obj)
    queue.reorder(queued)
    assert queue.pop_first() is queued
