"""The nodes a pod must have, and those it would like, by label and name."""

import pytest

from nominee.framework import NodeAffinity as NodeAffinitySpec
from nominee.framework import NodeSelector, Skip
from nominee.plugins.node_affinity import NodeAffinity
from nominee.testing import (
    PodBuilder,
    filter_with,
    make_cluster,
    make_cycle,
    make_node,
    make_pod,
    pod_of,
    score_with,
)
from nominee.testing.selectors import node_term

UNRESOLVABLE = "UnschedulableAndUnresolvable"
UNMATCHED = (UNRESOLVABLE, ("node(s) didn't match Pod's node affinity/selector",))
ENFORCED = (UNRESOLVABLE, ("node(s) didn't match scheduler-enforced node affinity",))
LEFT_OUT = (UNRESOLVABLE, ("node(s) didn't satisfy plugin(s) [NodeAffinity]",))
CLUSTER = make_cluster(
    nodes=[
        make_node("ssd").label("disk", "ssd").label("cores", "16"),
        make_node("hdd").label("disk", "hdd").label("cores", "4"),
        make_node("bare"),
    ]
)


def _adding(*terms: list[tuple[str, str, list[str]]]) -> NodeAffinity:
    required = NodeSelector(node_selector_terms=tuple(map(node_term, terms)))
    return NodeAffinity(NodeAffinitySpec(required_during_scheduling_ignored_during_execution=required))


def _feasible(pod: PodBuilder, plugin: NodeAffinity | None = None) -> set[str]:
    return {"ssd", "hdd", "bare"} - set(filter_with(plugin or NodeAffinity(), pod, CLUSTER))


def test_rejects_nodes_without_the_selected_labels_for_good() -> None:
    verdicts = filter_with(NodeAffinity(), make_pod("p").node_selector(disk="ssd"), CLUSTER)
    assert verdicts == {"hdd": UNMATCHED, "bare": UNMATCHED}


@pytest.mark.parametrize(
    ("expression", "feasible"),
    [
        (("disk", "In", ["ssd", "nvme"]), {"ssd"}),
        (("disk", "In", ["nvme"]), set()),
        (("disk", "NotIn", ["ssd"]), {"hdd", "bare"}),
        (("disk", "Exists"), {"ssd", "hdd"}),
        (("disk", "DoesNotExist"), {"bare"}),
        (("cores", "Gt", ["8"]), {"ssd"}),
        (("cores", "Lt", ["8"]), {"hdd"}),
        (("disk", "Gt", ["8"]), set()),
        (("metadata.name", "NotIn", ["ssd"]), {"hdd", "bare"}),
    ],
)
def test_operators(expression: tuple[str, str], feasible: set[str]) -> None:
    assert _feasible(make_pod("p").node_affinity([expression])) == feasible


def test_terms_are_alternatives_and_expressions_add_up() -> None:
    pod = make_pod("p").node_affinity(
        [("disk", "Exists"), ("cores", "Lt", ["8"])], [("disk", "DoesNotExist")]
    )
    assert _feasible(pod) == {"hdd", "bare"}
    assert _feasible(pod.node_selector(disk="hdd")) == {"hdd"}


def test_no_terms_and_empty_terms_match_no_node() -> None:
    assert _feasible(make_pod("p").node_affinity()) == set()
    assert _feasible(make_pod("p").node_affinity([])) == set()
    assert _feasible(make_pod("p").node_affinity([], [("disk", "Exists")])) == {"ssd", "hdd"}


def test_malformed_terms_are_overlooked() -> None:
    assert _feasible(make_pod("p").node_affinity([("disk", "In", [])], [("cores", "Gt", ["8"])])) == {"ssd"}


def test_skips_pods_that_require_nothing() -> None:
    pod = pod_of(CLUSTER, make_pod("p").preferred_node_affinity(1, "disk", ["ssd"]))
    assert NodeAffinity().pre_filter(pod, CLUSTER.all_nodes(), make_cycle(CLUSTER)) is Skip.THIS_SHAPE


