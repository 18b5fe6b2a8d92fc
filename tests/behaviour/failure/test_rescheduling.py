"""What a failed attempt leaves behind: conditions, events, and when the pod is tried again."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.framework import Action, Allow, EventHint, Reject, Resource
from nominee.scheduler.effects import PatchPodStatus
from nominee.scheduler.inputs import Seen
from nominee.scheduler.scheduler import Settings
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench, plugin_class, raising

POINTS = pytest.mark.parametrize("point", ["permit", "reserve"])


def refusing_once(point: str) -> type:
    """Refuses a pod until a node is added."""
    answers: list[Any] = [Reject(("not on this one",))]
    good = Allow.ALLOW if point == "permit" else None

    def events() -> Any:
        return (EventHint(Resource.NODE, Action.ADD),)

    methods = {point: lambda *_: answers.pop() if answers else good, "events_to_register": events}
    return plugin_class("Refusing", unreserve=lambda *_: None, **methods)


@POINTS
def test_a_refused_pod_is_tried_again_when_an_event_helps(point: str) -> None:
    b = Bench([make_node("a")], [make_pod("p")], plugins=[refusing_once(point)])
    b.run()
    b.expect_pending("p", "unschedulable")
    b.put(make_node("b"))
    b.pass_time(3)
    assert b.pod("p").spec.node_name


@POINTS
def test_and_left_alone_when_none_does(point: str) -> None:
    b = Bench([make_node("a")], [make_pod("p")], plugins=[refusing_once(point)])
    b.run()
    b.put(make_pod("other").node("a"))
    b.pass_time(3)
    b.expect_pending("p", "unschedulable")
    assert b.condition("p").message == "0/1 nodes are available: 1 not on this one."


@POINTS
def test_an_error_is_an_error_and_stays_one(point: str) -> None:
    broken = plugin_class("Broken", unreserve=lambda *_: None, **{point: raising()})
    b = Bench([make_node("a")], [make_pod("p")], plugins=[broken])
    b.pass_time(29)
    assert b.condition("p").reason == "SchedulerError"
    assert (
        len(b.notes("FailedScheduling")) == 5
    )  # after 2, 3, 5, 9 seconds: 1, 2, 4, 8 and on to the next whole one


def test_without_nodes_a_pod_is_unschedulable_and_tried_again_soon() -> None:
    b = Bench([], [make_pod("p").nominated("a")])
    b.run()
    condition = b.condition("p")
    assert (condition.reason, condition.message) == ("Unschedulable", "no nodes available to schedule pods")
    b.expect_pending("p", "error_backoff")
    b.expect_nominated("p", "")


def test_a_pod_that_is_being_deleted_is_not_tried() -> None:
    b = Bench([], [])
    b.put(make_pod("p").meta(deletion_timestamp="2026-01-01T00:00:00Z"))
    b.put(make_node("a"))
    b.run()
    assert b.notes("FailedScheduling") == ["skip schedule deleting pod: default/p"]
    assert "default/p" not in b.scheduler.around.queue


def test_the_same_failure_is_written_once() -> None:
    b = Bench([make_node("a")], [make_pod("p").req(cpu="64")], settings=Settings(max_in_unschedulable=1))
    b.pass_time(120)
    assert len(b.notes("FailedScheduling")) > 2
    assert len(b.effects(PatchPodStatus)) == 1


def test_a_long_note_is_cut_and_the_condition_is_not() -> None:
    long = plugin_class("Long", filter_node=lambda *_: "x" * 2000, events_to_register=lambda: ())
    b = Bench([make_node("a")], [make_pod("p")], plugins=[long], without=["DefaultPreemption"])
    b.run()
    (note,) = b.notes("FailedScheduling")
    assert (len(note), note[-4:]) == (1024, " ...")
    assert len(b.condition("p").message) > 2000


def test_a_pod_deleted_during_its_attempt_is_not_requeued() -> None:
    b = Bench([make_node("a")], [make_pod("p")])
    b.scheduler.step(b.now)
    b.delete("p")
    b.run()
    assert len(b.scheduler.around.queue) == 0


def test_an_older_form_without_its_node_does_not_bring_a_bound_pod_back() -> None:
    b = Bench([make_node("a")], [make_pod("p")])
    before = b.pod("p")
    b.run()
    b.expect_bound("p", "a")
    b.scheduler.handle(Seen(before), b.now)
    b.run()
    assert "default/p" not in b.scheduler.around.queue
    assert "default/p" not in b.scheduler.around.pods


def test_the_event_of_a_scheduler_that_is_not_ours_is_ignored() -> None:
    b = Bench([make_node("a")], [make_pod("p").scheduler("somebody-else")])
    b.run()
    b.expect_pending("p")
    assert b.past == []


def test_nominations_of_an_update_event_scenario() -> None:
    """TestUpdateNominatedNodeName: the room of a deleted preemptor wakes whom it had kept off."""
    b = Bench([make_node("a").capacity(cpu="4", memory=32)], gates={"SchedulerPopFromBackoffQ": False})
    b.put(make_pod("low").req(memory=20).priority(1))
    b.run()
    b.put(make_pod("mid").req(memory=25).priority(50))
    b.run()
    b.expect_nominated("mid", "a")
    b.expect_pending("mid", "backoff")
    b.put(make_pod("new-low").req(memory=20).priority(1))
    b.run()
    b.expect_pending("new-low", "unschedulable")
    b.delete("mid")
    b.pass_time(3)
    b.expect_bound("new-low", "a")


def test_and_a_stronger_pod_takes_the_room_of_one_that_backs_off() -> None:
    b = Bench([make_node("a").capacity(cpu="4", memory=32)], gates={"SchedulerPopFromBackoffQ": False})
    b.put(make_pod("low").req(memory=20).priority(1))
    b.run()
    b.put(make_pod("mid").req(memory=25).priority(50))
    b.run()
    b.put(make_pod("high").req(memory=10).priority(100))
    b.run()
    b.expect_bound("high", "a")
    b.expect_nominated("mid", "")


def test_one_node_update_may_be_several_events() -> None:
    b = Bench([make_node("a").taint("busy")], [make_pod("p")])
    b.run()
    b.expect_pending("p", "unschedulable")
    b.put(make_node("a").label("new", "yes"))
    b.pass_time(3)
    b.expect_bound("p", "a")


def test_the_condition_names_the_generation_that_was_judged() -> None:
    pod = make_pod("p").req(cpu="2").meta(generation=7)
    b = Bench([make_node("a").capacity(cpu="1")], [pod])
    b.run()
    assert b.condition("p").observed_generation == 7


# -- turned away before any node was looked at ------------------------------------------------------

NOT_HELPFUL = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."


def test_nobody_looks_for_victims_once_there_is_no_hope_before_devices() -> None:
    """kube-scheduler's DynamicResources misses what its PreFilter did not get to note down, and says so."""
    b = Bench([make_node("a")], [make_pod("p").pvc("c")])
    b.run()
    message = '0/1 nodes are available: persistentvolumeclaim "c" not found. not found'
    assert b.condition("p").message == message
    assert b.notes("FailedScheduling") == [message]


def test_who_turns_a_pod_away_after_devices_leaves_the_rest_to_preemption() -> None:
    late = plugin_class("Late", pre_filter=lambda *_: Reject(("not today",), unresolvable=True))
    b = Bench([make_node("a")], [make_pod("p")], plugins=[late])
    b.run()
    assert b.condition("p").message == f"0/1 nodes are available: not today. {NOT_HELPFUL}"
