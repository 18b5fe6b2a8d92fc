"""Which events may wake a pod that had no volumes on any node."""

from typing import Any

import pytest

from nominee.framework import Resource
from nominee.model.pod import Volume
from nominee.model.volumes import CSIVolume
from nominee.plugins.volume_binding import VolumeBinding
from nominee.testing import make_cluster, make_pod, pod_of
from tests.volume_objects import (
    DRIVER,
    claim,
    csi_driver,
    csi_node,
    free_storage,
    storage_class,
)

CLUSTER = make_cluster()
POD = pod_of(CLUSTER, make_pod("p").pvc("c").volume(Volume(name="x", csi=CSIVolume(driver=DRIVER))))
ON, OFF = csi_driver(storage_capacity=True), csi_driver(storage_capacity=False)


@pytest.mark.parametrize(
    ("resource", "old", "new", "wakes"),
    [
        (Resource.STORAGE_CLASS, None, storage_class(), True),
        (Resource.STORAGE_CLASS, storage_class(), storage_class(zones=("a",)), True),
        (Resource.STORAGE_CLASS, storage_class(), storage_class(provisioner="other"), False),
        (Resource.PERSISTENT_VOLUME_CLAIM, None, claim("c"), True),
        (Resource.PERSISTENT_VOLUME_CLAIM, None, claim("d"), False),
        (Resource.PERSISTENT_VOLUME_CLAIM, None, claim("c", meta={"namespace": "other"}), False),
        (Resource.CSI_NODE, None, csi_node("a"), True),
        (Resource.CSI_NODE, csi_node("a"), csi_node("a", migrated="kubernetes.io/gce-pd"), True),
        (Resource.CSI_NODE, csi_node("a"), csi_node("a", {DRIVER: 1}), False),
        (Resource.CSI_DRIVER, ON, OFF, True),
        (Resource.CSI_DRIVER, ON, csi_driver(), True),
        (Resource.CSI_DRIVER, OFF, ON, False),
        (Resource.CSI_DRIVER, csi_driver("b", storage_capacity=True), csi_driver("b"), False),
        (Resource.CSI_STORAGE_CAPACITY, None, free_storage("f", "1Gi"), True),
        (Resource.CSI_STORAGE_CAPACITY, free_storage("f", "1Gi"), free_storage("f", "2Gi"), True),
        (Resource.CSI_STORAGE_CAPACITY, free_storage("f", "2Gi"), free_storage("f", "1Gi"), False),
        (
            Resource.CSI_STORAGE_CAPACITY,
            free_storage("f", "2Gi"),
            free_storage("f", "9Gi", largest="2Gi"),
            False,
        ),
    ],
)
def test_a_change_that_may_help_wakes_the_pod(resource: Resource, old: Any, new: Any, wakes: bool) -> None:
    (hint,) = [event.hint for event in VolumeBinding().events_to_register() if event.resource is resource]
    assert hint is not None
    assert hint(POD, old, new, CLUSTER.view) is wakes


@pytest.mark.parametrize("resource", [Resource.NODE, Resource.PERSISTENT_VOLUME])
def test_nodes_and_volumes_always_wake_it(resource: Resource) -> None:
    (event,) = [event for event in VolumeBinding().events_to_register() if event.resource is resource]
    assert event.hint is None
