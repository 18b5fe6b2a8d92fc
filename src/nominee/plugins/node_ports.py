"""NodePorts: a host port is given once a node, address and protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nominee.framework import (
    Action,
    ClusterView,
    Cycle,
    EventHint,
    HostPort,
    NodeView,
    Pod,
    Rejection,
    Resource,
    Skip,
    host_ports,
)


@dataclass(frozen=True, slots=True)
class NodePorts:
    """Reproduces pkg/scheduler/framework/plugins/nodeports/node_ports.go, v1.37."""

    node_local: ClassVar[bool] = True

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Skip | None:
        return None if _wanted(pod) else Skip.THIS_SHAPE

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Iterator[Rejection]:
        taken = np.zeros(len(nodes), np.bool_)
        for port in _wanted(pod):
            taken |= nodes.port_conflicts(port)
        if taken.any():
            yield Rejection(taken, "node(s) didn't have free ports for the requested pod ports")

    def events_to_register(self) -> Sequence[EventHint]:
        return (
            EventHint(Resource.ASSIGNED_POD, Action.DELETE, self._after_pod_deleted),
            EventHint(Resource.NODE, Action.ADD),
        )

    def _after_pod_deleted(self, pod: Pod, old: Pod, new: None, cluster: ClusterView) -> bool:
        """The deleted pod held, or was to hold, a port that the pod wants."""
        if not old.node_name and not old.nominated_node_name:
            return False
        return any(wanted.conflicts(held) for wanted in _wanted(pod) for held in _wanted(old))


def _wanted(pod: Pod) -> tuple[HostPort, ...]:
    return pod.memo(host_ports, host_ports)
