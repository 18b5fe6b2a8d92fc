"""What a configuration means once every default is filled in.

pkg/scheduler/apis/config/v1/defaults.go, v1.37. Plain defaults stand at the fields in
``types`` and ``plugin_args``; here are those that depend on other fields or on gates, and
the places where Go takes a zero value for "not set". Applying it twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeVar

from msgspec import Struct, structs

from nominee.config.default_plugins import default_plugins, merge_plugins
from nominee.config.duration import Duration
from nominee.config.features import FeatureGates
from nominee.config.plugin_args import (
    ALLOCATABLE_RESOURCES,
    ARGS_OF_PLUGIN,
    DEFAULT_RESOURCES,
    STORAGE_CAPACITY_SHAPE,
    DynamicResourcesArgs,
    NodeResourcesAllocatableArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PluginArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    ScoringStrategy,
    VolumeBindingArgs,
)
from nominee.config.types import Configuration, Extender, PluginConfig, Plugins, Profile

DEFAULT_SCHEDULER_NAME: Final = "default-scheduler"
FILTER_TIMEOUT: Final = Duration.of(10)
BINDING_TIMEOUT: Final = Duration.of(600)

S = TypeVar("S", bound=Struct)

_LEADER_ELECTION_FIELDS = (
    "lease_duration",
    "renew_deadline",
    "retry_period",
    "resource_lock",
    "resource_name",
    "resource_namespace",
)
_CLIENT_FIELDS = ("content_type", "qps", "burst")
_ZEROS = (0, "", Duration(0))


def with_defaults(configuration: Configuration, features: FeatureGates) -> Configuration:
    """The same configuration with every default filled in."""
    contention = configuration.enable_contention_profiling
    return structs.replace(
        configuration,
        leader_election=_zeros_to_defaults(configuration.leader_election, _LEADER_ELECTION_FIELDS),
        client_connection=_zeros_to_defaults(configuration.client_connection, _CLIENT_FIELDS),
        enable_contention_profiling=configuration.enable_profiling if contention is None else contention,
        profiles=_profiles(configuration.profiles, features),
        extenders=tuple(_extender(extender) for extender in configuration.extenders),
    )


def _zeros_to_defaults(value: S, names: Iterable[str]) -> S:
    """Give fields that Go finds at their zero value the default of their struct."""
    unset = {name for name in names if getattr(value, name) in _ZEROS}
    default = type(value)()
    return structs.replace(value, **{name: getattr(default, name) for name in unset})


def _extender(extender: Extender) -> Extender:
    timeout = extender.http_timeout
    return structs.replace(extender, http_timeout=Duration.of(5) if timeout == Duration(0) else timeout)


def _profiles(profiles: tuple[Profile, ...], features: FeatureGates) -> tuple[Profile, ...]:
    """A name is given only to a single profile: several must tell themselves apart."""
    profiles = profiles or (Profile(),)
    if len(profiles) == 1 and not profiles[0].scheduler_name:
        profiles = (structs.replace(profiles[0], scheduler_name=DEFAULT_SCHEDULER_NAME),)
    return tuple(_profile(profile, features) for profile in profiles)


def _profile(profile: Profile, features: FeatureGates) -> Profile:
    plugins = merge_plugins(default_plugins(features), profile.plugins)
    configured = {entry.name for entry in profile.plugin_config}
    given = (PluginConfig(each.name, _args(each.name, each.args, features)) for each in profile.plugin_config)
    added = (
        PluginConfig(name, default_args(name, features))
        for name in sorted(enabled_names(plugins) - configured)
        if name in ARGS_OF_PLUGIN
    )
    return structs.replace(profile, plugins=plugins, plugin_config=(*given, *added))


def enabled_names(plugins: Plugins) -> set[str]:
    """Every plugin that is enabled at some extension point."""
    sets = (getattr(plugins, info.name) for info in structs.fields(Plugins))
    return {plugin.name for each in sets for plugin in each.enabled}


def default_args(plugin: str, features: FeatureGates) -> PluginArgs:
    """The args of an in-tree plugin that is not configured."""
    return args_with_defaults(ARGS_OF_PLUGIN[plugin](), features)


def _args(name: str, args: Any, features: FeatureGates) -> Any:
    if args is None:
        return default_args(name, features) if name in ARGS_OF_PLUGIN else None
    return args if isinstance(args, dict) else args_with_defaults(args, features)


def args_with_defaults(args: PluginArgs, features: FeatureGates) -> PluginArgs:
    """In-tree args with every default filled in."""
    match args:
        case DynamicResourcesArgs():
            return _dynamic_resources(args, features)
        case NodeResourcesAllocatableArgs():
            resources = args.resources or ALLOCATABLE_RESOURCES
            return structs.replace(args, mode=args.mode or "Least", resources=resources)
        case NodeResourcesBalancedAllocationArgs():
            return structs.replace(args, resources=_weighed(args.resources))
        case NodeResourcesFitArgs():
            return structs.replace(args, scoring_strategy=_strategy(args.scoring_strategy))
        case PodTopologySpreadArgs():
            return structs.replace(args, defaulting_type=args.defaulting_type or "System")
        case VolumeBindingArgs() if not args.shape and features.enabled("StorageCapacityScoring"):
            return structs.replace(args, shape=STORAGE_CAPACITY_SHAPE)
        case _:
            return args


def _dynamic_resources(args: DynamicResourcesArgs, features: FeatureGates) -> DynamicResourcesArgs:
    filter_timeout, binding_timeout = args.filter_timeout, args.binding_timeout
    if filter_timeout is None and features.enabled("DRASchedulerFilterTimeout"):
        filter_timeout = FILTER_TIMEOUT
    if binding_timeout is None and waits_for_device_binding(features):
        binding_timeout = BINDING_TIMEOUT
    return DynamicResourcesArgs(filter_timeout=filter_timeout, binding_timeout=binding_timeout)


def waits_for_device_binding(features: FeatureGates) -> bool:
    """Whether ``bindingTimeout`` has an effect."""
    return features.enabled("DRADeviceBindingConditions") and features.enabled("DRAResourceClaimDeviceStatus")


def _strategy(strategy: ScoringStrategy) -> ScoringStrategy:
    return structs.replace(strategy, resources=_weighed(strategy.resources))


def _weighed(resources: tuple[ResourceSpec, ...]) -> tuple[ResourceSpec, ...]:
    return tuple(ResourceSpec(each.name, each.weight or 1) for each in resources) or DEFAULT_RESOURCES
