"""From a solution to what is written into a claim: devices, their configuration, the nodes they tie it to.

Reproduces the end of Allocate, and createNodeSelector (staging/src/k8s.io/dynamic-resource-allocation/
structured/internal/incubating/allocator_incubating.go, v1.37).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from uuid import NAMESPACE_OID, uuid5

from nominee.framework import (
    AllocationResult,
    DeviceAllocationConfiguration,
    DeviceAllocationResult,
    DeviceClaimConfiguration,
    DeviceRequestAllocationResult,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
)
from nominee.plugins.dynamic_resources.allocator import Pick, Solution
from nominee.plugins.dynamic_resources.demands import Alternative, ClaimDemand
from nominee.plugins.dynamic_resources.entries import DeviceEntry, SliceEntry
from nominee.plugins.dynamic_resources.pools import NodePools, Pool


class _Found(NamedTuple):
    pick: Pick
    pool: Pool
    within: SliceEntry
    entry: DeviceEntry


def allocations(
    claims: Sequence[ClaimDemand], solution: Solution, node: NodePools, salt: str
) -> list[AllocationResult]:
    """What each claim gets on this node; `salt` makes the ids of shares unlike any others."""
    return [
        _allocation(demand, solution.picks[c], solution.chosen[c], node, salt)
        for c, demand in enumerate(claims)
    ]


def _allocation(
    demand: ClaimDemand, picks: Sequence[Pick], chosen: Sequence[int], node: NodePools, salt: str
) -> AllocationResult:
    found = [_found(pick, node) for pick in picks]
    results = tuple(_result(f, i, f"{salt}/{demand.claim.uid}") for i, f in enumerate(found))
    alternatives = [r.alternatives[i] for r, i in zip(demand.requests, chosen, strict=True)]
    config = tuple(_configuration(demand, alternatives))
    return AllocationResult(
        devices=DeviceAllocationResult(results=results, config=config),
        node_selector=_node_selector(found, node.node.name),
    )


def _found(pick: Pick, node: NodePools) -> _Found:
    p, s, d = pick.location
    pool = node.pools[p]
    return _Found(pick, pool, pool.slices[s], pool.slices[s].devices[d])


def _result(found: _Found, position: int, salt: str) -> DeviceRequestAllocationResult:
    (alternative, _, consumed), pool, _, entry = found
    device = entry.device
    share = f"{salt}/{pool}/{device.name}/{position}"
    return DeviceRequestAllocationResult(
        request=alternative.name,
        driver=pool.driver,
        pool=pool.name,
        device=device.name,
        admin_access=True if alternative.admin else None,
        tolerations=alternative.tolerations,
        binding_conditions=device.binding_conditions,
        binding_failure_conditions=device.binding_failure_conditions,
        share_id=str(uuid5(NAMESPACE_OID, share)) if consumed is not None else None,
        consumed_capacity={name: amount.text for name, amount in (consumed or {}).items()},
    )


# -- configuration ----------------------------------------------------------------------------------


def _configuration(
    demand: ClaimDemand, alternatives: Sequence[Alternative]
) -> Iterator[DeviceAllocationConfiguration]:
    """Of each class once, then the claim's own; what concerns every request names none."""
    requests_of: dict[str, list[str]] = {}
    classes = {}
    for alternative in alternatives:
        classes[alternative.device_class.name] = alternative.device_class
        requests_of.setdefault(alternative.device_class.name, []).append(alternative.name)
    for name, device_class in classes.items():
        for config in device_class.spec.config:
            yield _configured("FromClass", config, requests_of[name], alternatives)
    for config in demand.claim.spec.devices.config:
        if not config.requests or any(_concerns(config.requests, a) for a in alternatives):
            yield _configured("FromClaim", config, config.requests, alternatives)


def _configured(
    source: str,
    config: DeviceClaimConfiguration,
    requests: Sequence[str],
    alternatives: Sequence[Alternative],
) -> DeviceAllocationConfiguration:
    everything = all(_concerns(requests, alternative) for alternative in alternatives)
    return DeviceAllocationConfiguration(
        source=source, requests=() if everything else tuple(requests), opaque=config.opaque
    )


def _concerns(requests: Sequence[str], alternative: Alternative) -> bool:
    return alternative.request in requests or alternative.name in requests


# -- nodes ------------------------------------------------------------------------------------------


def _node_selector(found: Sequence[_Found], node_name: str) -> NodeSelector | None:
    """The nodes on which all these devices can be used, None for all."""
    fields: list[NodeSelectorRequirement] = []
    labels: list[NodeSelectorRequirement] = []
    for _, _, within, entry in found:
        place = entry.device if within.source.spec.per_device_node_selection else within.source.spec
        if place.node_name is not None or entry.device.binds_to_node:
            return _this_node(node_name)
        if place.node_selector is not None and place.node_selector.node_selector_terms:
            term = place.node_selector.node_selector_terms[0]  # there is never more than one
            _add_new(fields, term.match_fields)
            _add_new(labels, term.match_expressions)
    if not fields and not labels:
        return None
    term = NodeSelectorTerm(match_fields=tuple(fields), match_expressions=tuple(labels))
    return NodeSelector(node_selector_terms=(term,))


def _this_node(node_name: str) -> NodeSelector:
    only = NodeSelectorRequirement(key="metadata.name", operator="In", values=(node_name,))
    return NodeSelector(node_selector_terms=(NodeSelectorTerm(match_fields=(only,)),))


def _add_new(to: list[NodeSelectorRequirement], more: Sequence[NodeSelectorRequirement]) -> None:
    for requirement in more:
        if not any(_same(requirement, known) for known in to):
            to.append(requirement)


def _same(a: NodeSelectorRequirement, b: NodeSelectorRequirement) -> bool:
    return (a.key, a.operator, set(a.values)) == (b.key, b.operator, set(b.values))
