"""Cordoned nodes take only pods that tolerate it."""

import pytest

from nominee.framework import Skip
from nominee.plugins.node_unschedulable import NodeUnschedulable
from nominee.testing import PodBuilder, filter_with, make_cluster, make_cycle, make_node, make_pod, pod_of

CORDON = "node.kubernetes.io/unschedulable"
CLUSTER = make_cluster(nodes=[make_node("open"), make_node("cordoned").unschedulable()])
AFTER_NODE, AFTER_TOLERATION = (registered.hint for registered in NodeUnschedulable().events_to_register())


def test_rejects_cordoned_nodes_for_good() -> None:
    verdicts = filter_with(NodeUnschedulable(), make_pod("p"), CLUSTER)
    assert verdicts == {"cordoned": ("UnschedulableAndUnresolvable", ("node(s) were unschedulable",))}


@pytest.mark.parametrize(
    "tolerant",
    [
        make_pod("p").toleration(CORDON, operator="Exists", effect="NoSchedule"),
        make_pod("p").toleration(CORDON, operator="Exists"),
        make_pod("p").toleration(CORDON),  # Equal to "", which is the taint's value
        make_pod("p").toleration(operator="Exists"),
    ],
)
def test_says_nothing_of_pods_that_tolerate_the_cordon(tolerant: PodBuilder) -> None:
    pod = pod_of(CLUSTER, tolerant)
    assert NodeUnschedulable().pre_filter(pod, CLUSTER.all_nodes(), make_cycle(CLUSTER)) is Skip.THIS_SHAPE
    assert not list(NodeUnschedulable().filter(pod, CLUSTER.all_nodes(), make_cycle(CLUSTER)))


@pytest.mark.parametrize(
    "other",
    [
        make_pod("p").toleration(CORDON, operator="Exists", effect="NoExecute"),
        make_pod("p").toleration(CORDON, "true"),
        make_pod("p").toleration("example.com/other", operator="Exists"),
    ],
)
def test_other_tolerations_do_not_help(other: PodBuilder) -> None:
    assert set(filter_with(NodeUnschedulable(), other, CLUSTER)) == {"cordoned"}


def test_a_node_wakes_pods_when_it_comes_or_becomes_schedulable() -> None:
    pod = pod_of(CLUSTER, make_pod("p"))
    cordoned, schedulable = make_node("n").unschedulable().obj, make_node("n").obj
    assert AFTER_NODE is not None
    assert AFTER_NODE(pod, None, schedulable, CLUSTER.view)
    assert AFTER_NODE(pod, cordoned, schedulable, CLUSTER.view)
    assert not AFTER_NODE(pod, None, cordoned, CLUSTER.view)
    assert not AFTER_NODE(pod, schedulable, schedulable, CLUSTER.view)


def test_a_new_toleration_wakes_the_pod_if_it_covers_the_cordon() -> None:
    before = pod_of(CLUSTER, make_pod("p"))
    useless = pod_of(CLUSTER, make_pod("p").toleration("a", operator="Exists"))
    useful = pod_of(CLUSTER, make_pod("p").toleration(CORDON, operator="Exists"))
    assert AFTER_TOLERATION is not None
    assert not AFTER_TOLERATION(before, before, useless, CLUSTER.view)
    assert AFTER_TOLERATION(before, before, useful, CLUSTER.view)
