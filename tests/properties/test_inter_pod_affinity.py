"""InterPodAffinity equals loops over pods and nodes that follow the rules word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nominee.framework import Skip, SkipWhile
from nominee.model.affinity import PodAffinityTerm
from nominee.model.meta import LabelSelector
from nominee.model.node import Node
from nominee.model.pod import Pod
from nominee.plugins.inter_pod_affinity import InterPodAffinity
from nominee.state.cluster import ClusterState
from nominee.testing import (
    HOSTNAME,
    ZONE,
    make_cluster,
    make_cycle,
    make_namespace,
    make_node,
    make_pod,
    pod_of,
    rejections,
    score_with,
    selector,
    what_if,
)

NEAR = ("UnschedulableAndUnresolvable", ("node(s) didn't match pod affinity rules",))
FAR = ("Unschedulable", ("node(s) didn't match pod anti-affinity rules",))
REFUSED = ("Unschedulable", ("node(s) didn't satisfy existing pods anti-affinity rules",))

Placement = tuple[Pod, Node]


# -- the rules, naively ---------------------------------------------------------------------------


def matches_selector(labels: Mapping[str, str], wanted: LabelSelector | None) -> bool:
    if wanted is None:
        return False
    if any(labels.get(key) != value for key, value in wanted.match_labels.items()):
        return False
    for one in wanted.match_expressions:
        value = labels.get(one.key)
        holds = {
            "In": value in one.values,
            "NotIn": value not in one.values,
            "Exists": value is not None,
            "DoesNotExist": value is None,
        }[one.operator]
        if not holds:
            return False
    return True


@dataclass
class World:
    """Where the pods stand, and what the namespaces that exist are labelled with."""

    placements: list[Placement]
    namespaces: Mapping[str, Mapping[str, str]]

    def incoming_term_means(self, term: PodAffinityTerm, owner: Pod, other: Pod) -> bool:
        """A term of the pod to be placed: its namespace selector chooses among namespaces that exist."""
        names = set(term.namespaces)
        if not names and term.namespace_selector is None:
            names = {owner.metadata.namespace}
        chosen = term.namespace_selector
        if chosen is not None:
            names |= {n for n, labels in self.namespaces.items() if matches_selector(labels, chosen)}
            if not chosen.match_labels and not chosen.match_expressions:
                names.add(other.metadata.namespace)
        inside = other.metadata.namespace in names
        return inside and matches_selector(other.metadata.labels, term.label_selector)

    def existing_term_means(self, term: PodAffinityTerm, owner: Pod, incoming: Pod) -> bool:
        """A term of a placed pod: its namespace selector reads the labels of the pod's namespace."""
        labels = self.namespaces.get(incoming.metadata.namespace, {})
        own = not term.namespaces and term.namespace_selector is None
        names = {owner.metadata.namespace} if own else set(term.namespaces)
        chosen = term.namespace_selector
        inside = incoming.metadata.namespace in names or (
            chosen is not None and matches_selector(labels, chosen)
        )
        return inside and matches_selector(incoming.metadata.labels, term.label_selector)


def required(pod: Pod, side: str) -> tuple[PodAffinityTerm, ...]:
    chosen = getattr(pod.spec.affinity, side, None)
    return chosen.required_during_scheduling_ignored_during_execution if chosen else ()


def preferred(pod: Pod, side: str) -> tuple[Any, ...]:
    chosen = getattr(pod.spec.affinity, side, None)
    return chosen.preferred_during_scheduling_ignored_during_execution if chosen else ()


@dataclass
class Counts:
    """The three maps of PreFilter: (topology key, value) to a count."""

    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    near: Counter[tuple[str, str]] = field(default_factory=Counter)
    far: Counter[tuple[str, str]] = field(default_factory=Counter)


