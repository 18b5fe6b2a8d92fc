"""One attempt at a pod with claims: what PreFilter found out, and what the filter finds on the nodes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from nominee.framework import (
    AllocatedDevices,
    AllocationResult,
    ClaimLedger,
    ClusterView,
    Cycle,
    DeviceClass,
    DeviceTaintRule,
    Ints,
    NodeTerms,
    Pod,
    Reject,
    ResourceClaim,
    ResourceSlice,
    Skip,
    Slot,
    device_classes,
    node_selector,
)
from nominee.plugins.dynamic_resources.allocator import Solution
from nominee.plugins.dynamic_resources.claims import NotUsable, claims_of
from nominee.plugins.dynamic_resources.demands import ClaimDemand, demand_for, demand_of
from nominee.plugins.dynamic_resources.extended import (
    IN_MEMORY,
    ExtendedRequests,
    extended_requests,
    special_claim,
    wanted_resources,
)
from nominee.plugins.dynamic_resources.pools import PoolIndex
from nominee.plugins.dynamic_resources.situations import Situations
from nominee.plugins.dynamic_resources.usage import Features


@dataclass(slots=True)
class Claim:
    """A claim of the pod. `special`: the scheduler's own, for extended resources.

    terms       the nodes on which an allocated claim can be used, None for all
    allocation  set by Reserve, for PreBind to write; stays when that is done
    pending     the uid under which the ledger keeps that, "" when it does not
    """

    source: ResourceClaim
    special: bool = False
    terms: NodeTerms | None = None
    allocation: AllocationResult | None = None
    pending: str = ""

    @property
    def allocated(self) -> bool:
        return self.source.status.allocation is not None

    @property
    def in_memory(self) -> bool:
        return self.source.name == IN_MEMORY


@dataclass(frozen=True, slots=True)
class Variant:
    """What is to be allocated on a node: it differs by the extended resources the node itself has.

    extended  the requests of the scheduler's own claim; None if it has nothing to ask for
    """

    demands: tuple[ClaimDemand, ...]
    extended: ExtendedRequests | None


@dataclass(frozen=True, slots=True)
class Found:
    """Devices for the pod on nodes in the same situation."""

    variant: Variant
    solution: Solution


@dataclass(slots=True)
class Attempt:
    """Shared by all methods of the plugin within one attempt.

    situations   by row, equal for nodes on which every search ends the same
    found        by situation and the bits of the extended resources that devices must provide there,
                 the devices, or why there are none
    chosen       what was found on the node that Reserve was asked about
    unavailable  positions of allocated claims that some node can not use
    """

    pod: Pod
    claims: list[Claim]
    resources: dict[str, int]
    classes: dict[str, DeviceClass]
    index: PoolIndex
    devices: AllocatedDevices
    features: Features
    situations: Ints
    found: dict[tuple[int, int], Found | str] = field(default_factory=dict)
    chosen: Found | None = None
    unavailable: set[int] = field(default_factory=set)
    variants: dict[frozenset[str], Variant] = field(default_factory=dict)

    @property
    def special(self) -> Claim | None:
        """The scheduler's own claim comes last."""
        return self.claims[-1] if self.claims[-1].special else None

    @property
    def searches(self) -> bool:
        """Whether anything may have to be allocated."""
        return any(not claim.allocated for claim in self.claims)

    def is_from_devices(self, resource: str) -> bool:
        """Whether a device class stands behind an extended resource."""
        return _class_key(resource) in self.classes

    def variant(self, from_devices: frozenset[str]) -> Variant:
        """What to allocate on nodes where devices must provide these resources; raises DemandError."""
        known = self.variants.get(from_devices)
        if known is None:
            known = self.variants[from_devices] = self._variant(from_devices)
        return known

    def _variant(self, from_devices: frozenset[str]) -> Variant:
        extended, demands = None, []
        for claim in self.claims:
            if claim.allocated:
                continue
            if not claim.special:
                demands.append(demand_of(claim.source, self.classes.get))
                continue
            by_resource = {name: self.classes[_class_key(name)] for name in from_devices}
            if by_resource:
                extended = extended_requests(self.pod, from_devices, by_resource)
                demands.append(demand_for(claim.source, extended.requests, self.classes.get))
        return Variant(tuple(demands), extended)


