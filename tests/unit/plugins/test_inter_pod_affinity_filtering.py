"""Where pod affinity and anti-affinity, one's own and that of others, let a pod go."""

from __future__ import annotations

from nominee.framework import Skip, SkipWhile
from nominee.plugins.inter_pod_affinity import InterPodAffinity
from nominee.testing import (
    HOSTNAME,
    ZONE,
    filter_with,
    make_cluster,
    make_cycle,
    make_namespace,
    make_node,
    make_pod,
    nodes_named,
    pod_of,
    what_if,
)

PLUGIN = InterPodAffinity()
NODES = [make_node("a1").zone("a"), make_node("a2").zone("a"), make_node("b1").zone("b"), make_node("bare")]
NAMES = ["a1", "a2", "b1", "bare"]
WEB = make_pod("web").label("app", "web")
DB = make_pod("db").label("app", "db")
NEAR_WEB = DB.pod_affinity(ZONE, {"app": "web"})
FAR_FROM_WEB = DB.pod_anti_affinity(ZONE, {"app": "web"})

NOT_NEAR = ("UnschedulableAndUnresolvable", ("node(s) didn't match pod affinity rules",))
NOT_FAR = ("Unschedulable", ("node(s) didn't match pod anti-affinity rules",))
REFUSED = ("Unschedulable", ("node(s) didn't satisfy existing pods anti-affinity rules",))


def test_affinity_wants_company_in_the_domain_and_the_key_on_the_node() -> None:
    cluster = make_cluster(NODES, [WEB.node("a1")])
    assert filter_with(PLUGIN, NEAR_WEB, cluster) == {"b1": NOT_NEAR, "bare": NOT_NEAR}


def test_terminating_pods_are_company_too() -> None:
    cluster = make_cluster(NODES, [WEB.node("a1").terminating()])
    assert set(filter_with(PLUGIN, NEAR_WEB, cluster)) == {"b1", "bare"}


def test_one_pod_must_match_all_terms_of_affinity() -> None:
    wants_both = NEAR_WEB.pod_affinity(ZONE, {"tier": "front"})
    cluster = make_cluster(NODES, [WEB.node("a1"), make_pod("x").label("tier", "front").node("a2")])
    assert set(filter_with(PLUGIN, wants_both, cluster)) == set(NAMES)
    cluster.add_pod(pod_of(cluster, make_pod("y").labels({"app": "web", "tier": "front"}).node("b1")))
    assert set(filter_with(PLUGIN, wants_both, cluster)) == {"a1", "a2", "bare"}


def test_the_first_pod_of_a_series_is_let_in_where_all_keys_are() -> None:
    first = WEB.pod_affinity(ZONE, {"app": "web"})
    assert filter_with(PLUGIN, first, make_cluster(NODES)) == {"bare": NOT_NEAR}
    assert set(filter_with(PLUGIN, NEAR_WEB, make_cluster(NODES))) == set(NAMES)


def test_a_match_on_a_node_without_the_key_does_not_count_as_company() -> None:
    first = WEB.pod_affinity(ZONE, {"app": "web"})
    assert filter_with(PLUGIN, first, make_cluster(NODES, [WEB.node("bare")])) == {"bare": NOT_NEAR}


def test_anti_affinity_keeps_away_and_does_not_mind_nodes_without_the_key() -> None:
    cluster = make_cluster(NODES, [WEB.node("a1"), make_pod("w").label("app", "web").node("bare")])
    assert filter_with(PLUGIN, FAR_FROM_WEB, cluster) == {"a1": NOT_FAR, "a2": NOT_FAR}


def test_each_node_is_a_domain_of_its_own_by_hostname() -> None:
    cluster = make_cluster(NODES, [WEB.node("a1")])
    assert filter_with(PLUGIN, DB.pod_anti_affinity(HOSTNAME, {"app": "web"}), cluster) == {"a1": NOT_FAR}
    assert set(filter_with(PLUGIN, DB.pod_affinity(HOSTNAME, {"app": "web"}), cluster)) == {
        "a2",
        "b1",
        "bare",
    }


def test_placed_pods_refuse_a_pod_that_they_mean() -> None:
    cluster = make_cluster(NODES, [FAR_FROM_WEB.node("b1")])
    assert filter_with(PLUGIN, WEB, cluster) == {"b1": REFUSED}
    assert filter_with(PLUGIN, DB, cluster) == {}


def test_a_node_is_blamed_on_its_first_failing_rule_only() -> None:
    pod = WEB.pod_affinity(ZONE, {"app": "db"}).pod_anti_affinity(ZONE, {"app": "db"})
    found = filter_with(PLUGIN, pod, make_cluster(NODES, [FAR_FROM_WEB.node("b1")]))
    assert found == {"a1": NOT_NEAR, "a2": NOT_NEAR, "b1": NOT_FAR, "bare": NOT_NEAR}


