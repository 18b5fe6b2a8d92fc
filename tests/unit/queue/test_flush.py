"""What time alone does, and when."""

import pytest

from tests.unit.queue.rig import Rig


def test_an_idle_queue_wants_no_wake_up() -> None:
    assert Rig().add("a").queue.next_wakeup() is None


def test_completed_back_off_leads_to_the_active_queue() -> None:
    rig = Rig().at(1000.5)
    rig.rejected("failed", by=[])
    rig.rejected("a")
    rig.move()
    assert rig.queue.next_wakeup() == 1002
    rig.at(1001.9).flush()
    assert rig.where("a") == "backoff"
    rig.at(1002.0).flush()
    assert (rig.where("a"), rig.where("failed")) == ("active", "active")
    assert rig.seen.came[-2:] == [("active", "BackoffComplete")] * 2


def test_an_unschedulable_pod_is_tried_again_after_five_minutes() -> None:
    rig = Rig({"Fit": ()})
    rig.rejected("a")
    assert rig.queue.next_wakeup() == 1320  # looked for every 30 s
    rig.at(1319.0).flush()
    assert rig.where("a") == "unschedulable"
    rig.at(1320.0).flush()
    assert rig.where("a") == "active"
    assert rig.get("a").was_flushed
    assert rig.seen.came[-1] == ("active", "UnschedulableTimeout")


def test_five_minutes_can_be_set() -> None:
    rig = Rig(max_in_unschedulable=60)
    rig.rejected("a")
    assert rig.queue.next_wakeup() == 1080


def test_a_flushed_pod_that_must_still_back_off_does() -> None:
    rig = Rig(initial_backoff=1000, max_backoff=1000)
    rig.rejected("a")
    rig.at(1320.0).flush()
    assert rig.where("a") == "backoff"


def test_a_flush_is_an_event_for_those_in_flight_too() -> None:
    rig = Rig({"Fit": ()})
    rig.rejected("late")
    rig.at(1320.0).add("a")
    rig.pop()
    rig.flush()
    rig.fail("a")
    assert rig.where("a") == "backoff"


@pytest.mark.parametrize("pop_from_backoff", [True, False])
def test_waking_up_when_asked_always_finds_something_to_do(pop_from_backoff: bool) -> None:
    rig = Rig({"Fit": ()}, pop_from_backoff=pop_from_backoff).at(1000.7)
    rig.rejected("failed", by=[])
    rig.rejected("a")
    while (wakeup := rig.queue.next_wakeup()) is not None:
        before = rig.queue.counts()
        rig.at(wakeup).flush()
        assert rig.queue.counts() != before
    assert rig.queue.counts()["active"] == 2
