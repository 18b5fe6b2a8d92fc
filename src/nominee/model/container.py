"""Containers, as far as a scheduler reads them."""

# ruff: noqa: RUF012 - msgspec gives every instance its own copy of an empty default
from __future__ import annotations

import msgspec

from nominee.model.base import ApiStruct, ResourceList


class ResourceClaimUse(ApiStruct, frozen=True, kw_only=True):
    """A claim of the pod that a container uses."""

    name: str = ""
    request: str = ""


class ResourceRequirements(ApiStruct, frozen=True, kw_only=True):
    """What a container (or the whole pod) asks for and may use at most."""

    requests: ResourceList = {}
    limits: ResourceList = {}
    claims: tuple[ResourceClaimUse, ...] = ()


class ContainerPort(ApiStruct, frozen=True, kw_only=True):
    """A port of a container, possibly claimed on the node too."""

    name: str = ""
    container_port: int = 0
    host_port: int = 0
    host_ip: str = msgspec.field(name="hostIP", default="")
    protocol: str = ""


class ContainerRestartRuleOnExitCodes(ApiStruct, frozen=True, kw_only=True):
    """Exit codes that make a restart rule apply."""

    operator: str = ""
    values: tuple[int, ...] = ()


class ContainerRestartRule(ApiStruct, frozen=True, kw_only=True):
    """What to do when a container exits in a certain way."""

    action: str = ""
    exit_codes: ContainerRestartRuleOnExitCodes | None = None


class ContainerResizePolicy(ApiStruct, frozen=True, kw_only=True):
    """Whether changing a resource restarts the container."""

    resource_name: str = ""
    restart_policy: str = ""


class VolumeMount(ApiStruct, frozen=True, kw_only=True):
    """A mount; only options that a node must support are kept."""

    bind_mount_options: tuple[str, ...] = ()


class Container(ApiStruct, frozen=True, kw_only=True):
    """A container. What it runs is left out: the scheduler does not read it."""

    name: str = ""
    image: str = ""
    ports: tuple[ContainerPort, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()
    resize_policy: tuple[ContainerResizePolicy, ...] = ()
    restart_policy: str | None = None
    restart_policy_rules: tuple[ContainerRestartRule, ...] = ()
    volume_mounts: tuple[VolumeMount, ...] = ()

    @property
    def restartable(self) -> bool:
        """Whether this, as an init container, is a sidecar that keeps running."""
        return self.restart_policy == "Always"


class EphemeralContainer(ApiStruct, frozen=True, kw_only=True):
    """A container added for debugging; it has no resources, only what a node must support is kept."""

    volume_mounts: tuple[VolumeMount, ...] = ()


class ContainerStatus(ApiStruct, frozen=True, kw_only=True):
    """What the kubelet says it has given a container."""

    name: str = ""
    allocated_resources: ResourceList = {}
    resources: ResourceRequirements | None = None
