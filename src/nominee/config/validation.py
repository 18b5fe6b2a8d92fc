"""What a complete configuration must satisfy, in the words of kube-scheduler.

pkg/scheduler/apis/config/validation/validation.go and
staging/src/k8s.io/component-base/config/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import Any, Final

from msgspec import structs

from nominee.config.features import FeatureGates
from nominee.config.field import (
    FieldError,
    FieldRef,
    duplicate,
    invalid,
    not_found,
    required,
)
from nominee.config.names import is_extended_resource_name, qualified_name_faults
from nominee.config.plugin_args import ARGS_OF_PLUGIN
from nominee.config.types import (
    API_VERSION,
    ClientConnection,
    Configuration,
    Extender,
    LeaderElection,
    PluginConfig,
    Plugins,
    PluginSet,
    Profile,
)
from nominee.config.validation_pluginargs import validate_args

_REMOVED_PLUGINS: Final = ("AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits")


def validate(configuration: Configuration, features: FeatureGates) -> list[FieldError]:
    """Every fault of a defaulted configuration."""
    return [
        *_client_connection(configuration.client_connection),
        *_leader_election(configuration.leader_election),
        *_parallelism(configuration.parallelism),
        *_profiles(configuration.profiles, features),
        *_percentage("percentageOfNodesToScore", configuration.percentage_of_nodes_to_score),
        *_backoff(configuration),
        *_extenders(configuration.extenders),
    ]


def unknown_plugins(configuration: Configuration, known: Collection[str]) -> list[FieldError]:
    """Enabled plugins that nobody provides.

    To be asked before defaults are merged in, so that positions are those of the file.
    """
    return [
        not_found(f"{place}.enabled[{index}].name", plugin.name, _suggestion(plugin.name, known))
        for number, profile in enumerate(configuration.profiles)
        for place, plugin_set in _plugin_sets(f"profiles[{number}].plugins", profile.plugins)
        for index, plugin in enumerate(plugin_set.enabled)
        if plugin.name not in known and not _is_reported_as_removed(place, plugin.name)
    ]


def _suggestion(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, sorted(known), n=1)
    return f'did you mean "{close[0]}"?' if close else "no such plugin is built in or installed"


def _client_connection(connection: ClientConnection) -> Iterator[FieldError]:
    if connection.burst < 0:
        yield invalid("clientConnection.burst", connection.burst, "must be non-negative")


def _leader_election(election: LeaderElection) -> Iterator[FieldError]:
    if not election.leader_elect:
        return
    for name in ("lease_duration", "renew_deadline", "retry_period"):
        if getattr(election, name).nanoseconds <= 0:
            yield invalid(_election_path(name), getattr(election, name), "must be greater than zero")
    if election.lease_duration <= election.renew_deadline:
        # The value shown is the renew deadline, as upstream shows it.
        path = _election_path("lease_duration")
        yield invalid(path, election.renew_deadline, "must be greater than `RenewDeadline`")
    for name in ("resource_lock", "resource_namespace", "resource_name"):
        if not getattr(election, name):
            yield required(_election_path(name))
    if election.resource_lock != "leases":
        path = _election_path("resource_lock")
        yield invalid(path, election.resource_lock, 'resourceLock value must be "leases"')


def _election_path(name: str) -> str:
    return f"leaderElection.{_api_name(LeaderElection, name)}"


def _api_name(kind: Any, name: str) -> str:
    return next(info.encode_name for info in structs.fields(kind) if info.name == name)


def _parallelism(parallelism: int) -> Iterator[FieldError]:
    if parallelism <= 0:
        yield invalid("parallelism", parallelism, "should be an integer value greater than zero")


def _percentage(path: str, percentage: int | None) -> Iterator[FieldError]:
    if percentage is not None and not 0 <= percentage <= 100:
        yield invalid(path, percentage, "not in valid range [0-100]")


def _backoff(configuration: Configuration) -> Iterator[FieldError]:
    initial, longest = configuration.pod_initial_backoff_seconds, configuration.pod_max_backoff_seconds
    if initial <= 0:
        yield invalid("podInitialBackoffSeconds", initial, "must be greater than 0")
    if longest < initial:
        detail = "must be greater than or equal to PodInitialBackoffSeconds"
        yield invalid("podMaxBackoffSeconds", longest, detail)


def _profiles(profiles: tuple[Profile, ...], features: FeatureGates) -> Iterator[FieldError]:
    if not profiles:
        yield required("profiles")
        return
    position: dict[str, int] = {}
    for index, profile in enumerate(profiles):
        path = f"profiles[{index}]"
        yield from _profile(path, profile, features)
        if profile.scheduler_name in position:
            first = FieldRef(f"profiles[{position[profile.scheduler_name]}].schedulerName")
            yield duplicate(f"{path}.schedulerName", first)
        position[profile.scheduler_name] = index
    yield from _common_queue_sort(profiles)


def _profile(path: str, profile: Profile, features: FeatureGates) -> Iterator[FieldError]:
    if not profile.scheduler_name:
        yield required(f"{path}.schedulerName")
    yield from _percentage(f"{path}.percentageOfNodesToScore", profile.percentage_of_nodes_to_score)
    for place, plugin_set in _plugin_sets(f"{path}.plugins", profile.plugins):
        for index, plugin in enumerate(plugin_set.enabled):
            if _is_reported_as_removed(place, plugin.name):
                yield _removed(f"{place}.enabled[{index}]", plugin.name)
    seen: set[str] = set()
    for index, entry in enumerate(profile.plugin_config):
        yield from _plugin_config(f"{path}.pluginConfig[{index}]", entry, seen, features)


def _plugin_sets(path: str, plugins: Plugins) -> Iterator[tuple[str, PluginSet]]:
    for info in structs.fields(Plugins):
        yield f"{path}.{info.encode_name}", getattr(plugins, info.name)


def _is_reported_as_removed(place: str, name: str) -> bool:
    """Upstream looks for removed plugins at every point but multiPoint."""
    return name in _REMOVED_PLUGINS and not place.endswith(".multiPoint")


def _removed(path: str, name: str) -> FieldError:
    # The first version is upstream's slip: it prints that of the core API.
    ours = f'KubeSchedulerConfiguration is version "{API_VERSION}"'
    return invalid(path, name, f'was invalid in version "v1" ({ours})')


def _plugin_config(
    path: str, entry: PluginConfig, seen: set[str], features: FeatureGates
) -> Iterator[FieldError]:
    if entry.name in seen:
        yield duplicate(path, entry.name)
    seen.add(entry.name)
    if entry.name in _REMOVED_PLUGINS:
        yield _removed(path, entry.name)
    elif kind := ARGS_OF_PLUGIN.get(entry.name):
        if isinstance(entry.args, kind):
            yield from validate_args(f"{path}.args", entry.args, features)
        else:
            yield invalid(f"{path}.args", entry.args, "has to match plugin args")


def _common_queue_sort(profiles: tuple[Profile, ...]) -> Iterator[FieldError]:
    """All profiles share one queue, so they must sort it alike (validateCommonQueueSort)."""
    first = profiles[0].plugins.queue_sort
    if len(first.enabled) > 1:
        path = "profiles[0].plugins.queueSort.Enabled"
        yield invalid(path, len(first.enabled), "only one queue sort plugin can be enabled")
    name = first.enabled[0].name if first.enabled else ""
    args = profiles[0].plugin_args.get(name)
    for index, profile in enumerate(profiles[1:], start=1):
        other = profile.plugins.queue_sort
        if other != first:
            yield invalid(f"profiles[{index}].plugins.queueSort", other, "must be the same for all profiles")
        for entry in profile.plugin_config:
            if name and entry.name == name and entry.args != args:
                path = f"profiles[{index}].pluginConfig.args"
                yield invalid(path, entry.args, "queueSort must be the same for all profiles")


def _extenders(extenders: tuple[Extender, ...]) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, extender in enumerate(extenders):
        path = f"extenders[{index}]"
        if extender.prioritize_verb and extender.weight <= 0:
            yield invalid(f"{path}.weight", extender.weight, "must have a positive weight applied to it")
        for position, resource in enumerate(extender.managed_resources):
            place = f"{path}.managedResources[{position}].name"
            yield from _extended_resource(place, resource.name)
            if resource.name in seen:
                yield invalid(place, resource.name, "duplicate extender managed resource name")
            seen.add(resource.name)
    binders = sum(bool(extender.bind_verb) for extender in extenders)
    if binders > 1:
        found = f"found {binders} extenders implementing bind"
        yield invalid("extenders", found, "only one extender can implement bind")


def _extended_resource(path: str, name: str) -> Iterator[FieldError]:
    faults = qualified_name_faults(name)
    if not faults and not is_extended_resource_name(name):
        faults = ["is an invalid extended resource name"]
    yield from (invalid(path, name, fault) for fault in faults)
