# ruff: noqa: ARG001, ARG005, E501 - a table of broken plugins: a line each, whatever arguments they ignore
"""Each check fails on a plugin that breaks it, and in-tree plugins pass them all."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from nominee.framework import Action, EventHint, Namespace, Rejection, Resource, Service, Skip, Wait
from nominee.plugins import IN_TREE
from nominee.testing import make_cluster, make_node, make_pod
from nominee.testing.checks import PluginCheckError, check_plugin

_calls = itertools.count()


def broken(*, text: str, **members: Any) -> Any:
    """A pytest case: a frozen plugin with these members, and what its check says."""
    kind: Any = dataclass(frozen=True)(type("Broken", (), members))
    return pytest.param(kind(), text, id=text)


def rejecting(rows: Any, reason: Any = "no", unresolvable: Any = False) -> Any:
    def filter_(self: Any, pod: Any, nodes: Any, cycle: Any) -> Any:
        yield Rejection(rows(pod, nodes), reason, unresolvable)

    return filter_


def scoring(score: Any) -> Any:
    return lambda self, pod, nodes, cycle: score(pod, nodes, cycle)


def per_node(answer: Any) -> Any:
    return lambda self, pod, node, cycle: answer(pod, node)


def hinting(resource: Any, hint: Any) -> dict[str, Any]:
    events = (EventHint(resource, Action.ADD | Action.DELETE, hint),)
    return {"events_to_register": lambda _: events, "filter_node": per_node(lambda *_: "no")}


def free_cpu(pod: Any, nodes: Any) -> Any:
    return nodes.free[0] < 1000


DECLARATIONS = [
    broken(text="it extends no extension point", helper=lambda self: None),
    broken(text="prefilter is no method of the contract; is pre_filter meant", prefilter=1 .__add__, score_node=per_node(lambda *_: 1)),
    broken(text="filter_node is called with 3 arguments", filter_node=lambda self, pod: None),
    broken(text="bind must be async", bind=lambda self, pod, node, cycle, api: None),
    broken(text="filter and filter_node say the same twice", filter=rejecting(free_cpu), filter_node=per_node(lambda *_: None)),
    broken(text="reserve needs unreserve", reserve=per_node(lambda *_: None)),
    broken(text="normalize without score", normalize=lambda self, s, a, b: s, filter_node=per_node(lambda *_: None)),
    broken(text="reads_pods = False promises something only together with node_local", reads_pods=False, filter_node=per_node(lambda *_: None)),
    broken(text="reads promises something only together", node_local=True, reads=lambda self, pod: 1, filter_node=per_node(lambda *_: None)),
    broken(text="watches names classes of API objects", watches=(int,), filter_node=per_node(lambda *_: None)),
    broken(text="node_local must be True or False", node_local="yes", filter_node=per_node(lambda *_: None)),
]  # fmt: skip

ANSWERS = [
    broken(text="pre_filter must answer with Narrow", pre_filter=lambda self, pod, nodes, cycle: "no"),
    broken(text="filter must yield Rejection", filter=lambda self, pod, nodes, cycle: ["no"]),
    broken(text="rows of a rejection must be a bool mask", filter=rejecting(lambda pod, nodes: nodes.free[0])),
    broken(text="rows of a rejection must be a bool mask", filter=rejecting(lambda pod, nodes: np.ones(1, bool))),
    broken(text="unresolvable must be a bool", filter=rejecting(free_cpu, unresolvable=np.ones(2, bool))),
    broken(text="a reason is a text", filter=rejecting(free_cpu, reason=7)),
    broken(text="a reason is a text", filter_node=per_node(lambda *_: 7)),
    broken(text="filter raised ZeroDivisionError", filter_node=per_node(lambda *_: 1 // 0)),
    broken(text="filter made NumPy warn", filter=rejecting(lambda pod, nodes: 1 // nodes.allocatable[0] > 0)),
    broken(text="asked twice, it answered", filter_node=per_node(lambda *_: f"call {next(_calls)}")),
    broken(text="alone it says", filter=rejecting(lambda pod, nodes: np.arange(len(nodes)) > 0)),
    broken(text="pre_score must answer with Skip", pre_score=lambda self, pod, nodes, cycle: 0, score_node=per_node(lambda *_: 1)),
    broken(text="score must answer with an int64 array", score=scoring(lambda pod, nodes, cycle: nodes.free[0] / 2)),
    broken(text="score must answer with an int64 array", score=scoring(lambda pod, nodes, cycle: nodes.free[0, :1])),
    broken(text="score_node must answer with an int", score_node=per_node(lambda *_: 1.5)),
    broken(text="asked twice, it scored", score_node=per_node(lambda *_: next(_calls) % 7)),
    broken(text="scores must be 0 to 100 in the end", score=scoring(lambda pod, nodes, cycle: nodes.free[0])),
    broken(text="normalize is not elementwise", score_node=per_node(lambda pod, node: len(node.labels)), normalize=lambda self, s, lo, hi: s * 0 + s.size),
    broken(text="normalize must answer with an int64 array", score_node=per_node(lambda *_: 1), normalize=lambda self, s, lo, hi: s / 2),
    broken(text="normalize must not write", score_node=per_node(lambda *_: 1), normalize=lambda self, s, lo, hi: np.add(s, 1, out=s)),
    broken(text="Skip.THIS_SHAPE in one cluster and not in another", pre_filter=lambda self, pod, nodes, cycle: None if len(nodes) > 3 else Skip.THIS_SHAPE, filter=rejecting(free_cpu)),
    broken(text="events_to_register must give EventHints", events_to_register=lambda self: ["Node"], filter_node=per_node(lambda *_: None)),
    broken(text="pre_enqueue must answer", pre_enqueue=lambda self, pod: False),
    broken(text="pre_enqueue_in_cluster must answer with a text or None", pre_enqueue_in_cluster=lambda self, pod, cluster: True),
    broken(text="permit must answer with Allow", permit=per_node(lambda *_: None)),
    broken(text="permit must not wait for nan seconds", permit=per_node(lambda *_: Wait(float("nan")))),
    broken(text="sort_key must answer with a tuple", sort_key=lambda self, queued: queued.pod.priority),
    broken(text="comparing what sort_key answers raised TypeError", sort_key=lambda self, queued: (queued.pod.priority or "none",)),
    broken(text="the hint for Node, asked about one that was added, raised TypeError", **hinting(Resource.NODE, lambda pod: True)),
    broken(text="the hint for Node, asked about one that was added, raised AttributeError", **hinting(Resource.NODE, lambda pod, old, new, cluster: old.spec == new.spec)),
    broken(text="the hint for AssignedPod, asked about one that was deleted, raised AttributeError", **hinting(Resource.ASSIGNED_POD, lambda pod, old, new, cluster: bool(new.labels))),
    broken(text="the hint for Node must answer with True or False, not None", **hinting(Resource.NODE, lambda pod, old, new, cluster: None)),
    broken(text="the hint for Node, asked twice about one that was added, answered", **hinting(Resource.NODE, lambda pod, old, new, cluster: next(_calls) % 2 == 0)),
    broken(text="it changes the pod or a node that it is shown", filter_node=per_node(lambda pod, node: node.labels.update(seen="yes"))),
    broken(text="it changes the pod or a node that it is shown", filter_node=per_node(lambda pod, node: pod.spec.node_selector.update(seen="yes"))),
]  # fmt: skip

PROMISES = [
    broken(text="once the pod's name, uid and annotations changed", node_local=True, filter_node=per_node(lambda pod, _: pod.name)),
    broken(text="once all other nodes and their pods were gone", node_local=True, filter=rejecting(lambda pod, nodes: nodes.rows > 1)),
    broken(text="once all other nodes and their pods were gone", node_local=True, pre_score=lambda self, pod, nodes, cycle: None if nodes.valid.sum() > 1 else Skip.THIS_CYCLE, score_node=per_node(lambda *_: 1)),
    broken(text="against reads_pods = False", node_local=True, reads_pods=False, filter=rejecting(free_cpu)),
    broken(text="reads gives", node_local=True, reads_pods=False, reads=lambda self, pod: 1, filter_node=per_node(lambda pod, _: pod.labels.get("app") and f"app {pod.labels['app']}")),
    broken(text="of a what-if about node", node_local=True, filter=rejecting(lambda pod, nodes: nodes.tally(_Pods()) > 1)),
    broken(text="it looks up Namespace, which must stand in its `watches`", node_local=True, filter_node=lambda self, pod, node, cycle: "no" if cycle.cluster.get(Namespace, "other") else None),
    broken(text="it looks up Service, which must stand in its `watches`", node_local=True, watches=(Namespace,), score_node=lambda self, pod, node, cycle: len(list(cycle.cluster.all(Service)))),
    broken(text="alone it scores", node_local=True, score=scoring(lambda pod, nodes, cycle: np.arange(len(nodes)))),
]  # fmt: skip


@dataclass(frozen=True)
class _Pods:
    alive_only: bool = False

    def of(self, shape: Any) -> int:
        return 1


@pytest.mark.parametrize(("plugin", "text"), [*DECLARATIONS, *ANSWERS, *PROMISES])
def test_a_broken_plugin_is_told_what_it_breaks(plugin: Any, text: str) -> None:
    with pytest.raises(PluginCheckError) as caught:
        check_plugin(plugin)
    assert text in str(caught.value)
    assert str(caught.value).startswith("Broken: ")


def test_a_plugin_must_be_frozen() -> None:
    @dataclass
    class Thawed:
        def filter_node(self, pod: Any, node: Any, cycle: Any) -> None: ...

    with pytest.raises(PluginCheckError, match="a plugin is a frozen dataclass"):
        check_plugin(Thawed())


def test_a_plugins_arguments_must_be_hashable() -> None:
    @dataclass(frozen=True)
    class Listed:
        zones: list[str] = field(default_factory=list)

        def filter_node(self, pod: Any, node: Any, cycle: Any) -> None: ...

    with pytest.raises(PluginCheckError, match="must be hashable: tuples, not lists"):
        check_plugin(Listed)


@dataclass(frozen=True)
class Slots:
    """Reserves a place per node; breaks what its arguments tell it to."""

    forgets: bool = False
    raises: bool = False
    taken: dict[str, str] = field(default_factory=dict, hash=False)

    def filter_node(self, pod: Any, node: Any, cycle: Any) -> str | None:
        return "taken" if node.name in self.taken else None

    def reserve(self, pod: Any, node: Any, cycle: Any) -> None:
        self.taken[node.name] = pod.uid

    def unreserve(self, pod: Any, node: Any, cycle: Any) -> None:
        if self.raises:
            del self.taken[node.name]
        elif not self.forgets:
            self.taken.pop(node.name, None)


def test_reserving_can_be_undone() -> None:
    check_plugin(Slots())


@pytest.mark.parametrize(
    ("plugin", "text"),
    [
        (Slots(forgets=True), "left a trace"),
        (Slots(raises=True), "unreserve, called in vain, raised KeyError"),
    ],
)
def test_unreserve_undoes_reserve_and_bears_being_called_in_vain(plugin: Slots, text: str) -> None:
    with pytest.raises(PluginCheckError, match=text):
        check_plugin(plugin)


@pytest.mark.parametrize("plugin", IN_TREE, ids=lambda kind: kind.__name__)
def test_in_tree_plugins_keep_the_contract(plugin: type) -> None:
    if plugin.__name__ == "DefaultPreemption":
        pytest.skip("extends PostFilter alone, which no check runs")
    check_plugin(plugin)


@dataclass(frozen=True)
class OnDisk:
    key: str = "example.com/disk-kind"

    def filter_node(self, pod: Any, node: Any, cycle: Any) -> str | None:
        return None if node.labels.get(self.key, "a") == "a" else "wrong disk"


def test_samples_use_the_texts_among_the_arguments_as_labels() -> None:
    checked = check_plugin(OnDisk())
    assert 0 < checked.rejected < checked.asked


def test_own_pods_and_clusters_are_tried_too() -> None:
    @dataclass(frozen=True)
    class Raises:
        def filter_node(self, pod: Any, node: Any, cycle: Any) -> str | None:
            return pod.labels["special"] if node.name == "special" else None

    cluster = make_cluster([make_node("special")])
    with pytest.raises(PluginCheckError, match=r"KeyError.*pod 'default/mine' among 1 nodes"):
        check_plugin(Raises, pods=[make_pod("mine")], clusters=[cluster])
