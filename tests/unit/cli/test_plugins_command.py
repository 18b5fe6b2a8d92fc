"""`nominee plugins`: what is in reach, for people and for programs."""

import json
from importlib.metadata import EntryPoint

import pytest

from nominee.cli import plugins as module
from nominee.cli.main import run


@pytest.fixture(autouse=True)
def _one_package(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("NodeNameOfOurs", f"{__name__}:NodeNameOfOurs", "nominee.plugins")
    monkeypatch.setattr(module, "entry_points", lambda **_: [point])


class NodeNameOfOurs:
    def permit(self, pod: object, node: object, cycle: object) -> None: ...


def test_programs_get_every_plugin_with_its_points(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plugins", "-o", "json"]) == 0
    listed = {each["name"]: each for each in json.loads(capsys.readouterr().out)}
    assert listed["NodeName"] == {"name": "NodeName", "points": ["preFilter", "filter"], "origin": "in-tree"}
    assert listed["NodeNameOfOurs"]["points"] == ["permit"]
    assert listed["NodeNameOfOurs"]["origin"].startswith("entry point ")
    assert listed["GangScheduling"] == {
        "name": "GangScheduling",
        "points": [],
        "origin": "not implemented yet",
    }


def test_people_get_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plugins"]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split() == ["plugin", "extension", "points", "origin"]
    (ours,) = [line for line in lines if line.startswith("NodeNameOfOurs ")]
    assert ours.split()[1:4] == ["permit", "entry", "point"]
    assert max(map(len, lines)) <= 160
