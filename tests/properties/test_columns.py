"""Columns kept up to date step by step equal columns computed from nothing, after any history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from nominee.state import invariants
from nominee.state.cluster import ClusterState
from nominee.state.facts import Label, Taints
from nominee.state.placed_terms import TERM_KINDS
from nominee.state.ports import HostPort
from nominee.state.shapes import Pod, Shape
from nominee.testing import NodeBuilder, PodBuilder, make_node, make_pod, what_if

NODES = [f"n{i}" for i in range(3)]
NOWHERE = "never-created"
APPS = ["web", "db"]
TERMS: list[Callable[[PodBuilder], PodBuilder]] = [
    lambda pod: pod,
    lambda pod: pod.pod_anti_affinity("zone", {"app": "web"}),
    lambda pod: pod.pod_affinity("zone", {"app": "db"}).preferred_pod_affinity(3, "zone", {"app": "web"}),
    lambda pod: pod.preferred_pod_anti_affinity(7, "host", {"app": "db"}, namespaces=["other"]),
]


@dataclass(frozen=True)
class Apps:
    """How many pods of an app; a tally as spread constraints use them."""

    app: str
    alive_only: bool

    def of(self, shape: Shape) -> int:
        return int(shape.labels.get("app") == self.app)


TALLIES = [Apps(app, alive_only) for app in APPS for alive_only in (True, False)]
FACTS: list[Any] = [Label("zone"), Label("pool"), Taints()]


@st.composite
def nodes(draw: st.DrawFn, name: str) -> NodeBuilder:
    gpus = draw(st.sampled_from([{}, {"example.com/gpu": 2}, {f"example.com/rare-{name}": 1}]))
    node = make_node(name).capacity(cpu=draw(st.integers(0, 8)), memory="8Gi", pods=5, **gpus)
    if zone := draw(st.sampled_from(["", "a", "b"])):
        node = node.label("zone", zone)
    if draw(st.booleans()):
        node = node.label("pool", draw(st.sampled_from(["x", "y"]))).taint("dedicated", "x")
    for image in draw(st.lists(st.sampled_from(["i1", "i2"]), max_size=3)):
        node = node.image(image, draw(st.integers(1, 9)))
    return node


@st.composite
def pods(draw: st.DrawFn, name: str) -> PodBuilder:
    pod = make_pod(name).label("app", draw(st.sampled_from(APPS))).priority(draw(st.integers(0, 2)))
    pod = pod.req(cpu=f"{draw(st.integers(0, 3))}")
    if draw(st.booleans()):
        pod = pod.req(**{draw(st.sampled_from(["example.com/gpu", f"example.com/{name}"])): 1})
    for port in draw(st.lists(st.sampled_from([80, 81]), max_size=2)):
        pod = pod.host_port(port, ip=draw(st.sampled_from(["", "10.0.0.1"])))
    return draw(st.sampled_from(TERMS))(pod)


@dataclass
class World:
    """What the API server would hold: the plain truth to compare with."""

    nodes: dict[str, NodeBuilder] = field(default_factory=dict)
    placed: dict[str, PodBuilder] = field(default_factory=dict)
    nominated: dict[str, tuple[PodBuilder, str]] = field(default_factory=dict)

    def build(self) -> ClusterState:
        """The same cluster by another road: pods first, everything in reverse."""
        cluster = ClusterState()
        for pod, name in reversed(self.nominated.values()):
            cluster.nominate(cluster.pod(pod.obj), name)
        for pod in reversed(self.placed.values()):
            cluster.add_pod(cluster.pod(pod.obj))
        for node in reversed(self.nodes.values()):
            cluster.add_node(node.obj)
        return cluster


def seen(cluster: ClusterState) -> dict[str, Any]:
    """All that plugins can see, by names instead of rows and ids."""
    view = cluster.all_nodes()
    at = {view.name(i): i for i in np.flatnonzero(view.valid).tolist()}
    return {
        "amounts": {
            n: [_no_zeros(a) for a in (x.allocatable, x.requested, x.free)]
            for n in at
            for x in [view.node(at[n])]
        },
        "nonzero": {n: view.nonzero[:, i].tolist() for n, i in at.items()},
        "pods": {n: sorted(pod.uid for pod in cluster.pods_on(n)) for n in [*at, *cluster.orphans]},
        "facts": {f: {n: view.values(f).values[view.ids(f)[i]] for n, i in at.items()} for f in FACTS},
        "tallies": {t: {n: int(view.tally(t)[i]) for n, i in at.items()} for t in TALLIES},
        "ports": {p: {n: bool(view.port_conflicts(_port(p))[i]) for n, i in at.items()} for p in (80, 81)},
        "images": {im: {n: int(view.image_size(im)[i]) for n, i in at.items()} for im in ("i1", "i2")},
        "terms": {kind: set(cluster.placed_terms.distinct(kind)) for kind in TERM_KINDS},
        "nominations": {p.uid: cluster.nominations.node_of(p.uid) for p in cluster.nominations.pods},
        "nominated": {n: {p.uid for p in cluster.nominations.on_node(n)} for n in [*NODES, NOWHERE]},
    }


def _no_zeros(amounts: dict[str, int]) -> dict[str, int]:
    return {name: amount for name, amount in amounts.items() if amount}


def _port(number: int) -> HostPort:
    return HostPort("TCP", "10.0.0.1", number)


names = st.sampled_from([f"p{i}" for i in range(4)])
node_names = st.sampled_from(NODES)
any_node_names = st.sampled_from([*NODES, NOWHERE])


class Columns(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.cluster = ClusterState()
        self.world = World()
        self.assumed: dict[str, tuple[PodBuilder, Pod]] = {}
        self.crowds = 0

    # -- nodes

    @rule(data=st.data(), name=node_names)
    def write_node(self, data: st.DataObject, name: str) -> None:
        node = data.draw(nodes(name))
        self.world.nodes[name] = node
        self.cluster.add_node(node.obj)

    @rule(name=node_names)
    def remove_node(self, name: str) -> None:
        self.world.nodes.pop(name, None)
        self.cluster.remove_node(name)

    @precondition(lambda self: self.crowds < 2)
    @rule(count=st.integers(30, 70))
    def add_a_crowd(self, count: int) -> None:
        """More nodes, pods and shapes than the arrays had room for."""
        self.crowds += 1
        for i in range(count):
            name = f"crowd{self.crowds}-{i}"
            self.world.nodes[name] = make_node(name).label("zone", name)
            self.cluster.add_node(self.world.nodes[name].obj)
            for j in range(3):
                pod = make_pod(f"{name}-{j}").label("number", f"{i % 50}").req(cpu="10m").node(name)
                self._place(pod)

    # -- placed pods

    @rule(data=st.data(), name=names, node=any_node_names)
    def write_pod(self, data: st.DataObject, name: str, node: str) -> None:
        """A pod appears on a node or changes there: moved, resized, relabelled; or is confirmed."""
        pod = data.draw(pods(name)).node(node)
        if data.draw(st.booleans()):
            pod = pod.started(data.draw(st.integers(1, 9)))
        self._place(pod)

    @rule(name=names)
    def delete_gracefully(self, name: str) -> None:
        pod = self.world.placed.get(f"default/{name}")
        if pod is not None:
            self._place(pod.terminating(5))

    @rule(name=names)
    def remove_pod(self, name: str) -> None:
        uid = f"default/{name}"
        removed = self.cluster.remove_pod(uid)
        assert (removed is not None) == (uid in self.world.placed)
        self.world.placed.pop(uid, None)
        self.assumed.pop(uid, None)

    def _place(self, pod: PodBuilder) -> None:
        uid = pod.obj.metadata.uid
        self.world.placed[uid] = pod
        self.assumed.pop(uid, None)
        self.cluster.add_pod(self.cluster.pod(pod.obj))

    # -- assumed pods

    @rule(data=st.data(), name=names, node=any_node_names)
    def assume(self, data: st.DataObject, name: str, node: str) -> None:
        uid = f"default/{name}"
        self.remove_pod(name)
        builder = data.draw(pods(name))
        pod = self.cluster.pod(builder.obj)
        self.cluster.assume(pod, node)
        self.assumed[uid] = (builder, pod)
        self.world.placed[uid] = builder.node(node)
        self.world.nominated.pop(uid, None)

    @rule(name=names)
    def forget(self, name: str) -> None:
        uid = f"default/{name}"
        self.cluster.forget(uid)
        if self.assumed.pop(uid, None) is not None:
            del self.world.placed[uid]

    @rule(name=names)
    def confirm(self, name: str) -> None:
        builder = self.world.placed.get(f"default/{name}")
        if builder is not None and f"default/{name}" in self.assumed:
            self._place(builder)

    # -- nominations

    @rule(data=st.data(), name=names, node=any_node_names)
    def nominate(self, data: st.DataObject, name: str, node: str) -> None:
        pod = data.draw(pods(name))
        self.world.nominated.pop(pod.obj.uid, None)
        self.world.nominated[pod.obj.uid] = (pod, node)
        self.cluster.nominate(self.cluster.pod(pod.obj), node)

    @rule(name=names)
    def take_back_nomination(self, name: str) -> None:
        self.world.nominated.pop(f"default/{name}", None)
        self.cluster.nominate(self.cluster.pod(make_pod(name).obj), "")

    # -- readers: columns begin to exist when first asked for

    @rule(tally=st.sampled_from(TALLIES))
    def ask_for_tally(self, tally: Apps) -> None:
        self.cluster.tally(tally)

    @rule(fact=st.sampled_from(FACTS))
    def ask_for_fact(self, fact: Any) -> None:
        self.cluster.nodes.fact(fact)

    @rule(name=node_names, other=node_names)
    def what_if_pods_were_elsewhere(self, name: str, other: str) -> None:
        """What a what-if says of a node is what the node says once the pods have gone there."""
        if not {name, other} <= self.world.nodes.keys():
            return
        moving = [p for p in self.world.placed.values() if p.obj.spec.node_name == name != other]
        view = what_if(self.cluster, [name, other], add={other: moving}, remove={name: moving})
        moved = World(dict(self.world.nodes), {p.obj.uid: p for p in self.world.placed.values()})
        moved.placed.update({p.obj.uid: p.node(other) for p in moving})
        should_be = seen(moved.build())
        for i, node in enumerate([name, other]):
            requested, free = _no_zeros(view.node(i).requested), _no_zeros(view.node(i).free)
            assert [requested, free] == should_be["amounts"][node][1:]
            assert view.nonzero[:, i].tolist() == should_be["nonzero"][node]
            for tally in (each for each in TALLIES if not each.alive_only):
                moved_there = view.moved(tally)
                assert moved_there is not None
                assert view.tally(tally)[i] + moved_there[i] == should_be["tallies"][tally][node]
            assert len(view.node(i).pods) == len(should_be["pods"].get(node, ()))
            assert all(view.port_conflicts(_port(p))[i] == should_be["ports"][p][node] for p in (80, 81))

    # -- what always holds

    @invariant()
    def columns_are_what_their_objects_make_them(self) -> None:
        invariants.check(self.cluster)

    @invariant()
    def nothing_is_lost(self) -> None:
        assert self.cluster.nodes.row_of.keys() == self.world.nodes.keys()
        assert {uid for uid in self.world.placed if self.cluster.is_placed(uid)} == self.world.placed.keys()
        assert len(self.cluster.pods) + len(self.cluster._orphaned) == len(self.world.placed)
        assert self.cluster.assumed.keys() == self.assumed.keys()
        assert len(self.cluster.nominations) == len(self.world.nominated)

    def teardown(self) -> None:
        assert seen(self.cluster) == seen(self.world.build())
        self._remove_everything()
        self._expect_nothing_left()

    def _remove_everything(self) -> None:
        for uid in list(self.world.placed):
            self.cluster.remove_pod(uid)
        for pod, _ in self.world.nominated.values():
            self.cluster.nominate(self.cluster.pod(pod.obj), "")
        for name in list(self.world.nodes):
            self.cluster.remove_node(name)
        self.assumed.clear()

    def _expect_nothing_left(self) -> None:
        cluster = self.cluster
        invariants.check(cluster)
        assert (len(cluster.nodes), len(cluster.pods), len(cluster.nominations)) == (0, 0, 0)
        assert (cluster.orphans, cluster.assumed) == ({}, {})
        assert len(cluster.shapes) == 0
        assert all(column.distinct == 0 for column in cluster.nodes.facts.values())
        assert not any(column.any() for _, column in cluster.tallies.items())
        assert not any(
            column.any() for column in (cluster.nodes.requested, cluster.nodes.free, cluster.nodes.nonzero)
        )


TestColumns = Columns.TestCase
TestColumns.settings = settings(max_examples=60, stateful_step_count=40)
