"""Which events an update of a node amounts to."""

from __future__ import annotations

from collections.abc import Iterator

from nominee.framework import Action, ClusterEvent, NodeObject, Resource
from nominee.model.base import ResourceList
from nominee.model.quantity import nano_value


def node_events(old: NodeObject, new: NodeObject) -> list[ClusterEvent]:
    """One event per kind of change that plugins can tell, in upstream's order; often none.

    A node that is made schedulable again counts as one whose taints changed. The pod preemption
    policy of a node (alpha) is not known here.

    Reproduces NodeSchedulingPropertiesChange (pkg/scheduler/framework/events.go, v1.37).
    """
    return [ClusterEvent(Resource.NODE, action) for action in _changes(old, new)]


def _changes(old: NodeObject, new: NodeObject) -> Iterator[Action]:
    if old.spec.unschedulable and not new.spec.unschedulable:
        yield Action.UPDATE_NODE_TAINT
    if _differ(old.status.allocatable, new.status.allocatable):
        yield Action.UPDATE_NODE_ALLOCATABLE
    if old.metadata.labels != new.metadata.labels:
        yield Action.UPDATE_NODE_LABEL
    if old.spec.taints != new.spec.taints:
        yield Action.UPDATE_NODE_TAINT
    if _conditions(old) != _conditions(new):
        yield Action.UPDATE_NODE_CONDITION
    if old.metadata.annotations != new.metadata.annotations:
        yield Action.UPDATE_NODE_ANNOTATION
    if old.status.declared_features != new.status.declared_features:
        yield Action.UPDATE_NODE_DECLARED_FEATURE


def _differ(old: ResourceList, new: ResourceList) -> bool:
    """Whether amounts differ, not just the way they are written."""
    return old != new and _nanos(old) != _nanos(new)


def _nanos(amounts: ResourceList) -> dict[str, int]:
    return {name: nano_value(amount) for name, amount in amounts.items()}


def _conditions(node: NodeObject) -> dict[str, str]:
    """Heartbeats, reasons and messages left out."""
    return {condition.type: condition.status for condition in node.status.conditions}
