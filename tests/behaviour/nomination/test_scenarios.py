"""Upstream's scenarios about nominations: preemptors, presets, and who loses what to whom."""

from __future__ import annotations

import pytest

from nominee.framework import PreFlight
from nominee.scheduler.effects import Evict, RunBind, RunPreBind
from nominee.scheduler.scheduler import Settings
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench, plugin_class

NO_BACKOFF = Settings(max_backoff=0)
EXPECTATION = pytest.mark.parametrize("expectation", [True, False])
CLEARING = pytest.mark.parametrize("clearing", [True, False])
ASYNCHRONOUS = pytest.mark.parametrize("asynchronous", [True, False])


def node(name: str = "node", cpu: str = "4") -> object:
    return make_node(name).capacity(cpu=cpu, memory="64Gi")


def bench(*items: object, **gates: bool) -> Bench:
    b = Bench([node()], gates=gates, settings=NO_BACKOFF)
    for item in items:
        b.put(item)
    return b


@EXPECTATION
@CLEARING
def test_a_preemptor_is_nominated_and_then_placed_where_its_victim_was(
    expectation: bool, clearing: bool
) -> None:
    b = bench(
        make_pod("victim").req(cpu="4").priority(1).node("node"),
        make_pod("preemptor").req(cpu="2").priority(100),
        NominatedNodeNameForExpectation=expectation,
        ClearingNominatedNodeNameAfterBinding=clearing,
    )
    b.hold(Evict)
    b.run()
    b.expect_nominated("preemptor", "node")
    b.expect_pending("preemptor")
    b.release(Evict)
    b.run()
    b.expect_bound("preemptor", "node")
    assert b.pod("preemptor").status.nominated_node_name == ("" if clearing else "node")


@EXPECTATION
def test_preemption_may_choose_another_node_than_the_nominated_one(expectation: bool) -> None:
    b = bench(
        node("node2"),
        make_pod("v1").req(cpu="2").node("node"),
        make_pod("v2").req(cpu="2").node("node"),
        make_pod("v3").req(cpu="3").node("node2"),
        make_pod("preemptor").req(cpu="4").priority(100).nominated("node"),
        NominatedNodeNameForExpectation=expectation,
    )
    b.hold(Evict)
    b.run()
    b.expect_nominated("preemptor", "node2")
    b.release(Evict)
    b.run()
    b.expect_bound("preemptor", "node2")
    assert b.exists("v1")
    assert b.exists("v2")


def test_a_pod_that_can_never_fit_loses_the_nomination_it_came_with() -> None:
    b = bench(make_pod("huge").req(cpu="5").nominated("node"), make_pod("plain").req(cpu="3"))
    b.run()
    b.expect_nominated("huge", "")
    b.expect_bound("plain", "node")


def test_a_higher_priority_ignores_lower_nominations() -> None:
    b = bench(
        make_pod("low").req(cpu="4").priority(1).nominated("node"),
        make_pod("high").req(cpu="4").priority(100),
    )
    b.run()
    b.expect_bound("high", "node")
    b.expect_nominated("low", "")


def test_an_equal_priority_keeps_off_the_nominated_room() -> None:
    b = bench(make_pod("first").req(cpu="3").nominated("node").gate("later"), make_pod("second").req(cpu="3"))
    b.run()
    b.expect_pending("second", "unschedulable")
    b.put(make_pod("first").req(cpu="3").nominated("node"))
    b.run()
    b.expect_bound("first", "node")


@CLEARING
def test_a_nominated_pod_that_fits_goes_there(clearing: bool) -> None:
    b = bench(
        node("aaa"),
        make_pod("p").req(cpu="1").nominated("node"),
        ClearingNominatedNodeNameAfterBinding=clearing,
    )
    b.run()
    b.expect_bound("p", "node")
    assert b.pod("p").status.nominated_node_name == ("" if clearing else "node")


# -- TestNominatedNode: in each case the medium pod's nomination ends -------------------------------


@ASYNCHRONOUS
@EXPECTATION
def test_a_stronger_preemptor_takes_the_nomination(asynchronous: bool, expectation: bool) -> None:
    lows = [make_pod(f"low-{i}").req(cpu="1").node("node") for i in range(4)]
    b = Bench(
        [node(cpu="5")],
        lows,
        settings=NO_BACKOFF,
        gates={
            "SchedulerAsyncPreemption": asynchronous,
            "NominatedNodeNameForExpectation": expectation,
        },
    )
    for low in lows:  # their deletion takes a while
        b.put(low.spec(termination_grace_period_seconds=30))
    b.put(make_pod("medium").req(cpu="3").priority(200))
    b.run()
    b.expect_nominated("medium", "node")
    b.put(make_pod("high").req(cpu="4").priority(300))
    b.run()
    b.expect_nominated("high", "node")
    for low in lows:
        if b.exists(low.obj.metadata.name):
            b.delete(low.obj.metadata.name)
    b.run()
    b.expect_nominated("medium", "")
    b.expect_bound("high", "node")


