"""Plugins from modules and files: loaded, loaded again, and refused with a line that helps."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nominee.errors import ConfigError, UnknownPluginError
from nominee.live.plugin_files import PluginFiles

RACK = """
from __future__ import annotations
from dataclasses import dataclass
from nominee.framework import Cycle, Filter, Node, Pod


@dataclass(frozen=True, slots=True, kw_only=True)
class Rack:
    label: str = "rack"

    def filter_node(self, pod: Pod, node: Node, cycle: Cycle) -> str | None:
        return {answer!r}


class _Private(Rack):
    pass


class Helper:
    pass
"""


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "rack.py"
    write(path, "no rack")
    yield path
    sys.modules.pop("rack", None)


def write(path: Path, answer: str) -> None:
    path.write_text(RACK.format(answer=answer), encoding="utf-8")


def answer_of(files: PluginFiles) -> object:
    (plugin,) = files.load()
    return plugin().filter_node(None, None, None)


def test_a_file_gives_the_plugins_that_it_defines(rack: Path) -> None:
    (plugin,) = PluginFiles([str(rack)]).load()
    assert plugin.__name__ == "Rack"


def test_a_class_may_be_named(rack: Path) -> None:
    (plugin,) = PluginFiles([f"{rack}:Rack"]).load()
    assert plugin.__name__ == "Rack"


def test_a_module_is_found_in_the_path(rack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(rack.parent)
    assert answer_of(PluginFiles(["rack"])) == "no rack"


def test_a_module_in_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "racks_of_ours"
    package.mkdir()
    (package / "__init__.py").touch()
    write(package / "rack.py", "in a package")
    monkeypatch.syspath_prepend(tmp_path)
    assert answer_of(PluginFiles(["racks_of_ours.rack:Rack"])) == "in a package"


def test_a_change_is_noticed_once_and_loaded(rack: Path) -> None:
    files = PluginFiles([str(rack)])
    assert answer_of(files) == "no rack"
    assert files.changed() == []
    write(rack, "other rack")
    assert files.changed() == [rack]
    assert files.changed() == []
    assert answer_of(files) == "other rack"


def test_a_change_within_a_tick_of_the_clock_is_noticed(rack: Path) -> None:
    files = PluginFiles([str(rack)])
    files.load()
    before = rack.stat().st_mtime_ns
    write(rack, "longer than before")
    os.utime(rack, ns=(before, before))
    assert files.changed() == [rack]
    assert answer_of(files) == "longer than before"


def test_a_file_that_is_away_for_the_moment_is_no_change(rack: Path) -> None:
    files = PluginFiles([str(rack)])
    files.load()
    text = rack.read_bytes()
    rack.unlink()
    assert files.changed() == []
    rack.write_bytes(text)
    assert files.changed() == [rack]


def test_a_change_that_does_not_load_leaves_the_module_before(
    rack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(rack.parent)
    files = PluginFiles(["rack"])
    files.load()
    before = sys.modules["rack"]
    rack.write_text("raise ValueError('half done')", encoding="utf-8")
    with pytest.raises(UnknownPluginError, match="ValueError: half done"):
        files.load()
    assert sys.modules["rack"] is before


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("{}/missing.py", "", "--plugins {}/missing.py: no such file"),
        ("not.there", "", "No module named 'not'"),
        ("notthere", "", "no module named 'notthere' in the Python path"),
        ("{}/x.py", "def f(:", "it does not load: invalid syntax, line 1"),
        ("{}/x.py", "raise SystemExit(5)", "it does not load: SystemExit: 5"),
        (
            "{}/x.py",
            "import nothing_of_this_name",
            "ModuleNotFoundError: No module named 'nothing_of_this_name'",
        ),
        ("{}/x.py", "x = 1", "it defines no plugin"),
        ("{}/x.py:Rack", "x = 1", "it has no class 'Rack'"),
        ("{}/x.py:1+1", "", "expected MODULE, MODULE:CLASS, FILE.py or FILE.py:CLASS"),
        (":", "", "expected MODULE"),
        ("builtins", "", "has no file of its own"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / "x.py").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        PluginFiles([name.format(tmp_path)]).load()
    assert message.format(tmp_path) in str(raised.value)
    assert "\n" not in str(raised.value)
