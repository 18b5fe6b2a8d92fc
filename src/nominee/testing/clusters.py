"""Clusters, cycles and what-ifs of what the builders make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from nominee.config.features import FeatureGates
from nominee.framework.cycle import Cycle
from nominee.model.meta import NamedObject
from nominee.model.node import Node as NodeObject
from nominee.model.pod import Pod as PodObject
from nominee.state.arrays import Rows
from nominee.state.cluster import ClusterState
from nominee.state.shapes import Pod
from nominee.state.view import NodeView
from nominee.state.what_if import WhatIf
from nominee.testing.builder import Builder
from nominee.testing.nodes import NodeBuilder
from nominee.testing.pods import PodBuilder

AnyPod: TypeAlias = PodBuilder | PodObject | Pod
AnyNode: TypeAlias = NodeBuilder | NodeObject
AnyObject: TypeAlias = Builder[Any] | NamedObject


def make_cluster(
    nodes: Iterable[AnyNode] = (), pods: Iterable[AnyPod] = (), objects: Iterable[AnyObject] = ()
) -> ClusterState:
    """A cluster: pods with a node stand there, pods with a nominated node are nominated to it."""
    cluster = ClusterState()
    for item in objects:
        cluster.put_object(item.obj if isinstance(item, Builder) else item)
    for node in nodes:
        cluster.add_node(node.obj if isinstance(node, NodeBuilder) else node)
    for source in pods:
        pod = pod_of(cluster, source)
        if pod.node_name:
            cluster.add_pod(pod)
        elif pod.nominated_node_name:
            cluster.nominate(pod, pod.nominated_node_name)
    return cluster


def pod_of(cluster: ClusterState, pod: AnyPod) -> Pod:
    """The pod as plugins of this cluster see it, whatever it is given as."""
    if isinstance(pod, Pod):
        return pod
    return cluster.pod(pod.obj if isinstance(pod, PodBuilder) else pod)


def make_cycle(
    cluster: ClusterState, now: float = 0.0, features: FeatureGates | Mapping[str, bool] | None = None
) -> Cycle:
    """An attempt that has just begun, with every node feasible until a test says otherwise."""
    gates = features if isinstance(features, FeatureGates) else FeatureGates.of(dict(features or {}))
    cycle = Cycle(cluster.view, gates, now)
    cycle.feasible = cluster.all_nodes().valid.copy()
    return cycle


def nodes_named(cluster: ClusterState, names: Iterable[str]) -> NodeView:
    """The view of these nodes, in this order; a name may come twice."""
    rows = [cluster.nodes.row_of[name] for name in names]
    return cluster.all_nodes().take(np.array(rows, np.intp))


class Supposition(WhatIf):
    """A what-if that keeps the pods it supposes: shapes live as long as somebody holds a pod of them."""

    def __init__(self, base: NodeView) -> None:
        super().__init__(base)
        self.supposed: list[Pod] = []

    def suppose(self, position: int, pod: Pod, sign: int) -> None:
        """One pod more (+1) or less (-1) on the node at a position."""
        self.supposed.append(pod)
        positions: Rows = np.array([position], np.intp)
        (self.add if sign > 0 else self.remove)(positions, np.array([pod.shape.id], np.intp))


def what_if(
    cluster: ClusterState,
    node_names: Iterable[str],
    add: Mapping[str, Iterable[AnyPod]] | None = None,
    remove: Mapping[str, Iterable[AnyPod]] | None = None,
) -> Supposition:
    """These nodes, as if by node name some pods had gone (`remove`) and then others come (`add`)."""
    names = list(node_names)
    supposition = Supposition(nodes_named(cluster, names))
    for sign, changes in ((-1, remove or {}), (1, add or {})):
        for name, pods in changes.items():
            for pod in pods:
                for position in (i for i, other in enumerate(names) if other == name):
                    supposition.suppose(position, pod_of(cluster, pod), sign)
    return supposition
