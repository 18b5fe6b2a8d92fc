"""For a pod that a plugin rejected: the event that may help wakes it, the one that cannot does not.

Follows CoreResourceEnqueueTestCases (test/integration/scheduler/queueing/queue.go, v1.37).
"""

from dataclasses import dataclass
from typing import Any

import pytest

from nominee.framework import Action, ClusterEvent, Resource
from nominee.model.node import Node
from nominee.plugins.inter_pod_affinity import InterPodAffinity
from nominee.plugins.node_affinity import NodeAffinity
from nominee.plugins.node_name import NodeName
from nominee.plugins.node_ports import NodePorts
from nominee.plugins.node_resources_fit import NodeResourcesFit
from nominee.plugins.node_unschedulable import NodeUnschedulable
from nominee.plugins.pod_topology_spread import PodTopologySpread
from nominee.plugins.priority_sort import PrioritySort
from nominee.plugins.taint_toleration import TaintToleration
from nominee.queue.node_events import node_events
from nominee.queue.pod_events import pod_events
from nominee.queue.policy import policy_of
from nominee.queue.scheduling_queue import SchedulingQueue
from nominee.testing import NodeBuilder, PodBuilder, make_cluster, make_node, make_pod

PLUGINS = {
    type(plugin).__name__: plugin
    for plugin in (
        NodeUnschedulable(),
        NodeName(),
        TaintToleration(),
        NodeAffinity(),
        NodePorts(),
        NodeResourcesFit(),
        PodTopologySpread(),
        InterPodAffinity(),
    )
}


@dataclass
class Change:
    """From what to what; None for "there is none"."""

    old: Any
    new: Any


def _wakes(pod: PodBuilder, rejector: str, change: Change) -> bool:
    """Whether the pod, rejected by that plugin, is let go when this happens."""
    cluster = make_cluster()
    queue = SchedulingQueue({"default-scheduler": policy_of(PLUGINS)}, PrioritySort().sort_key, cluster)
    rejected = cluster.pod(pod.obj)
    queue.add(rejected, 0.0)
    queued = queue.pop()
    assert queued is not None
    queued.blame([rejector])
    queue.return_after_failure(queued, 0.0)
    old, new = (_built(cluster, item) for item in (change.old, change.new))
    if old is not None and new is not None and new.uid_of == rejected.uid:
        queue.update(old.item, new.item, 1.0)
    else:
        for event in _events(old, new):
            queue.move(event, old and old.item, new and new.item, 1.0)
    return queue.where(rejected.uid) != "unschedulable"


@dataclass
class _Built:
    item: Any
    uid_of: str


def _built(cluster: Any, item: PodBuilder | NodeBuilder | None) -> _Built | None:
    if item is None:
        return None
    if isinstance(item, NodeBuilder):
        return _Built(item.obj, "")
    pod = cluster.pod(item.obj)
    return _Built(pod, pod.uid)


def _events(old: _Built | None, new: _Built | None) -> list[ClusterEvent]:
    known = new or old
    assert known is not None
    is_node = isinstance(known.item, Node)
    if old is None or new is None:
        action = Action.ADD if old is None else Action.DELETE
        return [ClusterEvent(Resource.NODE if is_node else Resource.ASSIGNED_POD, action)]
    return node_events(old.item, new.item) if is_node else pod_events(old.item, new.item)


POD = make_pod("pod")
NODE = make_node("n").zone("a").capacity(cpu="4")
OTHER = make_pod("other").node("n")
NEAR = POD.pod_affinity("zone", {"app": "web"})
FAR = POD.pod_anti_affinity("zone", {"app": "web"})
SPREAD = POD.label("app", "web").spread(1, "zone", labels={"app": "web"})
WEB = OTHER.label("app", "web")
TAINTED = NODE.taint("k", "v")
IN_ZONE = make_node("n").label("zone", "a")

