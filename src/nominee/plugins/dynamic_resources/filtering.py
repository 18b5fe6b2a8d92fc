"""The filter: on which nodes the pod can have its devices.

Reproduces Filter (pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, v1.37) and
filterExtendedResources (…/extendeddynamicresources.go).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nominee.framework import Ints, Mask, Node, NodeView, Rejection, Rows, node_allocatable, nodes_in_terms
from nominee.plugins.dynamic_resources.allocator import Allocator, TimedOut
from nominee.plugins.dynamic_resources.attempt import Attempt, Found
from nominee.plugins.dynamic_resources.pools import Pool

CANNOT_ALLOCATE = "cannot allocate all claims"
NOT_AVAILABLE = "resourceclaim not available on the node"
INVALID_POOLS = "invalid resource pools were encountered"
STALE_SPECIAL_CLAIM = "cannot schedule extended resource claim"
CANNOT_FIT = "cannot fit resource"


class SearchTimedOut(Exception):  # noqa: N818 - its text is what users read
    """A node's slices are too intricate; the pod is tried again after back-off."""


def rejections(attempt: Attempt, nodes: NodeView, broken: frozenset[int], steps: int) -> Iterator[Rejection]:
    """Which of these nodes can not serve the claims, and why.

    `broken` are the positions of allocated claims whose devices will not become ready.
    """
    special = attempt.special
    if special is not None and special.source.spec.devices.requests:
        # Left over from an earlier attempt: to be deleted before the pod can have devices again.
        yield Rejection(nodes.valid.copy(), STALE_SPECIAL_CLAIM, unresolvable=True)
        return
    passed, lacking = nodes.valid.copy(), lacking_resources(attempt, nodes)
    if lacking is not None:
        yield Rejection(lacking, CANNOT_FIT, unresolvable=True)
        passed &= ~lacking
    for reason, rows in _fruitless(attempt, nodes, passed, steps):
        yield Rejection(rows, reason, unresolvable=True)
        passed &= ~rows
    unusable = _unusable(attempt, nodes, broken) & passed
    if unusable.any():
        yield Rejection(unusable, NOT_AVAILABLE, unresolvable=True)


# -- extended resources -----------------------------------------------------------------------------


def lacking_resources(attempt: Attempt, nodes: NodeView) -> Mask | None:
    """The nodes that know nothing of a resource no devices stand behind; None for none of them."""
    lacking = np.zeros(len(nodes), np.bool_)
    if attempt.special is None:
        return None
    for name in attempt.resources:
        column = nodes.column(name)
        if attempt.is_from_devices(name) or column is None:
            continue
        for position in np.flatnonzero(nodes.valid & (nodes.allocatable[column] == 0)).tolist():
            lacking[position] |= name not in node_allocatable(nodes.node(position).object)
    return lacking if lacking.any() else None


def bits_of(attempt: Attempt, nodes: NodeView) -> Ints:
    """By node, a bit for each extended resource that devices must provide, for it has none itself."""
    bits = np.zeros(len(nodes), np.int64)
    if attempt.special is not None:
        for i, name in enumerate(attempt.resources):
            column = nodes.column(name)
            if attempt.is_from_devices(name):
                missing = nodes.allocatable[column] == 0 if column is not None else nodes.valid
                bits |= missing.astype(np.int64) << i
    return bits


# -- devices ----------------------------------------------------------------------------------------


def _fruitless(attempt: Attempt, nodes: NodeView, among: Mask, steps: int) -> Iterator[tuple[str, Mask]]:
    """Where the search finds nothing; one search for all nodes in the same situation."""
    if not attempt.searches:
        return
    situations, bits = attempt.situations[nodes.rows], bits_of(attempt, nodes)
    width = len(attempt.resources)
    keys = np.where(among, (situations << width) | bits, -1)
    distinct, firsts, inverse = np.unique(keys, return_index=True, return_inverse=True)
    reasons: dict[str, list[int]] = {}
    for i, (key, first) in enumerate(zip(distinct.tolist(), firsts.tolist(), strict=True)):
        if key < 0:
            continue
        found_key = key >> width, key & ((1 << width) - 1)
        answer = attempt.found.get(found_key)
        if answer is None:
            answer = attempt.found[found_key] = _search(attempt, nodes.node(first), found_key[1], steps)
        if isinstance(answer, str):
            reasons.setdefault(answer, []).append(i)
    for reason, indices in reasons.items():
        yield reason, np.isin(inverse.reshape(-1), indices)


def _search(attempt: Attempt, node: Node, bits: int, steps: int) -> Found | str:
    """Devices for the claims that have to be allocated on the node, or why there are none."""
    names = frozenset(name for i, name in enumerate(attempt.resources) if bits >> i & 1)
    variant, pools = attempt.variant(names), attempt.index.node_pools(node.object)
    allocator = Allocator(variant.demands, pools.pools, attempt.devices, attempt.features, steps)
    try:
        solution = allocator.search()
    except TimedOut:
        raise SearchTimedOut(f"node {node.name}: timed out trying to allocate devices") from None
    return Found(variant, solution) if solution is not None else _failure(pools.pools)


def _failure(pools: tuple[Pool, ...]) -> str:
    return INVALID_POOLS if any(pool.invalid for pool in pools) else CANNOT_ALLOCATE


def found_on(attempt: Attempt, nodes: NodeView) -> tuple[list[Found | None], Rows]:
    """The devices that the filter has found: the distinct answers, and by node which of them holds."""
    width = len(attempt.resources)
    keys = (attempt.situations[nodes.rows] << width) | bits_of(attempt, nodes)
    distinct, inverse = np.unique(keys, return_inverse=True)
    answers = (attempt.found.get((key >> width, key & ((1 << width) - 1))) for key in distinct.tolist())
    return [answer if isinstance(answer, Found) else None for answer in answers], inverse.reshape(-1)


# -- claims that have devices -----------------------------------------------------------------------


def _unusable(attempt: Attempt, nodes: NodeView, broken: frozenset[int]) -> Mask:
    """The nodes on which an allocated claim can not be used."""
    unusable = np.zeros(len(nodes), np.bool_)
    for i, claim in enumerate(attempt.claims):
        elsewhere = np.zeros(len(nodes), np.bool_)
        if claim.terms is not None:
            elsewhere = nodes.valid & ~nodes_in_terms(nodes, claim.terms)
        if i in broken:
            elsewhere = nodes.valid
        if elsewhere.any():
            attempt.unavailable.add(i)
            unusable |= elsewhere
    return unusable
