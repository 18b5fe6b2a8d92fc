"""The in-tree plugins, in the order in which kube-scheduler's default profile runs them."""

from __future__ import annotations

from nominee.plugins.default_binder import DefaultBinder
from nominee.plugins.dynamic_resources import DynamicResources
from nominee.plugins.image_locality import ImageLocality
from nominee.plugins.inter_pod_affinity import InterPodAffinity
from nominee.plugins.node_affinity import NodeAffinity
from nominee.plugins.node_declared_features import NodeDeclaredFeatures
from nominee.plugins.node_name import NodeName
from nominee.plugins.node_ports import NodePorts
from nominee.plugins.node_resources_allocatable import NodeResourcesAllocatable
from nominee.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from nominee.plugins.node_resources_fit import NodeResourcesFit
from nominee.plugins.node_unschedulable import NodeUnschedulable
from nominee.plugins.node_volume_limits import NodeVolumeLimits
from nominee.plugins.pod_topology_spread import PodTopologySpread
from nominee.plugins.priority_sort import PrioritySort
from nominee.plugins.scheduling_gates import SchedulingGates
from nominee.plugins.taint_toleration import TaintToleration
from nominee.plugins.volume_binding import VolumeBinding
from nominee.plugins.volume_restrictions import VolumeRestrictions
from nominee.plugins.volume_zone import VolumeZone
from nominee.preemption import DefaultPreemption

IN_TREE: tuple[type, ...] = (
    SchedulingGates,
    PrioritySort,
    NodeName,
    NodeUnschedulable,
    TaintToleration,
    NodeAffinity,
    NodePorts,
    NodeResourcesFit,
    VolumeRestrictions,
    NodeVolumeLimits,
    VolumeBinding,
    VolumeZone,
    PodTopologySpread,
    InterPodAffinity,
    DynamicResources,
    DefaultPreemption,
    NodeResourcesBalancedAllocation,
    ImageLocality,
    DefaultBinder,
    NodeDeclaredFeatures,
    NodeResourcesAllocatable,
)
