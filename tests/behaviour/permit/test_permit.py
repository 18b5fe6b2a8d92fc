"""Permit: allow, refuse, wait, time out; what the wait does to others."""

from __future__ import annotations

from typing import Any

from nominee.framework import Action, Allow, EventHint, Reject, Resource, Wait
from nominee.scheduler.effects import RunBind
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench, plugin_class

PATIENT = plugin_class(
    "Patient",
    permit=lambda pod, *_: Wait(60) if "slow" in pod.name else Allow.ALLOW,
    events_to_register=lambda: (),
)


def bench(*pods: Any, plugins: tuple[type, ...] = (PATIENT,)) -> Bench:
    b = Bench([make_node("a").capacity(cpu="2")], pods, plugins=plugins)
    b.run()
    return b


def test_a_pod_that_waits_holds_its_room_but_not_the_loop() -> None:
    b = bench(make_pod("slow").req(cpu="1"), make_pod("quick").req(cpu="1"), make_pod("late").req(cpu="1"))
    b.expect_bound("quick", "a")
    b.expect_pending("late", "unschedulable")
    b.expect_pending("slow")


def test_a_wait_that_takes_too_long_ends_in_a_rejection() -> None:
    b = bench(make_pod("slow"))
    b.pass_time(60)
    reason = "rejected due to timeout after waiting 1m0s at plugin Patient"
    assert b.condition("slow").message == f"0/1 nodes are available: 1 {reason}."
    assert b.condition("slow").reason == "Unschedulable"
    b.expect_nominated("slow", "")


def test_a_rejected_wait_lets_others_have_the_room() -> None:
    b = bench(make_pod("slow").req(cpu="2"), make_pod("late").req(cpu="1"))
    b.expect_pending("late", "unschedulable")
    b.scheduler.around.waiting.reject("default/slow", "Patient", "changed my mind", b.now)
    b.run()
    b.pass_time(3)
    b.expect_bound("late", "a")


def test_a_pod_deleted_while_it_waits_frees_its_room() -> None:
    b = bench(make_pod("slow").req(cpu="2"), make_pod("late").req(cpu="1"))
    b.delete("slow")
    b.run()
    b.pass_time(3)
    b.expect_bound("late", "a")
    assert not list(b.scheduler.around.waiting)


def test_several_plugins_must_all_allow_it() -> None:
    other = plugin_class("Other", permit=lambda *_: Wait(30))
    b = bench(make_pod("slow"), plugins=(PATIENT, other))
    b.scheduler.around.waiting.allow("default/slow", "Patient", b.now)
    b.run()
    assert b.effects(RunBind) == []
    b.scheduler.around.waiting.allow("default/slow", "Other", b.now)
    b.run()
    b.expect_bound("slow", "a")


def gang(permit: Any) -> type:
    return plugin_class("Gang", permit=permit, events_to_register=lambda: ())


def gang_of(size: int) -> type:
    """Lets pods wait until so many have a node, then lets all of them go on."""

    def permit(_pod: Any, _node: Any, cycle: Any) -> Any:
        waiting = list(cycle.cluster.waiting_pods())
        if len(waiting) + 1 < size:
            return Wait(60)
        for each in waiting:
            each.allow("Gang")
        return Allow.ALLOW

    return gang(permit)


def test_pods_that_wait_for_each_other_are_bound_together() -> None:
    b = bench(make_pod("one"), make_pod("two"), plugins=(gang_of(3),))
    assert b.effects(RunBind) == []
    b.put(make_pod("three"))
    b.run()
    for name in ("one", "two", "three"):
        b.expect_bound(name, "a")


def test_a_plugin_sees_who_waits_where_and_for_whom() -> None:
    other = plugin_class("Other", permit=lambda *_: Wait(30))
    b = bench(make_pod("one"), plugins=(gang_of(3), other))
    (seen,) = b.scheduler.cluster.view.waiting_pods()
    assert (seen.pod.name, seen.node_name, seen.plugins) == ("one", "a", ("Gang", "Other"))
    seen.allow("Gang")
    assert b.scheduler.ready
    b.run()
    (seen,) = b.scheduler.cluster.view.waiting_pods()
    assert seen.plugins == ("Other",)


def test_a_plugin_may_reject_whom_another_pod_makes_pointless() -> None:
    def permit(pod: Any, _node: Any, cycle: Any) -> Any:
        if pod.name != "last":
            return Wait(60)
        for each in cycle.cluster.waiting_pods():
            each.reject("Gang", "the gang is full")
        return Allow.ALLOW

    b = bench(make_pod("one"), plugins=(gang(permit),))
    b.put(make_pod("last"))
    b.run()
    b.expect_bound("last", "a")
    assert b.condition("one").message == "0/1 nodes are available: 1 the gang is full."
    assert not list(b.scheduler.around.waiting)


def test_what_is_said_of_a_pod_that_waits_no_longer_changes_nothing() -> None:
    b = bench(make_pod("one"), plugins=(gang_of(3),))
    (seen,) = b.scheduler.cluster.view.waiting_pods()
    b.delete("one")
    b.run()
    seen.allow("Gang")
    seen.reject("Gang", "too late")
    b.run()
    assert not b.exists("one")
    assert not b.scheduler.ready


def test_a_rejection_that_is_no_text_costs_the_pod_whose_plugin_says_it() -> None:
    def permit(pod: Any, _node: Any, cycle: Any) -> Any:
        for each in cycle.cluster.waiting_pods():
            each.reject("Gang", 5)
        return Allow.ALLOW if pod.name == "last" else Wait(60)

    b = bench(make_pod("one"), plugins=(gang(permit),))
    b.put(make_pod("last"))
    b.run()
    assert "must be a text, not 5" in b.condition("last").message
    assert [each.pod.name for each in b.scheduler.cluster.view.waiting_pods()] == ["one"]


def test_an_event_during_the_wait_counts_once_the_pod_is_rejected() -> None:
    asked: list[str] = []

    def labelled(pod: Any, *_: Any) -> bool:
        asked.append(pod.name)
        return True

    def events() -> Any:
        return (EventHint(Resource.NODE, Action.UPDATE_NODE_LABEL, labelled),)

    answers: list[Any] = [Wait(60)]
    plugin = plugin_class(
        "Patient", permit=lambda *_: answers.pop() if answers else Allow.ALLOW, events_to_register=events
    )
    b = bench(make_pod("slow"), plugins=(plugin,))
    b.put(make_node("a").capacity(cpu="2").label("new", "yes"))
    assert asked == []
    b.scheduler.around.waiting.reject("default/slow", "Patient", "no", b.now)
    b.run()
    b.pass_time(5)
    assert asked == ["slow"]
    b.expect_bound("slow", "a")


def test_a_pending_refusal_lets_the_pod_skip_back_off() -> None:
    answers: list[Any] = [Reject(("not yet",), pending=True)]
    plugin = plugin_class(
        "Patient",
        permit=lambda *_: answers.pop() if answers else Allow.ALLOW,
        events_to_register=lambda: (EventHint(Resource.NODE, Action.ADD),),
    )
    b = bench(make_pod("p"), plugins=(plugin,))
    b.expect_pending("p", "unschedulable")
    b.put(make_node("b"))
    b.run()
    assert b.pod("p").spec.node_name
