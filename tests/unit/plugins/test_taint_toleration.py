"""Taints keep pods off, or at a distance, unless they are tolerated."""

import pytest

from nominee.plugins.taint_toleration import TaintToleration
from nominee.testing import (
    PodBuilder,
    filter_with,
    make_cluster,
    make_cycle,
    make_node,
    make_pod,
    pod_of,
    score_with,
)

PREFER = "PreferNoSchedule"
CLUSTER = make_cluster(
    nodes=[
        make_node("free"),
        make_node("dedicated").taint("team", "red"),
        make_node("dying").taint("out-of-service", effect="NoExecute"),
        make_node("shunned").taint("slow", effect=PREFER),
    ]
)
AFTER_NODE = TaintToleration().events_to_register()[0].hint


def test_rejects_nodes_with_untolerated_taints_for_good() -> None:
    verdict = ("UnschedulableAndUnresolvable", ("node(s) had untolerated taint(s)",))
    assert filter_with(TaintToleration(), make_pod("p"), CLUSTER) == {"dedicated": verdict, "dying": verdict}


@pytest.mark.parametrize(
    ("pod", "rejected"),
    [
        (make_pod("p").toleration("team", "red"), {"dying"}),
        (make_pod("p").toleration("team", "red", "NoSchedule"), {"dying"}),
        (make_pod("p").toleration("team", "blue"), {"dedicated", "dying"}),
        (make_pod("p").toleration("team", operator="Exists", effect="NoExecute"), {"dedicated", "dying"}),
        (make_pod("p").toleration(operator="Exists"), set()),
        (make_pod("p").toleration(operator="Exists", effect="NoExecute"), {"dedicated"}),
    ],
)
def test_tolerations_let_pods_in(pod: PodBuilder, rejected: set[str]) -> None:
    assert set(filter_with(TaintToleration(), pod, CLUSTER)) == rejected


@pytest.mark.parametrize(("enabled", "rejected"), [(True, set()), (False, {"n"})])
def test_numbers_are_compared_only_with_the_gate(enabled: bool, rejected: set[str]) -> None:
    cluster = make_cluster(nodes=[make_node("n").taint("sla", "95")])
    cycle = make_cycle(cluster, features={"TaintTolerationComparisonOperators": enabled})
    pod = make_pod("p").toleration("sla", "90", operator="Gt")
    assert set(filter_with(TaintToleration(), pod, cluster, cycle=cycle)) == rejected


def test_the_fewer_untolerated_soft_taints_the_better() -> None:
    cluster = make_cluster(
        nodes=[
            make_node("none").taint("hard"),
            make_node("one").taint("a", effect=PREFER),
            make_node("three").taint("a", effect=PREFER).taint("b", effect=PREFER).taint("c", effect=PREFER),
        ]
    )
    assert score_with(TaintToleration(), make_pod("p"), cluster) == {"none": 100, "one": 67, "three": 0}
    tolerant = make_pod("p").toleration("a", operator="Exists", effect=PREFER)
    assert score_with(TaintToleration(), tolerant, cluster) == {"none": 100, "one": 100, "three": 0}
    elsewhere = make_pod("p").toleration("a", operator="Exists", effect="NoSchedule")
    assert score_with(TaintToleration(), elsewhere, cluster)["one"] == 67


def test_without_soft_taints_every_node_gets_full_marks() -> None:
    cluster = make_cluster(nodes=[make_node("a"), make_node("b").taint("hard")])
    assert score_with(TaintToleration(), make_pod("p"), cluster) == {"a": 100, "b": 100}


def test_pods_that_tolerate_the_same_share_their_answers() -> None:
    one = pod_of(CLUSTER, make_pod("one").toleration("a").toleration("b", seconds=300))
    two = pod_of(CLUSTER, make_pod("two").label("x", "y").toleration("b").toleration("a"))
    assert TaintToleration().reads(one) == TaintToleration().reads(two)
    assert TaintToleration().reads(one) != TaintToleration().reads(pod_of(CLUSTER, make_pod("p")))


def test_a_node_wakes_pods_when_it_comes_or_becomes_tolerable() -> None:
    assert AFTER_NODE is not None
    pod = pod_of(CLUSTER, make_pod("p").toleration("a"))
    tolerable, repelling = make_node("n").taint("a").obj, make_node("n").taint("b").obj
    assert AFTER_NODE(pod, None, tolerable, CLUSTER.view)
    assert AFTER_NODE(pod, repelling, tolerable, CLUSTER.view)
    assert not AFTER_NODE(pod, tolerable, tolerable, CLUSTER.view)
    assert not AFTER_NODE(pod, tolerable, repelling, CLUSTER.view)


def test_a_node_that_a_comparison_may_admit_wakes_pods() -> None:
    assert AFTER_NODE is not None
    pod = pod_of(CLUSTER, make_pod("p").toleration("sla", "90", operator="Gt"))
    low, high = make_node("n").taint("sla", "80").obj, make_node("n").taint("sla", "95").obj
    assert AFTER_NODE(pod, low, high, CLUSTER.view)
    assert not AFTER_NODE(pod, high, low, CLUSTER.view)
