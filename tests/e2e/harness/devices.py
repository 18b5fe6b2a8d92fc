"""Devices as a driver would publish them, and claims of them."""

from __future__ import annotations

from typing import Any

from tests.e2e.harness.api import Object
from tests.e2e.harness.objects import make, pod

DRIVER = "gpu.example.com"
EXTENDED = "example.com/gpu"


def devices(on: str, *names: str) -> Object:
    """A driver's slice: these devices are on that node."""
    spec = {
        "driver": DRIVER,
        "nodeName": on,
        "pool": {"name": on, "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": name} for name in names],
    }
    return make("ResourceSlice", f"{on}-gpus", spec=spec)


def device_claim(name: str) -> Object:
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu"}}
    return make("ResourceClaim", name, spec={"devices": {"requests": [request]}})


def device_class() -> Object:
    """Its devices are also to be had as an extended resource."""
    selector = {"cel": {"expression": f'device.driver == "{DRIVER}"'}}
    return make("DeviceClass", "gpu", spec={"selectors": [selector], "extendedResourceName": EXTENDED})


def user(name: str, claim_name: str, **spec: Any) -> Object:
    return pod(name, resourceClaims=[{"name": "gpu", "resourceClaimName": claim_name}], **spec)
