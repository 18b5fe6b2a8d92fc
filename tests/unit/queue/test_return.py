"""Pods come back from failed attempts."""

import pytest

from nominee.framework import Action, ClusterEvent, EventHint, Resource
from nominee.queue.check import check
from nominee.testing import make_pod
from tests.unit.queue.rig import FIT, NODE_ADDED, POD_GONE, Rig, hint

CLASS_ADDED = ClusterEvent(Resource.DEVICE_CLASS, Action.ADD)


def _in_flight(*names: str, hints: object = True) -> Rig:
    rig = Rig({"Fit": (hint(hints),), "Dra": (hint(True),)}).add(*(names or ("a",)))
    rig.pop_all()
    return rig


def test_a_rejected_pod_is_set_aside() -> None:
    rig = Rig()
    queued = rig.at(1007.0).rejected("a")
    assert rig.where("a") == "unschedulable"
    assert (queued.unschedulable_count, queued.consecutive_errors_count) == (1, 0)
    assert queued.timestamp == 1007.0


def test_after_an_error_the_pod_backs_off() -> None:
    rig = Rig()
    queued = rig.rejected("a", by=[])
    assert rig.where("a") == "error_backoff"
    assert (queued.unschedulable_count, queued.consecutive_errors_count) == (0, 1)


def test_a_rejection_ends_a_row_of_errors() -> None:
    rig = Rig(max_backoff=0)
    for by in ([], [], ["Fit"]):
        queued = rig.rejected("a", by=by)
    assert (queued.unschedulable_count, queued.consecutive_errors_count) == (1, 0)


def test_without_back_off_an_error_leads_straight_back() -> None:
    rig = Rig(max_backoff=0)
    rig.rejected("a", by=[])
    assert rig.where("a") == "active"


def test_an_event_missed_while_in_flight_is_made_up_for() -> None:
    rig = _in_flight()
    rig.move(NODE_ADDED)
    rig.fail("a")
    assert rig.where("a") == "backoff"


def test_an_event_that_came_before_the_attempt_is_not() -> None:
    rig = Rig().add("first", "second")
    rig.pop()
    rig.move(NODE_ADDED)
    rig.pop()
    rig.fail("second")
    rig.fail("first")
    assert rig.where("second") == "unschedulable"
    assert rig.where("first") == "backoff"


def test_an_event_whose_hint_says_no_is_no_reason() -> None:
    rig = _in_flight(hints=False)
    rig.move(NODE_ADDED)
    rig.fail("a")
    assert rig.where("a") == "unschedulable"


def test_an_event_nobody_registered_is_not_even_remembered() -> None:
    rig = _in_flight()
    rig.move(POD_GONE)
    assert rig.seen.events["AssignedPodDelete"] == 0


def test_a_pending_plugin_sends_the_pod_straight_back() -> None:
    rig = _in_flight()
    rig.move(NODE_ADDED)
    rig.fail("a", by=["Fit"], pending=["Dra"])
    assert rig.where("a") == "active"


@pytest.mark.parametrize(
    ("missed", "place"),
    [
        ([NODE_ADDED, POD_GONE], "active"),
        ([POD_GONE, NODE_ADDED], "active"),
        ([NODE_ADDED, CLASS_ADDED], "backoff"),
        ([CLASS_ADDED], "unschedulable"),
    ],
)
def test_the_best_of_several_events_counts(missed: list[ClusterEvent], place: str) -> None:
    on_class = EventHint(Resource.DEVICE_CLASS, Action.ADD, lambda *_: False)
    on_pod = EventHint(Resource.ASSIGNED_POD, Action.DELETE)
    rig = Rig({**FIT, "Dra": (on_pod, on_class)}).add("a")
    rig.pop()
    for event in missed:
        rig.move(event)
    rig.fail("a", by=["Fit"], pending=["Dra"])
    assert rig.where("a") == place


def test_without_rejectors_events_play_no_part() -> None:
    rig = _in_flight()
    rig.move(NODE_ADDED)
    rig.fail("a", by=[])
    assert rig.where("a") == "error_backoff"


def test_a_pod_that_was_done_already_may_have_missed_events_and_backs_off() -> None:
    rig = _in_flight()
    rig.queue.done("default/a")
    rig.fail("a")
    assert rig.where("a") == "backoff"


def test_a_pod_that_waits_already_is_left_alone() -> None:
    rig = _in_flight()
    rig.queue.done("default/a")
    rig.add("a")
    queued = rig.popped["a"]
    assert not rig.queue.return_after_failure(queued, rig.now)
    assert (rig.where("a"), queued.unschedulable_count) == ("active", 0)
    check(rig.queue)


def test_marks_of_a_flush_do_not_outlive_the_attempt() -> None:
    rig = Rig()
    rig.rejected("a")
    rig.at(1320.0).flush()
    assert rig.get("a").was_flushed
    assert not rig.rejected("a").was_flushed
    assert rig.queue.next_wakeup() == 1650


def test_back_off_is_reckoned_anew_after_every_attempt() -> None:
    rig = Rig()
    rig.rejected("a", by=[])
    assert rig.queue.next_wakeup() == 1002
    rig.at(1002.0).flush()
    rig.rejected("a", by=[])
    assert rig.queue.next_wakeup() == 1005


def test_the_pods_own_update_while_in_flight_is_made_up_for() -> None:
    tolerations = EventHint(Resource.TARGET_POD, Action.UPDATE_POD_TOLERATION)
    rig = Rig({"Taints": (tolerations,)}).add("a", "b")
    rig.pop_all()
    rig.update(make_pod("a").toleration("k"))
    rig.fail("a", by=["Taints"])
    rig.fail("b", by=["Taints"])
    assert (rig.where("a"), rig.where("b")) == ("backoff", "unschedulable")


@pytest.mark.parametrize("number", [1, 1000])
def test_events_are_forgotten_once_everybody_is_back(number: int) -> None:
    rig = _in_flight("a", "b")
    for _ in range(number):
        rig.move(ClusterEvent(Resource.NODE, Action.ADD))
    rig.fail("a")
    rig.fail("b")
    assert rig.seen.events["NodeAdd"] == 0
