"""From a configuration to profiles that can decide."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from nominee.config.default_plugins import IN_TREE_PLUGINS
from nominee.config.features import FeatureGates
from nominee.config.plugin_args import NodeResourcesFitArgs, PluginArgs
from nominee.config.profiles import Enabled, expand_profiles
from nominee.config.types import Configuration, Plugin
from nominee.config.types import Profile as ProfileConfiguration
from nominee.errors import ConfigError
from nominee.framework import points_of
from nominee.model.requests import Counting
from nominee.plugins import IN_TREE
from nominee.profile.profile import Profile
from nominee.profile.registry import EntryPoint, Registry
from nominee.queue.policy import policy_of
from nominee.scheduler.extenders import ignored_resources

Arguments = dict[str, PluginArgs | dict[str, Any]]
FIT = "NodeResourcesFit"

# What configurations may say of in-tree plugins that have no implementation yet.
_POINTS_LATER: dict[str, tuple[str, ...]] = {
    "DeferredPodScheduling": ("preFilter", "filter", "permit"),
    "GangScheduling": ("preEnqueue", "permit"),
    "TopologyPlacementGenerator": ("placementGenerate",),
    "PodGroupPodsCount": ("placementScore",),
}

# A configuration may name these plugins at these points, where nothing of theirs runs: there are no groups
# of pods, and preemptors are held back by the scheduler itself.
_IDLE_POINTS: dict[str, tuple[str, ...]] = {
    "DefaultPreemption": ("podGroupPostFilter", "preEnqueue"),
    "DynamicResources": ("podGroupPostFilter",),
    "NodeResourcesFit": ("placementScore",),
}

# To configurations these plugins have no PreScore. Here it is part of their Score and runs where that does.
_SCORING_IN_TWO_STEPS = ("DynamicResources", "ImageLocality")


def make_registry(entry_points: Iterable[EntryPoint] = (), given: Iterable[type] = ()) -> Registry:
    """In-tree plugins, those that packages offer, and those given in code."""
    registry = Registry(IN_TREE)
    registry.add_entry_points(entry_points)
    for plugin in given:
        registry.add(plugin, "given in code")
    return registry


def missing_plugins(registry: Registry) -> list[str]:
    """In-tree names that may stand in a configuration but have no implementation yet."""
    return sorted(name for name in IN_TREE_PLUGINS if name not in registry)


def with_plugins(configuration: Configuration, given: Iterable[type]) -> Configuration:
    """The configuration with plugins given in code enabled in every profile that does not mention them."""
    plugins = list(given)
    profiles = tuple(_enabling(profile, plugins) for profile in configuration.profiles)
    return replace(configuration, profiles=profiles)


def _enabling(profile: ProfileConfiguration, given: list[type]) -> ProfileConfiguration:
    plugins = profile.plugins
    sets = [getattr(plugins, name) for name in plugins.__struct_fields__]
    mentioned = {entry.name for each in sets for entry in (*each.enabled, *each.disabled)}
    missing = [plugin for plugin in given if plugin.__name__ not in mentioned]
    binders = tuple(Plugin(p.__name__) for p in missing if "bind" in points_of(p))
    others = tuple(Plugin(p.__name__) for p in missing)
    # A binder of one's own is asked before the default one, which would never leave it anything.
    bind = replace(plugins.bind, enabled=(*binders, *plugins.bind.enabled))
    multi_point = replace(plugins.multi_point, enabled=(*plugins.multi_point.enabled, *others))
    return replace(profile, plugins=replace(plugins, bind=bind, multi_point=multi_point))


def counting(features: FeatureGates) -> Counting:
    """What of pods' requests the cluster counts under these gates."""
    return Counting(
        pod_level=features.enabled("PodLevelResources"),
        pod_level_status=features.enabled("InPlacePodLevelResourcesVerticalScaling"),
    )


def build_profiles(
    configuration: Configuration, features: FeatureGates, registry: Registry
) -> dict[str, Profile]:
    """A profile per scheduler name; raises ConfigError with what is wrong and where."""
    later = missing_plugins(registry)
    implements = {name: _POINTS_LATER.get(name, ()) for name in later} | {
        name: _nameable(name, points) for name, points in registry.implements().items()
    }
    expanded = {
        profile: _running(points, later)
        for profile, points in expand_profiles(configuration, implements).items()
    }
    profiles = {}
    ignored = ignored_resources(configuration.extenders)
    for i, profile in enumerate(configuration.profiles):
        name = profile.scheduler_name
        percentage = profile.percentage_of_nodes_to_score
        if percentage is None:
            percentage = configuration.percentage_of_nodes_to_score
        try:
            profiles[name] = Profile(
                name,
                expanded[name],
                _with_ignored(profile.plugin_args, ignored),
                registry,
                features,
                percentage or None,
            )
            policy_of(profiles[name].plugins)  # a plugin that can not say its events is found out here
        except ConfigError as error:
            raise error.at(field=f"profiles[{i}]") from None
    return profiles


def _nameable(name: str, points: tuple[str, ...]) -> tuple[str, ...]:
    """The points at which a configuration may name the plugin, given those that it extends here."""
    hidden = ("preScore",) if name in _SCORING_IN_TWO_STEPS else ()
    return (*(point for point in points if point not in hidden), *_IDLE_POINTS.get(name, ()))


def _running(points: Mapping[str, list[Enabled]], later: Collection[str]) -> dict[str, list[Enabled]]:
    """Of the plugins at each point, those that do anything there."""
    running = {
        point: [e for e in members if e.name not in later and point not in _IDLE_POINTS.get(e.name, ())]
        for point, members in points.items()
    }
    steps = (Enabled(e.name, 0) for e in running["score"] if e.name in _SCORING_IN_TWO_STEPS)
    return running | {"preScore": [*running["preScore"], *steps]}


def _with_ignored(args: Arguments, resources: tuple[str, ...]) -> Arguments:
    """The arguments, with these resources left to extenders by NodeResourcesFit.

    Reproduces New (pkg/scheduler/scheduler.go, v1.37).
    """
    fit = args.get(FIT)
    if not resources or not isinstance(fit, NodeResourcesFitArgs):
        return args
    return {**args, FIT: replace(fit, ignored_resources=(*fit.ignored_resources, *resources))}


def refuse_extenders(configuration: Configuration, who: str) -> None:
    """Where nobody can be asked over the network, a decision without extenders would be a wrong one."""
    if configuration.extenders:
        raise ConfigError(f"{who} asks no extenders: leave them out", field="extenders")
