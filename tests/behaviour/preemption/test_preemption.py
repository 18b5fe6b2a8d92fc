"""Upstream's scenarios of preemption proper, with the evictions in the background and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nominee.framework import Reject, Rejection
from nominee.scheduler.effects import Evict, RunBind
from nominee.scheduler.scheduler import Settings
from nominee.testing import make_node, make_pdb, make_pod
from tests.unit.scheduler.harness import Bench, plugin_class

LOW, MEDIUM, HIGH = 100, 200, 300
ASYNCHRONOUS = pytest.mark.parametrize("asynchronous", [True, False])


def node(name: str = "node", cpu: str = "500m") -> Any:
    return make_node(name).capacity(cpu=cpu, memory=500, pods=32).zone("z1")


def pod(name: str, cpu: str, priority: int, on: str = "") -> Any:
    made = make_pod(name).req(cpu=cpu, memory=1).priority(priority)
    return made.node(on) if on else made


def bench(*items: Any, asynchronous: bool = True, **more: Any) -> Bench:
    b = Bench([], gates={"SchedulerAsyncPreemption": asynchronous}, **more)
    for item in items:
        b.put(item)
    b.hold(Evict)
    b.run()
    return b


def evicted(b: Bench) -> set[str]:
    """Whoever is evicted in the end."""
    b.release(Evict)
    b.run()
    return {effect.victim.name for effect in b.effects(Evict)}


@ASYNCHRONOUS
def test_the_victim_goes_and_the_preemptor_is_nominated(asynchronous: bool) -> None:
    b = bench(node(), pod("victim", "400m", LOW, "node"), pod("p", "300m", HIGH), asynchronous=asynchronous)
    assert evicted(b) == {"victim"}
    b.pass_time(5)
    b.expect_bound("p", "node")
    message = "preemption: found a potential placement for pod on node node, preempting 1 victims"
    assert b.notes("FailedScheduling") == [f"0/1 nodes are available: 1 Insufficient cpu. {message}"]


@ASYNCHRONOUS
def test_the_victim_is_told_why(asynchronous: bool) -> None:
    victim = pod("victim", "400m", LOW, "node").spec(termination_grace_period_seconds=30)
    b = bench(node(), victim, pod("p", "300m", HIGH), asynchronous=asynchronous)
    assert evicted(b) == {"victim"}
    condition = b.condition("victim", "DisruptionTarget")
    assert (condition.status, condition.reason) == ("True", "PreemptionByScheduler")
    assert condition.message == "default-scheduler: preempting to accommodate a higher priority pod"
    assert b.notes("Preempted") == ["Preempted by pod default/p on node node"]


def token_filter(*, unresolvable: bool = False) -> type:
    """One token a node, which every pod standing there holds."""

    def filtering(_pod: Any, nodes: Any, _cycle: Any) -> Any:
        taken: Any = np.asarray(nodes.requested[3] > 0)
        yield Rejection(taken, "no token", unresolvable)

    return plugin_class("Token", filter=filtering)


@ASYNCHRONOUS
@pytest.mark.parametrize(("unresolvable", "expected"), [(False, {"victim"}), (True, set())])
def test_preemption_gives_back_what_a_filter_counts(
    asynchronous: bool, unresolvable: bool, expected: set[str]
) -> None:
    token = token_filter(unresolvable=unresolvable)
    items = node(), pod("victim", "100m", LOW, "node"), pod("p", "100m", HIGH)
    assert evicted(bench(*items, asynchronous=asynchronous, plugins=[token])) == expected


@ASYNCHRONOUS
def test_a_resolvable_refusal_in_pre_filter_leaves_preemption_a_chance(asynchronous: bool) -> None:
    def pre_filter(pod: Any, nodes: Any, _cycle: Any) -> Any:
        taken = pod.name == "p" and bool(nodes.requested[3].any())
        return Reject(("no token",)) if taken else None

    token = plugin_class("Token", pre_filter=pre_filter)
    items = node(), pod("victim", "100m", LOW, "node"), pod("p", "450m", HIGH)
    b = bench(*items, asynchronous=asynchronous, plugins=[token])
    assert evicted(b) == {"victim"}


@ASYNCHRONOUS
@pytest.mark.parametrize(("other", "expected"), [(LOW, {"pod-0", "pod-1"}), (HIGH, set())])
def test_anti_affinity_both_ways_is_preempted_if_both_are_weaker(
    asynchronous: bool, other: int, expected: set[str]
) -> None:
    zero = pod("pod-0", "200m", MEDIUM, "node").label("pod", "p0")
    one = pod("pod-1", "200m", other, "node").label("pod", "p1")
    one = one.pod_anti_affinity("topology.kubernetes.io/zone", {"pod": "preemptor"})
    preemptor = pod("p", "200m", HIGH).label("pod", "preemptor")
    preemptor = preemptor.pod_anti_affinity("topology.kubernetes.io/zone", {"pod": "p0"})
    assert evicted(bench(node(), zero, one, preemptor, asynchronous=asynchronous)) == expected


@ASYNCHRONOUS
def test_a_pod_that_must_not_preempt_is_not_nominated(asynchronous: bool) -> None:
    never = pod("p", "300m", HIGH).preemption_policy("Never")
    b = bench(node(), pod("victim", "400m", LOW, "node"), never, asynchronous=asynchronous)
    assert evicted(b) == set()
    b.expect_nominated("p", "")
    assert "not eligible due to preemptionPolicy=Never." in b.condition("p").message


def test_without_post_filter_nobody_preempts() -> None:
    items = node(), pod("victim", "400m", LOW, "node"), pod("p", "300m", HIGH)
    b = bench(*items, without=["DefaultPreemption"])
    assert evicted(b) == set()
    assert b.condition("p").message == "0/1 nodes are available: 1 Insufficient cpu."


@ASYNCHRONOUS
def test_no_pending_pod_steals_the_room_of_a_preemptor(asynchronous: bool) -> None:
    running = [pod(f"running-{i}", "100m", MEDIUM, "node") for i in range(5)]
    pending = [pod(f"pending-{i}", "100m", MEDIUM) for i in range(5)]
    b = bench(node(), *running, *pending, asynchronous=asynchronous)
    b.put(pod("p", "300m", HIGH))
    assert len(evicted(b)) == 3
    b.pass_time(60)
    b.expect_bound("p", "node")
    assert not any(b.pod(f"pending-{i}").spec.node_name for i in range(5))


@ASYNCHRONOUS
@pytest.mark.parametrize("seed", range(5))
def test_pods_created_during_a_preemption_never_get_its_room(asynchronous: bool, seed: int) -> None:
    running = [
        pod(f"running-{i}", "2500m", MEDIUM, "node").spec(termination_grace_period_seconds=30)
        for i in range(2)
    ]
    b = bench(node(cpu="5"), *running, asynchronous=asynchronous, settings=Settings(seed=seed))
    b.put(pod("p", "4900m", HIGH))
    assert evicted(b) == {"running-0", "running-1"}
    for i in range(20):
        b.put(pod(f"more-{i}", "2500m", MEDIUM))
    b.pass_time(20)
    for i in range(2):
        b.delete(f"running-{i}")
        b.pass_time(20)
    b.expect_bound("p", "node")
    assert not any(b.pod(f"more-{i}").spec.node_name for i in range(20))


def budget(name: str, **labels: str) -> Any:
    return make_pdb(name, labels)


@ASYNCHRONOUS
def test_the_unprotected_are_preempted_first(asynchronous: bool) -> None:
    low = [pod(f"low-{i}", "200m", LOW, "node").label("app", "guarded") for i in range(2)]
    items = [budget("b", app="guarded"), node(), *low, pod("mid", "100m", MEDIUM, "node")]
    b = bench(*items, pod("p", "100m", HIGH), asynchronous=asynchronous)
    assert evicted(b) == {"mid"}


@ASYNCHRONOUS
def test_a_node_without_violations_is_chosen_first(asynchronous: bool) -> None:
    items = [
        budget("b", app="guarded"),
        node("node-1"),
        node("node-2"),
        pod("low", "500m", LOW, "node-1").label("app", "guarded"),
        pod("mid", "500m", MEDIUM, "node-2"),
        pod("p", "500m", HIGH),
    ]
    assert evicted(bench(*items, asynchronous=asynchronous)) == {"mid"}


@ASYNCHRONOUS
def test_many_unprotected_rather_than_one_protected(asynchronous: bool) -> None:
    items = [
        budget("b", app="guarded"),
        *(node(f"node-{i}") for i in (1, 2, 3)),
        pod("low-1", "500m", LOW, "node-1").label("app", "guarded"),
        *(pod(f"mid-{i}", "250m", LOW, "node-2").label("app", "guarded") for i in (1, 2)),
        *(pod(f"free-{i}", "160m", LOW, "node-3") for i in (1, 2, 3)),
        pod("p", "500m", HIGH),
    ]
    assert evicted(bench(*items, asynchronous=asynchronous)) == {"free-1", "free-2", "free-3"}


def test_a_synchronous_preemption_stops_the_loop_until_the_victims_are_asked_to_go() -> None:
    b = bench(node(), pod("victim", "400m", LOW, "node"), pod("p", "300m", HIGH), asynchronous=False)
    b.put(pod("other", "50m", LOW))
    b.run()
    assert b.effects(RunBind) == []
    b.release(Evict)
    b.pass_time(3)
    b.expect_bound("other", "node")


def test_a_failed_synchronous_preemption_keeps_the_nomination_as_it_was() -> None:
    b = bench(node(), pod("victim", "400m", LOW, "node"), pod("p", "300m", HIGH), asynchronous=False)
    (evict,) = b.waiting_for(Evict)
    b.answer(evict, "the API server is down")
    b.run()
    b.expect_nominated("p", "")
    assert b.pod("victim")
