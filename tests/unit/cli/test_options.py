"""`--plugins` of the commands that decide without a cluster."""

import json
from pathlib import Path

import pytest

from nominee.cli.main import run

NOT_ON = """
from dataclasses import dataclass

@dataclass(frozen=True)
class NotOn:
    name: str = "a"

    def filter_node(self, pod, node, cycle):
        return "not on this one" if node.name == self.name else None
"""
AMOUNTS = {"cpu": "2", "memory": "4Gi", "pods": "10"}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": AMOUNTS}}
POD = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c"}]}}
CONFIG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {filter: {enabled: [{name: NotOn}]}}}]
"""


@pytest.fixture
def plugin(tmp_path: Path) -> str:
    path = tmp_path / "not_on.py"
    path.write_text(NOT_ON)
    return str(path)


def ended(*arguments: str) -> int:
    try:
        return run(arguments)
    except SystemExit as end:
        return int(str(end.code))


def test_decide_asks_it(plugin: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps({"objects": [NODE], "pod": POD}))
    assert ended("decide", str(cases)) == 0
    capsys.readouterr()
    assert ended("decide", "--plugins", plugin, str(cases)) == 1
    rejected = json.loads(capsys.readouterr().out)["filter"]["a"]
    assert rejected == {"code": "Unschedulable", "plugin": "NotOn", "reasons": ["not on this one"]}


def test_a_case_may_give_it_arguments(
    plugin: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = tmp_path / "cases.jsonl"
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"pluginConfig": [{"name": "NotOn", "args": {"name": "b"}}]}],
    }
    cases.write_text(json.dumps({"objects": [NODE], "pod": POD, "config": config}))
    assert ended("decide", "--plugins", plugin, str(cases)) == 0
    assert json.loads(capsys.readouterr().out)["feasible"] == ["a"]


def test_simulate_asks_it(plugin: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(json.dumps({"objects": [NODE, {"apiVersion": "v1", "kind": "Pod", **POD}]}))
    assert ended("simulate", str(path)) == 0
    assert ended("simulate", "--plugins", plugin, str(path)) == 1
    assert "1 not on this one" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["check", "defaults"])
def test_a_configuration_may_enable_it(command: str, plugin: str, tmp_path: Path) -> None:
    config = tmp_path / "scheduler.yaml"
    config.write_text(CONFIG)
    assert run(["config", command, str(config)]) == 2
    assert run(["config", command, "--plugins", plugin, str(config)]) == 0


@pytest.mark.parametrize("command", ["decide", "simulate x.yaml", "config check x.yaml", "config defaults"])
def test_what_can_not_be_loaded_is_one_line(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command.split(), "--plugins", "nowhere.py"]) == 2
    assert capsys.readouterr().err.endswith("--plugins nowhere.py: no such file\n")
