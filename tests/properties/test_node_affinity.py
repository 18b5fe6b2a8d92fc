"""NodeAffinity over columns agrees with the rules written out node by node."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from nominee.framework import NodeAffinity as NodeAffinitySpec
from nominee.framework import NodeSelector
from nominee.model.affinity import Affinity, PreferredSchedulingTerm
from nominee.plugins.node_affinity import NodeAffinity
from nominee.testing import (
    NodeBuilder,
    PodBuilder,
    filter_with,
    make_cluster,
    make_node,
    make_pod,
    nodes_named,
    score_with,
)
from nominee.testing.selectors import node_term

Expression = tuple[str, str, tuple[str, ...]]
ENFORCED = "node(s) didn't match scheduler-enforced node affinity"
UNMATCHED = "node(s) didn't match Pod's node affinity/selector"
LEFT_OUT = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
CONFLICT = "pod affinity terms conflict"

NAMES = tuple(f"n{i}" for i in range(12))  # more than are asked one by one
keys = st.sampled_from(["a", "b"])
texts = st.sampled_from(["", "x", "y", "1", "2", "10"])
few_texts = st.lists(texts, min_size=1, max_size=3).map(tuple)
expressions = st.one_of(
    st.tuples(keys, st.sampled_from(["In", "NotIn"]), few_texts),
    st.tuples(keys, st.sampled_from(["Exists", "DoesNotExist"]), st.just(())),
    st.tuples(keys, st.sampled_from(["Gt", "Lt"]), st.sampled_from([("1",), ("5",)])),
    st.tuples(st.just("metadata.name"), st.sampled_from(["In", "NotIn"]), st.tuples(st.sampled_from(NAMES))),
)
terms = st.lists(st.lists(expressions, max_size=3), max_size=3)


@dataclass
class Wants:
    """Required terms (None for no affinity at all) and weighted wishes."""

    required: list[list[Expression]] | None
    wishes: list[tuple[int, list[Expression]]]

    @property
    def spec(self) -> NodeAffinitySpec:
        required = None
        if self.required is not None:
            required = NodeSelector(node_selector_terms=tuple(map(node_term, self.required)))
        preferred = tuple(
            PreferredSchedulingTerm(weight=weight, preference=node_term(term)) for weight, term in self.wishes
        )
        return NodeAffinitySpec(
            required_during_scheduling_ignored_during_execution=required,
            preferred_during_scheduling_ignored_during_execution=preferred,
        )


wants = st.builds(
    Wants,
    st.none() | terms,
    st.lists(st.tuples(st.integers(1, 100), st.lists(expressions, max_size=2)), max_size=3),
)
labelled = st.dictionaries(keys, texts)
clusters = st.one_of(
    st.lists(labelled, min_size=1, max_size=3), st.lists(labelled, min_size=9, max_size=len(NAMES))
).map(lambda labels: [make_node(name).labels(own) for name, own in zip(NAMES, labels, strict=False)])
selectors = st.dictionaries(keys, texts, max_size=1)


def _pod(own: Wants, selector: dict[str, str]) -> PodBuilder:
    return make_pod("p").spec(affinity=Affinity(node_affinity=own.spec), node_selector=selector)


def _value(node: NodeBuilder, key: str) -> str | None:
    return node.obj.name if key == "metadata.name" else node.obj.labels.get(key)


def _holds(expression: Expression, node: NodeBuilder) -> bool:
    key, operator, values = expression
    value = _value(node, key)
    if operator in ("In", "NotIn"):
        return (value in values) == (operator == "In")
    if operator in ("Exists", "DoesNotExist"):
        return (value is not None) == (operator == "Exists")
    if value is None or not value.isdigit():
        return False
    return int(value) > int(values[0]) if operator == "Gt" else int(value) < int(values[0])


def _matches(term: list[Expression], node: NodeBuilder) -> bool:
    return bool(term) and all(_holds(expression, node) for expression in term)


def _names(required: list[list[Expression]]) -> set[str] | None:
    """The nodes the terms restrict the search to, None for all."""
    allowed: set[str] = set()
    for term in required:
        lists = [set(values) for key, op, values in term if (key, op) == ("metadata.name", "In")]
        if not lists:
            return None
        allowed |= set.intersection(*lists)
    return allowed if required else None


def _reason(node: NodeBuilder, own: Wants, selector: dict[str, str], added: Wants) -> str | None:
    names = _names(own.required or [])
    if names is not None and not names:
        return CONFLICT
    if names is not None and node.obj.name not in names:
        return LEFT_OUT
    if added.required is not None and not any(_matches(term, node) for term in added.required):
        return ENFORCED
    if not selector.items() <= node.obj.labels.items():
        return UNMATCHED
    if own.required is not None and not any(_matches(term, node) for term in own.required):
        return UNMATCHED
    return None


@given(clusters, wants, selectors, wants)
def test_filter(nodes: list[NodeBuilder], own: Wants, selector: dict[str, str], added: Wants) -> None:
    verdicts = filter_with(NodeAffinity(added.spec), _pod(own, selector), make_cluster(nodes=nodes))
    reasons = {node.obj.name: _reason(node, own, selector, added) for node in nodes}
    assert verdicts == {
        name: ("UnschedulableAndUnresolvable", (reason,)) for name, reason in reasons.items() if reason
    }


@given(clusters, wants, selectors, wants)
def test_filter_of_some_nodes(
    nodes: list[NodeBuilder], own: Wants, selector: dict[str, str], added: Wants
) -> None:
    cluster, plugin, pod = make_cluster(nodes=nodes), NodeAffinity(added.spec), _pod(own, selector)
    everywhere = filter_with(plugin, pod, cluster)
    some = [node.obj.name for node in nodes[::-2]]
    verdicts = filter_with(plugin, pod, cluster, nodes=nodes_named(cluster, some))
    assert verdicts == {name: verdict for name, verdict in everywhere.items() if name in some}


@given(clusters, wants, wants)
def test_score(nodes: list[NodeBuilder], own: Wants, added: Wants) -> None:
    scores = score_with(NodeAffinity(added.spec), _pod(own, {}), make_cluster(nodes=nodes))
    wishes = own.wishes + added.wishes
    sums = {n.obj.name: sum(weight for weight, term in wishes if _matches(term, n)) for n in nodes}
    best = max(sums.values())
    naive = {name: 100 * total // best if best else 0 for name, total in sums.items()}
    assert scores == naive or (not scores and best == 0)
