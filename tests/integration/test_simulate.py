"""`nominee simulate`: the examples keep what their comments promise, and inputs are told what is wrong."""

from __future__ import annotations

import io
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from nominee.cli.main import run

SCENARIOS = Path(__file__).parents[2] / "examples" / "scenarios"
LARGE = {"a-day-of-jobs", "burst-of-preemptors", "churn-with-preemption"}
SMALL = sorted(path.stem for path in SCENARIOS.glob("*.yaml") if path.stem not in LARGE)

NODES = """
templates:
  node: {capacity: {cpu: "4", memory: 8Gi}}
  pod: {requests: {cpu: "1"}}
operations:
  - createNodes: {template: node, count: 2}
"""

BOMB = "a: &a [x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in pairwise("abcdefgh")
)

POD = "objects:\n- apiVersion: v1\n  kind: Pod\n"
BUDGET = "objects:\n- apiVersion: policy/v1\n  kind: PodDisruptionBudget\n"


def simulate(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        run(["simulate", *map(str, arguments)])
    return int(str(ended.value.code))


def summary_of(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    simulate(*arguments, "-o", "json")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def written(directory: Path, text: str, name: str = "scenario.yaml") -> Path:
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", SMALL)
def test_an_example_ends_as_its_comment_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = simulate(SCENARIOS / f"{name}.yaml")
    assert (code, "not as expected" in capsys.readouterr().out) == (0, False)


@pytest.mark.skipif("NOMINEE_BENCH" not in os.environ, reason="takes long: make bench-sim")
@pytest.mark.parametrize("name", sorted(LARGE))
def test_a_large_example_ends_as_its_comment_says(name: str) -> None:
    assert simulate(SCENARIOS / f"{name}.yaml") == 0


def test_the_summary_tells_who_pends_and_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, NODES + "  - createPods: {template: pod, count: 9}\n")
    summary = summary_of(capsys, path)
    assert summary["pods"] == {"created": 9, "placed": 8, "finished": 0, "pending": 1}
    assert list(summary["pending_because"].values()) == [1]
    assert summary["use"]["cpu"]["end"] == 1.0
    assert simulate(path) == 1


def test_a_report_has_the_same_bytes_for_the_same_seed(tmp_path: Path) -> None:
    path = written(tmp_path, NODES + "  - createPods: {template: pod, count: 6, rate: 2, arrivals: random}\n")
    for directory in ("one", "two"):
        assert simulate(path, "--seed", 5, "--report", tmp_path / directory) == 0
    simulate(path, "--seed", 6, "--report", tmp_path / "three")
    for name in ("report.html", "summary.json"):
        first = (tmp_path / "one" / name).read_bytes()
        assert first == (tmp_path / "two" / name).read_bytes()
        assert first != (tmp_path / "three" / name).read_bytes()
    assert b"<svg" in (tmp_path / "one" / "report.html").read_bytes()


@pytest.mark.parametrize("output", ["text", "json"])
def test_the_summary_has_the_same_bytes_for_the_same_seed(
    output: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, NODES + "  - createPods: {template: pod, count: 6, rate: 2, arrivals: random}\n")
    said = [(simulate(path, "-o", output), capsys.readouterr().out) for _ in range(2)]
    assert said[0] == said[1]


def test_a_snapshot_and_a_trace_go_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n", "creationTimestamp": "2026-03-01T00:00:00Z"},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}},
    }
    snapshot = written(tmp_path, json.dumps({"kind": "List", "items": [node]}), "snapshot.json")
    trace = written(tmp_path, "time,duration,cpu,count\n0,60,2,2\n30,60,4,1\n", "trace.csv")
    summary = summary_of(capsys, snapshot, trace)
    assert summary["pods"] == {"created": 3, "placed": 3, "finished": 3, "pending": 0}
    assert summary["time_to_place_s"]["max"] == 30.0
    assert summary["virtual_seconds"] == 120.0


def test_until_ends_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, NODES + "  - createPods: {template: pod, count: 8, rate: 1}\n")
    assert summary_of(capsys, path, "--until", "3.5s")["pods"]["created"] == 4


