"""What the args of in-tree plugins must satisfy.

pkg/scheduler/apis/config/validation/validation_pluginargs.go, v1.37, and for
NodeResourcesAllocatable apis/config/validation/validation_pluginargs.go of scheduler-plugins.
kube-scheduler checks NodeResourcesFit only when it builds the plugin; here it is checked with
the rest, so that ``config check`` finds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nominee.config.defaults import waits_for_device_binding
from nominee.config.duration import Duration
from nominee.config.features import FeatureGates
from nominee.config.field import FieldError, duplicate, forbidden, invalid, not_supported, required
from nominee.config.names import qualified_name_faults
from nominee.config.plugin_args import (
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesAllocatableArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PluginArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    ScoringStrategy,
    UtilizationShapePoint,
    VolumeBindingArgs,
)
from nominee.config.validation_affinity import validate_added_affinity
from nominee.model.affinity import TopologySpreadConstraint

STRATEGIES: Final = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")
DEFAULTING_TYPES: Final = ("System", "List")

Faults = Iterator[FieldError]


def validate_args(path: str, args: PluginArgs, features: FeatureGates) -> Faults:
    """Every fault of the defaulted args of an in-tree plugin."""
    match args:
        case DefaultPreemptionArgs():
            yield from _default_preemption(path, args)
        case DynamicResourcesArgs():
            yield from _dynamic_resources(path, args, features)
        case InterPodAffinityArgs():
            yield from _range(f"{path}.hardPodAffinityWeight", args.hard_pod_affinity_weight, 100)
        case NodeAffinityArgs():
            yield from validate_added_affinity(f"{path}.addedAffinity", args.added_affinity)
        case NodeResourcesAllocatableArgs():
            yield from _node_resources_allocatable(path, args)
        case NodeResourcesBalancedAllocationArgs():
            yield from _balanced_allocation(f"{path}.resources", args.resources)
        case NodeResourcesFitArgs():
            yield from _node_resources_fit(path, args)
        case PodTopologySpreadArgs():
            yield from _pod_topology_spread(path, args)
        case VolumeBindingArgs():
            yield from _volume_binding(path, args, features)


def _default_preemption(path: str, args: DefaultPreemptionArgs) -> Faults:
    share, count = args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute
    share_name, count_name = "minCandidateNodesPercentage", "minCandidateNodesAbsolute"
    yield from _range(f"{path}.{share_name}", share, 100)
    if count < 0:
        yield invalid(f"{path}.{count_name}", count, "not in valid range [0, inf)")
    if share == count == 0:
        yield invalid(f"{path}.{share_name}", share, f"cannot be zero at the same time as {count_name}")
        yield invalid(f"{path}.{count_name}", count, f"cannot be zero at the same time as {share_name}")


def _range(path: str, value: int, highest: int) -> Faults:
    if not 0 <= value <= highest:
        yield invalid(path, value, f"not in valid range [0, {highest}]")


def _dynamic_resources(path: str, args: DynamicResourcesArgs, features: FeatureGates) -> Faults:
    filter_timeout, binding_timeout = args.filter_timeout, args.binding_timeout
    if filter_timeout is not None:
        if not features.enabled("DRASchedulerFilterTimeout"):
            # Upstream's text names the gate so, without the "r".
            detail = "DRASchedulingFilterTimeout feature gate is disabled"
            yield forbidden(f"{path}.filterTimeout", detail)
        elif filter_timeout < Duration(0):
            yield invalid(f"{path}.filterTimeout", filter_timeout, "must be zero or positive")
    if binding_timeout is not None:
        if not waits_for_device_binding(features):
            detail = "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled"
            yield forbidden(f"{path}.bindingTimeout", detail)
        elif binding_timeout < Duration.of(1):
            yield invalid(f"{path}.bindingTimeout", binding_timeout, "must be at least 1 second")


def _node_resources_allocatable(path: str, args: NodeResourcesAllocatableArgs) -> Faults:
    for index, resource in enumerate(args.resources):
        if resource.weight <= 0:
            rule = f"resource weight of {resource.name} should be a positive value, got :{resource.weight}"
            yield invalid(f"{path}.resources[{index}].weight", resource.weight, rule)
    if args.mode not in {"Least", "Most"}:
        yield invalid(f"{path}.mode", args.mode, "invalid support ModeType")


def _balanced_allocation(path: str, resources: tuple[ResourceSpec, ...]) -> Faults:
    seen: set[str] = set()
    for index, resource in enumerate(resources):
        if resource.name in seen:
            yield duplicate(f"{path}[{index}].name", resource.name)
        seen.add(resource.name)
        if resource.weight != 1:
            yield invalid(f"{path}[{index}].weight", resource.weight, "must be 1")


def _node_resources_fit(path: str, args: NodeResourcesFitArgs) -> Faults:
    for index, name in enumerate(args.ignored_resources):
        yield from _label_name(f"{path}.ignoredResources[{index}]", name)
    for index, group in enumerate(args.ignored_resource_groups):
        place = f"{path}.ignoredResourceGroups[{index}]"
        if "/" in group:
            yield invalid(place, group, "resource group name can't contain '/'")
        yield from _label_name(place, group)
    yield from _strategy(f"{path}.scoringStrategy", args.scoring_strategy)


def _label_name(path: str, name: str) -> Faults:
    yield from (invalid(path, name, fault) for fault in qualified_name_faults(name))


def _strategy(path: str, strategy: ScoringStrategy) -> Faults:
    if strategy.type not in STRATEGIES:
        yield not_supported(f"{path}.type", strategy.type, STRATEGIES)
    for index, resource in enumerate(strategy.resources):
        if not 0 < resource.weight <= 100:
            rule = f"resource weight of {resource.name} not in valid range (0, 100]"
            yield invalid(f"{path}.resources[{index}].weight", resource.weight, rule)
    yield from _ratio(f"{path}.requestedToCapacityRatio", strategy)


def _ratio(path: str, strategy: ScoringStrategy) -> Faults:
    ratio = strategy.requested_to_capacity_ratio
    if strategy.type != "RequestedToCapacityRatio":
        if ratio is not None:
            yield forbidden(path, "must be nil when type is not RequestedToCapacityRatio")
    elif ratio is None:
        yield required(path, "must be specified when type is RequestedToCapacityRatio")
    else:
        yield from _shape(f"{path}.shape", ratio.shape)


def _shape(path: str, shape: tuple[UtilizationShapePoint, ...]) -> Faults:
    if not shape:
        yield required(path, "at least one point must be specified")
    for index in range(1, len(shape)):
        if shape[index - 1].utilization >= shape[index].utilization:
            place = f"{path}[{index}].utilization"
            yield invalid(place, shape[index].utilization, "values must be sorted in increasing order")
            break
    for index, point in enumerate(shape):
        yield from _range(f"{path}[{index}].utilization", point.utilization, 100)
        yield from _range(f"{path}[{index}].score", point.score, 10)


def _pod_topology_spread(path: str, args: PodTopologySpreadArgs) -> Faults:
    constraints = args.default_constraints
    if args.defaulting_type not in DEFAULTING_TYPES:
        yield not_supported(f"{path}.defaultingType", args.defaulting_type, DEFAULTING_TYPES)
    elif args.defaulting_type == "System" and constraints:
        yield invalid(f"{path}.defaultingType", "System", "when .defaultConstraints are not empty")
    seen: set[tuple[str, str]] = set()
    for index, constraint in enumerate(constraints):
        place = f"{path}.defaultConstraints[{index}]"
        yield from _constraint(place, constraint)
        key = (constraint.topology_key, constraint.when_unsatisfiable)
        if key in seen:
            yield duplicate(place, f"{{{key[0]}, {key[1]}}}")
        seen.add(key)


def _constraint(path: str, constraint: TopologySpreadConstraint) -> Faults:
    if constraint.max_skew <= 0:
        yield invalid(f"{path}.maxSkew", constraint.max_skew, "not in valid range (0, inf)")
    if not constraint.topology_key:
        yield required(f"{path}.topologyKey", "can not be empty")
    else:
        yield from _label_name(f"{path}.topologyKey", constraint.topology_key)
    if not constraint.when_unsatisfiable:
        yield required(f"{path}.whenUnsatisfiable", "can not be empty")
    elif constraint.when_unsatisfiable not in ACTIONS:
        yield not_supported(f"{path}.whenUnsatisfiable", constraint.when_unsatisfiable, ACTIONS)
    if constraint.label_selector is not None:
        rule = "constraint must not define a selector, as they deduced for each pod"
        yield forbidden(f"{path}.labelSelector", rule)


def _volume_binding(path: str, args: VolumeBindingArgs, features: FeatureGates) -> Faults:
    if args.bind_timeout_seconds < 0:
        rule = "invalid BindTimeoutSeconds, should not be a negative value"
        yield invalid(f"{path}.bindTimeoutSeconds", args.bind_timeout_seconds, rule)
    if features.enabled("StorageCapacityScoring"):
        yield from _shape(f"{path}.shape", args.shape or ())
    elif args.shape is not None:
        rule = "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"
        yield invalid(f"{path}.shape", args.shape, rule)
