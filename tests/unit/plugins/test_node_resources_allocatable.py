"""Small nodes first, or large ones: what is used of them plays no part."""

from typing import Any

import numpy as np

from nominee.framework import ResourceSpec
from nominee.plugins.node_resources_allocatable import NodeResourcesAllocatable
from nominee.state.cluster import ClusterState
from nominee.testing import make_cluster, make_cycle, make_node, make_pod, pod_of, raw_scores, score_with

LEAST, MOST = NodeResourcesAllocatable(), NodeResourcesAllocatable(mode="Most")
MIB = 1 << 20
POD = make_pod("new").req(cpu="10m")


def nodes(**capacities: Any) -> ClusterState:
    return make_cluster(nodes=[make_node(name).capacity(**has) for name, has in capacities.items()])


def raw(plugin: NodeResourcesAllocatable, cluster: ClusterState) -> list[int]:
    scores = raw_scores(plugin, pod_of(cluster, POD), cluster.all_nodes(), make_cycle(cluster))
    return [int(score) for score in scores[cluster.all_nodes().valid]]


def of_cpu(mode: str = "Least") -> NodeResourcesAllocatable:
    return NodeResourcesAllocatable(mode=mode, resources=(ResourceSpec("cpu", 1),))


def test_the_smallest_or_the_largest_node_gets_100() -> None:
    sizes = {f"n{i}": {"cpu": i, "memory": i * 1000 * MIB} for i in (1, 2, 3)}
    assert score_with(LEAST, POD, nodes(**sizes)) == {"n1": 100, "n2": 50, "n3": 0}
    assert score_with(MOST, POD, nodes(**sizes)) == {"n1": 0, "n2": 50, "n3": 100}


def test_equal_nodes_score_nothing() -> None:
    alike = {"cpu": 4, "memory": 10000}
    for plugin in (LEAST, MOST):
        assert score_with(plugin, POD, nodes(a=alike, b=alike)) == {"a": 0, "b": 0}


def test_a_node_too_small_for_the_pod_is_scored_by_its_size_all_the_same() -> None:
    cluster = nodes(a={"cpu": 4, "memory": 10000}, b={"cpu": 6, "memory": 10000})
    assert score_with(LEAST, make_pod("new").req(cpu="5", memory="1Gi"), cluster) == {"a": 100, "b": 0}


def test_only_feasible_nodes_set_the_scale() -> None:
    cluster = nodes(a={"cpu": 1}, b={"cpu": 2}, c={"cpu": 3}, d={"cpu": 9})
    scores = score_with(of_cpu(), POD, cluster, feasible=["a", "b", "c"])
    assert scores == {"a": 100, "b": 50, "c": 0}


def test_a_millicore_weighs_as_much_as_a_mebibyte() -> None:
    assert raw(MOST, nodes(a={"cpu": 1}))[0] == raw(MOST, nodes(a={"memory": 1000 * MIB}))[0] == 999


def test_negative_scores_are_cut_towards_zero() -> None:
    plugin = NodeResourcesAllocatable(resources=(ResourceSpec("cpu", 1), ResourceSpec("memory", 1)))
    assert raw(plugin, nodes(a={"cpu": "3m"}, b={"cpu": "1m"})) == [-1, 0]


def test_names_that_no_node_has_weigh_nothing_up() -> None:
    resources = (ResourceSpec("cpu", 1), ResourceSpec("pods", 1), ResourceSpec("example.com/gpu", 2))
    plugin = NodeResourcesAllocatable(mode="Most", resources=resources)
    assert raw(plugin, nodes(a={"cpu": 4})) == [1000]


def test_of_a_resource_named_twice_the_last_weight_counts() -> None:
    resources = (ResourceSpec("cpu", 9), ResourceSpec("memory", 1), ResourceSpec("cpu", 1))
    plugin = NodeResourcesAllocatable(mode="Most", resources=resources)
    assert raw(plugin, nodes(a={"cpu": 4})) == [2000]


def test_huge_weights_do_not_overflow() -> None:
    """Upstream's sum would wrap around and turn the order upside down."""
    huge = NodeResourcesAllocatable(mode="Most", resources=(ResourceSpec("memory", 1 << 40),))
    cluster = nodes(a={"memory": "64Gi"}, b={"memory": "1Gi"})
    assert raw(huge, cluster) == [64 << 30, 1 << 30]
    nobodys = NodeResourcesAllocatable(resources=(ResourceSpec("pods", 1 << 62), ResourceSpec("no", 1 << 62)))
    assert raw(nobodys, cluster) == [0, 0]


def test_a_span_that_a_hundredfold_would_overflow_is_stretched_exactly() -> None:
    low, high = 1 << 57, (1 << 62) + 1
    scores = np.array([low, (low + high) // 2, high], np.int64)
    assert MOST.normalize(scores, low, high).tolist() == [0, 49, 100]


def test_all_pods_share_one_column_of_scores() -> None:
    cluster = make_cluster()
    one, other = (pod_of(cluster, pod) for pod in (POD, make_pod("other").req(cpu=7)))
    assert LEAST.reads(one) == LEAST.reads(other)
    assert LEAST.node_local
    assert not LEAST.reads_pods


# -- the worked examples, as far as one plugin shows them ------------------------------------------


def test_small_pods_fill_the_small_node_so_that_large_ones_fit() -> None:
    """Nodes of 10 and 200, pods of 5, 5, 100, 100: the second five too goes to the small node."""
    cluster = nodes(small={"cpu": "10m"}, large={"cpu": "200m"})
    assert score_with(of_cpu(), POD, cluster) == {"small": 100, "large": 0}
    cluster.add_pod(pod_of(cluster, make_pod("five").req(cpu="5m").node("small")))
    assert score_with(of_cpu(), POD, cluster) == {"small": 100, "large": 0}


def test_a_pod_goes_to_the_small_node_whatever_ends_on_the_large_one() -> None:
    """Nodes 10 of 20 and 90 of 100 in use: the ten fills the small one, so that a fifty fits later."""
    cluster = nodes(small={"cpu": "20m"}, large={"cpu": "100m"})
    ten, forty, fifty = (
        pod_of(cluster, make_pod(f"p{n}").req(cpu=f"{n}m").node(on))
        for n, on in ((10, "small"), (40, "large"), (50, "large"))
    )
    for pod in (ten, forty, fifty):
        cluster.add_pod(pod)
    before = score_with(of_cpu(), POD, cluster)
    cluster.remove_pod(forty.uid)
    assert before == score_with(of_cpu(), POD, cluster) == {"small": 100, "large": 0}