def test_scenarios_are_merged_in_their_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = written(tmp_path, "seed: 3\n" + NODES, "base.yaml")
    more = written(tmp_path, "seed: 4\noperations: [{createPods: {template: pod}}]\n", "more.yaml")
    summary = summary_of(capsys, base, more)
    assert (summary["seed"], summary["pods"]["placed"]) == (4, 1)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("sed: 1\n", ":1: sed: unknown field"),
        ("seed: 1\nseed: 2\n", ":2: seed: stands there twice"),
        ("operations:\n  - createPods: {template: a, cuont: 1}\n", ":2: operations[0].createPods.cuont"),
        ("operations:\n  - advance: 5 minutes\n", ":2: operations[0].advance: time: unknown unit"),
        ("operations:\n  - at: 5\n", ":2: operations[0]: must say exactly one thing to do"),
        (
            "operations:\n  - createPods: {template: a}\n",
            ":2: operations[0].createPods.template: no template is named 'a'",
        ),
        ("objects:\n  - {apiVersion: v1, kind: Nod}\n", ":2: objects[0].kind: unknown kind 'Nod'"),
        (
            "operations: [{createPods: {template: a}}]\ntemplates:\n  a: {requests: {cpu: 1 core}}\n",
            ":3: templates.a.spec.containers[0].resources.requests[cpu]: '1 core'",
        ),
        (
            "seed: 1\noperations:\n  - createPods:\n      template: {requests: {cpu: 1 core}}\n",
            ":4: operations[0].createPods.template.spec.containers[0].resources.requests[cpu]: '1 core'",
        ),
        ("seed: 1\nconfig:\n  profiles: {}\n", ":3: config.profiles: Invalid value: {}: must be a list"),
        (
            "seed: 1\nfeatureGates: {Nonsense: true}\n",
            ":2: featureGates: unrecognized feature gate: Nonsense",
        ),
        ("seed: [\n", "not valid YAML"),
        ("# nothing\n", ": nothing in it: expected a scenario, objects or a trace"),
        ("seed: &a {b: *a}\n", ":1: not valid YAML: the alias contains itself"),
        ("seed: " + "[" * 9999, ":1: not valid YAML: nested too deeply"),
        (BOMB, "not valid YAML: grows too large when its aliases are followed"),
        ("? [a]\n: 1\n", ":1: ?: the key must be a string"),
        ("templates: {n: {}}\n", ":1: n: the key must be a string: put it into quotes"),
        ("seed: 1\nuntil: .inf\n", ":2: until: a duration is at most 10000000000 seconds, got inf"),
        ("operations:\n  - advance: .nan\n", ":2: operations[0].advance: a duration is at most"),
        (
            "templates:\n  a: {}\n  b: {duration: soon}\n",
            ":3: templates.b.duration: time: invalid duration \"soon\": expected a duration like '90s'",
        ),
        (
            "operations:\n  - createPods: {template: [], count: 1}\n",
            ":2: operations[0].createPods.template: expected 'array' of length >= 1",
        ),
        (
            "operations:\n  - createPods: {template: a, count: 99999999999}\n",
            ":2: operations[0].createPods.count: expected 'int' <= 10000000, got 99999999999",
        ),
        (
            "operations:\n  - createPods: {template: a, rate: .nan}\n",
            ":2: operations[0].createPods.rate: expected 'float' > 0.0, got nan",
        ),
        (
            "operations:\n  - failApi: {call: watch}\n",
            ":2: operations[0].failApi.call: invalid enum value 'watch': expected one of patch, bind",
        ),
        (
            "operations:\n  - restartScheduler: {featureGates: {Nonsense: true}}\n",
            ":2: operations[0].restartScheduler: unrecognized feature gate: Nonsense",
        ),
        ("sed: 1\n", "unknown field: allowed are description, seed, until"),
        ("seed: many\n", ":1: seed: expected 'int', got 'str': 'many'"),
        ("templates: {a: {labels: {b: 1}}}\n", ":1: templates.a.labels.b: expected 'str', got 'int': 1"),
        ("operations:\n  - failApi: {call: bind, times: 0}\n", "times: expected 'int' >= 1, got 0"),
        (
            "operations:\n  - createPods: {template: {}, name: Web}\n",
            "name: expected a name of lower-case letters, digits, '-' and '.', as in 'web' or 'web-', got",
        ),
        (
            "operations:\n  - createPods: {template: {}, count: 2, name: web}\n",
            "createPods.name: must end in '-' or '.', so that 2 can be numbered, got 'web'",
        ),
        (
            "operations:\n  - createPods: {template: {priorityClass: gold}, rate: 1}\n",
            ":2: operations[0]: no PriorityClass with name gold was found",
        ),
        ("operations:\n  - delete: {}\n", "delete: must say which: allowed are pods, nodes"),
        (
            "templates:\n  job: {duration: {min: 5s, max: 1s}}\n",
            ":2: templates.job.duration: min is more than max",
        ),
        (
            "operations: [{createPods: {template: a}}]\ntemplates:\n  a: {object: {spec: none}}\n",
            ":3: templates.a.object.spec: expected an object, got 'none'",
        ),
        (
            POD + "  metadata: {name: a, annotations: {nominee.dev/duration: soon}}\n",
            ":2: objects[0].metadata.annotations[nominee.dev/duration]: time: invalid duration",
        ),
        (
            BUDGET + "  metadata: {name: a}\n  spec: {minAvailable: most}\n",
            ":2: objects[0].spec.minAvailable: 'most' is not supported: expected a number or 0% to 100%",
        ),
    ],
)
def test_a_bad_scenario_is_told_where_and_why(
    text: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, text)
    assert run(["simulate", str(path)]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("when,cpu\n1,1\n", ":1: when: unknown column"),
        ("time,cpu\n1,1\nsoon,1\n", ":3: time:"),
        ("time,count\n1,many\n", ":2: count:"),
        ("time,count\n1,-3\n", ":2: count: expected a whole number from 0 to 10000000, got '-3'"),
        ("time\n-5\n", ":2: time: a duration can not be negative"),
        ("time\nnan\n", ":2: time: time: invalid duration"),
        ("time,priority\n1,99999999999\n", ":2: priority: expected a whole number"),
        ("time,cpu\n1,-1\n", ":2: cpu: '-1' must be greater than or equal to 0"),
        ("time,cpu\n1,a\n", ":2: cpu: 'a' is not a quantity"),
        ("time\n1,2\n", ":2: has 2 cells, and the header names 1"),
        ("time,time\n1,2\n", ":1: time: the column is there twice"),
    ],
)
def test_a_bad_trace_is_told_where_and_why(
    text: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["simulate", str(written(tmp_path, text, "trace.csv"))]) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"time": 1}\n{"tim": 1}\n', ":2: tim: unknown field"),
        ('{"time": 1}\n{"cpu": 1}\n', ":2: time: is missing"),
        ('{"time": 1, "cpu": [1]}\n', ": cpu: expected a quantity, got [1]"),
        ('{"kind": "List", "items": 5}\n', ": items: must be a list of objects"),
    ],
)
def test_bad_json_is_told_where_and_why(
    text: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["simulate", str(written(tmp_path, text, "trace.jsonl"))]) == 2
    assert complaint in capsys.readouterr().err


