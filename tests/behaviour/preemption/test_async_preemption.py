"""Preemption in the background: who is held, who is let go, and who wins."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.framework import Action, Allow, EventHint, PreFlight, Reject, Rejection, Resource, Wait
from nominee.scheduler.effects import CancelPreBind, Evict, RunBind, RunPreBind
from nominee.scheduler.scheduler import Settings
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench, plugin_class

VICTIM, MID, HIGH, SUPER = 1, 50, 100, 200


def node(name: str = "node", cpu: str = "4") -> Any:
    return make_node(name).capacity(cpu=cpu, memory="64Gi", pods=32)


def pod(name: str, cpu: int, priority: int, on: str = "") -> Any:
    made = make_pod(name).req(cpu=str(cpu)).priority(priority)
    return made.node(on) if on else made


def victims(number: int, cpu: int, on: str = "node") -> list[Any]:
    return [pod(f"victim-{i}", cpu, VICTIM, on) for i in range(number)]


def bench(*items: Any, plugins: tuple[type, ...] = ()) -> Bench:
    b = Bench([node()], plugins=plugins, settings=Settings(max_backoff=0))
    for item in items:
        b.put(item)
    b.hold(Evict)
    return b


def preempting(b: Bench, *pods: Any) -> None:
    """The pods come one after the other, and each begins its evictions."""
    for item in pods:
        b.put(item)
        b.run()


def release(b: Bench) -> None:
    """The evictions are carried out."""
    b.release(Evict)
    b.run()


@pytest.mark.parametrize("number", [1, 2])
def test_a_preemptor_is_held_while_its_victims_are_being_evicted(number: int) -> None:
    b = bench(*victims(number, 2))
    preempting(b, pod("p", 4, HIGH))
    b.expect_nominated("p", "node")
    b.put(node().label("changed", "yes").capacity(cpu="4500m", memory="64Gi", pods=32))  # it might fit now
    b.run()
    b.expect_pending("p", "gated")
    release(b)
    b.expect_bound("p", "node")


def test_all_others_are_evicted_before_the_last() -> None:
    b = bench(*victims(3, 1))
    preempting(b, pod("p", 4, HIGH))
    assert len(b.waiting_for(Evict)) == 2
    for evict in b.waiting_for(Evict):
        b.answer(evict)
    b.step()
    (last,) = b.waiting_for(Evict)
    assert last.victim.name not in {e.victim.name for e in b.effects(Evict)[:2]}
    b.expect_pending("p")


def test_a_victim_on_its_way_out_opens_the_gate_before_the_answer_comes() -> None:
    b = bench(*victims(1, 4))
    preempting(b, pod("p", 4, HIGH))
    b.delete("victim-0", graceful=True)
    b.delete("victim-0")
    b.run()
    b.expect_bound("p", "node")
    assert b.waiting_for(Evict)


def test_a_lower_priority_gets_nothing_of_it() -> None:
    b = bench(*victims(1, 4))
    preempting(b, pod("high", 4, HIGH), pod("mid", 4, MID))
    b.expect_pending("mid", "unschedulable")
    release(b)
    b.expect_bound("high", "node")
    b.expect_pending("mid", "unschedulable")


def test_a_higher_priority_preempts_the_same_victims_and_wins() -> None:
    b = bench(*victims(4, 1))
    preempting(b, pod("high", 4, HIGH), pod("super", 4, SUPER))
    b.expect_nominated("super", "node")
    b.expect_nominated("high", "")
    release(b)
    b.pass_time(5)
    b.expect_bound("super", "node")
    b.expect_pending("high", "unschedulable")


def test_two_preemptors_share_a_node() -> None:
    b = bench(*victims(4, 1))
    preempting(b, pod("high", 2, HIGH), pod("mid", 2, MID))
    release(b)
    assert {evict.victim.name for evict in b.effects(Evict)} == {f"victim-{i}" for i in range(4)}
    b.expect_bound("high", "node")
    b.expect_bound("mid", "node")
    order = [effect.pod.name for effect in b.effects(RunBind)]
    assert order == ["high", "mid"]


def test_equal_priorities_do_not_take_each_others_room() -> None:
    b = bench(*victims(2, 2))
    preempting(b, pod("first", 4, HIGH), pod("second", 4, HIGH))
    release(b)
    b.pass_time(5)
    b.expect_bound("first", "node")
    b.expect_pending("second", "unschedulable")


# -- victims that are not bound yet ------------------------------------------------------------------


def test_a_victim_that_is_being_bound_is_deleted_and_its_room_is_free_at_once() -> None:
    b = bench()
    b.hold(RunBind)
    preempting(b, pod("victim", 2, VICTIM), pod("p", 4, HIGH))
    (bind,) = b.waiting_for(RunBind)
    release(b)
    assert not b.exists("victim")
    (_, of_preemptor) = b.waiting_for(RunBind)
    b.answer(of_preemptor)
    b.expect_bound("p", "node")
    b.answer(bind)
    b.run()
    b.expect_bound("p", "node")


def test_what_a_victim_reserved_comes_free_when_its_binding_fails() -> None:
    held: set[str] = set()

    def reserve(pod: Any, *_: Any) -> None:
        if pod.name == "victim":
            held.add(pod.uid)

    def filtering(pod: Any, nodes: Any, _cycle: Any) -> Any:
        if held and pod.uid not in held:
            yield Rejection(nodes.valid.copy(), "reserved")

    reserving = plugin_class(
        "Reserving", reserve=reserve, unreserve=lambda pod, *_: held.discard(pod.uid), filter=filtering
    )
    b = bench(plugins=(reserving,))
    b.hold(RunBind)
    preempting(b, pod("victim", 2, VICTIM))
    assert held == {"default/victim"}
    (bind,) = b.waiting_for(RunBind)
    b.put(pod("p", 4, HIGH))
    b.run()
    b.delete("victim")
    b.run()
    b.expect_pending("p", "unschedulable")
    b.release(RunBind)
    b.answer(bind)
    b.run()
    assert not held
    b.expect_bound("p", "node")


def big_and_small(b: Bench) -> None:
    """The victim is under way to the big node; the small one came later."""
    b.delete_node("node")
    b.put(node("big-node", "2"))
    preempting(b, pod("victim", 1, VICTIM))
    b.put(node("small-node", "1"))
    b.run()
    b.put(make_pod("p").req(cpu="1500m").priority(HIGH))
    b.run()
    b.pass_time(10)


def expect_both_placed(b: Bench) -> None:
    b.expect_bound("p", "big-node")
    b.expect_bound("victim", "small-node")
    assert b.effects(Evict) == []
    assert b.notes("Preempted") == ["Preempted by pod default/p on node big-node (in kube-scheduler memory)."]


def test_a_victim_that_waits_on_permit_is_sent_back_not_deleted() -> None:
    first = [Wait(600)]
    patient = plugin_class("Patient", permit=lambda pod, *_: _allow(pod, first))
    b = bench(plugins=(patient,))
    big_and_small(b)
    expect_both_placed(b)


def _allow(pod: Any, once: list[Any]) -> Any:
    return once.pop() if pod.name == "victim" and once else Allow.ALLOW


def test_a_victim_in_pre_bind_is_cancelled_not_deleted() -> None:
    async def pre_bind(*_: Any) -> None:
        """Done at once, once it may begin."""

    first = [PreFlight.WORK]

    def pre_flight(pod: Any, *_: Any) -> PreFlight:
        return first.pop() if pod.name == "victim" and first else PreFlight.SKIP

    slow = plugin_class("Slow", pre_bind_pre_flight=pre_flight, pre_bind=pre_bind)
    b = bench(plugins=(slow,))
    b.hold(RunPreBind)
    big_and_small(b)
    expect_both_placed(b)
    assert 'running PreBind plugin "Slow": preempted by DefaultPreemption' in b.notes("FailedScheduling")


def test_a_cancelled_victim_is_preempted_once_however_long_its_plugin_takes() -> None:
    """Until that has ended the victim is in the way; its preemptor waits, and does not cancel it again."""

    async def pre_bind(*_: Any) -> None:
        """Ends when the test says so."""

    slow = plugin_class(
        "Slow", pre_bind_pre_flight=lambda pod, *_: _work(pod.name == "victim"), pre_bind=pre_bind
    )
    b = bench(plugins=(slow,))
    b.hold(RunPreBind, CancelPreBind)
    preempting(b, pod("victim", 4, VICTIM))
    (working,) = b.waiting_for(RunPreBind)
    b.put(pod("p", 4, HIGH))
    b.run()
    b.pass_time(30)
    b.expect_pending("p")
    assert len(b.notes("Preempted")) == 1
    assert len(b.notes("FailedScheduling")) == 1
    b.answer(working, "preempted by DefaultPreemption")
    b.run()
    b.expect_bound("p", "node")
    assert len(b.notes("Preempted")) == 1


def _work(has: bool) -> PreFlight:
    return PreFlight.WORK if has else PreFlight.SKIP


# -- failures, and wake-ups that must not be missed -------------------------------------------------


@pytest.mark.parametrize("number", [1, 3])
def test_a_failed_eviction_reverts_the_nomination_and_tries_again(number: int) -> None:
    b = bench(*victims(number, 4 if number == 1 else 1))
    preempting(b, pod("p", 4, HIGH))
    for evict in b.waiting_for(Evict):
        b.answer(evict, "the API server is down")
    assert b.scheduler.cluster.nominations.node_of("default/p") == ""
    b.release(Evict)
    b.run()
    b.expect_bound("p", "node")


def test_after_a_failure_the_last_victim_is_spared() -> None:
    b = bench(*victims(3, 1))
    preempting(b, pod("p", 4, HIGH))
    for evict in b.waiting_for(Evict):
        b.answer(evict, "the API server is down")
    assert len(b.effects(Evict)) == 2
    assert b.scheduler.cluster.nominations.node_of("default/p") == ""


def test_a_last_victim_that_went_by_itself_while_the_gate_was_shut_wakes_the_preemptor() -> None:
    b = bench(*victims(2, 2))
    preempting(b, pod("p", 4, HIGH))
    (first,) = b.waiting_for(Evict)
    last = "victim-0" if first.victim.name == "victim-1" else "victim-1"
    b.delete(last)
    b.run()
    b.expect_pending("p", "gated")
    b.release(Evict)
    b.run()
    b.pass_time(5)
    b.expect_bound("p", "node")


def test_victims_whose_deletion_no_hint_cares_for_leave_the_preemptor_to_the_flush() -> None:
    def filtering(pod: Any, nodes: Any, _cycle: Any) -> Any:
        if pod.name == "p":
            yield Rejection(nodes.requested[3] > 0, "blocked")

    def events() -> Any:
        return (EventHint(Resource.ASSIGNED_POD, Action.DELETE, lambda *_: False),)

    deaf = plugin_class("Deaf", filter=filtering, events_to_register=events)
    b = bench(*victims(2, 1), plugins=(deaf,))
    preempting(b, pod("p", 1, HIGH))
    release(b)
    b.expect_pending("p", "unschedulable")
    b.pass_time(400)
    b.expect_bound("p", "node")


def test_a_preemptor_that_is_deleted_leaves_no_gate_behind() -> None:
    b = bench(*victims(2, 2))
    preempting(b, pod("p", 4, HIGH))
    b.delete("p")
    release(b)
    assert len(b.scheduler.preemptions) == 0
    assert len(b.scheduler.cluster.nominations) == 0


def test_a_preemptor_whose_room_was_taken_finds_another_node() -> None:
    b = bench(*victims(3, 1))
    b.hold(RunBind)
    preempting(b, pod("last-victim", 1, VICTIM), pod("mid", 4, MID))
    b.release(RunBind)
    preempting(b, node("node2"), *[pod(f"other-{i}", 1, VICTIM, "node2") for i in range(4)])
    preempting(b, pod("high", 2, HIGH))
    release(b)
    b.pass_time(10)
    assert b.pod("high").spec.node_name
    assert b.pod("mid").spec.node_name
    assert b.pod("mid").spec.node_name != b.pod("high").spec.node_name


def test_a_pod_that_is_refused_where_it_fits_preempts_nobody() -> None:
    strict = plugin_class("Strict", permit=lambda *_: Reject(("no",)), events_to_register=lambda: ())
    b = bench(*victims(1, 2), plugins=(strict,))
    preempting(b, pod("p", 2, HIGH))
    assert b.effects(Evict) == []
    b.expect_pending("p", "unschedulable")
