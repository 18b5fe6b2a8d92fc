"""A pod needs room; how full it makes a node decides between the nodes that have it."""

from typing import Any

import numpy as np
import pytest

from nominee.framework import (
    RequestedToCapacityRatioParam,
    ResourceSpec,
    ScoringStrategy,
    UtilizationShapePoint,
)
from nominee.model.dra import DeviceClass, DeviceClassSpec
from nominee.model.meta import ObjectMeta
from nominee.plugins.node_resources_fit import NodeResourcesFit
from nominee.plugins.node_resources_fit.strategies import (
    EXACT_IN_FLOATS,
    curve,
    least_allocated,
    most_allocated,
    weights_of,
)
from nominee.state.cluster import ClusterState
from nominee.testing import (
    PodBuilder,
    filter_with,
    make_cluster,
    make_cycle,
    make_node,
    make_pod,
    pod_of,
    raw_scores,
    score_with,
)

FIT = NodeResourcesFit()
GPU = "example.com/gpu"
GIB = 1 << 30


def device_class(name: str, resource: str | None = None) -> DeviceClass:
    return DeviceClass(metadata=ObjectMeta(name=name), spec=DeviceClassSpec(extended_resource_name=resource))


def one_node(**capacity: Any) -> ClusterState:
    return make_cluster(nodes=[make_node("a").capacity(**capacity)])


# -- filter ---------------------------------------------------------------------------------------


def test_a_full_node_is_unschedulable_and_a_small_one_unresolvable() -> None:
    cluster = make_cluster(
        nodes=[make_node(name).capacity(cpu=cpu, memory="1Gi") for name, cpu in (("full", 2), ("small", 1))],
        pods=[make_pod("sitting").req(cpu="1").node("full")],
    )
    assert filter_with(FIT, make_pod("new").req(cpu="1500m"), cluster) == {
        "full": ("Unschedulable", ("Insufficient cpu",)),
        "small": ("UnschedulableAndUnresolvable", ("Insufficient cpu",)),
    }


def test_all_reasons_are_collected_and_one_unresolvable_is_enough() -> None:
    cluster = make_cluster(
        nodes=[make_node("a").capacity(cpu=2, memory="1Gi", pods=1)],
        pods=[make_pod("sitting").req(cpu="2").node("a")],
    )
    pod = make_pod("new").req(cpu="1", memory="2Gi", ephemeral_storage="1Gi", **{GPU: 1})
    code, reasons = filter_with(FIT, pod, cluster)["a"]
    assert code == "UnschedulableAndUnresolvable"
    assert reasons == (
        "Too many pods",
        "Insufficient cpu",
        "Insufficient memory",
        "Insufficient ephemeral-storage",
        f"Insufficient {GPU}",
    )


def test_a_pod_that_asks_for_nothing_needs_a_place_only() -> None:
    overcommitted = make_pod("sitting").req(cpu="9").node("a")
    cluster = make_cluster(nodes=[make_node("a").capacity(cpu=1, pods=1)], pods=[overcommitted])
    assert filter_with(FIT, make_pod("new"), cluster) == {"a": ("Unschedulable", ("Too many pods",))}


def test_what_is_not_requested_may_be_overcommitted() -> None:
    overcommitted = make_pod("sitting").req(cpu="9").node("a")
    cluster = make_cluster(nodes=[make_node("a").capacity(cpu=1, memory="1Gi")], pods=[overcommitted])
    assert filter_with(FIT, make_pod("new").req(memory="1Gi"), cluster) == {}


def test_requests_of_the_pod_as_a_whole_count() -> None:
    pod = make_pod("new").req(cpu="1").pod_req(cpu="3")
    assert filter_with(FIT, pod, one_node(cpu=2)).keys() == {"a"}


@pytest.mark.parametrize(
    ("resource", "plugin", "passes"),
    [
        (GPU, NodeResourcesFit(), False),
        (GPU, NodeResourcesFit(ignored_resources=(GPU,)), True),
        (GPU, NodeResourcesFit(ignored_resources=("example.com/other",)), False),
        (GPU, NodeResourcesFit(ignored_resource_groups=("example.com",)), True),
        (GPU, NodeResourcesFit(ignored_resource_groups=("com",)), False),
        ("hugepages-2Mi", NodeResourcesFit(ignored_resources=("hugepages-2Mi",)), False),
    ],
)
def test_extended_resources_can_be_ignored(resource: str, plugin: NodeResourcesFit, passes: bool) -> None:
    rejected = filter_with(plugin, make_pod("new").req(**{resource: 1}), one_node(cpu=1))
    assert (rejected == {}) is passes


@pytest.mark.parametrize(
    ("resource", "device", "passes"),
    [
        (GPU, device_class("gpu", GPU), True),
        (GPU, device_class("gpu", "example.com/other"), False),
        (GPU, device_class("gpu"), False),
        ("deviceclass.resource.kubernetes.io/gpu", device_class("gpu"), True),
        ("deviceclass.resource.kubernetes.io/other", device_class("gpu"), False),
    ],
)
def test_devices_stand_in_for_a_resource_the_node_has_none_of(
    resource: str, device: DeviceClass, passes: bool
) -> None:
    cluster = make_cluster(
        nodes=[make_node("none"), make_node("few").capacity(cpu=1, **{resource: 1})], objects=[device]
    )
    rejected = filter_with(FIT, make_pod("new").req(**{resource: 2}), cluster)
    assert rejected.keys() == ({"few"} if passes else {"few", "none"})


def test_a_device_class_that_comes_later_is_seen() -> None:
    cluster, pod = one_node(cpu=1), make_pod("new").req(**{GPU: 1})
    seen = pod_of(cluster, pod)
    assert filter_with(FIT, seen, cluster)
    cluster.put_object(device_class("gpu", GPU))
    assert not filter_with(FIT, seen, cluster)
    assert DeviceClass in FIT.watches


