"""What may happen between a preemption's beginning and its end, and who has the room in the end."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from nominee.scheduler.effects import Evict
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench

VICTIM, MID, HIGH, SUPER = 1, 50, 100, 200


def node(name: str = "node", cpu: str = "4") -> Any:
    return make_node(name).capacity(cpu=cpu, memory="64Gi", pods=32)


def pod(name: str, cpu: int = 4, priority: int = HIGH) -> Any:
    return make_pod(name).req(cpu=str(cpu)).priority(priority)


def victim(name: str, cpu: int, *, graceful: bool = False) -> Any:
    grace = 30 if graceful else 0
    return pod(name, cpu, VICTIM).node("node").spec(termination_grace_period_seconds=grace)


def bench(*items: Any) -> Bench:
    """One node; evictions are held."""
    b = Bench([node()], items)
    b.hold(Evict)
    return b


def come(b: Bench, *pods: Any) -> None:
    """One after the other."""
    for item in pods:
        b.put(item)
        b.run()


def release(b: Bench, seconds: float = 15) -> None:
    """The evictions are carried out, and everybody had time for another attempt."""
    b.release(Evict)
    b.pass_time(seconds)


def expect_nothing_under_way(b: Bench) -> None:
    assert len(b.scheduler.preemptions) == 0
    assert len(b.scheduler.cluster.nominations) == 0
    assert b.scheduler.around.outbox.unanswered == 0


# -- several preemptors ------------------------------------------------------------------------------


def test_of_three_the_strongest_has_the_room_whoever_came_first() -> None:
    b = bench(*[victim(f"v{i}", 1) for i in range(4)])
    come(b, pod("mid", priority=MID), pod("high"), pod("super", priority=SUPER))
    b.expect_nominated("super", "node")
    b.expect_nominated("high", "")
    b.expect_nominated("mid", "")
    release(b)
    b.expect_bound("super", "node")
    b.expect_pending("high", "unschedulable")
    b.expect_pending("mid", "unschedulable")
    expect_nothing_under_way(b)


def test_three_equals_share_what_has_room_for_three() -> None:
    b = bench(*[victim(f"v{i}", 1) for i in range(4)])
    come(b, pod("a", 1), pod("b", 1), pod("c", 2))
    release(b)
    for name in "abc":
        b.expect_bound(name, "node")
    expect_nothing_under_way(b)


def test_one_in_the_middle_that_fits_beside_neither_waits() -> None:
    b = bench(*[victim(f"v{i}", 1) for i in range(4)])
    come(b, pod("low", 2, MID), pod("high", 2), pod("middle", 3, MID + 10))
    release(b)
    b.expect_bound("high", "node")
    b.expect_bound("low", "node")
    b.expect_pending("middle", "unschedulable")
    expect_nothing_under_way(b)


def test_after_a_failed_eviction_the_first_is_tried_again_before_its_equal() -> None:
    b = bench(victim("v", 4))
    come(b, pod("first"), pod("second"))
    b.answer(b.waiting_for(Evict)[0], "the API server is down")
    b.run()
    b.expect_nominated("first", "node")
    b.expect_nominated("second", "")
    release(b)
    b.expect_bound("first", "node")
    b.expect_pending("second", "unschedulable")


# -- the preemptor ------------------------------------------------------------------------------------


def test_a_preemptor_that_is_deleted_leaves_its_room_to_whoever_kept_off() -> None:
    b = bench(victim("v0", 2), victim("v1", 2))
    come(b, pod("high"), pod("mid", priority=MID))
    b.expect_nominated("mid", "")
    b.delete("high")
    release(b)
    b.expect_bound("mid", "node")
    expect_nothing_under_way(b)


def test_and_deleted_between_two_evictions_the_rest_goes_on() -> None:
    b = bench(*[victim(f"v{i}", 1) for i in range(3)])
    come(b, pod("p"))
    b.answer(b.waiting_for(Evict)[0])
    b.delete("p")
    release(b)
    assert not any(b.exists(f"v{i}") for i in range(3))
    expect_nothing_under_way(b)


def test_its_namesake_is_another_preemptor() -> None:
    b = bench(victim("v0", 2), victim("v1", 2))
    come(b, pod("p"))
    b.delete("p")
    namesake = pod("p").build()
    metadata = msgspec.structs.replace(namesake.metadata, uid="another")
    come(b, msgspec.structs.replace(namesake, metadata=metadata))
    release(b)
    b.expect_bound("p", "node")
    expect_nothing_under_way(b)


def test_a_change_of_the_preemptor_does_not_open_its_gate() -> None:
    b = bench(victim("v0", 2), victim("v1", 2))
    come(b, pod("p"))
    b.put(node(cpu="8"))  # it would fit now
    b.put(pod("p").label("changed", "yes").nominated("node"))
    b.run()
    b.expect_pending("p", "gated")
    release(b)
    b.expect_bound("p", "node")


# -- the victims --------------------------------------------------------------------------------------


def test_victims_that_finish_by_themselves_make_room_too() -> None:
    b = bench(victim("v0", 2), victim("v1", 2))
    come(b, pod("p"))
    b.change("v0", phase="Succeeded")
    b.change("v1", phase="Failed")
    release(b, 3)
    b.expect_bound("p", "node")
    expect_nothing_under_way(b)


def test_a_victim_with_a_finalizer_keeps_the_preemptor_waiting_and_nominated() -> None:
    b = bench(victim("v", 4, graceful=True))
    come(b, pod("p"))
    release(b, 1000)
    b.expect_nominated("p", "node")
    assert len(b.effects(Evict)) == 1
    assert len(b.notes("FailedScheduling")) < 10, "it is tried again and again"
    b.delete("v")
    b.pass_time(3)
    b.expect_bound("p", "node")


def test_of_two_victims_the_one_that_terminates_already_is_not_evicted() -> None:
    b = bench(victim("v0", 2, graceful=True), victim("v1", 2, graceful=True))
    b.delete("v0", graceful=True)
    come(b, pod("p"))
    assert [evict.victim.name for evict in b.effects(Evict)] == ["v1"]
    release(b)
    b.delete("v1")
    b.pass_time(15)
    b.expect_nominated("p", "node")
    b.delete("v0")
    b.pass_time(15)
    b.expect_bound("p", "node")


@pytest.mark.parametrize("asynchronous", [True, False])
def test_a_server_that_refuses_every_eviction_is_not_asked_in_a_loop(asynchronous: bool) -> None:
    b = Bench([node()], [victim("v", 4)], gates={"SchedulerAsyncPreemption": asynchronous})
    b.fail(Evict, "pods is forbidden")
    come(b, pod("p"))
    b.pass_time(60)
    assert len(b.effects(Evict)) < 12
    b.expect_nominated("p", "")
    b.fail(Evict, "")
    b.put(node().label("changed", "yes"))  # the synchronous one waits for an event
    b.pass_time(330)
    b.expect_bound("p", "node")


def test_a_failed_synchronous_eviction_is_what_the_condition_tells_of() -> None:
    b = Bench([node()], [victim("v", 4)], gates={"SchedulerAsyncPreemption": False})
    b.fail(Evict, "pods is forbidden")
    come(b, pod("p"))
    text = "0/1 nodes are available: 1 Insufficient cpu. preemption: pods is forbidden"
    assert b.condition("p").message == text


# -- nodes and restarts -------------------------------------------------------------------------------


def test_a_node_deleted_under_the_evictions_costs_the_promise_only() -> None:
    b = bench(victim("v0", 2), victim("v1", 2), node("tiny", "1"))
    come(b, pod("p"))
    b.delete_node("node")
    release(b)
    b.expect_nominated("p", "")
    b.put(node("new"))
    b.pass_time(15)
    b.expect_bound("p", "new")
    expect_nothing_under_way(b)


def test_a_node_that_comes_back_meanwhile_is_taken() -> None:
    b = bench(victim("v0", 2), victim("v1", 2))
    come(b, pod("p"))
    b.delete_node("node")
    b.put(node())
    release(b)
    b.expect_bound("p", "node")
    expect_nothing_under_way(b)


@pytest.mark.parametrize("asynchronous", [True, False])
def test_a_restart_between_two_evictions_goes_on_with_the_second(asynchronous: bool) -> None:
    b = bench(victim("v0", 2, graceful=True), victim("v1", 2, graceful=True))
    come(b, pod("p"))
    b.answer(b.waiting_for(Evict)[0])
    b.restart(SchedulerAsyncPreemption=asynchronous)
    b.run()
    b.expect_nominated("p", "node")
    b.delete("v0")
    release(b)
    assert [evict.victim.name for evict in b.effects(Evict)] == ["v0", "v1"]
    b.delete("v1")
    b.pass_time(15)
    b.expect_bound("p", "node")
