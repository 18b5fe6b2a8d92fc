"""The default plugins, their order and weights, and how a profile's own are merged in.

pkg/scheduler/apis/config/v1/default_plugins.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import structs

from nominee.config.features import FeatureGates
from nominee.config.types import Plugin, Plugins, PluginSet

ALL: Final = "*"

# Name, weight (0: not set), gate. The order is the order in which plugins run.
_DEFAULTS: Final[tuple[tuple[str, int, str | None], ...]] = (
    ("SchedulingGates", 0, None),
    ("PrioritySort", 0, None),
    ("NodeName", 0, None),
    ("NodeUnschedulable", 0, None),
    ("TaintToleration", 3, None),
    ("NodeAffinity", 2, None),
    ("NodePorts", 0, None),
    ("DeferredPodScheduling", 0, "InPlacePodVerticalScalingSchedulerPreemption"),
    ("NodeResourcesFit", 1, None),
    ("VolumeRestrictions", 0, None),
    ("NodeVolumeLimits", 0, None),
    ("VolumeBinding", 0, None),
    ("VolumeZone", 0, None),
    ("PodTopologySpread", 2, None),
    ("InterPodAffinity", 2, None),
    ("DynamicResources", 2, "DynamicResourceAllocation"),
    ("DefaultPreemption", 0, None),
    ("NodeResourcesBalancedAllocation", 1, None),
    ("ImageLocality", 1, None),
    ("DefaultBinder", 0, None),
    ("NodeDeclaredFeatures", 0, "NodeDeclaredFeatures"),
    ("GangScheduling", 0, "GenericWorkload"),
    ("TopologyPlacementGenerator", 0, "TopologyAwareWorkloadScheduling"),
    ("PodGroupPodsCount", 1, "TopologyAwareWorkloadScheduling"),
)

IN_TREE_PLUGINS: Final = frozenset({name for name, _, _ in _DEFAULTS} | {"NodeResourcesAllocatable"})
"""The name of every plugin that may be configured without installing anything."""


def default_plugins(features: FeatureGates) -> Plugins:
    """The plugins of a profile that configures none: all through multiPoint."""
    enabled = tuple(
        Plugin(name, weight) for name, weight, gate in _DEFAULTS if gate is None or features.enabled(gate)
    )
    return Plugins(multi_point=PluginSet(enabled=enabled))


def merge_plugins(defaults: Plugins, custom: Plugins) -> Plugins:
    """Merge a profile's plugin sets into the default ones, point by point."""
    return Plugins(
        **{
            info.name: merge_plugin_set(getattr(defaults, info.name), getattr(custom, info.name))
            for info in structs.fields(Plugins)
        }
    )


def merge_plugin_set(defaults: PluginSet, custom: PluginSet) -> PluginSet:
    """Drop disabled defaults, replace configured ones in place, append the rest.

    The weight of a custom plugin wins. A plugin listed twice is kept twice, for the build
    of the profile to object to (mergePluginSet).
    """
    disabled = tuple(Plugin(plugin.name) for plugin in (*custom.disabled, *defaults.disabled))
    kept = list(_kept(defaults, {plugin.name for plugin in disabled}))
    position = {plugin.name: index for index, plugin in enumerate(custom.enabled)}
    replaced = {position[plugin.name] for plugin in kept if plugin.name in position}
    in_place = (custom.enabled[position[p.name]] if p.name in position else p for p in kept)
    appended = (plugin for index, plugin in enumerate(custom.enabled) if index not in replaced)
    return PluginSet(enabled=(*in_place, *appended), disabled=disabled)


def _kept(defaults: PluginSet, disabled: set[str]) -> Iterator[Plugin]:
    if ALL not in disabled:
        yield from (plugin for plugin in defaults.enabled if plugin.name not in disabled)
