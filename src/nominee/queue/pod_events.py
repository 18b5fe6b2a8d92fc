"""Which events an update of a pod amounts to."""

from __future__ import annotations

from collections.abc import Iterator

from nominee.framework import Action, ClusterEvent, Pod, Resource


def pod_events(old: Pod, new: Pod, resource: Resource = Resource.UNSCHEDULED_POD) -> list[ClusterEvent]:
    """One event per kind of change; a general update when none of them can be told.

    `resource` is TARGET_POD for the pod in the queue that the update is about; whatever it is, a
    pod that has a node is an assigned one. Tolerations count as changed only when their number did.

    Reproduces PodSchedulingPropertiesChange (pkg/scheduler/framework/events.go, v1.37).
    """
    if new.node_name:
        resource = Resource.ASSIGNED_POD
    actions = list(_changes(old, new)) or [Action.UPDATE]
    return [ClusterEvent(resource, action) for action in actions]


def _changes(old: Pod, new: Pod) -> Iterator[Action]:
    if old.shape is not new.shape:
        yield from _changes_of_shape(old, new)
    if _claims(old) != _claims(new):
        yield Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM


def _changes_of_shape(old: Pod, new: Pod) -> Iterator[Action]:
    if old.labels != new.labels:
        yield Action.UPDATE_POD_LABEL
    before, after = old.shape.placed_requests, new.shape.placed_requests
    if any(amount > after.get(name, -1) for name, amount in before.items()):
        yield Action.UPDATE_POD_SCALE_DOWN
    if any(amount > before.get(name, -1) for name, amount in after.items()):
        yield Action.UPDATE_POD_SCALE_UP
    if old.spec.scheduling_gates and not new.spec.scheduling_gates:
        yield Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED
    if len(old.tolerations) != len(new.tolerations):
        yield Action.UPDATE_POD_TOLERATION


def _claims(pod: Pod) -> tuple[object, object]:
    return pod.status.resource_claim_statuses, pod.status.extended_resource_claim_status
