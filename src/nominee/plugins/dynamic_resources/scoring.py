"""The score: nodes where requests get the alternatives they like best.

Reproduces computeScore (pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, v1.37).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nominee.framework import Ints, NodeView
from nominee.plugins.dynamic_resources.attempt import Attempt, Claim, Found
from nominee.plugins.dynamic_resources.filtering import found_on

_MOST_ALTERNATIVES = 8
"""How many alternatives a request may have: FirstAvailableDeviceRequestMaxSize of the API."""


def scores(attempt: Attempt, nodes: NodeView) -> Ints:
    """For each request with alternatives, the earlier the one it gets, the more; 0 without devices."""
    of_allocated = sum(sum(_of_allocated(claim)) for claim in attempt.claims if claim.allocated)
    answers, of_node = found_on(attempt, nodes)
    scored = [0 if found is None else of_allocated + sum(_of_solution(found)) for found in answers]
    return np.array(scored, np.int64)[of_node]


def tells_nodes_apart(attempt: Attempt) -> bool:
    """Whether any request has alternatives: all nodes score 0 without."""
    requests = (request for claim in attempt.claims for request in claim.source.spec.devices.requests)
    return any(request.first_available for request in requests)


def normalized(scored: Ints, highest: int) -> Ints:
    """Reproduces DefaultNormalizeScore (…/plugins/helper/normalize_score.go, v1.37)."""
    return scored * 100 // highest if highest > 0 else scored


def _of_solution(found: Found) -> Iterator[int]:
    for demand, chosen in zip(found.variant.demands, found.solution.chosen, strict=True):
        for request, alternative in zip(demand.requests, chosen, strict=True):
            if request.prioritized:
                yield _MOST_ALTERNATIVES - alternative


def _of_allocated(claim: Claim) -> Iterator[int]:
    allocation = claim.source.status.allocation
    allocated = {r.request for r in allocation.devices.results} if allocation is not None else set()
    for request in claim.source.spec.devices.requests:
        for i, alternative in enumerate(request.first_available):
            if f"{request.name}/{alternative.name}" in allocated:
                yield _MOST_ALTERNATIVES - i