# -- scores ---------------------------------------------------------------------------------------


def ratio(*points: tuple[int, int], **weights: int) -> NodeResourcesFit:
    shape = RequestedToCapacityRatioParam(tuple(UtilizationShapePoint(*point) for point in points))
    resources = tuple(ResourceSpec(*item) for item in (weights or {"cpu": 1, "memory": 1}).items())
    return NodeResourcesFit(scoring_strategy=ScoringStrategy("RequestedToCapacityRatio", resources, shape))


def by(kind: str, **weights: int) -> NodeResourcesFit:
    resources = tuple(ResourceSpec(name, weight) for name, weight in weights.items())
    return NodeResourcesFit(scoring_strategy=ScoringStrategy(kind, resources))


HALF_CPU = make_pod("new").req(cpu="2", memory="2Gi")


@pytest.mark.parametrize(
    ("plugin", "score"),
    [
        (FIT, (50 + 75) // 2),
        (by("LeastAllocated", cpu=3, memory=1), (3 * 50 + 75) // 4),
        (by("LeastAllocated", cpu=0, memory=0), (50 + 75) // 2),  # weight 0 means 1
        (by("LeastAllocated", memory=5), 75),
        (by("LeastAllocated", cpu=1, nobody=9), 50),
        (by("LeastAllocated", pods=1), 0),
        (by("MostAllocated", cpu=1, memory=1), (50 + 25) // 2),
        (by("MostAllocated", cpu=1, memory=3), (50 + 3 * 25) // 4),
        (ratio((0, 0), (100, 10)), 38),  # 37.5, and halves are rounded up
        (ratio((0, 10), (100, 0)), 63),
        (ratio((0, 0), (25, 0), (100, 9), cpu=1, memory=9), 30),  # memory scores 0 and is left out
        (ratio((60, 7), (80, 1)), 70),
        (ratio((0, 3), (20, 4)), 40),
    ],
)
def test_strategies(plugin: NodeResourcesFit, score: int) -> None:
    cluster = one_node(cpu=4, memory="8Gi")
    assert score_with(plugin, HALF_CPU, cluster) == {"a": score}


def test_a_falling_curve_is_cut_towards_zero() -> None:
    falling = curve((UtilizationShapePoint(0, 10), UtilizationShapePoint(3, 0)))
    assert falling[:5].tolist() == [100, 67, 34, 0, 0]


@pytest.mark.parametrize(
    ("pod", "score"),
    [
        (make_pod("new"), (97 + 95) // 2),  # 100 millicores of 4 cores, 200 MiB of 4 GiB
        (make_pod("new").req(cpu="0", memory="0"), 100),
        (make_pod("new").req(cpu="2").pod_req(cpu="4", memory="4Gi"), (50 + 95) // 2),
    ],
)
def test_what_is_not_requested_counts_with_a_default_and_the_pod_as_a_whole_does_not(
    pod: PodBuilder, score: int
) -> None:
    assert score_with(FIT, pod, one_node(cpu=4, memory="4Gi")) == {"a": score}


def test_scalars_count_only_for_pods_that_request_them() -> None:
    plugin = by("MostAllocated", **{"cpu": 1, GPU: 1})
    cluster = one_node(cpu=4, memory="4Gi", **{GPU: 4})
    assert score_with(plugin, make_pod("a").req(cpu="2"), cluster) == {"a": 50}
    assert score_with(plugin, make_pod("b").req(cpu="2", **{GPU: 4}), cluster) == {"a": 75}


def test_nothing_allocatable_neither_counts_nor_warns() -> None:
    cluster = make_cluster(nodes=[make_node("none").capacity(), make_node("cpu").capacity(cpu=4)])
    cluster.add_node(make_node("gone").obj)
    cluster.remove_node("gone")
    for plugin in (FIT, by("MostAllocated", cpu=1, memory=1), ratio((0, 5), (100, 5))):
        scores = score_with(plugin, HALF_CPU, cluster)
        assert scores == {"none": 0, "cpu": 50}


@pytest.mark.parametrize("strategy", [least_allocated, most_allocated])
@pytest.mark.parametrize("capacity", [EXACT_IN_FLOATS - 1, EXACT_IN_FLOATS, EXACT_IN_FLOATS + 1, 1 << 56])
def test_long_columns_are_exact_on_both_sides_of_the_bound(strategy: Any, capacity: int) -> None:
    """At k/100 of the capacity and one byte beside it, where a float would be the first to err."""
    left = [capacity * k // 100 + beside for k in range(100) for beside in (0, 1)]
    part = left if strategy is least_allocated else [capacity - x for x in left]
    taken = np.array([[capacity - x for x in left]], np.int64)
    kept = part if strategy is least_allocated else taken[0].tolist()
    scores = strategy(taken, np.full((1, 200), capacity), weights_of([1]))
    assert scores.tolist() == [x * 100 // capacity for x in kept]


def test_a_node_of_a_hundred_tebibytes_makes_no_difference_to_the_others() -> None:
    sizes = [100 << 40 if i == 0 else 3 * GIB + i for i in range(200)]
    nodes = [make_node(f"n{i}").capacity(cpu=4, memory=size) for i, size in enumerate(sizes)]
    cluster = make_cluster(nodes=nodes)
    pod = pod_of(cluster, make_pod("new").req(cpu="1", memory=GIB))
    scores = raw_scores(FIT, pod, cluster.all_nodes(), make_cycle(cluster))
    assert scores.tolist() == [(75 + (size - GIB) * 100 // size) // 2 for size in sizes]