CASES = [
    ("a node comes, name", "NodeName", POD, Change(None, NODE), True),
    ("a node changes, name", "NodeName", POD, Change(NODE, NODE.label("k")), False),
    ("a schedulable node comes", "NodeUnschedulable", POD, Change(None, NODE), True),
    ("a cordoned node comes", "NodeUnschedulable", POD, Change(None, NODE.unschedulable()), False),
    ("a node is uncordoned", "NodeUnschedulable", POD, Change(NODE.unschedulable(), NODE), True),
    ("a node is cordoned", "NodeUnschedulable", POD, Change(NODE, NODE.unschedulable()), False),
    ("a taint goes", "TaintToleration", POD, Change(TAINTED, NODE), True),
    ("one of two taints goes", "TaintToleration", POD, Change(TAINTED.taint("l"), TAINTED), False),
    ("labels of a tainted node", "TaintToleration", POD, Change(TAINTED, TAINTED.label("k")), False),
    ("the pod tolerates", "TaintToleration", POD, Change(POD, POD.toleration("k", "v")), True),
    ("the pod is labelled", "TaintToleration", POD, Change(POD, POD.label("k")), False),
    (
        "a node comes to match",
        "NodeAffinity",
        POD.node_selector(z="a"),
        Change(NODE, NODE.label("z", "a")),
        True,
    ),
    (
        "a node does not match",
        "NodeAffinity",
        POD.node_selector(z="a"),
        Change(NODE, NODE.label("z", "b")),
        False,
    ),
    ("the port's pod goes", "NodePorts", POD.host_port(80), Change(OTHER.host_port(80), None), True),
    ("another port's pod goes", "NodePorts", POD.host_port(80), Change(OTHER.host_port(81), None), False),
    ("a node with its ports comes", "NodePorts", POD.host_port(80), Change(None, NODE), True),
    ("a pod goes", "NodeResourcesFit", POD.req(cpu="2"), Change(OTHER, None), True),
    (
        "a pod shrinks",
        "NodeResourcesFit",
        POD.req(cpu="2"),
        Change(OTHER.req(cpu="2"), OTHER.req(cpu="1")),
        True,
    ),
    (
        "a pod grows",
        "NodeResourcesFit",
        POD.req(cpu="2"),
        Change(OTHER.req(cpu="1"), OTHER.req(cpu="2")),
        False,
    ),
    ("a large node comes", "NodeResourcesFit", POD.req(cpu="2"), Change(None, NODE), True),
    ("a small node comes", "NodeResourcesFit", POD.req(cpu="8"), Change(None, NODE), False),
    (
        "a node grows",
        "NodeResourcesFit",
        POD.req(cpu="2"),
        Change(NODE, NODE.allocatable(cpu="5", pods=110)),
        True,
    ),
    (
        "in another resource",
        "NodeResourcesFit",
        POD.req(cpu="2"),
        Change(NODE, NODE.capacity("4", "9Gi")),
        False,
    ),
    ("for more pods", "NodeResourcesFit", POD.req(cpu="2"), Change(NODE, NODE.capacity("4", pods=111)), True),
    ("the pod itself shrinks", "NodeResourcesFit", POD, Change(POD.req(cpu="2"), POD.req(cpu="1")), True),
    ("company comes", "InterPodAffinity", NEAR, Change(None, WEB), True),
    ("other company comes", "InterPodAffinity", NEAR, Change(None, OTHER), False),
    ("company goes", "InterPodAffinity", FAR, Change(WEB, None), True),
    ("other company goes", "InterPodAffinity", FAR, Change(OTHER, None), False),
    ("a pod becomes company", "InterPodAffinity", NEAR, Change(OTHER, WEB), True),
    ("a node joins a zone", "InterPodAffinity", NEAR, Change(make_node("n"), IN_ZONE), True),
    ("a counted pod goes", "PodTopologySpread", SPREAD, Change(WEB, None), True),
    ("an uncounted pod goes", "PodTopologySpread", SPREAD, Change(OTHER, None), False),
    ("a pod begins to count", "PodTopologySpread", SPREAD, Change(OTHER, WEB), True),
    ("a node of a zone comes", "PodTopologySpread", SPREAD, Change(None, IN_ZONE), True),
    ("a node of a zone goes", "PodTopologySpread", SPREAD, Change(IN_ZONE, None), True),
    ("a node of no zone comes", "PodTopologySpread", SPREAD, Change(None, make_node("n")), False),
]


@pytest.mark.parametrize(
    ("rejector", "pod", "change", "wakes"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_only_an_event_that_may_help_wakes_the_pod(
    rejector: str, pod: PodBuilder, change: Change, wakes: bool
) -> None:
    assert _wakes(pod, rejector, change) is wakes
