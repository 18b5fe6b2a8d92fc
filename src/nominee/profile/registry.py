"""Every plugin in reach, by name, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from nominee.errors import PluginConflictError, UnknownPluginError
from nominee.framework import points_of


class EntryPoint(Protocol):
    """What importlib.metadata hands out for a group; loading it imports the plugin."""

    @property
    def name(self) -> str: ...
    @property
    def value(self) -> str: ...
    def load(self) -> object: ...


@dataclass(frozen=True, slots=True)
class Registered:
    """A plugin class and its origin: "in-tree", a package's entry point, or "given in code"."""

    plugin: type
    origin: str

    @property
    def name(self) -> str:
        return self.plugin.__name__

    @property
    def points(self) -> tuple[str, ...]:
        return points_of(self.plugin)


class Registry:
    """Plugin classes by name; a name can be taken once."""

    def __init__(self, plugins: Iterable[type] = (), origin: str = "in-tree") -> None:
        self._plugins: dict[str, Registered] = {}
        for plugin in plugins:
            self.add(plugin, origin)

    def add(self, plugin: type, origin: str) -> None:
        name = plugin.__name__
        taken = self._plugins.get(name)
        if taken is not None:
            msg = f"plugin {name!r} ({origin}) is registered already ({taken.origin}): names must be unique"
            raise PluginConflictError(msg)
        if not points_of(plugin):
            msg = f"plugin {name!r} from {origin} extends no extension point: it has none of their methods"
            raise PluginConflictError(msg)
        self._plugins[name] = Registered(plugin, origin)

    def add_entry_points(self, entry_points: Iterable[EntryPoint]) -> None:
        """Load and add plugins that packages offer in the group `nominee.plugins`."""
        for point in sorted(entry_points, key=lambda p: p.name):
            try:
                plugin = point.load()
            except (Exception, SystemExit) as error:
                msg = f"plugin {point.name!r} from {point.value!r} does not load: {error}"
                raise UnknownPluginError(msg) from error
            if not isinstance(plugin, type) or plugin.__name__ != point.name:
                msg = f"entry point {point.name!r} must name a class {point.name!r}, not {point.value!r}"
                raise PluginConflictError(msg)
            self.add(plugin, f"entry point {point.value}")

    def __iter__(self) -> Iterator[Registered]:
        return iter(self._plugins.values())

    def __contains__(self, name: object) -> bool:
        return name in self._plugins

    def __getitem__(self, name: str) -> Registered:
        return self._plugins[name]

    def implements(self) -> dict[str, tuple[str, ...]]:
        """Plugin name to the extension points it extends."""
        return {name: registered.points for name, registered in self._plugins.items()}
