"""Which events NodeResourcesFit lets wake a pod that it has rejected."""

from typing import Any

import pytest

from nominee.framework import Action, ClusterEvent, NodeObject, Resource
from nominee.model.dra import DeviceClass, DeviceClassSpec
from nominee.model.meta import ObjectMeta
from nominee.plugins.node_resources_fit import NodeResourcesFit
from nominee.testing import PodBuilder, make_cluster, make_node, make_pod, pod_of

GPU = "example.com/gpu"
POD = make_pod("waiting").req(cpu="2", memory="1Gi")
GPU_POD = make_pod("waiting").req(cpu="2", **{GPU: 1})


def device_class(resource: str | None, name: str = "gpu") -> DeviceClass:
    return DeviceClass(metadata=ObjectMeta(name=name), spec=DeviceClassSpec(extended_resource_name=resource))


def wakes(
    event: ClusterEvent, pod: PodBuilder, old: Any, new: Any, objects: tuple[DeviceClass, ...] = ()
) -> bool:
    """Whether the plugin that hears of the event has the pod tried again."""
    cluster = make_cluster(objects=objects)
    (registered,) = [e for e in NodeResourcesFit().events_to_register() if event.reaches(e.event)]
    if registered.hint is None:
        return True
    pods = event.resource is Resource.ASSIGNED_POD
    before, after = (pod_of(cluster, x) if pods and x else x for x in (old, new))
    return registered.hint(pod_of(cluster, pod), before, after, cluster.view)


DELETED = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE)
SHRUNK = ClusterEvent(Resource.ASSIGNED_POD, Action.UPDATE_POD_SCALE_DOWN)
NODE_ADDED = ClusterEvent(Resource.NODE, Action.ADD)
NODE_GREW = ClusterEvent(Resource.NODE, Action.UPDATE_NODE_ALLOCATABLE)
CLASS_ADDED = ClusterEvent(Resource.DEVICE_CLASS, Action.ADD)
CLASS_UPDATED = ClusterEvent(Resource.DEVICE_CLASS, Action.UPDATE)


@pytest.mark.parametrize(
    ("gone", "woken"),
    [
        (make_pod("other"), False),
        (make_pod("other").node("a"), True),
        (make_pod("other").nominated("a"), True),
    ],
)
def test_a_deleted_pod_must_have_held_room(gone: PodBuilder, woken: bool) -> None:
    assert wakes(DELETED, POD, gone, None) is woken


@pytest.mark.parametrize(
    ("before", "after", "woken"),
    [
        ({"cpu": 2}, {"cpu": 1}, True),
        ({"cpu": 1}, {"cpu": 1}, False),
        ({"cpu": 1}, {"cpu": 2}, False),
        ({"cpu": 1, GPU: 2}, {"cpu": 1, GPU: 1}, False),
        ({"memory": 2}, {}, True),
    ],
)
def test_a_pod_must_shrink_in_what_is_requested(
    before: dict[str, Any], after: dict[str, Any], woken: bool
) -> None:
    other = make_pod("other").node("a")
    assert wakes(SHRUNK, POD, other.req(**before), other.req(**after)) is woken
    assert not wakes(SHRUNK, POD, make_pod("other").req(**before), make_pod("other").req(**after))


def test_the_pod_itself_may_shrink_in_anything() -> None:
    assert wakes(ClusterEvent(Resource.TARGET_POD, Action.UPDATE_POD_SCALE_DOWN), POD, POD, POD)


def node(**capacity: Any) -> NodeObject:
    return make_node("a").capacity(**capacity).obj


@pytest.mark.parametrize(
    ("old", "new", "woken"),
    [
        (None, node(cpu=2, memory="1Gi"), True),
        (None, node(cpu=1, memory="1Gi"), False),
        (None, node(cpu=2, memory="1Gi", pods=0), False),
        (node(cpu=1, memory="1Gi"), node(cpu=2, memory="1Gi"), True),
        (node(cpu=3, memory="1Gi"), node(cpu=2, memory="1Gi"), False),
        (node(cpu=2, memory="1Gi", pods=1), node(cpu=2, memory="1Gi", pods=2), True),
        (node(cpu=2, memory="1Gi"), node(cpu=2, memory="1Gi", **{GPU: 4}), False),
    ],
)
def test_a_node_must_be_large_enough_and_have_grown(
    old: NodeObject | None, new: NodeObject, woken: bool
) -> None:
    assert wakes(NODE_ADDED if old is None else NODE_GREW, POD, old, new) is woken


@pytest.mark.parametrize(
    ("classes", "woken"), [((), False), ((device_class(GPU),), True), ((device_class(None),), False)]
)
def test_devices_stand_in_for_what_the_node_has_none_of(
    classes: tuple[DeviceClass, ...], woken: bool
) -> None:
    new = node(cpu=2)
    assert wakes(NODE_ADDED, GPU_POD, None, new, classes) is woken
    assert wakes(NODE_GREW, GPU_POD, new, new, classes) is woken


def test_a_pod_that_requests_nothing_waits_for_places() -> None:
    few, many = make_node("a").capacity(pods=1).obj, make_node("a").capacity(cpu=9, pods=1).obj
    assert not wakes(NODE_GREW, make_pod("waiting"), few, many)


@pytest.mark.parametrize(
    ("old", "new", "woken"),
    [
        (None, device_class(GPU), True),
        (None, device_class("example.com/other"), False),
        (None, device_class(None), False),
        (device_class(None), device_class(GPU), True),
        (device_class(GPU), device_class(GPU), False),
        (device_class(GPU), device_class(None), False),
    ],
)
def test_a_device_class_must_begin_to_provide_what_is_requested(
    old: DeviceClass | None, new: DeviceClass, woken: bool
) -> None:
    assert wakes(CLASS_ADDED if old is None else CLASS_UPDATED, GPU_POD, old, new) is woken


def test_a_new_device_class_has_a_resource_of_its_own_name() -> None:
    pod = make_pod("waiting").req(**{"deviceclass.resource.kubernetes.io/gpu": 1})
    assert wakes(CLASS_ADDED, pod, None, device_class(None))
    assert not wakes(CLASS_UPDATED, pod, device_class(GPU), device_class(None))
