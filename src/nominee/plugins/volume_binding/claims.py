"""The claims of a pod, sorted by what is to be done about them."""

from __future__ import annotations

from dataclasses import dataclass, field

from nominee.framework import (
    WAIT_FOR_FIRST_CONSUMER,
    ClusterView,
    PersistentVolumeClaim,
    Pod,
    Reject,
    StorageClass,
    claim_class,
    is_fully_bound,
    made_for,
    not_made_for,
    pod_claims,
)


@dataclass(slots=True)
class Claims:
    """The claims of one pod, in the order of its volumes.

    bound      have their volume
    delayed    get one when their pod has a node
    immediate  somebody else has to find one for them first
    """

    bound: list[PersistentVolumeClaim] = field(default_factory=list)
    delayed: list[PersistentVolumeClaim] = field(default_factory=list)
    immediate: list[PersistentVolumeClaim] = field(default_factory=list)


def claims_of(pod: Pod, cluster: ClusterView) -> Claims | Reject:
    """The pod's claims, or what is wrong with one of them.

    Reproduces podHasPVCs and GetPodVolumeClaims (plugins/volumebinding/{volume_binding,binder}.go, v1.37).
    """
    found = []
    for name, ephemeral in pod_claims(pod):
        claim = cluster.get(PersistentVolumeClaim, f"{pod.namespace}/{name}")
        fault = _missing(name, ephemeral=ephemeral) if claim is None else _fault(claim, pod, ephemeral)
        if fault or claim is None:
            return Reject((fault,), unresolvable=True)
        found.append(claim)
    claims = Claims()
    for claim in found:
        if is_fully_bound(claim):
            claims.bound.append(claim)
        elif not claim.spec.volume_name and _is_delayed(claim, cluster):
            claims.delayed.append(claim)
        else:
            claims.immediate.append(claim)
    if claims.immediate:
        return Reject(("pod has unbound immediate PersistentVolumeClaims",), unresolvable=True)
    return claims


def all_bound(pod: Pod, cluster: ClusterView) -> bool:
    """Whether every claim of the pod has its volume as far as the scheduler knows."""
    for name, _ in pod_claims(pod):
        claim = cluster.get(PersistentVolumeClaim, f"{pod.namespace}/{name}")
        if claim is None or not is_fully_bound(claim):
            return False
    return True


def _missing(name: str, *, ephemeral: bool) -> str:
    if ephemeral:
        return f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{name}"'
    return f'persistentvolumeclaim "{name}" not found'


def _fault(claim: PersistentVolumeClaim, pod: Pod, ephemeral: bool) -> str:  # noqa: FBT001
    if claim.status.phase == "Lost":
        volume = claim.spec.volume_name
        return f'persistentvolumeclaim "{claim.name}" bound to non-existent persistentvolume "{volume}"'
    if claim.terminating:
        return f'persistentvolumeclaim "{claim.name}" is being deleted'
    if ephemeral and not made_for(claim, pod):
        return not_made_for(claim, pod)
    return ""


def _is_delayed(claim: PersistentVolumeClaim, cluster: ClusterView) -> bool:
    """Whether the claim waits for its first consumer; it does not if its class is not known."""
    name = claim_class(claim)
    storage_class = cluster.get(StorageClass, name) if name else None
    if storage_class is None:
        return False
    if storage_class.volume_binding_mode is None:
        msg = f'VolumeBindingMode not set for StorageClass "{name}"'
        raise ValueError(msg)
    return storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
