"""DoNotSchedule: how far a domain may be ahead of the emptiest one."""

import pytest

from nominee.framework import Skip
from nominee.plugins.pod_topology_spread import PodTopologySpread
from nominee.testing import (
    HOSTNAME,
    ZONE,
    PodBuilder,
    filter_with,
    make_cluster,
    make_cycle,
    make_node,
    make_pod,
    pod_of,
    what_if,
)

SPREAD = PodTopologySpread()
SKEWED = ("Unschedulable", ("node(s) didn't match pod topology spread constraints",))
LACKING = (
    "UnschedulableAndUnresolvable",
    ("node(s) didn't match pod topology spread constraints (missing required label)",),
)
WEB = {"app": "web"}
NODES = [make_node("a1").zone("a"), make_node("a2").zone("a"), make_node("b1").zone("b")]


def web(name: str, node: str = "") -> PodBuilder:
    return make_pod(name).labels(WEB).node(node)


def spread(max_skew: int = 1, key: str = ZONE, **fields: object) -> PodBuilder:
    return web("new").spread(max_skew, key, labels=WEB, **fields)  # type: ignore[arg-type]


def test_a_domain_may_not_run_ahead_of_the_emptiest() -> None:
    cluster = make_cluster(NODES, [web("x", "a1")])
    assert filter_with(SPREAD, spread(1), cluster) == {"a1": SKEWED, "a2": SKEWED}
    assert filter_with(SPREAD, spread(2), cluster) == {}


def test_a_pod_that_does_not_match_its_own_selector_adds_nothing() -> None:
    cluster = make_cluster(NODES, [web("x", "a1")])
    assert filter_with(SPREAD, make_pod("new").spread(1, ZONE, labels=WEB), cluster) == {}


def test_a_node_without_the_key_is_no_candidate_ever() -> None:
    cluster = make_cluster([*NODES, make_node("nowhere")])
    assert filter_with(SPREAD, spread(), cluster) == {"nowhere": LACKING}


def test_the_first_constraint_that_fails_gives_the_reason() -> None:
    cluster = make_cluster([*NODES, make_node("c1").zone("c").meta(labels={ZONE: "a"})], [web("x", "a1")])
    pod = spread().spread(9, HOSTNAME, labels=WEB)
    assert filter_with(SPREAD, pod, cluster)["c1"] == SKEWED
    assert filter_with(SPREAD, web("new").spread(9, HOSTNAME).spread(1, ZONE), cluster)["c1"] == LACKING


def test_nodes_without_all_keys_count_for_no_constraint() -> None:
    empty_zone = make_node("c1").meta(labels={ZONE: "c"})
    cluster = make_cluster([*NODES, empty_zone], [web("x", "a1"), web("y", "b1")])
    assert "a2" in filter_with(SPREAD, spread(1), cluster)
    assert "a2" not in filter_with(SPREAD, spread(1).spread(9, HOSTNAME, labels=WEB), cluster)


def test_too_few_domains_make_the_minimum_zero() -> None:
    cluster = make_cluster(NODES, [web("x", "a1"), web("y", "b1")])
    assert filter_with(SPREAD, spread(min_domains=2), cluster) == {}
    assert filter_with(SPREAD, spread(min_domains=3), cluster) == {"a1": SKEWED, "a2": SKEWED, "b1": SKEWED}


def test_pods_of_other_namespaces_and_pods_that_go_do_not_count() -> None:
    other = make_pod("x", "other").labels(WEB).node("a1")
    cluster = make_cluster(NODES, [other, web("y", "a1").terminating()])
    assert filter_with(SPREAD, spread(), cluster) == {}


@pytest.mark.parametrize(("policy", "rejected"), [(None, set()), ("Honor", set()), ("Ignore", {"a1", "a2"})])
def test_node_affinity_policy(policy: str | None, rejected: set[str]) -> None:
    # Zone b is not for this pod; it holds the minimum down only where that is ignored.
    pod = spread(node_affinity_policy=policy).node_affinity([(ZONE, "In", ["a"])])
    cluster = make_cluster(NODES, [web("x", "a1")])
    assert set(filter_with(SPREAD, pod, cluster)) == rejected


@pytest.mark.parametrize(
    ("terms", "rejected"),
    [
        ([[("metadata.name", "In", ["a1"])]], set()),
        ([[("metadata.name", "NotIn", ["b1"])]], set()),
        ([[("metadata.name", "NotIn", ["a2"])]], {"a1", "a2"}),
        ([[("metadata.name", "In", ["a1"])], [(ZONE, "In", ["b"])]], {"a1", "a2"}),
    ],
    ids=["only a1", "not b1", "not a2", "a1 or zone b"],
)
def test_required_node_names_are_honoured_too(terms: list[list[tuple[str, str]]], rejected: set[str]) -> None:
    # Zone a holds one pod, zone b none; where zone b does not count, one is the minimum.
    cluster = make_cluster(NODES, [web("x", "a1")])
    assert set(filter_with(SPREAD, spread().node_affinity(*terms), cluster)) == rejected


