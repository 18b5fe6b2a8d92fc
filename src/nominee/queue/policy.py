"""What a profile's plugins have to do with the queue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nominee.errors import ConfigError, PluginError, shown
from nominee.framework import Action, ClusterView, EventHint, Pod, Resource
from nominee.queue.ask import ask

PreEnqueuePlugin = tuple[str, Callable[[Pod], str | None]]

EXTENDER = "Extender"
"""Who is to blame when an extender rejected every node."""

EVERYTHING: tuple[EventHint, ...] = tuple(
    EventHint(resource, Action.ALL)
    for resource in (
        Resource.ASSIGNED_POD,
        Resource.UNSCHEDULED_POD,
        Resource.TARGET_POD,
        Resource.NODE,
        Resource.PERSISTENT_VOLUME,
        Resource.PERSISTENT_VOLUME_CLAIM,
        Resource.CSI_NODE,
        Resource.CSI_DRIVER,
        Resource.CSI_STORAGE_CAPACITY,
        Resource.STORAGE_CLASS,
        Resource.RESOURCE_CLAIM,
        Resource.DEVICE_CLASS,
    )
)
"""What a plugin hears of that does not say: UnrollWildCardResource (framework/types.go, v1.37)."""

_REJECTS = (
    "pre_enqueue",
    "pre_enqueue_in_cluster",
    "pre_filter",
    "filter",
    "filter_node",
    "reserve",
    "permit",
)


@dataclass(frozen=True, slots=True)
class QueuePolicy:
    """PreEnqueue plugins in order, and by plugin name the events that may help a pod it rejected."""

    pre_enqueue: Sequence[PreEnqueuePlugin] = ()
    hints: Mapping[str, Sequence[EventHint]] = field(default_factory=dict)


def policy_of(
    plugins: Mapping[str, Any],
    *,
    pre_enqueue: Iterable[str] | None = None,
    extenders: bool = False,
    cluster: ClusterView | None = None,
) -> QueuePolicy:
    """The policy of a profile with these plugins, by name.

    `pre_enqueue` names the plugins enabled at that point; by default all that have the method, and
    with a cluster to look at also those that want one.
    Reproduces fillEnqueueExtensions (pkg/scheduler/framework/runtime/framework.go, v1.37).
    """
    doors = {name: _door(plugin, cluster) for name, plugin in plugins.items()}
    names = list(plugins) if pre_enqueue is None else pre_enqueue
    hints: dict[str, Sequence[EventHint]] = {EXTENDER: EVERYTHING} if extenders else {}
    for name, plugin in plugins.items():
        if any(hasattr(plugin, method) for method in _REJECTS):
            hints[name] = _registered(name, plugin)
    found = ((name, doors[name]) for name in names)
    return QueuePolicy(tuple((name, door) for name, door in found if door is not None), hints)


def _registered(name: str, plugin: Any) -> tuple[EventHint, ...]:
    """The events that the plugin wants to hear of; without these nobody could use it, so it must say."""
    if not hasattr(plugin, "events_to_register"):
        return EVERYTHING
    said = ask(name, "events_to_register", lambda: tuple(plugin.events_to_register()))
    if isinstance(said, PluginError):
        raise ConfigError(f"plugin {name!r} can not say which events it registers for: {said.said}")
    for hint in said:
        if not isinstance(hint, EventHint):
            raise ConfigError(f"plugin {name!r} must register EventHints, not {shown(hint)}")
    return said


def _door(plugin: Any, cluster: ClusterView | None) -> Callable[[Pod], str | None] | None:
    """The plugin's PreEnqueue as the queue calls it; None if it has none."""
    door: Callable[[Pod], str | None] | None = getattr(plugin, "pre_enqueue", None)
    if door is not None or cluster is None or not hasattr(plugin, "pre_enqueue_in_cluster"):
        return door
    look = plugin.pre_enqueue_in_cluster
    return lambda pod: look(pod, cluster)