def _class_key(resource: str) -> str:
    """Classes are kept by name; by resource, with a sign that no name has."""
    return f"={resource}"


ATTEMPT: Slot[Attempt] = Slot("claims of the pod")


def begin(pod: Pod, cycle: Cycle) -> Skip | Reject | None:
    """Look at all claims before any node.

    Reproduces PreFilter (pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, v1.37).
    """
    cluster = cycle.cluster
    by_resource = device_classes(cluster) if cycle.features.enabled("DRAExtendedResource") else {}
    resources = wanted_resources(pod)
    from_devices = any(name in by_resource for name in resources)
    if not pod.spec.resource_claims and not from_devices:
        return Skip.THIS_SHAPE
    ledger = ClaimLedger.of(cluster)
    try:
        claims = [Claim(claim) for claim in claims_of(pod, ledger)]
    except NotUsable as reason:
        return _reject(str(reason))
    if from_devices:
        claims.append(Claim(special_claim(pod, ledger), special=True))
    if not claims:
        return Skip.THIS_CYCLE
    classes = {device_class.name: device_class for device_class in cluster.all(DeviceClass)}
    for claim in claims:
        problem = _look_at(claim, ledger, classes, prioritized=cycle.features.enabled("DRAPrioritizedList"))
        if problem is not None:
            return _reject(problem)
    classes |= {_class_key(name): by_resource[name] for name in resources if name in by_resource}
    index = _index(cluster, cycle)
    situations = cluster.lasting(Situations).bring_up(cluster, index, ledger.devices)
    cycle[ATTEMPT] = Attempt(
        pod, claims, resources, classes, index, ledger.devices, _features(cycle), situations
    )
    return None


def _look_at(
    claim: Claim, ledger: ClaimLedger, classes: dict[str, DeviceClass], *, prioritized: bool
) -> str | None:
    """Prepare a claim, or say what stands in the way."""
    source = claim.source
    if source.status.allocation is not None:
        selector = source.status.allocation.node_selector
        claim.terms = node_selector(selector) if selector is not None else None
        return None
    title = f"resource claim {source.namespace}/{source.name}"
    if ledger.is_pending(source.uid):
        return f"{title} is in the process of being allocated"
    for request in () if claim.special else source.spec.devices.requests:
        if request.first_available:
            if not prioritized:
                gate = "has subrequests, but the DRAPrioritizedList feature is disabled"
                return f"{title}, request {request.name}: {gate}"
            wanted = [(f"{request.name}/{s.name}", s.device_class_name) for s in request.first_available]
        elif request.exactly is not None:
            wanted = [(request.name, request.exactly.device_class_name)]
        else:
            return f"{title}, request {request.name}: unknown request type"
        for name, class_name in wanted:
            if not class_name:
                raise ValueError(f"request {name}: unsupported request type")
            if class_name not in classes:
                return f"request {name}: device class {class_name} does not exist"
    return None


def _reject(reason: str) -> Reject:
    return Reject((reason,), unresolvable=True)


class _Indexes:
    """The last index of slices, from which the next one takes over what did not change."""

    def __init__(self) -> None:
        self.version: Hashable = None
        self.index = PoolIndex(())


def _index(cluster: ClusterView, cycle: Cycle) -> PoolIndex:
    held = cluster.lasting(_Indexes)
    with_rules = cycle.features.enabled("DRADeviceTaintRules")
    version = (cluster.version(ResourceSlice), cluster.version(DeviceTaintRule), with_rules)
    if held.version != version:
        rules = cluster.all(DeviceTaintRule) if with_rules else ()
        held.index = PoolIndex(cluster.all(ResourceSlice), rules, before=held.index)
        held.version = version
    return held.index


def _features(cycle: Cycle) -> Features:
    enabled = cycle.features.enabled
    return Features(
        consumable_capacity=enabled("DRAConsumableCapacity"),
        partitionable_devices=enabled("DRAPartitionableDevices"),
        device_taints=enabled("DRADeviceTaints"),
        binding_conditions=binding_conditions_count(cycle),
        fractional_capacity=enabled("DRAFractionalCapacityRange"),
    )


def binding_conditions_count(cycle: Cycle) -> bool:
    """Whether devices may have conditions that must be true before a pod is bound."""
    enabled = cycle.features.enabled
    return enabled("DRADeviceBindingConditions") and enabled("DRAResourceClaimDeviceStatus")
