"""A pod should use up a node's resources evenly: 75 changes nothing, 100 evens out, 50 tips over."""

from typing import Any

import pytest

from nominee.framework import ResourceSpec, Skip
from nominee.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from nominee.testing import PodBuilder, make_cluster, make_cycle, make_node, make_pod, pod_of, score_with

BALANCED = NodeResourcesBalancedAllocation()
GPU = "example.com/gpu"


def score(pod: PodBuilder, sitting: dict[str, Any], *names: str, **capacity: Any) -> int | None:
    plugin = NodeResourcesBalancedAllocation(resources=tuple(map(ResourceSpec, names)))
    cluster = make_cluster(
        nodes=[make_node("a").capacity(**(capacity or {"cpu": 4, "memory": 4000, GPU: 4}))],
        pods=[make_pod("sitting").req(**sitting).node("a")],
    )
    return score_with(plugin if names else BALANCED, pod, cluster).get("a")


@pytest.mark.parametrize(
    ("sitting", "requests", "expected"),
    [
        ({}, {"cpu": 1, "memory": 1000}, 75),
        ({}, {"cpu": 4}, 50),  # from 0, 0 to 1, 0: deviation a half
        ({"cpu": 4}, {"memory": 4000}, 100),
        ({"cpu": 4}, {"memory": 2000}, 50 + (50 + 75 - 50) // 2),
        ({"cpu": 3}, {"cpu": 5}, 50 + (50 + 50 - 62) // 2),  # never more than all of it
        ({"cpu": 9}, {"memory": 4000}, 100),
    ],
)
def test_the_gain_in_balance(sitting: dict[str, Any], requests: dict[str, Any], expected: int) -> None:
    assert score(make_pod("new").req(**requests), sitting) == expected


def test_what_is_not_requested_counts_without_a_default() -> None:
    """A default for memory, as NodeResourcesFit assumes one, would tip this node over, to 50."""
    assert score(make_pod("new").req(cpu="1m"), {}, cpu=100, memory=1) == 74


def test_requests_of_the_pod_as_a_whole_count() -> None:
    assert score(make_pod("new").req(cpu=1).pod_req(cpu=4), {}) == 50


@pytest.mark.parametrize(
    "pod", [make_pod("new"), make_pod("new").req(cpu="0"), make_pod("new").req(**{GPU: 1})]
)
def test_a_pod_that_requests_none_of_the_resources_is_skipped_for_good(pod: PodBuilder) -> None:
    cluster = make_cluster(nodes=[make_node("a")])
    seen, cycle = pod_of(cluster, pod), make_cycle(cluster)
    assert BALANCED.pre_score(seen, cluster.all_nodes(), cycle) is Skip.THIS_SHAPE


def test_scalars_count_only_for_pods_that_request_them() -> None:
    assert score(make_pod("new").req(cpu=4), {}, "cpu", GPU) == 75
    assert score(make_pod("new").req(cpu=4, **{GPU: 4}), {"memory": 4000}, "cpu", "memory", GPU) == 99


def test_three_resources_have_the_standard_deviation_of_a_population() -> None:
    # 1, 0, 0: the deviation is the root of 2/9, so 100 - 47.14 in per cent, cut to 52.
    three = {"cpu": 4, "memory": 4000, "ephemeral_storage": 4000}
    assert (
        score(make_pod("new").req(cpu=4), {}, "cpu", "memory", "ephemeral-storage", **three)
        == 50 + (50 + 52 - 100) // 2
    )


def test_what_a_node_has_none_of_is_left_out() -> None:
    pod = make_pod("new").req(cpu=4)
    assert score(pod, {}, "cpu", "memory", cpu=4) == 75
    assert score(pod, {}, "cpu", "memory", "ephemeral-storage", cpu=4, memory=4000) == 50
    assert score(pod, {}, "cpu", "memory", pods=110) == 75
