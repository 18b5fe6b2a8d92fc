"""Who may have to go, and in which order of importance."""

import numpy as np

from nominee.preemption import victims
from nominee.preemption.victims import potential_victims
from nominee.state.cluster import ClusterState
from nominee.testing import PodBuilder, make_cluster, make_node, pod_of
from tests.unit.preemption.fake_filters import small


def names(cluster: ClusterState, below: int = 100) -> list[str]:
    found = potential_victims(cluster, cluster.all_nodes().rows, below)
    return [cluster.pods[row].name for row in found.pod_rows]


def on_one_node(*pods: PodBuilder) -> ClusterState:
    return make_cluster([make_node("a").capacity(cpu="9")], pods)


def test_only_strictly_lower_priorities_may_have_to_go() -> None:
    cluster = on_one_node(small("equal", "a", priority=7), small("lower", "a", priority=6))

    assert names(cluster, below=7) == ["lower"]


def test_the_higher_priority_is_the_more_important() -> None:
    cluster = on_one_node(
        small("low", "a", priority=-1).started(1), small("high", "a", priority=1).started(9)
    )

    assert names(cluster) == ["high", "low"]


def test_of_equal_priority_the_first_started_is_the_more_important() -> None:
    cluster = on_one_node(small("late", "a").started(9), small("early", "a").started(1))

    assert names(cluster) == ["early", "late"]


def test_a_pod_that_has_not_started_is_the_least_important_of_its_priority() -> None:
    cluster = on_one_node(small("waiting", "a"), small("running", "a").started(9))

    assert names(cluster) == ["running", "waiting"]


def test_where_all_is_equal_the_first_to_come_is_the_more_important() -> None:
    cluster = on_one_node(small("one", "a"), small("two", "a"), small("three", "a"))

    assert names(cluster) == ["one", "two", "three"]


def test_terminating_pods_are_victims_like_others() -> None:
    assert names(on_one_node(small("leaving", "a").terminating())) == ["leaving"]


def test_pods_lie_together_node_by_node() -> None:
    cluster = make_cluster(
        [make_node(name).capacity(cpu="9") for name in "abc"],
        [small("a1", "a"), small("c1", "c"), small("c2", "c"), small("b1", "b", priority=500)],
    )

    found = potential_victims(cluster, cluster.all_nodes().rows, 100)

    assert found.rows.tolist() == [0, 2]
    assert found.counts.tolist() == [1, 2]
    assert found.starts.tolist() == [0, 1]
    assert found.positions.tolist() == [0, 1, 1]


def test_few_nodes_and_many_are_searched_alike() -> None:
    nodes = [make_node(f"n{i}").capacity(cpu="9") for i in range(30)]
    pods = [small(f"p{i}", f"n{i * i % 30}", priority=i % 5).started(i % 3) for i in range(90)]
    cluster = make_cluster(nodes, pods)
    cluster.remove_pod("default/p7")
    cluster.add_pod(pod_of(cluster, small("p91", "n19")))
    rows = cluster.all_nodes().rows

    few = victims._lower_pods_of_few(cluster, rows, 3)
    many = victims._lower_pods(cluster, rows, 3)

    for row in rows:  # of each node, the order counts
        assert few[1][few[0] == row].tolist() == many[1][many[0] == row].tolist()
    assert np.all(few[0][:-1] <= few[0][1:])
