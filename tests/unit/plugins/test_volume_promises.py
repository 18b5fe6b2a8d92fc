"""The volume plugins keep what every plugin promises, shown volumes that matter to them."""

from typing import Any

import pytest

from nominee.framework import STORAGE_CAPACITY_SHAPE, ZONE
from nominee.plugins.node_volume_limits import NodeVolumeLimits
from nominee.plugins.volume_binding import VolumeBinding, pool
from nominee.plugins.volume_zone import VolumeZone
from nominee.testing import filter_with, make_cluster, make_node, make_pod
from nominee.testing.checks import check_plugin
from tests.volume_objects import (
    DRIVER,
    claim,
    csi_driver,
    csi_node,
    free_storage,
    storage_class,
    volume,
)

NODES = [
    make_node(name).capacity(cpu="4").label("zone", zone).label(ZONE, zone)
    for name, zone in (("n0", "a"), ("n1", "a"), ("n2", "b"))
]
ZONES = ["a", "b", "a", "b"]
OBJECTS = [
    storage_class(provisioner=DRIVER),
    csi_driver(storage_capacity=True, prevent_pod_scheduling_if_missing=True),
    free_storage("f", "50Gi"),
    *(csi_node(name, {DRIVER: 1}) for name in ("n0", "n2")),
    *(
        volume(f"v{i}", zone=zone, csi=DRIVER, labels={ZONE: zone}, claim=f"c{i}" if i < 2 else "")
        for i, zone in enumerate(ZONES)
    ),
    *(claim(f"c{i}", bound_to=f"v{i}" if i < 2 else "") for i in range(5)),
]
PODS = [*(make_pod(f"p{i}").pvc(f"c{i}") for i in range(6)), make_pod("two").pvc("c2").pvc("c3")]


@pytest.mark.parametrize(
    "plugin",
    [VolumeZone(), NodeVolumeLimits(), VolumeBinding(shape=STORAGE_CAPACITY_SHAPE)],
    ids=lambda plugin: type(plugin).__name__,
)
def test_the_plugin_keeps_its_promises(plugin: Any) -> None:
    placed = [make_pod("old").pvc("c0").node("n0"), make_pod("plain").node("n1")]
    checked = check_plugin(plugin, PODS, [make_cluster(NODES, placed, OBJECTS)])
    assert 0 < checked.rejected < checked.asked


def test_numbers_of_volumes_are_given_anew_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_NAMES", 2)
    cluster = make_cluster(NODES, objects=[storage_class(), claim("c"), claim("d", "5Gi")])
    for i in range(4):
        cluster.put_object(volume(f"v{i}", "10Gi", zone="a"))
        for name in ("c", "d"):
            assert set(filter_with(VolumeBinding(), make_pod("p").pvc(name), cluster)) == {"n2"}
        cluster.drop_object(volume(f"v{i}"))
