import json
from typing import Any

import pytest

from nominee.cli.bench_scenarios import SCENARIOS
from nominee.cli.main import run

KEYS = ["scenario", "nodes", "pods", "placed", "pods_per_s", "us_per_pod", "peak_mib"]


def measure(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[dict[str, Any], str]:
    assert run(["bench", "engine", "--nodes", "12", "--pods", "10", "-o", "json", *args]) == 0
    said = capsys.readouterr()
    return json.loads(said.out), said.err


@pytest.mark.parametrize("scenario", [*SCENARIOS, "volumes"])
def test_every_scenario_places_all_its_pods(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    figures, noise = measure(capsys, "--scenario", scenario)
    assert list(figures) == KEYS
    assert (figures["scenario"], figures["nodes"], figures["pods"]) == (scenario, 12, 10)
    assert figures["placed"] == 10
    assert min(figures["pods_per_s"], figures["us_per_pod"], figures["peak_mib"]) > 0
    assert noise == "", "progress belongs to terminals"


@pytest.mark.parametrize(("shapes", "name"), [("3", "shapes-3"), ("0", "shapes-all")])
def test_shapes_vary_the_pods(shapes: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    figures, _ = measure(capsys, "--shapes", shapes)
    assert (figures["scenario"], figures["placed"]) == (name, 10)


def test_shapes_of_another_scenario_are_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "engine", "--scenario", "spread", "--shapes", "3"]) == 2
    assert "'spread'" in capsys.readouterr().err


def test_pods_that_fit_nowhere_are_measured_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    figures, note = measure(capsys, "--scenario", "antiaffinity", "--nodes", "4")
    assert figures["placed"] == 4
    assert note == "nominee: note: 6 of 10 pods fit nowhere\n"


def test_text_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "engine", "--nodes", "3", "--pods", "3"]) == 0
    assert capsys.readouterr().out.startswith("scenario basic  nodes 3  pods 3  placed 3  pods_per_s ")


def test_the_whole_cycle_is_measured_beside_the_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "cycle", "--nodes", "20", "--pods", "30", "-o", "json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["placed"] == 30
    assert set(figures) >= {"engine_us_per_pod", "cycle_us_per_pod", "ratio"}


def test_preemptors_end_on_nodes_in_the_whole_cycle_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "cycle", "--scenario", "preempt", "--nodes", "6", "--pods", "6", "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["placed"] == 6


def test_the_gain_of_the_nominated_node_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "nominated", "--nodes", "20", "--pods", "30", "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["gain"] > 0


def test_the_price_of_a_nomination_is_measured_on_pods_with_work_before_binding(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["bench", "prebind", "--nodes", "3", "--pods", "4", "--rounds", "1", "-o", "json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["pods"] == 4
    assert min(figures["with_pods_per_s"], figures["without_pods_per_s"]) > 0
