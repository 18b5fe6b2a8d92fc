"""PodTopologySpread in columns equals the rules applied node by node, pod by pod."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nominee.plugins.pod_topology_spread import PodTopologySpread
from nominee.state.cluster import ClusterState
from nominee.testing import (
    HOSTNAME,
    ZONE,
    PodBuilder,
    filter_with,
    make_cluster,
    make_cycle,
    make_node,
    make_pod,
    make_service,
    pod_of,
    score_with,
    what_if,
)

SKEWED = ("Unschedulable", ("node(s) didn't match pod topology spread constraints",))
LACKING = (
    "UnschedulableAndUnresolvable",
    ("node(s) didn't match pod topology spread constraints (missing required label)",),
)
RACK = "rack"


class Node(NamedTuple):
    name: str
    labels: dict[str, str]
    taint: str


class Placed(NamedTuple):
    name: str
    node: str
    namespace: str
    labels: dict[str, str]
    terminating: bool


class Wish(NamedTuple):
    """A constraint; `selects` None stands for no selector at all."""

    max_skew: int
    key: str
    when: str
    selects: dict[str, str] | None
    min_domains: int | None
    affinity: str | None
    taints: str | None
    match_label_keys: tuple[str, ...]


class Incoming(NamedTuple):
    labels: dict[str, str]
    disk: str
    tolerates: bool
    wishes: list[Wish]


policies = st.sampled_from([None, "Honor", "Ignore"])
pod_labels = st.fixed_dictionaries(
    {}, optional={"app": st.sampled_from(["web", "db"]), "rev": st.sampled_from("12")}
)
node_labels = st.fixed_dictionaries(
    {},
    optional={
        ZONE: st.sampled_from(["a", "b", "c", ""]),
        RACK: st.sampled_from(["r1", "r2", ""]),
        "disk": st.sampled_from(["ssd", "hdd"]),
    },
)
wishes = st.builds(
    Wish,
    st.integers(1, 3),
    st.sampled_from([ZONE, RACK, HOSTNAME]),
    st.sampled_from(["DoNotSchedule", "ScheduleAnyway"]),
    st.sampled_from([None, {}, {"app": "web"}, {"app": "web", "rev": "1"}]),
    st.sampled_from([None, 1, 2, 3, 4]),
    policies,
    policies,
    st.sampled_from([(), (), ("rev",), ("rev", "absent")]),
)
incoming = st.builds(
    Incoming,
    pod_labels,
    st.sampled_from(["", "", "ssd"]),
    st.booleans(),
    st.lists(wishes, min_size=1, max_size=3),
)


@st.composite
def nodes_and_pods(draw: Any) -> tuple[list[Node], list[Placed]]:
    # With 20 nodes domains are large, and their sums are taken in another way.
    names = [f"n{i}" for i in range(draw(st.sampled_from([1, 2, 3, 4, 5, 6, 7, 20])))]
    nodes = []
    for name in names:
        hostname = {} if draw(st.integers(0, 7)) == 0 else {HOSTNAME: name}
        taint = draw(st.sampled_from(["", "", "NoSchedule", "NoExecute", "PreferNoSchedule"]))
        nodes.append(Node(name, {**draw(node_labels), **hostname}, taint))
    placed = [
        Placed(
            f"p{i}",
            draw(st.sampled_from(names)),
            draw(st.sampled_from(["default", "default", "default", "other"])),
            draw(pod_labels),
            draw(st.integers(0, 4)) == 0,
        )
        for i in range(draw(st.integers(0, 14)))
    ]
    return nodes, placed


# -- the rules, one node and one pod at a time ----------------------------------------------------


def selects(wish: Wish, pod: Incoming, labels: dict[str, str]) -> bool:
    if wish.selects is None:
        return False
    merged = {key: pod.labels[key] for key in wish.match_label_keys if key in pod.labels}
    return all(labels.get(key) == value for key, value in [*wish.selects.items(), *merged.items()])


def is_empty(wish: Wish, pod: Incoming) -> bool:
    return wish.selects == {} and not any(key in pod.labels for key in wish.match_label_keys)


def admits(wish: Wish, pod: Incoming, node: Node) -> bool:
    if wish.affinity != "Ignore" and pod.disk and node.labels.get("disk") != pod.disk:
        return False
    repelled = node.taint in {"NoSchedule", "NoExecute"} and not pod.tolerates
    return not (wish.taints == "Honor" and repelled)


def matching(wish: Wish, pod: Incoming, placed: Iterable[Placed]) -> int:
    if is_empty(wish, pod):
        return 0
    return sum(
        p.namespace == "default" and not p.terminating and selects(wish, pod, p.labels) for p in placed
    )


def naive_verdict(
    pod: Incoming, node: Node, nodes: list[Node], placed: list[Placed], moves: list[tuple[int, Placed]]
) -> tuple[str, tuple[str, ...]] | None:
    """`moves` are pods supposed on this node (+1) or away from it (-1)."""
    hard = [w for w in pod.wishes if w.when == "DoNotSchedule"]
    complete = [n for n in nodes if all(w.key in n.labels for w in hard)]
    for wish in hard:
        sums: dict[str, int] = {}
        for other in complete:
            if admits(wish, pod, other):
                there = [p for p in placed if p.node == other.name]
                value = other.labels[wish.key]
                sums[value] = sums.get(value, 0) + matching(wish, pod, there)
                if other is node:
                    sums[value] += sum(
                        sign for sign, p in moves if p.namespace == "default" and selects(wish, pod, p.labels)
                    )
        if wish.key not in node.labels:
            return LACKING
        least = 0 if len(sums) < (wish.min_domains or 1) else min(sums.values())
        own = int(selects(wish, pod, pod.labels))
        if sums.get(node.labels[wish.key], 0) + own - least > wish.max_skew:
            return SKEWED
    return None


def naive_scores(
    pod: Incoming, nodes: list[Node], placed: list[Placed], feasible: list[str], *, require_all: bool
) -> dict[str, int]:
    soft = [w for w in pod.wishes if w.when == "ScheduleAnyway"]

    def complete(node: Node) -> bool:
        return all(w.key in node.labels for w in soft)

    scored = [n for n in nodes if n.name in feasible and (complete(n) or not require_all)]
    raw = {}
    for node in scored:
        total = 0.0
        for wish in soft:
            if wish.key not in node.labels:
                continue
            if wish.key == HOSTNAME:
                size, counting = len(scored), [node]
            else:
                size = len({n.labels.get(wish.key, "") for n in scored})
                counting = [
                    n
                    for n in nodes
                    if n.labels.get(wish.key, "") == node.labels[wish.key]
                    and admits(wish, pod, n)
                    and (complete(n) or not require_all)
                ]
            names = {n.name for n in counting}
            count = matching(wish, pod, [p for p in placed if p.node in names])
            total += count * math.log(size + 2) + (wish.max_skew - 1)
        raw[node.name] = math.floor(total) + (total - math.floor(total) >= 0.5)
    highest, lowest = max(raw.values(), default=0), min(raw.values(), default=0)
    final = {n: 100 if highest == 0 else 100 * (highest + lowest - s) // highest for n, s in raw.items()}
    return {name: final.get(name, 0) for name in feasible}


# -- the same for the plugin ----------------------------------------------------------------------


def built_pod(placed: Placed) -> PodBuilder:
    builder = make_pod(placed.name, placed.namespace).labels(placed.labels).node(placed.node)
    return builder.terminating() if placed.terminating else builder


def built_incoming(pod: Incoming) -> PodBuilder:
    builder = make_pod("incoming").labels(pod.labels)
    if pod.disk:
        builder = builder.node_selector(disk=pod.disk)
    if pod.tolerates:
        builder = builder.toleration("t", operator="Exists")
    for w in pod.wishes:
        builder = builder.spread(
            w.max_skew,
            w.key,
            w.when,
            w.selects,
            min_domains=w.min_domains,
            node_affinity_policy=w.affinity,
            node_taints_policy=w.taints,
            match_label_keys=w.match_label_keys,
        )
    return builder


def built_cluster(nodes: list[Node], placed: list[Placed], objects: Any = ()) -> ClusterState:
    builders = []
    for node in nodes:
        builder = make_node(node.name).meta(labels=node.labels)
        builders.append(builder.taint("t", "v", node.taint) if node.taint else builder)
    return make_cluster(builders, map(built_pod, placed), objects)


@given(nodes_and_pods(), incoming)
def test_filter_equals_the_rules_node_by_node(
    cluster: tuple[list[Node], list[Placed]], pod: Incoming
) -> None:
    nodes, placed = cluster
    verdicts = filter_with(PodTopologySpread(), built_incoming(pod), built_cluster(nodes, placed))
    expected = {n.name: naive_verdict(pod, n, nodes, placed, []) for n in nodes}
    assert verdicts == {name: verdict for name, verdict in expected.items() if verdict}


@given(nodes_and_pods(), incoming, st.data())
def test_filter_of_what_ifs_equals_the_rules_node_by_node(
    cluster: tuple[list[Node], list[Placed]], pod: Incoming, data: st.DataObject
) -> None:
    nodes, placed = cluster
    state = built_cluster(nodes, placed)
    viewed = data.draw(st.lists(st.sampled_from(nodes), min_size=1, unique_by=lambda n: n.name))
    leaving = data.draw(st.lists(st.sampled_from(placed), unique_by=lambda p: p.name)) if placed else []
    coming = [
        Placed(f"new{i}", node.name, "default", data.draw(pod_labels), terminating=False)
        for i, node in enumerate(data.draw(st.lists(st.sampled_from(nodes), max_size=4)))
    ]
    names = [n.name for n in viewed]
    view = what_if(
        state,
        names,
        add={name: [built_pod(p) for p in coming if p.node == name] for name in names},
        remove={name: [built_pod(p) for p in leaving if p.node == name] for name in names},
    )
    expected = {}
    for node in viewed:
        moves = [(1, p) for p in coming if p.node == node.name]
        moves += [(-1, p) for p in leaving if p.node == node.name]
        expected[node.name] = naive_verdict(pod, node, nodes, placed, moves)
    verdicts = filter_with(PodTopologySpread(), built_incoming(pod), state, nodes=view)
    assert verdicts == {name: verdict for name, verdict in expected.items() if verdict}


@given(nodes_and_pods(), incoming, st.data())
def test_score_equals_the_rules_node_by_node(
    cluster: tuple[list[Node], list[Placed]], pod: Incoming, data: st.DataObject
) -> None:
    nodes, placed = cluster
    feasible = data.draw(st.lists(st.sampled_from([n.name for n in nodes]), unique=True))
    scores = score_with(
        PodTopologySpread(), built_incoming(pod), built_cluster(nodes, placed), feasible=feasible
    )
    if any(w.when == "ScheduleAnyway" for w in pod.wishes):
        assert scores == naive_scores(pod, nodes, placed, feasible, require_all=True)
    else:
        assert scores == {}


@given(nodes_and_pods(), pod_labels, st.data())
def test_system_defaults_score_as_the_rules_do(
    cluster: tuple[list[Node], list[Placed]], labels: dict[str, str], data: st.DataObject
) -> None:
    nodes, placed = cluster
    feasible = data.draw(st.lists(st.sampled_from([n.name for n in nodes]), unique=True))
    service = make_service("web", {"app": "web"})
    pod = make_pod("incoming").labels(labels)
    scores = score_with(PodTopologySpread(), pod, built_cluster(nodes, placed, [service]), feasible=feasible)
    if labels.get("app") != "web":
        assert scores == {}
        return
    soft = "ScheduleAnyway"
    defaults = [
        Wish(3, HOSTNAME, soft, {"app": "web"}, None, None, None, ()),
        Wish(5, ZONE, soft, {"app": "web"}, None, None, None, ()),
    ]
    same = Incoming(labels, "", tolerates=False, wishes=defaults)
    assert scores == naive_scores(same, nodes, placed, feasible, require_all=False)


@given(nodes_and_pods(), incoming, st.data())
def test_what_is_remembered_follows_every_change(
    cluster: tuple[list[Node], list[Placed]], pod: Incoming, data: st.DataObject
) -> None:
    nodes, placed = cluster
    state, plugin = built_cluster(nodes, placed), PodTopologySpread()
    asked = built_incoming(pod)
    filter_with(plugin, asked, state)
    changed = data.draw(st.sampled_from(nodes))
    now = changed._replace(labels=data.draw(node_labels))
    builder = make_node(now.name).meta(labels=now.labels)
    state.add_node((builder.taint("t", "v", now.taint) if now.taint else builder).obj)
    more = Placed("more", now.name, "default", data.draw(pod_labels), terminating=False)
    state.add_pod(pod_of(state, built_pod(more)))
    nodes, placed = [now if n is changed else n for n in nodes], [*placed, more]
    expected = {n.name: naive_verdict(pod, n, nodes, placed, []) for n in nodes}
    verdicts = filter_with(plugin, asked, state)
    assert verdicts == {name: verdict for name, verdict in expected.items() if verdict}


@given(nodes_and_pods(), incoming)
def test_a_part_of_the_nodes_is_scored_as_in_the_whole(
    cluster: tuple[list[Node], list[Placed]], pod: Incoming
) -> None:
    state, plugin = built_cluster(*cluster), PodTopologySpread()
    seen, cycle, view = pod_of(state, built_incoming(pod)), make_cycle(state), state.all_nodes()
    if plugin.pre_score(seen, view, cycle) is None:
        backwards = np.arange(len(view))[::-1]
        whole = plugin.score(seen, view, cycle)
        assert plugin.score(seen, view.take(backwards), cycle).tolist() == whole[backwards].tolist()
