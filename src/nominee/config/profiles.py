"""From a profile's plugin sets to the ordered plugins of each extension point.

pkg/scheduler/framework/runtime/framework.go (expandMultiPointPlugins, updatePluginList,
getScoreWeights) and pkg/scheduler/profile/profile.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from msgspec import structs

from nominee.config.types import Configuration, Plugin, Plugins, PluginSet, Profile
from nominee.errors import ConfigError, PluginConflictError, UnknownPluginError

# In the order in which kube-scheduler fills them, which decides the error a user sees first.
TYPE_OF_POINT: Final[dict[str, str]] = {
    "preFilter": "PreFilterPlugin",
    "filter": "FilterPlugin",
    "postFilter": "PostFilterPlugin",
    "reserve": "ReservePlugin",
    "preScore": "PreScorePlugin",
    "score": "ScorePlugin",
    "preBind": "PreBindPlugin",
    "bind": "BindPlugin",
    "postBind": "PostBindPlugin",
    "permit": "PermitPlugin",
    "preEnqueue": "PreEnqueuePlugin",
    "queueSort": "QueueSortPlugin",
    "placementGenerate": "PlacementGeneratePlugin",
    "placementScore": "PlacementScorePlugin",
    "podGroupPostFilter": "PodGroupPostFilterPlugin",
}
"""Extension point, as in the configuration, to the name of its Go interface, as in messages."""

_SETS: Final = {info.encode_name: info.name for info in structs.fields(Plugins)}
_WEIGHED: Final = ("score", "placementScore")
_ALL: Final = "*"
_MAX_NODE_SCORE: Final = 100
_MAX_TOTAL_SCORE: Final = 2**63 - 1

Implements = Mapping[str, Collection[str]]
"""Plugin name to the extension points it implements."""


class Enabled(NamedTuple):
    """A plugin that runs at some point; the weight is 0 where points do not weigh."""

    name: str
    weight: int


def expand(profile: Profile, implements: Implements) -> dict[str, list[Enabled]]:
    """The plugins of every extension point in the order they run; raises ConfigError."""
    _check_repeated_config(profile)
    for point in TYPE_OF_POINT:
        _check_explicit(point, _set_of(profile, point), implements)
    names = {point: _names(point, profile, implements) for point in TYPE_OF_POINT}
    _check_counts(profile, names)
    weights = {point: _weights(point, profile, implements) for point in _WEIGHED}
    return {
        point: [Enabled(name, weights[point][name] if point in weights else 0) for name in members]
        for point, members in names.items()
    }


def expand_profiles(
    configuration: Configuration, implements: Implements
) -> dict[str, dict[str, list[Enabled]]]:
    """Scheduler name to what `expand` says of its profile; all must sort the queue alike."""
    expanded: dict[str, dict[str, list[Enabled]]] = {}
    for index, profile in enumerate(configuration.profiles):
        name = profile.scheduler_name
        try:
            points = expand(profile, implements)
        except ConfigError as error:
            message = f"creating profile for scheduler name {name}: {error.message}"
            raise type(error)(message, field=error.field).at(field=f"profiles[{index}].plugins") from error
        if name in expanded:
            raise ConfigError(f'duplicate profile with scheduler name "{name}"')
        _check_same_queue_sort(name, points, expanded)
        expanded[name] = points
    return expanded


def _set_of(profile: Profile, point: str) -> PluginSet:
    plugin_set: PluginSet = getattr(profile.plugins, _SETS[point])
    return plugin_set


def _check_repeated_config(profile: Profile) -> None:
    seen: set[str] = set()
    for entry in profile.plugin_config:
        if entry.name in seen:
            raise ConfigError(f"repeated config for plugin {entry.name}")
        seen.add(entry.name)


def _check_explicit(point: str, plugin_set: PluginSet, implements: Implements) -> None:
    kind = TYPE_OF_POINT[point]
    seen: set[str] = set()
    for index, plugin in enumerate(plugin_set.enabled):
        place = f"{point}.enabled[{index}].name"
        _check_exists(point, plugin, implements)
        if point not in implements[plugin.name]:
            raise ConfigError(f'plugin "{plugin.name}" does not extend {kind} plugin', field=place)
        if plugin.name in seen:
            raise PluginConflictError(f'plugin "{plugin.name}" already registered as "{kind}"', field=place)
        seen.add(plugin.name)


def _check_exists(point: str, plugin: Plugin, implements: Implements) -> None:
    if plugin.name not in implements:
        raise UnknownPluginError(f'{TYPE_OF_POINT[point]} "{plugin.name}" does not exist')


def _names(point: str, profile: Profile, implements: Implements) -> list[str]:
    """Explicitly configured multiPoint plugins, then the other multiPoint ones, then the rest."""
    explicit = [plugin.name for plugin in _set_of(profile, point).enabled]
    disabled = {plugin.name for plugin in _set_of(profile, point).disabled}
    if _ALL in disabled:
        return explicit
    through_multi_point = _through_multi_point(point, profile, implements, disabled, explicit)
    overrides = [name for name in explicit if name in through_multi_point]
    others = [name for name in explicit if name not in through_multi_point]
    return overrides + [name for name in through_multi_point if name not in overrides] + others


def _through_multi_point(
    point: str, profile: Profile, implements: Implements, disabled: set[str], explicit: list[str]
) -> list[str]:
    names: list[str] = []
    for plugin in profile.plugins.multi_point.enabled:
        _check_exists(point, plugin, implements)
        if point not in implements[plugin.name] or plugin.name in disabled:
            continue
        if plugin.name in names:
            if plugin.name in explicit:  # the explicit entry stands for all of them
                continue
            message = f'plugin "{plugin.name}" already registered as "{TYPE_OF_POINT[point]}"'
            raise PluginConflictError(message, field="multiPoint.enabled")
        names.append(plugin.name)
    return names


def _check_counts(profile: Profile, names: Mapping[str, list[str]]) -> None:
    where = f'for profile with scheduler name "{profile.scheduler_name}"'
    if (found := len(names["queueSort"])) != 1:
        raise ConfigError(f"only one queue sort plugin required {where}, but got {found}")
    if not names["bind"]:
        raise ConfigError(f"at least one bind plugin is needed {where}")
    if len(names["placementGenerate"]) > 1:
        raise PluginConflictError(f"at most one placement generate plugin is allowed {where}")


def _weights(point: str, profile: Profile, implements: Implements) -> dict[str, int]:
    """Weights at a scoring point: the point's own, else multiPoint's; 0 means 1.

    To upstream's sum, which wraps around, a negative weight is one that "could overflow".
    """
    weights: dict[str, int] = {}
    for plugin in (*_set_of(profile, point).enabled, *profile.plugins.multi_point.enabled):
        if point in implements[plugin.name]:
            if plugin.weight < 0:
                message = (
                    f'plugin "{plugin.name}" has weight {plugin.weight} for {point}: must not be negative'
                )
                raise ConfigError(message)
            weights.setdefault(plugin.name, plugin.weight or 1)
    _check_total(point, weights.values())
    return weights


def _check_total(point: str, weights: Iterable[int]) -> None:
    if sum(weights) * _MAX_NODE_SCORE > _MAX_TOTAL_SCORE:
        kind = TYPE_OF_POINT[point].removesuffix("Plugin")
        words = "score plugins" if point == "score" else "placement score plugins"
        raise ConfigError(f"{words}: total score of {kind} plugins could overflow")


def _check_same_queue_sort(
    name: str, points: Mapping[str, list[Enabled]], others: Mapping[str, Mapping[str, list[Enabled]]]
) -> None:
    mine = points["queueSort"][0].name
    for other in others.values():
        first = other["queueSort"][0].name
        if first != mine:
            raise PluginConflictError(
                f'different queue sort plugins for profile "{name}": "{mine}", first: "{first}"'
            )
