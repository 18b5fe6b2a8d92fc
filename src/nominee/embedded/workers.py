"""Every controller of the embedded control plane."""

from __future__ import annotations

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.assembly import workload_controllers
from nominee.embedded.controllers.controller import Controller
from nominee.embedded.controllers.kubernetes_service import KubernetesService
from nominee.embedded.devices.claims import ResourceClaims
from nominee.embedded.devices.driver import DeviceDriver
from nominee.embedded.storage.binder import VolumeBinder
from nominee.embedded.storage.ephemeral import EphemeralVolumes
from nominee.embedded.storage.protection import ClaimProtection, VolumeProtection
from nominee.embedded.storage.provisioner import VolumeProvisioner


def make_controllers(access: Access) -> list[Controller]:
    """One of each."""
    return [
        *workload_controllers(access),
        KubernetesService(access),
        VolumeBinder(access),
        VolumeProvisioner(access),
        ClaimProtection(access),
        VolumeProtection(access),
        EphemeralVolumes(access),
        ResourceClaims(access),
        DeviceDriver(access),
    ]
