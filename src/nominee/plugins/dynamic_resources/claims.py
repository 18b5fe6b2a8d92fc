"""The claims of a pod: which they are, and whether it may use them.

Reproduces staging/src/k8s.io/dynamic-resource-allocation/resourceclaim/resourceclaim.go and
foreachPodResourceClaim (pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go), v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator

from nominee.framework import ClaimLedger, Pod, PodResourceClaim, ResourceClaim


class NotUsable(Exception):  # noqa: N818 - not an error but an answer: its text is what users read
    """A claim of the pod is not there (yet), is going away, or belongs to somebody else."""


def claims_of(pod: Pod, ledger: ClaimLedger) -> list[ResourceClaim]:
    """The claims that the pod names, or that were made for it; raises NotUsable."""
    return list(_claims_of(pod, ledger))


def why_not_usable(pod: Pod, ledger: ClaimLedger) -> str | None:
    """What is wrong with the pod's claims, if anything."""
    try:
        claims_of(pod, ledger)
    except NotUsable as reason:
        return str(reason)
    return None


def _claims_of(pod: Pod, ledger: ClaimLedger) -> Iterator[ResourceClaim]:
    for entry in pod.spec.resource_claims:
        name = _name_of(pod, entry)
        if name is None:
            continue  # none was wanted for this pod
        key = f"{pod.namespace}/{name}"
        claim = ledger.claim(key)
        if claim is None:
            raise NotUsable(f'could not find ResourceClaim "{key}"')
        if claim.terminating:
            raise NotUsable(f'resourceclaim "{name}" is being deleted')
        if entry.resource_claim_name is None and not _is_for(pod, claim):
            raise NotUsable(f"ResourceClaim {key} was not created for Pod {pod.key} (Pod is not owner)")
        yield claim


def _name_of(pod: Pod, entry: PodResourceClaim) -> str | None:
    """The claim's name; None where the API server says that none was made on purpose."""
    if entry.resource_claim_name is not None:
        return entry.resource_claim_name
    if entry.resource_claim_template_name is None:
        problem = "none of the supported fields are set"
        raise NotUsable(f'pod "{pod.key}", spec.resourceClaim "{entry.name}": {problem}')
    for status in pod.status.resource_claim_statuses:
        if status.name == entry.name:
            return status.resource_claim_name
    raise NotUsable(f'pod "{pod.key}": ResourceClaim not created yet')


def _is_for(pod: Pod, claim: ResourceClaim) -> bool:
    """Whether the pod controls the claim."""
    return any(owner.controller and owner.uid == pod.uid for owner in claim.metadata.owner_references)


def is_reserved_for(pod: Pod, claim: ResourceClaim) -> bool:
    """Whether the claim lists the pod among those who may use it."""
    return any(consumer.uid == pod.uid for consumer in claim.status.reserved_for)