def test_a_name_that_is_taken_when_a_later_pod_arrives_is_told_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = "  - createPods: {template: pod, name: pod-1}\n"
    path = written(tmp_path, NODES + taken + "  - createPods: {template: pod, count: 3, rate: 1}\n")
    assert run(["simulate", str(path)]) == 2
    assert ':8: operations[2]: pods "pod-1" already exists' in capsys.readouterr().err


def test_pods_that_arrive_one_by_one_are_bound_and_nominated_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bound = "  - createPods: {template: pod, count: 2, rate: 1, name: a-, node: node-1}\n"
    nominated = "  - createPods: {template: pod, count: 2, rate: 1, name: b-, nominated: node-0}\n"
    there = "  - {at: 9, expect: {nodes: {a-0: node-1, a-1: node-1, b-0: node-0, b-1: node-0}}}\n"
    assert simulate(written(tmp_path, NODES + bound + nominated + there)) == 0, capsys.readouterr().out


def test_pods_may_run_for_weeks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pod = "  - createPods: {template: {requests: {cpu: 1}, duration: {min: 1234567, max: 2000h}}}\n"
    summary = summary_of(capsys, written(tmp_path, NODES + pod), "--until", "3000h")
    assert summary["pods"]["finished"] == 1


def test_only_what_ends_by_itself_has_finished(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pods = "  - createPods: {template: pod, count: 3}\n  - delete: {pods: pod-0}\n"
    more = "  - delete: {pods: pod-1, grace: 0}\n  - createPods: {template: {duration: 5s}, name: job}\n"
    assert summary_of(capsys, written(tmp_path, NODES + pods + more))["pods"]["finished"] == 1


def test_churn_that_keeps_nobody_leaves_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    churn = "  - churn: {template: pod, rate: 1, count: 3, keep: 0}\n"
    assert summary_of(capsys, written(tmp_path, NODES + churn))["use"]["cpu"]["end"] == 0.0


def test_a_dash_is_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    more = written(tmp_path, "operations: [{createPods: {template: pod, count: 2}}]\n", "more.yaml")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(NODES.encode())))
    assert summary_of(capsys, "-", more)["pods"]["placed"] == 2
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"sed: 1")))
    assert run(["simulate", "-"]) == 2
    assert capsys.readouterr().err.startswith("nominee: error: <stdin>:1: sed: unknown field")