def test_terms_by_name_narrow_the_search() -> None:
    pod = make_pod("p").node_affinity(
        [("metadata.name", "In", ["bare"])], [("metadata.name", "In", ["gone"])]
    )
    assert filter_with(NodeAffinity(), pod, CLUSTER) == {"ssd": LEFT_OUT, "hdd": LEFT_OUT}


def test_a_single_term_without_names_leaves_the_search_open() -> None:
    pod = make_pod("p").node_affinity([("metadata.name", "In", ["bare"])], [("disk", "In", ["ssd"])])
    assert filter_with(NodeAffinity(), pod, CLUSTER) == {"hdd": UNMATCHED}


def test_terms_whose_names_exclude_each_other_are_a_conflict() -> None:
    pod = make_pod("p").node_affinity([("metadata.name", "In", ["bare"]), ("metadata.name", "In", ["ssd"])])
    conflict = (UNRESOLVABLE, ("pod affinity terms conflict",))
    assert filter_with(NodeAffinity(), pod, CLUSTER) == dict.fromkeys(["ssd", "hdd", "bare"], conflict)


def test_added_affinity_holds_for_every_pod_and_is_named_first() -> None:
    plugin = _adding([("disk", "Exists", [])])
    assert filter_with(plugin, make_pod("p"), CLUSTER) == {"bare": ENFORCED}
    verdicts = filter_with(plugin, make_pod("p").node_selector(disk="ssd"), CLUSTER)
    assert verdicts == {"bare": ENFORCED, "hdd": UNMATCHED}


def test_scores_the_weights_of_matching_wishes() -> None:
    pod = make_pod("p").preferred_node_affinity(10, "disk", ["ssd", "hdd"])
    pod = pod.preferred_node_affinity(30, "cores", ["8"], "Gt").preferred_node_affinity_term(50, [])
    assert score_with(NodeAffinity(), pod, CLUSTER) == {"ssd": 100, "hdd": 25, "bare": 0}
    assert score_with(NodeAffinity(), pod, CLUSTER, feasible=["hdd", "bare"]) == {"hdd": 100, "bare": 0}


def test_added_wishes_count_too() -> None:
    wish = make_pod("p").preferred_node_affinity(10, "disk", ["hdd"]).obj.spec.affinity
    assert wish is not None
    plugin = NodeAffinity(wish.node_affinity)
    assert score_with(plugin, make_pod("p"), CLUSTER) == {"ssd": 0, "hdd": 100, "bare": 0}
    pod = make_pod("p").preferred_node_affinity(20, "disk", ["ssd"])
    assert score_with(plugin, pod, CLUSTER) == {"ssd": 100, "hdd": 50, "bare": 0}


def test_scores_nothing_without_wishes() -> None:
    assert score_with(NodeAffinity(), make_pod("p").node_selector(disk="ssd"), CLUSTER) == {}


def test_a_node_wakes_pods_when_it_comes_to_match() -> None:
    hint = NodeAffinity().events_to_register()[0].hint
    assert hint is not None
    pod = pod_of(CLUSTER, make_pod("p").node_selector(disk="ssd"))
    matching, other = make_node("n").label("disk", "ssd").obj, make_node("n").obj
    assert hint(pod, None, matching, CLUSTER.view)
    assert hint(pod, other, matching, CLUSTER.view)
    assert not hint(pod, matching, matching, CLUSTER.view)
    assert not hint(pod, None, other, CLUSTER.view)


def test_a_node_that_comes_to_match_the_added_affinity_wakes_pods() -> None:
    hint = _adding([("disk", "Exists", [])]).events_to_register()[0].hint
    assert hint is not None
    pod = pod_of(CLUSTER, make_pod("p"))
    assert hint(pod, make_node("n").obj, make_node("n").label("disk", "ssd").obj, CLUSTER.view)
    assert not hint(pod, None, make_node("n").obj, CLUSTER.view)


def test_pods_that_ask_for_the_same_nodes_share_their_answers() -> None:
    one = pod_of(CLUSTER, make_pod("one").node_selector(a="1", b="2"))
    two = pod_of(CLUSTER, make_pod("two").label("x", "y").node_selector(b="2", a="1"))
    assert NodeAffinity().reads(one) == NodeAffinity().reads(two)
