"""ScheduleAnyway: the emptier a node's domains, the better."""

import math

import pytest

from nominee.framework import Skip
from nominee.plugins.pod_topology_spread import PodTopologySpread
from nominee.testing import (
    HOSTNAME,
    ZONE,
    PodBuilder,
    make_cluster,
    make_cycle,
    make_node,
    make_pod,
    make_service,
    pod_of,
    score_with,
)

SPREAD = PodTopologySpread()
SOFT = "ScheduleAnyway"
WEB = {"app": "web"}
NODES = [make_node("a1").zone("a"), make_node("a2").zone("a"), make_node("b1").zone("b")]


def web(name: str, node: str = "") -> PodBuilder:
    return make_pod(name).labels(WEB).node(node)


def test_the_emptier_zone_wins() -> None:
    cluster = make_cluster(NODES, [web("x", "a1"), web("y", "a2"), web("z", "b1")])
    # 2 and 1 pods, each worth ln(2 zones + 2): 2.77 and 1.39, rounded 3 and 1.
    assert score_with(SPREAD, web("new").spread(1, ZONE, SOFT, WEB), cluster) == {
        "a1": 100 * (3 + 1 - 3) // 3,
        "a2": 33,
        "b1": 100,
    }


def test_by_hostname_a_node_counts_its_own_pods_whatever_the_policies() -> None:
    cluster = make_cluster(NODES, [web("x", "a1"), web("y", "a1")])
    pod = web("new").spread(1, HOSTNAME, SOFT, WEB).node_selector(disk="ssd")
    assert score_with(SPREAD, pod, cluster) == {"a1": 0, "a2": 100, "b1": 100}


def test_terms_of_several_constraints_add_up() -> None:
    cluster = make_cluster(NODES, [web("x", "a1"), web("y", "a1"), web("z", "b1")])
    pod = web("new").spread(2, ZONE, SOFT, WEB).spread(3, HOSTNAME, SOFT, WEB)
    zone, host = math.log(2 + 2), math.log(3 + 2)
    raw = {"a1": 2 * zone + 1 + 2 * host + 2, "a2": 2 * zone + 1 + 2, "b1": zone + 1 + host + 2}
    rounded = {name: round(score) for name, score in raw.items()}
    assert rounded == {"a1": 9, "a2": 6, "b1": 6}
    assert score_with(SPREAD, pod, cluster) == {"a1": 66, "a2": 100, "b1": 100}


def test_nothing_anywhere_is_as_good_as_it_gets() -> None:
    pod = web("new").spread(1, ZONE, SOFT, WEB)
    assert score_with(SPREAD, pod, make_cluster(NODES)) == {"a1": 100, "a2": 100, "b1": 100}


def test_nodes_without_all_keys_are_ignored() -> None:
    cluster = make_cluster([*NODES, make_node("nowhere")], [web("x", "a1"), web("y", "nowhere")])
    scores = score_with(SPREAD, web("new").spread(1, ZONE, SOFT, WEB), cluster)
    assert scores == {"a1": 0, "a2": 0, "b1": 100, "nowhere": 0}


def test_only_feasible_nodes_make_domains() -> None:
    cluster = make_cluster(
        [*NODES, make_node("c1").zone("c")], [web("x", "a1"), web("y", "a1"), web("z", "b1")]
    )
    pod = web("new").spread(1, ZONE, SOFT, WEB)
    # Two zones left: 2 ln 4 and ln 4, not 2 ln 5 and ln 5.
    assert score_with(SPREAD, pod, cluster, feasible=["a1", "b1"]) == {"a1": 33, "b1": 100}
    assert score_with(SPREAD, pod, cluster) == {"a1": 0, "a2": 0, "b1": 33, "c1": 100}


def test_pods_on_nodes_that_are_not_feasible_count_for_their_domain() -> None:
    cluster = make_cluster(NODES, [web("x", "a1")])
    pod = web("new").spread(1, ZONE, SOFT, WEB)
    assert score_with(SPREAD, pod, cluster, feasible=["a2", "b1"]) == {"a2": 0, "b1": 100}


def test_pods_on_nodes_that_a_policy_leaves_out_do_not_count() -> None:
    cluster = make_cluster(NODES, [web("x", "a1")])
    pod = web("new").spread(1, ZONE, SOFT, WEB).node_affinity([(HOSTNAME, "NotIn", ["a1"])])
    assert score_with(SPREAD, pod, cluster) == {"a1": 100, "a2": 100, "b1": 100}


def test_no_feasible_node_is_no_trouble() -> None:
    cluster = make_cluster(NODES, [web("x", "a1")])
    assert score_with(SPREAD, web("new").spread(1, ZONE, SOFT, WEB), cluster, feasible=[]) == {}


def test_system_defaults_score_nodes_without_a_zone_by_their_hostname() -> None:
    nodes = [make_node("a1").zone("a"), make_node("n1"), make_node("n2")]
    cluster = make_cluster(nodes, [web("x", "a1"), web("y", "n1")], [make_service("web", WEB)])
    host, zone = math.log(3 + 2), math.log(2 + 2)  # three nodes; zone a and no zone
    raw = {"a1": host + 2 + zone + 4, "n1": host + 2, "n2": 2}
    assert [round(score) for score in raw.values()] == [9, 4, 2]
    assert score_with(SPREAD, web("new"), cluster) == {"a1": 100 * 2 // 9, "n1": 100 * 7 // 9, "n2": 100}


def test_system_defaults_take_no_zone_for_the_zone_with_an_empty_name() -> None:
    nodes = [make_node("empty").zone(""), make_node("none")]
    cluster = make_cluster(nodes, [web("x", "none"), web("y", "none")], [make_service("web", WEB)])
    host, zone = math.log(2 + 2), math.log(1 + 2)  # two nodes, one zone
    raw = {"empty": 2 + 2 * zone + 4, "none": 2 * host + 2}
    assert [round(score) for score in raw.values()] == [8, 5]
    assert score_with(SPREAD, web("new"), cluster) == {"empty": 100 * 5 // 8, "none": 100}


@pytest.mark.parametrize(
    ("pod", "answer"),
    [
        (web("new").spread(1, ZONE, labels=WEB), Skip.THIS_SHAPE),
        (web("new"), Skip.THIS_SHAPE),
    ],
    ids=["own constraints, none soft", "no service yet"],
)
def test_when_there_is_nothing_to_say(pod: PodBuilder, answer: Skip) -> None:
    cluster = make_cluster(NODES)
    assert SPREAD.pre_score(pod_of(cluster, pod), cluster.all_nodes(), make_cycle(cluster)) is answer
