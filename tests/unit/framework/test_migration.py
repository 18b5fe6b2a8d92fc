"""In-tree volumes that CSI drivers have taken over."""

from typing import Any

import pytest

from nominee.framework import (
    BETA_REGION,
    BETA_ZONE,
    REGION,
    ZONE,
    in_tree_plugin,
    inline_handle,
    migrated_terms,
    volume_handle,
)
from nominee.model.meta import NodeSelectorRequirement
from nominee.model.pod import Volume
from nominee.model.storage import PersistentVolume
from nominee.model.volumes import (
    AWSElasticBlockStore,
    AzureDisk,
    AzureFile,
    Cinder,
    GCEPersistentDisk,
    PortworxVolume,
)
from tests.volume_objects import on_nodes_with, volume

GCE = GCEPersistentDisk(pd_name="d")
GKE_ZONE = "topology.gke.io/zone"


def gce(**more: Any) -> PersistentVolume:
    return volume("v", gce_persistent_disk=GCE, **more)


def labels_of(item: PersistentVolume) -> list[tuple[str, tuple[str, ...]]] | None:
    plugin = in_tree_plugin(item.spec)
    assert plugin is not None
    terms = migrated_terms(item, plugin)
    if terms is None:
        return None
    return [(r.key, r.values) for term in terms.terms for r in term.labels.requirements]


@pytest.mark.parametrize(
    ("source", "handle"),
    [
        ({"aws_elastic_block_store": AWSElasticBlockStore(volume_id="vol-1")}, "vol-1"),
        ({"aws_elastic_block_store": AWSElasticBlockStore(volume_id="aws://zone/vol-1")}, "vol-1"),
        ({"aws_elastic_block_store": AWSElasticBlockStore(volume_id="aws:///vol-1")}, "vol-1"),
        ({"aws_elastic_block_store": AWSElasticBlockStore(volume_id="aws:///disk")}, ""),
        ({"azure_disk": AzureDisk(disk_uri="uri")}, "uri"),
        ({"azure_disk": AzureDisk(disk_uri="uri", kind="Managed")}, "uri"),
        ({"azure_disk": AzureDisk(disk_uri="uri", kind="Shared")}, ""),
        ({"cinder": Cinder(volume_id="id")}, "id"),
        ({"portworx_volume": PortworxVolume(volume_id="id")}, "id"),
        ({"gce_persistent_disk": GCE}, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"),
    ],
)
def test_a_driver_has_its_own_name_for_a_volume(source: dict[str, Any], handle: str) -> None:
    assert volume_handle(volume("v", **source)) == inline_handle(Volume(name="x", **source)) == handle


@pytest.mark.parametrize(
    ("labels", "handle"),
    [
        ({ZONE: "us-a-b"}, "zones/us-a-b"),
        ({ZONE: "us-a-b", BETA_ZONE: "us-a-c"}, "zones/us-a-c"),
        ({ZONE: "us-a-b__us-a-c"}, "regions/us-a"),
    ],
)
def test_a_disk_of_gce_is_named_after_its_zones(labels: dict[str, str], handle: str) -> None:
    assert volume_handle(gce(labels=labels)) == f"projects/UNSPECIFIED/{handle}/disks/d"


def test_a_disk_in_zones_of_two_regions_has_no_name() -> None:
    assert volume_handle(gce(labels={ZONE: "us-a-b__us-b-c"})) == ""


def test_zones_are_asked_by_the_label_of_the_driver() -> None:
    item = gce(node_affinity=on_nodes_with(ZONE, "a", "b"))
    assert labels_of(item) == [(GKE_ZONE, ("a", "b"))]


def test_a_zone_label_of_the_volume_is_added_where_its_affinity_names_none() -> None:
    assert labels_of(gce(labels={ZONE: "a__b"})) == [(GKE_ZONE, ("a", "b"))]
    item = gce(labels={BETA_ZONE: "a"}, node_affinity=on_nodes_with("rack", "r"))
    assert labels_of(item) == [("rack", ("r",)), (GKE_ZONE, ("a",))]


def test_the_beta_label_of_the_region_becomes_the_present_one() -> None:
    affinity = on_nodes_with(BETA_ZONE, "a")
    assert affinity.required is not None
    (term,) = affinity.required.node_selector_terms
    region = NodeSelectorRequirement(key=BETA_REGION, operator="In", values=("r",))
    both = type(term)(match_expressions=(*term.match_expressions, region))
    item = gce(node_affinity=type(affinity)(required=type(affinity.required)(node_selector_terms=(both,))))
    assert labels_of(item) == [(GKE_ZONE, ("a",)), (REGION, ("r",))]


def test_a_volume_without_any_zone_is_everywhere() -> None:
    assert labels_of(gce()) is None


def test_drivers_without_zones_of_their_own_leave_the_affinity_alone() -> None:
    item = volume("v", azure_disk=AzureDisk(disk_uri="d"), node_affinity=on_nodes_with(ZONE, "a"))
    assert labels_of(item) == [(ZONE, ("a",))]


def test_files_of_azure_are_taken_over_but_count_nowhere() -> None:
    plugin = in_tree_plugin(Volume(name="x", azure_file=AzureFile(share_name="s")))
    assert plugin is not None
    assert not plugin.counts
