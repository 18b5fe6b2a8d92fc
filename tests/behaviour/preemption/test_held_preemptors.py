"""What happens while a preemptor is held until its last victim leaves is not forgotten."""

from __future__ import annotations

from typing import Any

from nominee.scheduler.effects import Evict
from nominee.scheduler.inputs import Completed
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench

VICTIM, HIGH = 1, 100


def node(name: str = "node") -> Any:
    return make_node(name).capacity(cpu="4", memory="64Gi", pods=32)


def preemptor(cpu: int = 4) -> Any:
    return make_pod("preemptor").req(cpu=str(cpu)).priority(HIGH)


def victim(name: str, cpu: int, *, priority: int = VICTIM, grace: int = 0) -> Any:
    pod = make_pod(name).req(cpu=str(cpu)).priority(priority).node("node")
    return pod.spec(termination_grace_period_seconds=grace)


def bench(*victims: Any, pod: Any = None) -> Bench:
    """A preemptor on a full node; evictions are held."""
    b = Bench([node()], victims)
    b.hold(Evict)
    b.put(pod or preemptor())
    b.run()
    return b


def test_a_node_that_comes_meanwhile_is_taken_while_the_victim_still_terminates() -> None:
    b = bench(victim("v", 4, grace=30))
    b.put(node("new"))
    b.run()
    b.expect_pending("preemptor", "gated")
    b.release(Evict)
    b.pass_time(3)
    assert b.exists("v")
    b.expect_bound("preemptor", "new")


def test_a_place_that_becomes_free_meanwhile_is_taken_too() -> None:
    other = make_pod("other").req(cpu="4").priority(HIGH).node("another")
    b = Bench([node(), node("another")], [victim("v", 4, grace=30), other])
    b.hold(Evict)
    b.put(preemptor())
    b.run()
    b.delete("other")
    b.run()
    b.expect_pending("preemptor", "gated")
    b.release(Evict)
    b.pass_time(3)
    b.expect_bound("preemptor", "another")


def test_the_last_victim_wakes_it_even_if_only_the_first_had_what_it_was_rejected_for() -> None:
    """NodePorts alone is to blame, and the port is free before the last victim goes."""
    port, room = victim("port", 1, priority=VICTIM + 1).host_port(80), victim("room", 3, grace=30)
    b = bench(port, room, pod=preemptor().host_port(80))
    b.release(Evict)
    b.pass_time(5)
    b.expect_pending("preemptor", "unschedulable")
    b.delete("room")
    b.pass_time(5)
    b.expect_bound("preemptor", "node")


def test_once_its_gate_is_open_it_hears_what_its_rejectors_hear() -> None:
    b = bench(victim("first", 1, priority=VICTIM + 1), victim("last", 3))
    b.answer(b.waiting_for(Evict, "first")[0])
    b.run()
    answered_before_it_is_seen(b, b.waiting_for(Evict, "last")[0])
    b.expect_pending("preemptor", "gated")
    b.put(node("new"))
    b.pass_time(3)
    b.expect_bound("preemptor", "new")


def test_before_it_has_seen_its_victim_leave_it_does_not_try_to_make_up_for_anything() -> None:
    """It would take the victim for one that is still to be evicted."""
    b = bench(victim("first", 1, priority=VICTIM + 1), victim("last", 3))
    b.answer(b.waiting_for(Evict, "first")[0])
    b.run()
    answered_before_it_is_seen(b, b.waiting_for(Evict, "last")[0])
    b.pass_time(3)
    b.expect_pending("preemptor", "gated")
    b.delete("last", graceful=True)
    b.delete("last")
    b.pass_time(3)
    b.expect_bound("preemptor", "node")
    assert [effect.victim.name for effect in b.effects(Evict)] == ["first", "last"]


def test_a_victim_whose_node_is_gone_still_holds_it() -> None:
    b = bench(victim("last", 4))
    b.delete_node("node")
    b.put(node("new"))
    b.run()
    b.expect_pending("preemptor", "gated")
    b.release(Evict)
    b.pass_time(3)
    b.expect_bound("preemptor", "new")


def answered_before_it_is_seen(b: Bench, effect: Evict) -> None:
    """The API server has evicted, and the watch does not show it so far."""
    b.open.remove(effect)
    b.scheduler.handle(Completed(effect.id), b.now)
    b.run()
