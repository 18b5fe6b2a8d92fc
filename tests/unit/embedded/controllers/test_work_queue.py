from __future__ import annotations

import pytest

from nominee.embedded.controllers.work_queue import WorkQueue
from nominee.testing.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(100.0)


@pytest.fixture
def queue(clock: ManualClock) -> WorkQueue:
    return WorkQueue(clock)


def taken(queue: WorkQueue) -> list[str]:
    keys = []
    while (key := queue.take()) is not None:
        keys.append(key)
    return keys


def test_a_key_comes_once_however_often_it_was_added(queue: WorkQueue) -> None:
    for key in ("a", "b", "a"):
        queue.add(key)
    assert taken(queue) == ["a", "b"]


def test_a_delayed_key_comes_when_it_is_time(queue: WorkQueue, clock: ManualClock) -> None:
    queue.add_after("a", 10)
    assert (queue.take(), queue.next_time()) == (None, 110.0)
    clock.advance(10)
    assert taken(queue) == ["a"]
    assert queue.next_time() is None


def test_the_earlier_of_two_delays_counts(queue: WorkQueue, clock: ManualClock) -> None:
    queue.add_after("a", 10)
    queue.add_after("a", 5)
    queue.add_after("a", 20)
    clock.advance(5)
    assert taken(queue) == ["a"]
    clock.advance(100)
    assert taken(queue) == []


def test_failures_double_the_delay_until_one_succeeds(queue: WorkQueue, clock: ManualClock) -> None:
    delays = []
    for _ in range(4):
        queue.add_failed("a")
        due = queue.next_time()
        assert due is not None
        delays.append(round(due - clock.now(), 3))
        clock.set(due)
        assert queue.take() == "a"
    assert delays == [0.005, 0.01, 0.02, 0.04]
    queue.forget("a")
    queue.add_failed("a")
    assert queue.next_time() == clock.now() + 0.005


def test_no_failure_delays_a_key_for_ever(queue: WorkQueue, clock: ManualClock) -> None:
    for _ in range(2_000):
        queue.add_failed("a")
        clock.set(queue.next_time() or 0.0)
        queue.take()
    queue.add_failed("a")
    assert queue.next_time() == clock.now() + 1000.0


def test_a_costly_key_is_held_back_and_comes_once_afterwards(queue: WorkQueue, clock: ManualClock) -> None:
    queue.add("a")
    queue.hold("a", 3)
    queue.add("b")
    assert taken(queue) == ["b"]
    queue.add("a")
    clock.advance(3)
    assert taken(queue) == ["a"]
    queue.add("a")
    assert taken(queue) == ["a"]
