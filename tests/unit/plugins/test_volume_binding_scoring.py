"""The emptier the storage, the better the node; or as the shape has it."""

from typing import Any

import pytest

from nominee.framework import STORAGE_CAPACITY_SHAPE, UtilizationShapePoint
from nominee.plugins.volume_binding import VolumeBinding
from nominee.testing import PodBuilder, make_cluster, make_cycle, make_node, make_pod, score_with
from tests.volume_objects import DRIVER, claim, csi_driver, free_storage, storage_class, volume

NODES = [make_node(zone).label("zone", zone) for zone in ("a", "b")]
POD = make_pod("p").pvc("c")
MADE = [storage_class(provisioner=DRIVER), csi_driver(storage_capacity=True)]


def scores(*objects: Any, pod: PodBuilder = POD, plugin: VolumeBinding | None = None) -> dict[str, int]:
    plugin = plugin or VolumeBinding(shape=STORAGE_CAPACITY_SHAPE)
    return score_with(plugin, pod, make_cluster(NODES, objects=[storage_class(), *objects]))


def test_the_share_of_an_existing_volume_counts() -> None:
    assert scores(claim("c", "5Gi"), volume("v", "10Gi"), volume("w", "6Gi", zone="b")) == {"a": 50, "b": 17}


def test_volumes_of_a_class_are_added_up() -> None:
    both = [claim("c", "5Gi"), claim("d", "5Gi")]
    assert scores(*both, volume("v", "10Gi"), volume("w", "30Gi"), pod=POD.pvc("d")) == {"a": 75, "b": 75}


def test_the_mean_over_classes_is_rounded_half_up() -> None:
    fast = [storage_class("fast"), claim("d", "50Gi", storage_class="fast")]
    volumes = [volume("v", "10Gi"), volume("w", "100Gi", storage_class_name="fast")]
    assert scores(claim("c", "5Gi"), *fast, *volumes, pod=POD.pvc("d")) == {"a": 50, "b": 50}
    volumes[1] = volume("w", "98Gi", storage_class_name="fast")  # 49 and 50
    assert scores(claim("c", "5Gi"), *fast, *volumes, pod=POD.pvc("d")) == {"a": 50, "b": 50}


def test_room_for_volumes_to_be_made_counts() -> None:
    found = scores(claim("c", "5Gi"), *MADE, free_storage("f", "10Gi"), free_storage("g", "50Gi", zone="b"))
    assert found == {"a": 50, "b": 90}


def test_room_nobody_reports_does_not_count() -> None:
    assert scores(claim("c"), storage_class(provisioner=DRIVER)) == {"a": 0, "b": 0}


def test_existing_volumes_count_before_those_to_be_made() -> None:
    both = [claim("c", "5Gi"), claim("d", "8Gi"), volume("v", "6Gi", zone="a")]
    reports = [free_storage("f", "10Gi"), free_storage("g", "26Gi", zone="b")]
    assert scores(*both, *MADE, *reports, pod=POD.pvc("d")) == {"a": 17, "b": 50}


@pytest.mark.parametrize(
    ("size", "score"), [("10Gi", 0), ("15Gi", 21), ("20Gi", 30), ("30Gi", 37), ("90Gi", 46)]
)
def test_the_shape_bends_where_it_has_points(size: str, score: int) -> None:
    shape = tuple(UtilizationShapePoint(u, s) for u, s in ((0, 5), (50, 3), (100, 0)))
    found = scores(claim("c", "10Gi"), volume("v", size), plugin=VolumeBinding(shape=shape))
    assert found == {"a": score, "b": score}


@pytest.mark.parametrize(
    ("plugin", "features"),
    [
        (VolumeBinding(), {}),
        (VolumeBinding(shape=STORAGE_CAPACITY_SHAPE), {"StorageCapacityScoring": False}),
    ],
    ids=["no shape", "gate off"],
)
def test_without_shape_or_gate_nothing_is_scored(plugin: VolumeBinding, features: dict[str, bool]) -> None:
    cluster = make_cluster(NODES, objects=[storage_class(), claim("c"), volume("v")])
    assert score_with(plugin, POD, cluster, cycle=make_cycle(cluster, features=features)) == {}


def test_pods_whose_claims_are_bound_are_not_scored() -> None:
    assert scores(claim("c", bound_to="v"), volume("v")) == {}