def count(pod: Pod, world: World) -> Counts:
    counts = Counts()
    for other, node in world.placements:
        labels = node.metadata.labels
        for term in required(other, "pod_anti_affinity"):
            if world.existing_term_means(term, other, pod) and term.topology_key in labels:
                counts.refused[term.topology_key, labels[term.topology_key]] += 1
        near = required(pod, "pod_affinity")
        if near and all(world.incoming_term_means(term, pod, other) for term in near):
            for term in near:
                if term.topology_key in labels:
                    counts.near[term.topology_key, labels[term.topology_key]] += 1
        for term in required(pod, "pod_anti_affinity"):
            if world.incoming_term_means(term, pod, other) and term.topology_key in labels:
                counts.far[term.topology_key, labels[term.topology_key]] += 1
    return counts


def skips(pod: Pod, world: World) -> bool:
    demands = required(pod, "pod_affinity") or required(pod, "pod_anti_affinity")
    return not demands and not count(pod, world).refused


def verdict(pod: Pod, node: Node, world: World) -> tuple[str, tuple[str, ...]] | None:
    counts, labels = count(pod, world), node.metadata.labels
    near = required(pod, "pod_affinity")
    if any(term.topology_key not in labels for term in near):
        return NEAR
    if any(counts.near[term.topology_key, labels[term.topology_key]] == 0 for term in near):
        self_match = all(world.incoming_term_means(term, pod, pod) for term in near)
        if +counts.near or not self_match:
            return NEAR
    for term in required(pod, "pod_anti_affinity"):
        if term.topology_key in labels and counts.far[term.topology_key, labels[term.topology_key]]:
            return FAR
    return REFUSED if any(counts.refused[pair] for pair in labels.items()) else None


def naive_scores(plugin: InterPodAffinity, pod: Pod, world: World, nodes: Iterable[Node]) -> dict[str, int]:
    sums: Counter[tuple[str, str]] = Counter()
    own = [(t.pod_affinity_term, t.weight) for t in preferred(pod, "pod_affinity")]
    own += [(t.pod_affinity_term, -t.weight) for t in preferred(pod, "pod_anti_affinity")]
    nodes = list(nodes)
    if plugin.ignore_preferred_terms_of_existing_pods and not own:
        return dict.fromkeys((node.metadata.name for node in nodes), 0)
    for other, node in world.placements:
        brought = [(t, plugin.hard_pod_affinity_weight) for t in required(other, "pod_affinity")]
        brought += [(t.pod_affinity_term, t.weight) for t in preferred(other, "pod_affinity")]
        brought += [(t.pod_affinity_term, -t.weight) for t in preferred(other, "pod_anti_affinity")]
        weights = [(t, w) for t, w in own if world.incoming_term_means(t, pod, other)]
        weights += [(t, w) for t, w in brought if world.existing_term_means(t, other, pod)]
        for term, weight in weights:
            if term.topology_key in node.metadata.labels:
                sums[term.topology_key, node.metadata.labels[term.topology_key]] += weight
    raw = {n.metadata.name: sum(sums[pair] for pair in n.metadata.labels.items()) for n in nodes}
    lowest, spread = min(raw.values()), max(raw.values()) - min(raw.values())
    return {name: int(100.0 * ((s - lowest) / spread)) if spread else 0 for name, s in raw.items()}


# -- random clusters ------------------------------------------------------------------------------

NAMESPACES = ("a", "b", "c")  # there is no Namespace object for "c"
TEAMS = st.sampled_from(("red", "blue"))
LABELS = st.dictionaries(st.sampled_from(("app", "tier")), st.sampled_from(("x", "y")), max_size=2)
EXPRESSIONS: st.SearchStrategy[Any] = st.sampled_from(
    (("app", "In", ("x", "y")), ("app", "NotIn", ("x",)), ("app", "Exists"), ("tier", "DoesNotExist"))
)
SELECTORS: st.SearchStrategy[Any] = st.one_of(
    st.just({}),
    LABELS,
    st.lists(EXPRESSIONS, min_size=1, max_size=2).map(lambda chosen: selector({}, chosen)),
)
NAMESPACE_SELECTORS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.none(),
    st.just({}),
    st.just({"team": "red"}),
    st.just(selector({}, [("team", "NotIn", ["red"])])),
)
TERMS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "topology_key": st.sampled_from((ZONE, "rack", HOSTNAME)),
        "labels": SELECTORS,
        "namespaces": st.lists(st.sampled_from(NAMESPACES), max_size=2, unique=True),
        "namespace_selector": NAMESPACE_SELECTORS,
    }
)
WEIGHTED = st.tuples(st.integers(1, 100), TERMS)


