"""Volume sources that the scheduler reads, in pods and in persistent volumes alike."""

# ruff: noqa: RUF012 - msgspec gives every instance its own copy of an empty default
from __future__ import annotations

import msgspec

from nominee.model.base import ApiStruct


class GCEPersistentDisk(ApiStruct, frozen=True, kw_only=True):
    """A disk of Google Compute Engine."""

    pd_name: str = ""
    partition: int = 0
    read_only: bool = False


class AWSElasticBlockStore(ApiStruct, frozen=True, kw_only=True):
    """A disk of Amazon's EC2."""

    volume_id: str = msgspec.field(name="volumeID", default="")
    partition: int = 0
    read_only: bool = False


class AzureDisk(ApiStruct, frozen=True, kw_only=True):
    """A disk of Azure."""

    disk_name: str = ""
    disk_uri: str = msgspec.field(name="diskURI", default="")
    kind: str | None = None
    read_only: bool | None = None


class AzureFile(ApiStruct, frozen=True, kw_only=True):
    """A file share of Azure."""

    secret_name: str = ""
    share_name: str = ""
    secret_namespace: str | None = None
    read_only: bool = False


class Cinder(ApiStruct, frozen=True, kw_only=True):
    """A disk of OpenStack."""

    volume_id: str = msgspec.field(name="volumeID", default="")
    read_only: bool = False


class VsphereVolume(ApiStruct, frozen=True, kw_only=True):
    """A disk of vSphere."""

    volume_path: str = ""


class PortworxVolume(ApiStruct, frozen=True, kw_only=True):
    """A volume of Portworx."""

    volume_id: str = msgspec.field(name="volumeID", default="")
    read_only: bool = False


class ISCSI(ApiStruct, frozen=True, kw_only=True):
    """A disk behind iSCSI."""

    target_portal: str = ""
    iqn: str = ""
    lun: int = 0
    read_only: bool = False


class RBD(ApiStruct, frozen=True, kw_only=True):
    """A block device of Ceph; in pods `pool` is defaulted to `rbd` by the API server."""

    monitors: tuple[str, ...] = ()
    image: str = ""
    pool: str = ""
    read_only: bool = False


class CSIVolume(ApiStruct, frozen=True, kw_only=True):
    """An inline volume of a CSI driver, as pods have it."""

    driver: str = ""
    read_only: bool | None = None
    volume_attributes: dict[str, str] = {}


class CSIPersistentVolume(ApiStruct, frozen=True, kw_only=True):
    """A volume of a CSI driver, as persistent volumes have it."""

    driver: str = ""
    volume_handle: str = ""
    read_only: bool = False
    volume_attributes: dict[str, str] = {}


class LocalVolume(ApiStruct, frozen=True, kw_only=True):
    """A directory or disk of one node."""

    path: str = ""


class HostPath(ApiStruct, frozen=True, kw_only=True):
    """A path on whatever node it is used on."""

    path: str = ""


class PersistentVolumeClaimVolume(ApiStruct, frozen=True, kw_only=True):
    """Use of a claim by a pod."""

    claim_name: str = ""
    read_only: bool = False


class ImageVolume(ApiStruct, frozen=True, kw_only=True):
    """The content of an image mounted as a volume."""

    reference: str = ""
    pull_policy: str = ""


class EmptyDir(ApiStruct, frozen=True, kw_only=True):
    """Scratch space; only its medium matters to what a node must be able to do."""

    medium: str = ""
