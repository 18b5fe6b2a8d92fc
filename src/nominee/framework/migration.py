"""In-tree volumes that CSI drivers have taken over: their drivers, handles and topology.

Follows k8s.io/csi-translation-lib, v1.37, as far as scheduling looks at it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from msgspec import structs

from nominee.framework.volumes import affinity_terms
from nominee.model.meta import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from nominee.model.pod import Volume
from nominee.model.selectors import NodeTerms
from nominee.model.storage import PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
BETA_REGION = "failure-domain.beta.kubernetes.io/region"
ZONES_SEPARATOR = "__"


class InTree(NamedTuple):
    """An in-tree plugin; `topology_key` is the driver's own label for a zone, if volumes get it."""

    name: str
    driver: str
    field: str  # of the volume source
    topology_key: str = ""
    counts: bool = True  # towards the limits of nodes


IN_TREE = (
    InTree("kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "gce_persistent_disk", "topology.gke.io/zone"),
    InTree(
        "kubernetes.io/aws-ebs",
        "ebs.csi.aws.com",
        "aws_elastic_block_store",
        "topology.ebs.csi.aws.com/zone",
    ),
    InTree(
        "kubernetes.io/cinder",
        "cinder.csi.openstack.org",
        "cinder",
        "topology.cinder.csi.openstack.org/zone",
    ),
    InTree("kubernetes.io/azure-disk", "disk.csi.azure.com", "azure_disk"),
    InTree("kubernetes.io/portworx-volume", "pxd.portworx.com", "portworx_volume"),
    InTree("kubernetes.io/azure-file", "file.csi.azure.com", "azure_file", counts=False),
    InTree("kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "vsphere_volume", counts=False),
)
IN_TREE_NAMED = {plugin.name: plugin for plugin in IN_TREE}


def in_tree_plugin(source: PersistentVolumeSpec | Volume) -> InTree | None:
    """The in-tree plugin of a persistent volume, or of a volume that stands in a pod."""
    return next((plugin for plugin in IN_TREE if getattr(source, plugin.field, None) is not None), None)


def inline_handle(volume: Volume) -> str:
    """What the driver calls a volume that stands in a pod; "" if it can not take it over."""
    if volume.gce_persistent_disk is not None:
        return _gce_handle(volume.gce_persistent_disk.pd_name, "")
    return _other_handle(volume)


def volume_handle(volume: PersistentVolume) -> str:
    """What the driver calls a persistent volume; "" if it can not take it over."""
    labels, disk = volume.labels, volume.spec.gce_persistent_disk
    if disk is not None:
        return _gce_handle(disk.pd_name, labels.get(BETA_ZONE) or labels.get(ZONE, ""))
    return _other_handle(volume.spec)


def _other_handle(source: PersistentVolumeSpec | Volume) -> str:
    if source.aws_elastic_block_store is not None:
        return _aws_handle(source.aws_elastic_block_store.volume_id)
    if source.azure_disk is not None:
        managed = source.azure_disk.kind is None or source.azure_disk.kind.lower() == "managed"
        return source.azure_disk.disk_uri if managed else ""
    if source.cinder is not None:
        return source.cinder.volume_id
    return source.portworx_volume.volume_id if source.portworx_volume is not None else ""


def _aws_handle(volume_id: str) -> str:
    """Of `aws://zone/vol-1` the last part."""
    if not volume_id.startswith("aws://"):
        return volume_id
    handle = volume_id.removeprefix("aws://").partition("/")[2].strip("/")
    return handle if handle.startswith("vol-") and "/" not in handle else ""


def _gce_handle(disk: str, label: str) -> str:
    zones = label.split(ZONES_SEPARATOR)
    if len(zones) == 1:
        return f"projects/UNSPECIFIED/zones/{label or 'UNSPECIFIED'}/disks/{disk}"
    regions = {zone.rpartition("-")[0] for zone in zones if zone.count("-") == 2}
    if len(regions) != 1 or any(zone.count("-") != 2 for zone in zones):
        return ""
    return f"projects/UNSPECIFIED/regions/{regions.pop()}/disks/{disk}"


def migrated_terms(volume: PersistentVolume, plugin: InTree) -> NodeTerms | None:
    """Where the volume can be reached on nodes whose CSI driver serves it, by the driver's own labels."""
    if not plugin.topology_key:
        return affinity_terms(volume.spec.node_affinity)
    labels = tuple(volume.labels.get(key) for key in (ZONE, BETA_ZONE))
    return affinity_terms(_translated(volume.spec.node_affinity, labels, plugin.topology_key))


@lru_cache(maxsize=4096)
def _translated(
    affinity: VolumeNodeAffinity | None, labels: tuple[str | None, ...], key: str
) -> VolumeNodeAffinity | None:
    """Reproduces translateTopologyFromInTreeToCSI (csi-translation-lib/plugins/in_tree_volume.go, v1.37)."""
    terms = affinity.required.node_selector_terms if affinity and affinity.required else ()
    zone = _zone_label(terms, labels)
    changed = terms
    if any(item.values for item in _expressions(terms) if item.key == zone):
        changed = _renamed(changed, zone, key)
    elif label := labels[(ZONE, BETA_ZONE).index(zone)]:
        changed = _with_zones(changed, key, label)
    if zone == BETA_ZONE and any(item.values for item in _expressions(changed) if item.key == BETA_REGION):
        changed = _renamed(changed, BETA_REGION, REGION)
    if changed is terms:
        return affinity
    return VolumeNodeAffinity(required=NodeSelector(node_selector_terms=changed))


def _zone_label(terms: tuple[NodeSelectorTerm, ...], labels: tuple[str | None, ...]) -> str:
    """The zone label in use: in the affinity before the labels, today's before the beta one."""
    keys = {item.key for item in _expressions(terms)}
    for label in (ZONE, BETA_ZONE):
        if label in keys:
            return label
    return BETA_ZONE if labels[0] is None and labels[1] is not None else ZONE


def _expressions(terms: tuple[NodeSelectorTerm, ...]) -> Iterator[NodeSelectorRequirement]:
    return (item for term in terms for item in term.match_expressions)


def _renamed(terms: tuple[NodeSelectorTerm, ...], old: str, new: str) -> tuple[NodeSelectorTerm, ...]:
    def rename(item: NodeSelectorRequirement) -> NodeSelectorRequirement:
        return structs.replace(item, key=new) if item.key == old else item

    return tuple(
        structs.replace(term, match_expressions=tuple(map(rename, term.match_expressions))) for term in terms
    )


def _with_zones(terms: tuple[NodeSelectorTerm, ...], key: str, label: str) -> tuple[NodeSelectorTerm, ...]:
    zones = tuple(sorted({zone.strip() for zone in label.split(ZONES_SEPARATOR)} - {""}))
    if not zones:
        return terms
    item = NodeSelectorRequirement(key=key, operator="In", values=zones)
    return tuple(
        structs.replace(term, match_expressions=(*term.match_expressions, item))
        for term in terms or (NodeSelectorTerm(),)
    )