def test_a_term_means_the_namespace_of_its_owner_unless_it_says_otherwise() -> None:
    elsewhere = make_cluster(NODES, [make_pod("web", "other").label("app", "web").node("a1")])
    assert filter_with(PLUGIN, FAR_FROM_WEB, elsewhere) == {}
    named = DB.pod_anti_affinity(ZONE, {"app": "web"}, namespaces=["other"])
    anywhere = DB.pod_anti_affinity(ZONE, {"app": "web"}, namespace_selector={})
    assert set(filter_with(PLUGIN, named, elsewhere)) == {"a1", "a2"}
    assert set(filter_with(PLUGIN, anywhere, elsewhere)) == {"a1", "a2"}


def test_a_namespace_selector_follows_the_labels_of_namespaces() -> None:
    pod = DB.pod_anti_affinity(ZONE, {"app": "web"}, namespace_selector={"team": "red"})
    web = make_pod("web", "other").label("app", "web").node("a1")
    cluster = make_cluster(NODES, [web], [make_namespace("other", {"team": "red"})])
    assert set(filter_with(PLUGIN, pod, cluster)) == {"a1", "a2"}
    cluster.put_object(make_namespace("other", {"team": "blue"}))
    assert filter_with(PLUGIN, pod, cluster) == {}


def test_placed_pods_terms_read_the_labels_of_the_incoming_pods_namespace() -> None:
    refusing = DB.pod_anti_affinity(ZONE, {"app": "web"}, namespace_selector={"team": "red"}).node("b1")
    cluster = make_cluster(NODES, [refusing], [make_namespace("default", {"team": "red"})])
    assert filter_with(PLUGIN, WEB, cluster) == {"b1": REFUSED}
    cluster.put_object(make_namespace("default", {"team": "blue"}))
    assert filter_with(PLUGIN, WEB, cluster) == {}


def test_nothing_to_say_holds_while_no_term_comes() -> None:
    cluster = make_cluster(NODES)
    pod, nodes = pod_of(cluster, WEB), cluster.all_nodes()
    skip = PLUGIN.pre_filter(pod, nodes, make_cycle(cluster))
    assert isinstance(skip, SkipWhile)
    before = skip.unchanged()
    cluster.add_pod(pod_of(cluster, FAR_FROM_WEB.node("bare")))
    assert skip.unchanged() != before
    assert PLUGIN.pre_filter(pod, nodes, make_cycle(cluster)) is Skip.THIS_CYCLE
    cluster.add_pod(pod_of(cluster, FAR_FROM_WEB.uid("2").node("b1")))
    assert PLUGIN.pre_filter(pod, nodes, make_cycle(cluster)) is None


def test_terms_of_a_supposed_pod_are_not_seen_after_a_skip_but_else_they_are() -> None:
    supposed = make_pod("nominated").pod_anti_affinity(HOSTNAME, {"app": "web"})
    unheard = make_cluster(NODES)
    assert filter_with(PLUGIN, WEB, unheard, nodes=what_if(unheard, NAMES, {"a2": [supposed]})) == {}
    heard = make_cluster(NODES, [FAR_FROM_WEB.node("b1")])
    found = filter_with(PLUGIN, WEB, heard, nodes=what_if(heard, NAMES, {"a2": [supposed]}))
    assert found == {"a2": REFUSED, "b1": REFUSED}


def test_a_victims_terms_go_with_it_on_its_own_node_only() -> None:
    refusing = FAR_FROM_WEB.node("a1")
    cluster = make_cluster(NODES, [refusing])
    assert set(filter_with(PLUGIN, WEB, cluster)) == {"a1", "a2"}
    gone = what_if(cluster, NAMES, remove={"a1": [refusing]})
    assert filter_with(PLUGIN, WEB, cluster, nodes=gone) == {"a2": REFUSED}


def test_without_its_only_company_a_pod_becomes_the_first_of_its_series() -> None:
    other = WEB.node("a1")
    pod = make_pod("second").label("app", "web").pod_affinity(ZONE, {"app": "web"})
    cluster = make_cluster(NODES, [other])
    gone = what_if(cluster, NAMES, remove={"a1": [other]})
    assert filter_with(PLUGIN, pod, cluster, nodes=gone) == {"b1": NOT_NEAR, "bare": NOT_NEAR}


def test_some_nodes_are_judged_as_they_are_among_all() -> None:
    cluster = make_cluster(NODES, [WEB.node("a1")])
    found = filter_with(PLUGIN, NEAR_WEB, cluster, nodes=nodes_named(cluster, ["b1", "a2"]))
    assert found == {"b1": NOT_NEAR}
