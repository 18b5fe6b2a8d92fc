"""PostFilter: a claim that is allocated where the pod can not go may be given up for another try.

Reproduces deallocateOrDeletePodClaims
(pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, v1.37). Upstream writes before it
answers; here the write is an errand, and the message says what is being done.
"""

from __future__ import annotations

from functools import partial

from nominee.framework import Cycle, Errand, Nomination, Pod
from nominee.plugins.dynamic_resources.attempt import Attempt, Claim
from nominee.plugins.dynamic_resources.writing import deallocate, delete_claims


def rescue(attempt: Attempt, pod: Pod, cycle: Cycle) -> Nomination | None:
    """Give up one claim that nobody else uses: any one, for none is better than the others."""
    special = attempt.special
    stale = special if special is not None and not special.in_memory else None
    candidates = [
        claim
        for i, claim in enumerate(attempt.claims)
        if i in attempt.unavailable and not claim.special and _is_ours(claim, pod)
    ]
    if candidates and stale is None:
        claim = candidates[cycle.offset % len(candidates)]
        errand = Errand(partial(deallocate, claim.source.key, pod))
        return _answer("deallocation of ResourceClaim completed", errand)
    if stale is not None:
        return _answer(
            "deletion of ResourceClaim completed", Errand(partial(delete_claims, [stale.source.key]))
        )
    return None


def _is_ours(claim: Claim, pod: Pod) -> bool:
    """Whether the pod is the only one that may use the claim, or nobody is."""
    return {consumer.uid for consumer in claim.source.status.reserved_for} <= {pod.uid}


def _answer(message: str, errand: Errand) -> Nomination:
    return Nomination(None, message, reject=True, errand=errand)
