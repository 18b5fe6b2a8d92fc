"""A small stand-in for the profile's filters: resources, host ports, and a rule about other pods."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from nominee.errors import PluginError
from nominee.framework import Diagnosis, Reject, Status, Verdicts
from nominee.framework.diagnosis import PASSED
from nominee.state.arrays import Ints, Mask
from nominee.state.cluster import ClusterState
from nominee.state.intern import CPU, PODS
from nominee.state.ports import host_ports
from nominee.state.shapes import Pod, Shape
from nominee.state.view import NodeView
from nominee.state.what_if import WhatIf
from nominee.testing import PodBuilder, make_pod, pod_of

REASONS = ("Insufficient cpu", "Too many pods", "no free ports", "a rival is here")
_HOPELESS = 1 << len(REASONS)


@dataclass(frozen=True)
class Rivals:
    """Counts the pods labelled as rivals."""

    alive_only: bool = False

    def of(self, shape: Shape) -> int:
        return int("rival" in shape.labels)


@dataclass
class FakeFilters:
    """Judges nodes for one pod, with and without the nominated pods of at least its priority.

    A pod labelled `shy` bears no rival on its node.
    """

    pod: Pod
    cluster: ClusterState
    node_local: bool = True
    watched: Hashable = None
    asked: list[int] = field(default_factory=list)  # how many nodes, call by call
    broken: frozenset[str] = frozenset()  # nodes on which the plugin raises

    def verdicts(self, nodes: NodeView) -> Verdicts:
        self.asked.append(len(nodes))
        if not self.broken.isdisjoint(map(self.cluster.nodes.name, nodes.rows.tolist())):
            raise PluginError("Fake", "filter") from ValueError("no such key")
        crowded = self._codes(self._with_nominated(nodes))
        codes = np.where(crowded != 0, crowded, self._codes(nodes))
        hopeless = (codes != 0) & (self._wanted(nodes) > nodes.allocatable[CPU])
        codes = np.where(hopeless, codes | _HOPELESS, codes)
        return Verdicts(
            blame=np.where(codes != 0, 0, PASSED).astype(np.int16),
            codes=codes,
            unresolvable=hopeless,
            decode=lambda _, code: Status("Fake", _reasons(code), unresolvable=bool(code & _HOPELESS)),
        )

    def _codes(self, nodes: NodeView) -> Ints:
        checks: list[Mask] = [
            self._wanted(nodes) > np.where(self._wanted(nodes) > 0, nodes.free[CPU], 0),
            nodes.free[PODS] < 1,
            np.zeros(len(nodes), np.bool_),
            np.zeros(len(nodes), np.bool_),
        ]
        for port in host_ports(self.pod.shape):
            checks[2] = checks[2] | nodes.port_conflicts(port)
        if "shy" in self.pod.labels:
            moved = nodes.moved(Rivals())
            checks[3] = nodes.tally(Rivals()) + (0 if moved is None else moved) > 0
        codes: Ints = np.sum([check.astype(np.int64) << bit for bit, check in enumerate(checks)], axis=0)
        return codes

    def _wanted(self, nodes: NodeView) -> Ints:
        return np.full(len(nodes), self.pod.requests.get("cpu", 0), np.int64)

    def _with_nominated(self, nodes: NodeView) -> NodeView:
        world, nominations = WhatIf(nodes), self.cluster.nominations
        slots = nominations.weighty(self.pod.priority, self.pod.uid)
        here, which = np.nonzero(nodes.rows[:, None] == nominations.rows[slots][None, :])
        world.add(here, nominations.shape_ids[slots[which]])
        return world


def _reasons(code: int) -> tuple[str, ...]:
    return tuple(reason for bit, reason in enumerate(REASONS) if code >> bit & 1)


def diagnose(
    pod: Pod, cluster: ClusterState, *, rejection: Reject | None = None, node_local: bool = True
) -> Diagnosis:
    """What the search for a node would have said of the pod."""
    filters = FakeFilters(pod, cluster, node_local)
    nodes = cluster.all_nodes()
    if rejection is not None:
        return Diagnosis(cluster, nodes, None, filters, rejection=("Fake", rejection))
    diagnosis = Diagnosis(cluster, nodes, filters.verdicts(nodes), filters)
    filters.asked.clear()
    return diagnosis


def urgent(cluster: ClusterState, cpu: str = "3", name: str = "urgent") -> Pod:
    """A pending pod of priority 100."""
    return pod_of(cluster, make_pod(name).req(cpu=cpu).priority(100))


def small(name: str, node: str, cpu: str = "1", priority: int = 0) -> PodBuilder:
    """A placed pod."""
    return make_pod(name).req(cpu=cpu).priority(priority).node(node)
