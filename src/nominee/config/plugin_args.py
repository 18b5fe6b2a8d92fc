"""The arguments of the in-tree plugins: one frozen struct per ``<Plugin>Args`` kind.

A field's default here is the default of the API. Where the default depends on a feature
gate the field starts as None and ``defaults`` fills it in. Fields without a default take
Go's zero value when a file leaves them out; validation then says what is missing.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from nominee.config.duration import Duration
from nominee.model.affinity import NodeAffinity, TopologySpreadConstraint

Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


class ResourceSpec(Struct, frozen=True, rename="camel"):
    """A resource and its weight in a score; weight 0 means 1."""

    name: str
    weight: Int64 = 1


class UtilizationShapePoint(Struct, frozen=True, rename="camel"):
    """One point of a scoring function: utilization 0-100 gives score 0-10."""

    utilization: Int32
    score: Int32


DEFAULT_RESOURCES: Final = (ResourceSpec("cpu", 1), ResourceSpec("memory", 1))
"""What NodeResourcesFit and NodeResourcesBalancedAllocation weigh unless told otherwise."""

ALLOCATABLE_RESOURCES: Final = (ResourceSpec("cpu", 1 << 20), ResourceSpec("memory", 1))
"""One millicore weighs as much as one MiB."""

STORAGE_CAPACITY_SHAPE: Final = (UtilizationShapePoint(0, 10), UtilizationShapePoint(100, 0))
"""The default shape of VolumeBinding: the emptier the better."""


class RequestedToCapacityRatioParam(Struct, frozen=True, rename="camel"):
    """The scoring function of the strategy RequestedToCapacityRatio."""

    shape: tuple[UtilizationShapePoint, ...] = ()


class ScoringStrategy(Struct, frozen=True, rename="camel"):
    """How NodeResourcesFit scores: LeastAllocated, MostAllocated or RequestedToCapacityRatio."""

    type: str
    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES
    requested_to_capacity_ratio: RequestedToCapacityRatioParam | None = None


class DefaultPreemptionArgs(Struct, frozen=True, kw_only=True, rename="camel"):
    """How many candidate nodes preemption looks at."""

    min_candidate_nodes_percentage: Int32 = 10
    min_candidate_nodes_absolute: Int32 = 100


class DynamicResourcesArgs(Struct, frozen=True, kw_only=True, rename="camel"):
    """Time limits of DynamicResources; 10s and 10m where their gates are on."""

    filter_timeout: Duration | None = None
    binding_timeout: Duration | None = None


class InterPodAffinityArgs(Struct, frozen=True, kw_only=True, rename="camel"):
    """The weight of required affinity of existing pods, and whether their wishes count."""

    hard_pod_affinity_weight: Int32 = 1
    ignore_preferred_terms_of_existing_pods: bool = False


class NodeAffinityArgs(Struct, frozen=True, kw_only=True, rename="camel"):
    """Node affinity that is added to every pod's own."""

    added_affinity: NodeAffinity | None = None


class NodeResourcesAllocatableArgs(Struct, frozen=True, kw_only=True, rename="camel"):
    """Prefer nodes with the Least or the Most allocatable resources."""

    mode: str = "Least"
    resources: tuple[ResourceSpec, ...] = ALLOCATABLE_RESOURCES


class NodeResourcesBalancedAllocationArgs(Struct, frozen=True, kw_only=True, rename="camel"):
    """The resources whose shares should be balanced."""

    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES


class NodeResourcesFitArgs(Struct, frozen=True, kw_only=True, rename="camel"):
    """Extended resources that the filter ignores, and the scoring strategy."""

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: ScoringStrategy = ScoringStrategy("LeastAllocated")


class PodTopologySpreadArgs(Struct, frozen=True, kw_only=True, rename="camel"):
    """Constraints for pods that have none: the System's or those of the List."""

    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    defaulting_type: str = "System"


class VolumeBindingArgs(Struct, frozen=True, kw_only=True, rename="camel"):
    """How long to wait for volumes, and the scoring shape (gate StorageCapacityScoring)."""

    bind_timeout_seconds: Int64 = 600
    shape: tuple[UtilizationShapePoint, ...] | None = None


PluginArgs = (
    DefaultPreemptionArgs
    | DynamicResourcesArgs
    | InterPodAffinityArgs
    | NodeAffinityArgs
    | NodeResourcesAllocatableArgs
    | NodeResourcesBalancedAllocationArgs
    | NodeResourcesFitArgs
    | PodTopologySpreadArgs
    | VolumeBindingArgs
)

ARGS_OF_PLUGIN: Final[dict[str, type[PluginArgs]]] = {
    "DefaultPreemption": DefaultPreemptionArgs,
    "DynamicResources": DynamicResourcesArgs,
    "InterPodAffinity": InterPodAffinityArgs,
    "NodeAffinity": NodeAffinityArgs,
    "NodeResourcesAllocatable": NodeResourcesAllocatableArgs,
    "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocationArgs,
    "NodeResourcesFit": NodeResourcesFitArgs,
    "PodTopologySpread": PodTopologySpreadArgs,
    "VolumeBinding": VolumeBindingArgs,
}
"""Plugin name to the struct of its args; every kind is the plugin's name plus ``Args``."""
