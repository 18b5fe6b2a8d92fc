"""Which events may help a pod that has waited for claims or devices.

Reproduces isSchedulableAfterClaimChange and isSchedulableAfterTargetPodUpdate
(pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, v1.37).
"""

from __future__ import annotations

from collections.abc import Sequence

from nominee.framework import Action, ClaimLedger, ClusterView, EventHint, Pod, Resource, ResourceClaim
from nominee.plugins.dynamic_resources.claims import NotUsable, claims_of, why_not_usable


def claim_changed(
    pod: Pod, old: ResourceClaim | None, new: ResourceClaim | None, cluster: ClusterView
) -> bool:
    """Whether devices became free, or something about a claim of the pod itself changed."""
    if new is None:
        return old is not None and old.status.allocation is not None
    try:
        claims = claims_of(pod, ClaimLedger.of(cluster))
    except NotUsable:
        return False
    if old is not None and old.status.allocation is not None and new.status.allocation is None:
        return True
    if not any(claim.uid == new.uid for claim in claims):
        return False
    return old is None or old.status != new.status


def claims_were_made(_pod: Pod, _old: Pod | None, new: Pod, cluster: ClusterView) -> bool:
    """Whether all claims of the pod are there now."""
    return why_not_usable(new, ClaimLedger.of(cluster)) is None


EVENTS: Sequence[EventHint] = (
    EventHint(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_ALLOCATABLE),
    EventHint(Resource.RESOURCE_CLAIM, Action.ADD | Action.UPDATE | Action.DELETE, claim_changed),
    EventHint(Resource.TARGET_POD, Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM, claims_were_made),
    EventHint(Resource.DEVICE_CLASS, Action.ADD | Action.UPDATE),
    EventHint(Resource.RESOURCE_SLICE, Action.ADD | Action.UPDATE),
)
