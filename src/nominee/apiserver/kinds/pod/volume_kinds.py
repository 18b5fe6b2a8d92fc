"""Volumes of the many systems that are not Kubernetes' own: the fields without which they make no sense.

The rules of the functions `validate…VolumeSource` of pkg/apis/core/validation/validation.go, v1.37. The
order of `VOLUME_SOURCES` is the order in which upstream looks at them, and decides which of two is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nominee.apiserver.kinds.field_errors import invalid, not_supported, required
from nominee.apiserver.kinds.syntax import between
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

VOLUME_SOURCES = (
    "emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi",
    "glusterfs", "flocker", "persistentVolumeClaim", "rbd", "cinder", "cephfs", "quobyte", "downwardAPI",
    "fc", "flexVolume", "configMap", "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume",
    "azureDisk", "storageos", "projected", "scaleIO", "csi", "ephemeral", "image",
)  # fmt: skip

_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "gcePersistentDisk": ("pdName",),
    "awsElasticBlockStore": ("volumeID",),
    "nfs": ("server", "path"),
    "iscsi": ("targetPortal", "iqn"),
    "glusterfs": ("endpoints", "path"),
    "persistentVolumeClaim": ("claimName",),
    "rbd": ("monitors", "image"),
    "cinder": ("volumeID",),
    "cephfs": ("monitors",),
    "quobyte": ("registry", "volume"),
    "flexVolume": ("driver",),
    "azureFile": ("secretName", "shareName"),
    "vsphereVolume": ("volumePath",),
    "photonPersistentDisk": ("pdID",),
    "portworxVolume": ("volumeID",),
    "azureDisk": ("diskName", "diskURI"),
    "storageos": ("volumeName",),
    "scaleIO": ("gateway", "system", "volumeName"),
}
_SHOWN_AS = {"gcePersistentDisk": "persistentDisk"}
_CACHING = ("None", "ReadOnly", "ReadWrite")
_AZURE_KINDS = ("Dedicated", "Managed", "Shared")
_HOST_PORTS = "must be a host:port pair or multiple pairs separated by commas"


def validate_plain_source(name: str, source: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with one of these."""
    if name in _SHOWN_AS:
        path = path.removesuffix(name) + _SHOWN_AS[name]
    for field in _REQUIRED.get(name, ()):
        if not source.get(field):
            yield required(f"{path}.{field}", _HOST_PORTS if field == "registry" else "")
    if name in _RULES:
        yield from _RULES[name](source, path)


def _validate_nfs(source: Item, path: str) -> Iterator[FieldError]:
    if not (source.get("path") or "").startswith("/"):
        yield invalid(f"{path}.path", source.get("path") or "", "must be an absolute path")


def _validate_partition(source: Item, path: str) -> Iterator[FieldError]:
    if not 0 <= (source.get("partition") or 0) <= 255:
        yield invalid(f"{path}.partition", source["partition"], between(0, 255))


def _validate_iscsi(source: Item, path: str) -> Iterator[FieldError]:
    name = source.get("iqn") or ""
    if name and not name.startswith(("iqn", "eui", "naa")):
        yield invalid(f"{path}.iqn", name, "must be valid format starting with iqn, eui, or naa")
    if not 0 <= (source.get("lun") or 0) <= 255:
        yield invalid(f"{path}.lun", source["lun"], between(0, 255))
    if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and "secretRef" not in source:
        yield required(f"{path}.secretRef")


def _validate_fc(source: Item, path: str) -> Iterator[FieldError]:
    names, ids = source.get("targetWWNs"), source.get("wwids")
    if not names and not ids:
        yield required(f"{path}.targetWWNs", "must specify either targetWWNs or wwids, but not both")
    if names and ids:
        why = "targetWWNs and wwids can not be specified simultaneously"
        yield invalid(f"{path}.targetWWNs", names, why)
    if names and source.get("lun") is None:
        yield required(f"{path}.lun", "lun is required if targetWWNs is specified")
    elif names and not 0 <= source["lun"] <= 255:
        yield invalid(f"{path}.lun", source["lun"], between(0, 255))


def _validate_flocker(source: Item, path: str) -> Iterator[FieldError]:
    name, uuid = source.get("datasetName") or "", source.get("datasetUUID")
    if not name and not uuid:
        yield required(path, "one of datasetName and datasetUUID is required")
    if name and uuid:
        yield invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously")
    if "/" in name:
        yield invalid(f"{path}.datasetName", name, "must not contain '/'")


def _validate_flex(source: Item, path: str) -> Iterator[FieldError]:
    for key in source.get("options") or ():
        domain = "." + key.partition("/")[0].lower()
        if domain.endswith((".kubernetes.io", ".k8s.io")):
            yield invalid(f"{path}.options[{key}]", key, "kubernetes.io and k8s.io namespaces are reserved")


def _validate_azure_disk(source: Item, path: str) -> Iterator[FieldError]:
    kind, uri = source.get("kind"), source.get("diskURI") or ""
    if source.get("cachingMode") not in (None, *_CACHING):
        yield not_supported(f"{path}.cachingMode", source["cachingMode"], _CACHING)
    if kind not in (None, *_AZURE_KINDS):
        yield not_supported(f"{path}.kind", kind, _AZURE_KINDS)
    managed = (
        "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
    )
    blob = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
    if kind == "Managed" and not uri.startswith("/subscriptions/"):
        yield not_supported(f"{path}.diskURI", uri, (managed,))
    if kind not in (None, "Managed") and not uri.startswith("https://"):
        yield not_supported(f"{path}.diskURI", uri, (blob,))


_RULES: Mapping[str, Callable[[Item, str], Iterator[FieldError]]] = {
    "nfs": _validate_nfs,
    "gcePersistentDisk": _validate_partition,
    "awsElasticBlockStore": _validate_partition,
    "iscsi": _validate_iscsi,
    "fc": _validate_fc,
    "flocker": _validate_flocker,
    "flexVolume": _validate_flex,
    "azureDisk": _validate_azure_disk,
}