@pytest.mark.parametrize(
    ("policy", "tolerates", "rejected"),
    [(None, False, True), ("Ignore", False, True), ("Honor", False, False), ("Honor", True, True)],
)
def test_node_taints_policy(policy: str | None, tolerates: bool, rejected: bool) -> None:
    tainted = make_node("b1").zone("b").taint("k", "v", "NoExecute")
    pod = spread(node_taints_policy=policy)
    pod = pod.toleration("k", operator="Exists") if tolerates else pod
    verdicts = filter_with(SPREAD, pod, make_cluster([NODES[0], tainted], [web("x", "a1")]))
    assert ("a1" in verdicts) == rejected


def test_taints_that_only_ask_are_never_honoured() -> None:
    tainted = make_node("b1").zone("b").taint("k", "v", "PreferNoSchedule")
    cluster = make_cluster([NODES[0], tainted], [web("x", "a1")])
    assert "a1" in filter_with(SPREAD, spread(node_taints_policy="Honor"), cluster)


@pytest.mark.parametrize(("gate", "rejected"), [(True, False), (False, True)])
def test_match_label_keys_narrow_the_selector(gate: bool, rejected: bool) -> None:
    cluster = make_cluster(NODES, [web("x", "a1").label("rev", "1")])
    pod = spread(match_label_keys=["rev", "absent"]).label("rev", "2")
    gates = {
        "MatchLabelKeysInPodTopologySpread": gate,
        "MatchLabelKeysInPodTopologySpreadSelectorMerge": gate,
    }
    verdicts = filter_with(SPREAD, pod, cluster, cycle=make_cycle(cluster, features=gates))
    assert ("a1" in verdicts) == rejected


def test_large_domains_leave_out_nodes_that_do_not_count() -> None:
    nodes = [make_node(f"{zone}{i}").zone(zone) for zone in "ab" for i in range(20)]
    tainted = make_node("b-tainted").zone("b").taint("k")
    pods = [web("x", "a3"), web("y", "b7"), web("z", "b-tainted"), web("u", "b-tainted")]
    verdicts = filter_with(SPREAD, spread(node_taints_policy="Honor"), make_cluster([*nodes, tainted], pods))
    assert verdicts == {}
    verdicts = filter_with(SPREAD, spread(), make_cluster([*nodes, tainted], pods))
    assert {name[0] for name in verdicts} == {"b"}


def test_an_empty_selector_counts_no_placed_pod_but_a_supposed_one() -> None:
    cluster = make_cluster(NODES, [web("x", "a1"), web("y", "a1")])
    pod = make_pod("new").spread(1, ZONE, labels={})
    assert filter_with(SPREAD, pod, cluster) == {}
    nominated = what_if(cluster, ["a1", "b1"], add={"a1": [web("z")]})
    assert filter_with(SPREAD, pod, cluster, nodes=nominated) == {"a1": SKEWED}


def test_no_selector_counts_nothing_at_all() -> None:
    cluster = make_cluster(NODES, [web("x", "a1")])
    nominated = what_if(cluster, ["a1"], add={"a1": [web("z")]})
    assert filter_with(SPREAD, web("new").spread(1, ZONE), cluster, nodes=nominated) == {}


def test_a_supposed_pod_counts_on_its_own_position_only() -> None:
    cluster = make_cluster(NODES)
    view = what_if(cluster, ["a1", "a2", "b1"], add={"a1": [web("z")]})
    assert filter_with(SPREAD, spread(), cluster, nodes=view) == {"a1": SKEWED}


def test_a_victim_helps_its_domain() -> None:
    cluster = make_cluster(NODES, [web("x", "a1")])
    view = what_if(cluster, ["a1", "a2"], remove={"a1": [web("x", "a1")]})
    assert filter_with(SPREAD, spread(), cluster, nodes=view) == {"a2": SKEWED}


def test_a_pod_supposed_in_the_emptiest_domain_raises_the_minimum() -> None:
    cluster = make_cluster(NODES, [web("x", "a1"), web("y", "a1"), web("z", "b1")])
    view = what_if(cluster, ["b1"], add={"b1": [web("n1"), web("n2")]})
    # 2 in zone a, 3 in zone b: the emptiest is zone a now.
    assert filter_with(SPREAD, spread(1), cluster, nodes=view) == {"b1": SKEWED}
    assert filter_with(SPREAD, spread(2), cluster, nodes=view) == {}


def test_a_supposed_pod_on_a_node_that_does_not_count_changes_nothing() -> None:
    cluster = make_cluster(NODES)
    pod = spread().node_selector(disk="ssd")
    view = what_if(cluster, ["a1"], add={"a1": [web("z")]})
    assert filter_with(SPREAD, pod, cluster, nodes=view) == {}


@pytest.mark.parametrize("pod", [web("new"), web("new").spread(1, ZONE, "ScheduleAnyway", WEB)])
def test_pods_with_nothing_required_are_never_asked_about_again(pod: PodBuilder) -> None:
    cluster = make_cluster(NODES)
    asked = SPREAD.pre_filter(pod_of(cluster, pod), cluster.all_nodes(), make_cycle(cluster))
    assert asked is Skip.THIS_SHAPE
