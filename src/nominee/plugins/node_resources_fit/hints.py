"""Which events may make room for a pod that the filter has rejected."""

from __future__ import annotations

from collections.abc import Sequence

from nominee.framework import (
    Action,
    ClusterView,
    DeviceClass,
    EventHint,
    NodeObject,
    Pod,
    Resource,
    is_scalar_resource_name,
    node_allocatable,
)
from nominee.plugins.node_resources_fit.demand import DEVICE_CLASS_PREFIX, device_resources


def pod_gone_made_room(_pod: Pod, old: Pod, _new: None, _cluster: ClusterView) -> bool:
    """Whether the deleted pod held room at all: on a node, or nominated to one.

    Reproduces isSchedulableAfterAssignedPodDelete
    (pkg/scheduler/framework/plugins/noderesources/fit.go, v1.37).
    """
    return bool(old.node_name or old.nominated_node_name)


def pod_shrunk(pod: Pod, old: Pod, new: Pod, _cluster: ClusterView) -> bool:
    """Whether a placed pod takes less than before of anything this pod requests.

    Reproduces haveEnoughRelevantResourcesDecreased of the same file.
    """
    if not new.node_name:
        return False
    before, after = old.shape.placed_requests, new.shape.placed_requests
    wanted = (name for name, amount in pod.shape.placed_requests.items() if amount)
    return any(before.get(name, 0) > after.get(name, 0) for name in wanted)


def node_grew(pod: Pod, old: NodeObject | None, new: NodeObject, cluster: ClusterView) -> bool:
    """Whether the pod would fit on the node were it empty, and a known node has more than it had.

    Reproduces isSchedulableAfterNodeChange, isFit and haveAnyRequestedResourcesIncreased of the same
    file; the resources that the configuration ignores are not ignored here.
    """
    has = node_allocatable(new)
    wanted = {name: amount for name, amount in pod.requests.items() if amount}
    from_devices = [name for name in wanted if not has.get(name) and _is_from_devices(name, cluster)]
    if has.get("pods", 0) < 1:
        return False
    if any(amount > has.get(name, 0) and name not in from_devices for name, amount in wanted.items()):
        return False
    if old is None or from_devices:
        return True
    had = node_allocatable(old)
    return any(has.get(name, 0) > had.get(name, 0) for name in ("pods", *wanted))


def device_class_helps(pod: Pod, old: DeviceClass | None, new: DeviceClass, _cluster: ClusterView) -> bool:
    """Whether the class has begun to provide a resource that the pod requests.

    Reproduces isSchedulableAfterDeviceClassEvent of the same file.
    """
    provided = new.spec.extended_resource_name
    if old is None:
        return DEVICE_CLASS_PREFIX + new.metadata.name in pod.requests or provided in pod.requests
    return provided != old.spec.extended_resource_name and provided in pod.requests


def _is_from_devices(name: str, cluster: ClusterView) -> bool:
    return is_scalar_resource_name(name) and name in device_resources(cluster)


EVENTS: Sequence[EventHint] = (
    EventHint(Resource.ASSIGNED_POD, Action.DELETE, pod_gone_made_room),
    EventHint(Resource.NODE, Action.ADD | Action.UPDATE_NODE_ALLOCATABLE, node_grew),
    EventHint(Resource.DEVICE_CLASS, Action.ADD | Action.UPDATE, device_class_helps),
    EventHint(Resource.ASSIGNED_POD, Action.UPDATE_POD_SCALE_DOWN, pod_shrunk),
    EventHint(Resource.TARGET_POD, Action.UPDATE_POD_SCALE_DOWN),
)
