"""How much company, wanted by either side, is worth."""

from __future__ import annotations

import numpy as np

from nominee.framework import Skip, SkipWhile
from nominee.plugins.inter_pod_affinity import InterPodAffinity
from nominee.testing import HOSTNAME, ZONE, make_cluster, make_cycle, make_node, make_pod, pod_of, score_with

PLUGIN = InterPodAffinity()
NODES = [make_node("a").zone("a"), make_node("b").zone("b"), make_node("c").zone("c")]
WEB = make_pod("web").label("app", "web")
DB = make_pod("db").label("app", "db")


def test_preferred_terms_attract_and_repel_by_their_weights() -> None:
    pod = make_pod("p").preferred_pod_affinity(3, ZONE, {"app": "web"})
    pod = pod.preferred_pod_anti_affinity(1, ZONE, {"app": "db"})
    cluster = make_cluster(NODES, [WEB.node("a"), DB.node("b")])
    assert score_with(PLUGIN, pod, cluster) == {"a": 100, "b": 0, "c": 25}


def test_the_sums_over_all_keys_of_a_node_are_added() -> None:
    pod = make_pod("p").preferred_pod_affinity(2, ZONE, {"app": "web"})
    pod = pod.preferred_pod_affinity(3, HOSTNAME, {"app": "db"})
    cluster = make_cluster(NODES, [WEB.node("a"), DB.node("a"), DB.uid("2").node("b")])
    assert score_with(PLUGIN, pod, cluster, normalized=False) == {"a": 5, "b": 3, "c": 0}


def test_placed_pods_wishes_count_for_the_pod_they_mean() -> None:
    likes = make_pod("likes").preferred_pod_affinity(5, ZONE, {"app": "web"}).node("a")
    dislikes = make_pod("dislikes").preferred_pod_anti_affinity(5, ZONE, {"app": "web"}).node("b")
    cluster = make_cluster(NODES, [likes, dislikes])
    assert score_with(PLUGIN, WEB, cluster) == {"a": 100, "b": 0, "c": 50}
    assert score_with(PLUGIN, DB, cluster) == {}


def test_required_affinity_of_placed_pods_weighs_what_the_arguments_say() -> None:
    cluster = make_cluster(NODES, [DB.pod_affinity(ZONE, {"app": "web"}).node("a")])
    heavy, none = InterPodAffinity(hard_pod_affinity_weight=7), InterPodAffinity(hard_pod_affinity_weight=0)
    assert score_with(heavy, WEB, cluster, normalized=False) == {"a": 7, "b": 0, "c": 0}
    assert score_with(none, WEB, cluster) == {}


def test_wishes_of_placed_pods_can_be_ignored_but_not_by_a_pod_with_wishes() -> None:
    plugin = InterPodAffinity(ignore_preferred_terms_of_existing_pods=True)
    cluster = make_cluster(NODES, [DB.preferred_pod_affinity(5, ZONE, {"app": "web"}).node("a")])
    pod, cycle = pod_of(cluster, WEB), make_cycle(cluster)
    assert plugin.pre_score(pod, cluster.all_nodes(), cycle) is Skip.THIS_SHAPE
    wishing = WEB.preferred_pod_affinity(1, ZONE, {"app": "nobody"})
    assert score_with(plugin, wishing, cluster) == {"a": 100, "b": 0, "c": 0}


def test_without_any_contribution_the_plugin_skips_this_time() -> None:
    cluster = make_cluster(NODES, [WEB.node("a")])
    wishing = WEB.preferred_pod_affinity(1, ZONE, {"app": "nobody"})
    nodes, cycle = cluster.all_nodes(), make_cycle(cluster)
    assert PLUGIN.pre_score(pod_of(cluster, wishing), nodes, cycle) is Skip.THIS_CYCLE


def test_without_terms_anywhere_the_plugin_skips_until_one_comes() -> None:
    cluster = make_cluster(NODES, [WEB.node("a")])
    skip = PLUGIN.pre_score(pod_of(cluster, WEB), cluster.all_nodes(), make_cycle(cluster))
    assert isinstance(skip, SkipWhile)
    before = skip.unchanged()
    cluster.add_pod(pod_of(cluster, DB.preferred_pod_affinity(5, ZONE, {"app": "web"}).node("a")))
    assert skip.unchanged() != before


def test_only_feasible_nodes_set_the_scale() -> None:
    pod = make_pod("p").preferred_pod_affinity(1, ZONE, {"app": "web"})
    cluster = make_cluster(NODES, [WEB.node("a"), WEB.uid("2").node("a"), WEB.uid("3").node("b")])
    assert score_with(PLUGIN, pod, cluster, feasible=["b", "c"]) == {"b": 100, "c": 0}


def test_equal_scores_become_zero_and_fractions_are_cut_off() -> None:
    assert PLUGIN.normalize(np.array([5, 5]), 5, 5).tolist() == [0, 0]
    assert PLUGIN.normalize(np.array([-1, 0, 1, 2]), -1, 2).tolist() == [0, 33, 66, 100]


def test_scores_are_no_view_of_the_counts() -> None:
    pod = make_pod("p").preferred_pod_affinity(1, HOSTNAME, {"app": "web"})
    cluster = make_cluster(NODES, [WEB.node("a")])
    seen, nodes, cycle = pod_of(cluster, pod), cluster.all_nodes(), make_cycle(cluster)
    PLUGIN.pre_score(seen, nodes, cycle)
    PLUGIN.score(seen, nodes, cycle)[:] = 0
    assert PLUGIN.score(seen, nodes, cycle).tolist() == [1, 0, 0]
