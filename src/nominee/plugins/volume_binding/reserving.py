"""Taking volumes for a pod, first in the scheduler's memory: everybody sees at once that they are taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from msgspec import structs

from nominee.framework import (
    BOUND_BY_CONTROLLER,
    SELECTED_NODE,
    ClusterView,
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
    is_reserved_for,
)

T = TypeVar("T", PersistentVolume, PersistentVolumeClaim)


@dataclass(slots=True)
class Binding:
    """A volume that is to refer to a claim. `version`: the volume's after it was written."""

    volume: PersistentVolume
    claim: PersistentVolumeClaim
    version: str | None = None


@dataclass(slots=True)
class Provisioning:
    """A claim that is to name its node, so that a volume is made for it there."""

    claim: PersistentVolumeClaim
    version: str | None = None


@dataclass(slots=True)
class Reserved:
    """What one pod has taken; `settled` when there is nothing to do, since all its claims are bound."""

    settled: bool = True
    bindings: list[Binding] = field(default_factory=list)
    provisionings: list[Provisioning] = field(default_factory=list)


def take_volume(volume: PersistentVolume, claim: PersistentVolumeClaim, cluster: ClusterView) -> Binding:
    """Reproduces GetBindVolumeToClaim (component-helpers storage/volume/pv_helpers.go, v1.37)."""
    taken, ref = volume, volume.spec.claim_ref
    if ref is None or not is_reserved_for(volume, claim) or ref.uid != claim.uid:
        spec = structs.replace(volume.spec, claim_ref=reference_to(claim))
        taken = structs.replace(taken, spec=spec)
    if not is_reserved_for(volume, claim) and BOUND_BY_CONTROLLER not in volume.metadata.annotations:
        taken = _annotated(taken, BOUND_BY_CONTROLLER, "yes")
    if taken is not volume:
        cluster.assume(taken)
    return Binding(taken, claim)


def promise(claim: PersistentVolumeClaim, node_name: str, cluster: ClusterView) -> Provisioning:
    """Let the claim name its node."""
    promised = _annotated(claim, SELECTED_NODE, node_name)
    cluster.assume(promised)
    return Provisioning(promised)


def give_back(reserved: Reserved, cluster: ClusterView) -> None:
    """Forget what was assumed and not written; what the API server has stays as it is."""
    for binding in reserved.bindings:
        if binding.version is None:
            cluster.restore(binding.volume)
    for provisioning in reserved.provisionings:
        if provisioning.version is None:
            cluster.restore(provisioning.claim)


def reference_to(claim: PersistentVolumeClaim) -> ObjectReference:
    """What a volume says of the claim that has it."""
    return ObjectReference(
        api_version="v1",
        kind="PersistentVolumeClaim",
        namespace=claim.namespace,
        name=claim.name,
        uid=claim.uid,
        resource_version=claim.metadata.resource_version,
    )


def _annotated(item: T, key: str, value: str) -> T:
    annotations = {**item.metadata.annotations, key: value}
    return structs.replace(item, metadata=structs.replace(item.metadata, annotations=annotations))
