"""Reserve and its undoing: what the pod is to get is taken at once, for all attempts to see.

Reproduces Reserve and Unreserve
(pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, v1.37).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from nominee.framework import Api, ClaimLedger, Cycle, Errand, Node, Pod, ResourceClaim
from nominee.plugins.dynamic_resources.attempt import Attempt
from nominee.plugins.dynamic_resources.claims import is_reserved_for
from nominee.plugins.dynamic_resources.filtering import found_on
from nominee.plugins.dynamic_resources.results import allocations
from nominee.plugins.dynamic_resources.writing import deallocate, delete_claims, drop_reservations


class NothingFound(Exception):  # noqa: N818 - cannot happen; the text is upstream's
    """The filter has not been asked about the node that was chosen."""


def reserve(attempt: Attempt, node: Node, cycle: Cycle) -> None:
    """Take the devices that the filter has found on the node."""
    nodes = cycle.cluster.all_nodes.take(np.array([node.row], np.intp))
    attempt.chosen = found = found_on(attempt, nodes)[0][0]
    if found is None:
        if any(not claim.allocated and not claim.special for claim in attempt.claims):
            raise NothingFound("claim allocation not found for node")
        return
    extended = found.variant.extended is not None
    wanting = [c for c in attempt.claims if not c.allocated and (extended or not c.special)]
    salt = f"{attempt.pod.uid}/{cycle.offset}/{cycle.now}"
    results = allocations(found.variant.demands, found.solution, attempt.index.node_pools(node.object), salt)
    ledger = ClaimLedger.of(cycle.cluster)
    for claim, allocation in zip(wanting, results, strict=True):
        claim.allocation, claim.pending = allocation, claim.source.uid
        ledger.reserve(claim.pending, allocation)
        cycle.cluster.touch(ResourceClaim, claim.source.key)


def unreserve(attempt: Attempt, pod: Pod, cycle: Cycle) -> Errand | None:
    """Give back what was not written yet; what was, has to be undone at the API server.

    Unlike upstream's, an allocation that this attempt has written is given up as well, unless others use
    the claim by now: else it would tie the pod to a node on which something else, say a volume, can not be
    had. One of an earlier attempt, which a restart has cut off, stays.
    """
    ledger = ClaimLedger.of(cycle.cluster)
    for claim in attempt.claims:
        if claim.pending:
            ledger.release(claim.pending)
            cycle.cluster.touch(ResourceClaim, claim.source.key)
            claim.pending, claim.allocation = "", None
    shared = [c for c in attempt.claims if not c.special and c.allocated]
    reserved = [claim for claim in shared if is_reserved_for(pod, claim.source)]
    special = attempt.special
    written = [special.source] if special is not None and not special.in_memory else []
    for source in written:
        ledger.forget(source.key)
    if not reserved and not written:
        return None
    allocated = [claim.source.key for claim in reserved if claim.allocation is not None]
    others = [claim.source.key for claim in reserved if claim.allocation is None]
    return Errand(partial(_undo, pod, allocated, others, [c.key for c in written]))


async def _undo(pod: Pod, allocated: list[str], reserved: list[str], written: list[str], api: Api) -> None:
    for key in allocated:
        await deallocate(key, pod, api)
    await drop_reservations(pod, reserved, api)
    await delete_claims(written, api)
