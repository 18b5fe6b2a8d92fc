"""A pod that names its node goes there or nowhere."""

from nominee.framework import Narrow, Skip
from nominee.plugins.node_name import NodeName
from nominee.testing import filter_with, make_cluster, make_cycle, make_node, make_pod, nodes_named, pod_of
from nominee.testing.running import rejections

CLUSTER = make_cluster(nodes=[make_node("a"), make_node("b")])


def test_narrows_the_search_to_the_named_node() -> None:
    pod = pod_of(CLUSTER, make_pod("p").node("b"))
    answer = NodeName().pre_filter(pod, CLUSTER.all_nodes(), make_cycle(CLUSTER))
    assert answer == Narrow(frozenset({"b"}))


def test_rejects_all_other_nodes_for_good() -> None:
    pod = pod_of(CLUSTER, make_pod("p").node("b"))
    verdicts = rejections(NodeName(), pod, nodes_named(CLUSTER, ["b", "a"]), make_cycle(CLUSTER))
    reason = "node(s) didn't match the requested node name"
    assert verdicts == {1: ("UnschedulableAndUnresolvable", (reason,))}


def test_has_nothing_to_say_of_a_pod_that_names_none() -> None:
    pod = pod_of(CLUSTER, make_pod("p"))
    assert NodeName().pre_filter(pod, CLUSTER.all_nodes(), make_cycle(CLUSTER)) is Skip.THIS_SHAPE
    assert not list(NodeName().filter(pod, CLUSTER.all_nodes(), make_cycle(CLUSTER)))


def test_two_pods_of_one_shape_may_name_different_nodes() -> None:
    for name, other in (("a", "b"), ("b", "a")):
        assert set(filter_with(NodeName(), make_pod("p").node(name), CLUSTER)) == {other}
