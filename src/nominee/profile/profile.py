"""A profile: the plugins that decide about the pods of one scheduler name, in order, with weights."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import msgspec

from nominee.config.features import FeatureGates
from nominee.config.profiles import Enabled
from nominee.errors import ConfigError, shown, words_of
from nominee.framework import Pod
from nominee.model.meta import NamedObject
from nominee.profile.entries import FilterEntry, ScoreEntry
from nominee.profile.plan import Plan
from nominee.profile.registry import Registry

if TYPE_CHECKING:
    from nominee.state.cluster import ClusterState
    from nominee.state.shapes import Shape

_COLUMNS = 96 << 20  # bytes of plans' columns to keep: at 5,000 nodes 440 shapes
_OBJECTS = 32 << 20  # bytes of what plans are besides


class Profile:
    """Plugin instances by extension point, and the plans made under this profile."""

    def __init__(
        self,
        scheduler_name: str,
        points: Mapping[str, list[Enabled]],
        arguments: Mapping[str, Any],
        registry: Registry,
        features: FeatureGates,
        percentage_of_nodes_to_score: int | None = None,
    ) -> None:
        self.scheduler_name = scheduler_name
        self.features = features
        self.percentage_of_nodes_to_score = percentage_of_nodes_to_score
        names = dict.fromkeys(enabled.name for members in points.values() for enabled in members)
        self.plugins = {name: instantiate(registry[name].plugin, arguments.get(name)) for name in names}
        self.points = {
            point: [(e.name, self.plugins[e.name]) for e in members] for point, members in points.items()
        }
        self.pre_filters = self.points.get("preFilter", [])
        self.pre_filter_order = {name: i for i, (name, _) in enumerate(self.pre_filters)}
        self.pre_scores = self.points.get("preScore", [])
        self.filters = [FilterEntry(i, n, p) for i, (n, p) in enumerate(self.points.get("filter", []))]
        self.scores = [
            ScoreEntry(i, e.name, self.plugins[e.name], e.weight)
            for i, e in enumerate(points.get("score", []))
        ]
        kinds = {k for name, plugin in self.plugins.items() for k in watched_kinds(name, plugin)}
        self._watched_kinds: tuple[type[NamedObject], ...] = tuple(sorted(kinds, key=lambda k: k.__name__))
        self.shared_columns: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
        self._plans: OrderedDict[Shape, Plan] = OrderedDict()
        self._cluster: ClusterState | None = None  # whose answers are remembered
        self._objects_seen = -1
        self.kinds_seen: tuple[int, ...] = ()

    def plan(self, pod: Pod, cluster: ClusterState) -> Plan:
        """What is remembered about the pod's shape; not yet refreshed."""
        if self._cluster is not cluster or self._objects_seen != cluster.objects.clock:
            self._look_around(cluster)
        plan = self._plans.get(pod.shape)
        if plan is not None:
            self._plans.move_to_end(pod.shape)
            return plan
        plan = Plan(self, pod, cluster)
        self._make_room(len(cluster.all_nodes()))
        self._plans[pod.shape] = plan
        return plan

    def _look_around(self, cluster: ClusterState) -> None:
        """Forget everything when the cluster is another one, or an object changed that answers depend on."""
        self._objects_seen = cluster.objects.clock
        kinds = tuple(cluster.objects.version(kind) for kind in self._watched_kinds)
        if self._cluster is not cluster or kinds != self.kinds_seen:
            self._cluster, self.kinds_seen = cluster, kinds
            self._plans.clear()
            self.shared_columns.clear()

    def _make_room(self, size: int) -> None:
        """Plans with their shapes take 45 bytes a node and 20 kB; keep the latest used within bounds."""
        most = max(8, min(_COLUMNS // (45 * size + 1), _OBJECTS // 20_000))
        while len(self._plans) >= most:
            self._plans.popitem(last=False)


def watched_kinds(name: str, plugin: object) -> tuple[type[NamedObject], ...]:
    """The kinds that a plugin says it looks up; raises ConfigError if they are none."""
    said = getattr(plugin, "watches", ())
    if isinstance(said, tuple) and all(isinstance(k, type) and issubclass(k, NamedObject) for k in said):
        return said
    expected = "expected a tuple of kinds, such as (DeviceClass,)"
    raise ConfigError(f"plugin {name!r} watches {shown(said)}: {expected}")


def instantiate(plugin: type, arguments: Any) -> Any:
    """The plugin with its arguments from the configuration; whatever it raises is a ConfigError."""
    try:
        return _made(plugin, arguments)
    except ConfigError:
        raise
    except (Exception, SystemExit) as error:
        name, kind = plugin.__name__, type(error).__name__
        raise ConfigError(f"plugin {name!r} can not be made: {kind}: {words_of(error)}") from error


def _made(plugin: type, arguments: Any) -> Any:
    """With a struct, a mapping, or nothing."""
    if arguments is None:
        return plugin()
    if isinstance(arguments, msgspec.Struct):
        arguments = msgspec.structs.asdict(arguments)
        if not dataclasses.is_dataclass(plugin):
            return plugin(**arguments)
        known = {field.name for field in dataclasses.fields(plugin)}
        return plugin(**{name: value for name, value in arguments.items() if name in known})
    return _from_mapping(plugin, arguments)


def _from_mapping(plugin: type, arguments: Mapping[str, Any]) -> Any:
    """Arguments as they stand in the file, checked against the dataclass's types."""
    field = f"pluginConfig[{plugin.__name__}].args"
    given = {k: v for k, v in arguments.items() if k not in ("apiVersion", "kind")}
    if not dataclasses.is_dataclass(plugin):
        if given:
            raise ConfigError(f"plugin {plugin.__name__!r} takes no arguments", field=field)
        return plugin()
    try:
        return msgspec.convert(_by_field(plugin, given, field), plugin)
    except msgspec.ValidationError as error:
        raise ConfigError(str(error), field=field) from None


def _by_field(plugin: Any, given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """By the dataclass's own names; a file may write them in camelCase, as Kubernetes does, or as is."""
    names = {_camel(each.name): each.name for each in dataclasses.fields(plugin)}
    fields = names | {name: name for name in names.values()}
    named: dict[str, Any] = {}
    for key, value in given.items():
        if key not in fields:
            allowed = ", ".join(sorted(names)) or "none"
            raise ConfigError(f"unknown field {key!r}, allowed are: {allowed}", field=where)
        if fields[key] in named:
            raise ConfigError(f"{key!r} is given twice, in two spellings", field=where)
        named[fields[key]] = value
    return named


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)
