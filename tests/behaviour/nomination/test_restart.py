"""The plan of record survives the scheduler that made it."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.framework import PreFlight
from nominee.scheduler.effects import Evict, RunBind, RunPreBind
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench, plugin_class


async def pre_bind(*_: Any) -> None:
    """Done at once."""


WORKER = plugin_class("Worker", pre_bind_pre_flight=lambda *_: PreFlight.WORK, pre_bind=pre_bind)


def two_nodes() -> list[Any]:
    preferred = make_node("node-preferred").capacity(cpu="4", memory="8Gi", pods=1)
    return [preferred, make_node("node-other").taint("slow", effect="PreferNoSchedule")]


def test_a_half_done_pre_bind_goes_on_where_it_was() -> None:
    b = Bench(two_nodes(), [make_pod("pod-a")], plugins=[WORKER])
    b.hold(RunBind)
    b.run()
    b.expect_pending("pod-a")
    assert b.pod("pod-a").status.nominated_node_name == "node-preferred"
    pod_b = make_pod("pod-b").obj
    b.world = {(type(pod_b), pod_b.key): pod_b, **b.world}  # listed before pod-a
    b.release(RunBind)
    b.restart()
    b.run()
    b.expect_bound("pod-b", "node-other")
    b.expect_bound("pod-a", "node-preferred")


@pytest.mark.parametrize("gate", ["NominatedNodeNameForExpectation", "TryNominatedNodeFirst"])
def test_a_gate_may_be_turned_off_and_on_again(gate: str) -> None:
    b = Bench([make_node("a"), make_node("b")], [make_pod("p")], plugins=[WORKER])
    b.hold(RunPreBind)
    b.run()
    place = b.pod("p").status.nominated_node_name
    b.restart(**{gate: False})
    b.run()
    assert b.scheduler.cluster.is_assumed("default/p")
    b.release(RunPreBind)
    b.restart(**{gate: True})
    b.run()
    assert b.pod("p").spec.node_name
    assert gate == "TryNominatedNodeFirst" or b.pod("p").spec.node_name == place


def test_the_next_scheduler_knows_nothing_of_evictions_and_makes_them_again() -> None:
    b = Bench([make_node("a")], [make_pod("victim").req(cpu="4").node("a")])
    b.put(make_pod("preemptor").req(cpu="4").priority(100))
    b.hold(Evict)
    b.run()
    b.expect_nominated("preemptor", "a")
    b.release(Evict)
    b.restart()
    b.run()
    b.expect_bound("preemptor", "a")


def test_a_binding_that_went_through_unheard_is_not_repeated() -> None:
    b = Bench([make_node("a")], [make_pod("p")])
    b.hold(RunBind)
    b.run()
    (bind,) = b.waiting_for(RunBind)
    b.carry_out(bind)
    b.restart()
    b.run()
    b.expect_bound("p", "a")
    assert len(b.effects(RunBind)) == 1