@st.composite
def pods(draw: st.DrawFn, name: str) -> Any:
    pod = make_pod(name, draw(st.sampled_from(NAMESPACES))).labels(draw(LABELS))
    for term in draw(st.lists(TERMS, max_size=2)):
        pod = pod.pod_affinity(**term)
    for term in draw(st.lists(TERMS, max_size=2)):
        pod = pod.pod_anti_affinity(**term)
    for weight, term in draw(st.lists(WEIGHTED, max_size=2)):
        pod = pod.preferred_pod_affinity(weight, **term)
    for weight, term in draw(st.lists(WEIGHTED, max_size=2)):
        pod = pod.preferred_pod_anti_affinity(weight, **term)
    return pod.terminating() if draw(st.integers(0, 5)) == 0 else pod


@st.composite
def nodes(draw: st.DrawFn, number: int) -> list[Node]:
    made = []
    for i in range(number):
        labels: dict[str, str] = {
            key: value
            for key in (ZONE, "rack")
            if (value := draw(st.sampled_from(("1", "2", None)))) is not None
        }
        hostless = draw(st.integers(0, 7)) == 0
        node = make_node(f"n{i}")
        made.append((node.meta(labels=labels) if hostless else node.labels(labels)).obj)
    return made


@dataclass
class Scene:
    nodes: list[Node]
    placed: list[Pod]
    incoming: Pod
    namespaces: dict[str, dict[str, str]]

    @property
    def names(self) -> list[str]:
        return [node.metadata.name for node in self.nodes]

    def node(self, name: str) -> Node:
        return next(node for node in self.nodes if node.metadata.name == name)

    def world(self, placed: Iterable[Pod] | None = None) -> World:
        standing = self.placed if placed is None else placed
        return World([(pod, self.node(pod.spec.node_name)) for pod in standing], self.namespaces)

    def cluster(self) -> ClusterState:
        objects = [make_namespace(name, labels) for name, labels in self.namespaces.items()]
        return make_cluster(self.nodes, self.placed, objects)


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    made = draw(st.integers(1, 5).flatmap(nodes))
    names = st.sampled_from([node.metadata.name for node in made])
    placed = [draw(pods(f"p{i}")).node(draw(names)).obj for i in range(draw(st.integers(0, 5)))]
    namespaces = {name: {"kubernetes.io/metadata.name": name, "team": draw(TEAMS)} for name in NAMESPACES[:2]}
    return Scene(made, placed, draw(pods("incoming")).obj, namespaces)


@given(scenes())
@settings(max_examples=100, deadline=None)
def test_the_filter_equals_the_rules(scene: Scene) -> None:
    cluster = scene.cluster()
    assert rejected_by_plugin(scene, cluster) == rejected_by_rules(scene, scene.placed)


