"""Plugins from the command line: loaded from modules and files, and again when their file changes."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from nominee.errors import ConfigError, UnknownPluginError, words_of
from nominee.framework import points_of

_ALIAS = "nominee_plugin_file_"


@dataclass(frozen=True, slots=True)
class PluginSource:
    """`MODULE[:CLASS]` or `FILE.py[:CLASS]`; without a class all plugins that are defined there."""

    text: str
    place: str
    class_name: str = ""

    @classmethod
    def parse(cls, text: str) -> PluginSource:
        place, _, class_name = text.partition(":")
        if not place or (":" in text and not class_name.isidentifier()):
            raise ConfigError(
                "expected MODULE, MODULE:CLASS, FILE.py or FILE.py:CLASS", source=f"--plugins {text}"
            )
        return cls(text, place, class_name)

    @property
    def is_file(self) -> bool:
        return self.place.endswith(".py")

    @property
    def module_name(self) -> str:
        return _ALIAS + Path(self.place).stem if self.is_file else self.place

    def path(self) -> Path:
        """The file that it comes from; raises UnknownPluginError if there is none."""
        if self.is_file:
            found = Path(self.place)
            if found.is_file():
                return found
            raise self._unknown("no such file")
        try:
            spec = importlib.util.find_spec(self.place)
        except (ImportError, ValueError) as error:
            raise self._unknown(str(error)) from None
        if spec is None:
            raise self._unknown(f"no module named {self.place!r} in the Python path")
        if spec.origin is None or not spec.has_location:
            raise self._unknown("that module has no file of its own")
        return Path(spec.origin)

    def load(self) -> list[type]:
        """The plugins as the file has them now; raises UnknownPluginError, and then nothing has changed."""
        return self._plugins_in(self._import(self.path()))

    def _import(self, path: Path) -> ModuleType:
        """Import it aside: under its name, but the module that had the name comes back if it fails."""
        name = self.module_name
        before = sys.modules.get(name)
        try:
            if "." in name and not self.is_file:
                importlib.import_module(name.rpartition(".")[0])
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None  # noqa: S101 - the suffix is .py, or Python itself has found the file
            module = sys.modules[name] = importlib.util.module_from_spec(spec)
            code = compile(
                path.read_bytes(), str(path), "exec"
            )  # not the cache: it tells times by the second
            exec(code, module.__dict__)  # noqa: S102 - that is what --plugins asks for
        except (Exception, SystemExit) as error:
            if before is not None:
                sys.modules[name] = before
            else:
                sys.modules.pop(name, None)
            raise self._unknown(f"it does not load: {_described(error)}") from error
        return module

    def _plugins_in(self, module: ModuleType) -> list[type]:
        if self.class_name:
            found = getattr(module, self.class_name, None)
            if not isinstance(found, type):
                raise self._unknown(f"it has no class {self.class_name!r}")
            return [found]
        plugins = [
            member
            for name, member in vars(module).items()
            if isinstance(member, type) and member.__module__ == module.__name__
            if not name.startswith("_") and points_of(member)
        ]
        if not plugins:
            raise self._unknown("it defines no plugin: no class has a method of an extension point")
        return plugins

    def _unknown(self, message: str) -> UnknownPluginError:
        return UnknownPluginError(message, source=f"--plugins {self.text}")


def _described(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return error.msg if error.lineno is None else f"{error.msg}, line {error.lineno}"
    return f"{type(error).__name__}: {words_of(error)}"


class PluginFiles:
    """All that `--plugins` names, and whether a file of it has changed since it was loaded."""

    def __init__(self, sources: Iterable[str]) -> None:
        self.sources: Sequence[PluginSource] = [PluginSource.parse(text) for text in sources]
        self._seen: dict[Path, tuple[int, int]] = {}

    def load(self) -> list[type]:
        """All plugins as the files have them now."""
        self.changed()
        plugins: dict[type, None] = {}
        for source in self.sources:
            plugins.update(dict.fromkeys(source.load()))
        return list(plugins)

    def changed(self) -> list[Path]:
        """The files that are others than at the last look. One that is gone for the moment is not."""
        found = []
        for path in {path for source in self.sources if (path := _path_of(source)) is not None}:
            stamp = _stamp(path)
            if stamp is not None and self._seen.get(path) != stamp:
                self._seen[path] = stamp
                found.append(path)
        return sorted(found)


def _path_of(source: PluginSource) -> Path | None:
    try:
        return source.path()
    except UnknownPluginError:
        return None


def _stamp(path: Path) -> tuple[int, int] | None:
    """An editor may write twice within a tick of the clock: the size counts too."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
