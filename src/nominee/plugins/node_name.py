"""NodeName: a pod that names its node goes there or nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nominee.framework import Action, Cycle, EventHint, Narrow, NodeView, Pod, Rejection, Resource, Skip


@dataclass(frozen=True, slots=True)
class NodeName:
    """Reproduces pkg/scheduler/framework/plugins/nodename/node_name.go, v1.37.

    Not node-local: `spec.nodeName` is the one field of the spec that is no part of a pod's shape.
    """

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Narrow | Skip:
        # Pods that name a node are bound already and in no queue. The promise to have nothing to say
        # for the whole shape is therefore kept wherever pods are scheduled.
        return Narrow(frozenset({pod.node_name})) if pod.node_name else Skip.THIS_SHAPE

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Iterator[Rejection]:
        if not pod.node_name:
            return
        rejected = ~nodes.named((pod.node_name,))
        if rejected.any():
            yield Rejection(rejected, "node(s) didn't match the requested node name", unresolvable=True)

    def events_to_register(self) -> Sequence[EventHint]:
        return (EventHint(Resource.NODE, Action.ADD),)