@given(scenes(), st.data())
@settings(max_examples=100, deadline=None)
def test_in_a_what_if_each_position_is_a_world_of_its_own(scene: Scene, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(scene.names), min_size=1, max_size=4))
    added = [data.draw(pods(f"a{i}")).node(data.draw(st.sampled_from(names))).obj for i in range(2)]
    gone = [pod for pod in scene.placed if pod.spec.node_name in names and data.draw(st.booleans())]
    cluster, cycle = scene.cluster(), None
    view = what_if(cluster, names, by_node(added), by_node(gone))
    cycle = make_cycle(cluster)
    plugin, pod = InterPodAffinity(), pod_of(cluster, scene.incoming)
    skip = plugin.pre_filter(pod, cluster.all_nodes(), cycle)
    found = {} if skip else rejections(plugin, pod, view.take(np.arange(len(names))), cycle)
    assert isinstance(skip, Skip | SkipWhile) == skips(scene.incoming, scene.world())
    for i, name in enumerate(names):
        here = [p for p in scene.placed if p not in gone or p.spec.node_name != name]
        world = scene.world(here + [p for p in added if p.spec.node_name == name])
        expected = None if skip else verdict(scene.incoming, scene.node(name), world)
        assert found.get(i) == expected


@given(scenes(), st.data())
@settings(max_examples=40, deadline=None)
def test_answers_follow_pods_that_come_and_go_and_namespaces_that_change(
    scene: Scene, data: st.DataObject
) -> None:
    cluster, standing = scene.cluster(), list(scene.placed)
    held = pod_of(cluster, scene.incoming)  # keeps what is remembered of its shape
    for i in range(5):
        step = data.draw(st.sampled_from(("come", "go", "relabel")))
        if step == "come":
            standing.append(data.draw(pods(f"s{i}")).node(data.draw(st.sampled_from(scene.names))).obj)
            cluster.add_pod(pod_of(cluster, standing[-1]))
        elif step == "go" and standing:
            gone = standing.pop(data.draw(st.integers(0, len(standing) - 1)))
            cluster.remove_pod(pod_of(cluster, gone).uid)
        elif step == "relabel":
            scene.namespaces["a"] = {**scene.namespaces["a"], "team": data.draw(TEAMS)}
            cluster.put_object(make_namespace("a", scene.namespaces["a"]))
        scene.placed = standing
        assert rejected_by_plugin(scene, cluster) == rejected_by_rules(scene, standing)
        assert_scores(InterPodAffinity(), scene, cluster, scene.names)
    assert held.name == "incoming"


@given(scenes(), st.sampled_from((0, 1, 100)), st.booleans(), st.data())
@settings(max_examples=100, deadline=None)
def test_scores_equal_the_rules(scene: Scene, hard: int, ignore: bool, data: st.DataObject) -> None:
    plugin = InterPodAffinity(hard_pod_affinity_weight=hard, ignore_preferred_terms_of_existing_pods=ignore)
    feasible = data.draw(st.lists(st.sampled_from(scene.names), min_size=1, unique=True))
    assert_scores(plugin, scene, scene.cluster(), feasible)


def assert_scores(plugin: InterPodAffinity, scene: Scene, cluster: ClusterState, feasible: list[str]) -> None:
    found = score_with(plugin, scene.incoming, cluster, feasible=feasible)
    nodes = [scene.node(name) for name in feasible]
    expected = naive_scores(plugin, scene.incoming, scene.world(), nodes)
    assert (found or dict.fromkeys(feasible, 0)) == expected


def rejected_by_plugin(scene: Scene, cluster: ClusterState) -> dict[str, Any]:
    plugin, pod, cycle = InterPodAffinity(), pod_of(cluster, scene.incoming), make_cycle(cluster)
    view = cluster.all_nodes()
    if plugin.pre_filter(pod, view, cycle) is not None:
        return {}
    return {view.name(i): said for i, said in rejections(plugin, pod, view, cycle).items()}


def rejected_by_rules(scene: Scene, placed: list[Pod]) -> dict[str, Any]:
    world = scene.world(placed)
    said = {node.metadata.name: verdict(scene.incoming, node, world) for node in scene.nodes}
    return {name: one for name, one in said.items() if one is not None}


def by_node(placed: Iterable[Pod]) -> dict[str, list[Pod]]:
    groups: dict[str, list[Pod]] = {}
    for pod in placed:
        groups.setdefault(pod.spec.node_name, []).append(pod)
    return groups