@ASYNCHRONOUS
def test_a_pod_that_slips_in_takes_the_promised_room(asynchronous: bool) -> None:
    b = Bench([node(cpu="2")], gates={"SchedulerAsyncPreemption": asynchronous}, settings=NO_BACKOFF)
    b.put(make_pod("low").req(cpu="1").spec(termination_grace_period_seconds=30).node("node"))
    b.put(make_pod("medium").req(cpu="2").priority(200))
    b.run()
    b.expect_nominated("medium", "node")
    b.put(make_pod("high").req(cpu="1").priority(300))
    b.run()
    b.expect_bound("high", "node")
    b.delete("low")
    b.run()
    b.expect_nominated("medium", "")


@ASYNCHRONOUS
@pytest.mark.parametrize("another", [False, True], ids=["no node left", "a tainted node left"])
def test_a_nomination_ends_with_its_node(asynchronous: bool, another: bool) -> None:
    b = Bench([node(cpu="1")], gates={"SchedulerAsyncPreemption": asynchronous})
    if another:
        b.put(make_node("other").taint("busy"))
    b.put(make_pod("low").req(cpu="1").spec(termination_grace_period_seconds=30).node("node"))
    b.put(make_pod("medium").req(cpu="1").priority(200))
    b.run()
    b.expect_nominated("medium", "node")
    b.delete_node("node")
    b.delete("low")
    b.run()
    b.expect_nominated("medium", "")


def test_a_nomination_ends_with_a_failed_binding() -> None:
    b = bench(make_pod("low").req(cpu="4").node("node"), make_pod("medium").req(cpu="4").priority(200))
    b.fail(RunBind, "no")
    b.hold(RunBind)
    b.run()
    (bind,) = b.waiting_for(RunBind, "medium")
    b.answer(bind, "the API server is down")
    b.run()
    assert b.scheduler.cluster.nominations.node_of("default/medium") == ""
    assert b.condition("medium").reason == "SchedulerError"


# -- TestPreferNominatedNode -----------------------------------------------------------------------


@ASYNCHRONOUS
@pytest.mark.parametrize(("taken", "lands_on"), [("node-2", "node-1"), ("node-1", "node-2")])
def test_the_nominated_node_is_preferred_if_it_fits(asynchronous: bool, taken: str, lands_on: str) -> None:
    nodes = [node("node-1", "500m"), node("node-2", "500m")]
    b = Bench(nodes, gates={"SchedulerAsyncPreemption": asynchronous})
    b.put(make_pod("low").req(cpu="500m").node(taken))
    b.put(make_pod("preemptor").req(cpu="500m").priority(300).nominated("node-1"))
    b.run()
    b.expect_bound("preemptor", lands_on)


@pytest.mark.parametrize(("first", "lands_on"), [(True, "small"), (False, "large")])
def test_without_the_gate_the_nominated_node_competes_with_all_others(first: bool, lands_on: str) -> None:
    b = Bench([node("small", "2"), node("large", "64")], gates={"TryNominatedNodeFirst": first})
    b.put(make_pod("p").req(cpu="1").nominated("small"))
    b.run()
    b.expect_bound("p", lands_on)


# -- what upstream leaves to chance ----------------------------------------------------------------


def test_who_kept_off_a_promised_node_hears_when_the_pod_lands_elsewhere() -> None:
    b = Bench([node("a", "2"), node("b", "64")], gates={"TryNominatedNodeFirst": False})
    b.put(make_pod("promised").req(cpu="2").nominated("a").gate("later"))
    b.put(make_pod("follower").req(cpu="2").node_selector(**{"kubernetes.io/hostname": "a"}))
    b.run()
    b.expect_pending("follower", "unschedulable")
    b.put(make_pod("promised").req(cpu="2").nominated("a"))
    b.run()
    b.expect_bound("promised", "b")
    b.expect_bound("follower", "a")


def test_nominations_of_nodes_that_do_not_exist_leave_nothing_behind() -> None:
    b = Bench([node()], gates={"NominatedNodeNameFromOthers": True})
    for i in range(20):
        b.put(make_pod(f"p{i}").req(cpu="64").nominated(f"ghost-{i}"))
    b.run()
    assert len(b.scheduler.cluster.nominations) == 20
    for i in range(20):
        b.delete(f"p{i}")
    assert len(b.scheduler.cluster.nominations) == 0
    assert not b.scheduler.cluster.nominations._on_node


def test_a_preemptors_pre_bind_work_is_announced_on_the_new_node() -> None:
    async def pre_bind(*_: object) -> None:
        """Done at once."""

    worker = plugin_class("Worker", pre_bind_pre_flight=lambda *_: PreFlight.WORK, pre_bind=pre_bind)
    b = Bench([node("a", "1"), node("b")], plugins=[worker])
    b.put(make_pod("p").req(cpu="2").nominated("a"))
    b.hold(RunPreBind)
    b.run()
    assert b.pod("p").status.nominated_node_name == "b"
