"""A preemptor whose nomination is taken away looks for another place, its old victim gone or not."""

from __future__ import annotations

from typing import Any

from nominee.scheduler.effects import Evict
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench


def node(name: str) -> Any:
    return make_node(name).capacity(cpu="4", memory="64Gi", pods=32).label("name", name)


def pod(name: str, priority: int) -> Any:
    return make_pod(name).req(cpu="4").priority(priority)


def victim(name: str, priority: int, node_name: str) -> Any:
    return pod(name, priority).node(node_name).spec(termination_grace_period_seconds=30)


def bench() -> Bench:
    """Two full nodes; the preemptor chooses the weaker victim, on the first of them."""
    return Bench([node("first"), node("second")], [victim("v1", 1, "first"), victim("v2", 2, "second")])


def stronger() -> Any:
    return pod("stronger", 100).node_selector(name="first")


def test_robbed_by_a_stronger_preemptor_it_makes_room_elsewhere() -> None:
    b = bench()
    b.put(pod("preemptor", 50))
    b.run()
    b.expect_nominated("preemptor", "first")
    b.put(stronger())
    b.pass_time(3)
    assert b.exists("v1")
    b.expect_nominated("stronger", "first")
    b.expect_nominated("preemptor", "second")


def test_robbed_while_it_is_held_it_does_so_once_it_is_let_go() -> None:
    b = bench()
    b.hold(Evict)
    b.put(pod("preemptor", 50))
    b.run()
    b.put(stronger())
    b.pass_time(3)
    b.expect_pending("preemptor", "gated")
    b.release(Evict)
    b.pass_time(3)
    assert b.exists("v1")
    b.expect_nominated("preemptor", "second")


def test_robbed_by_another_component_it_is_tried_again() -> None:
    b = bench()
    b.put(pod("preemptor", 50))
    b.pass_time(3)
    b.expect_nominated("preemptor", "first")
    b.change("preemptor", nominated_node_name="")
    b.pass_time(3)
    assert b.exists("v1")
    assert b.pod("preemptor").status.nominated_node_name


def test_a_nomination_that_its_own_attempt_gives_up_is_no_reason_to_try_again() -> None:
    b = bench()
    b.put(pod("hopeless", 0).nominated("first"))
    b.pass_time(30)
    b.expect_pending("hopeless", "unschedulable")
    queued = b.scheduler.around.queue.get("default/hopeless")
    assert queued is not None
    assert queued.attempts == 1
