import io
import json
from pathlib import Path
from typing import Any

import pytest

from nominee.cli.cases import CaseReader
from nominee.cli.decision_text import Writer, render
from nominee.config.features import FeatureGates
from nominee.errors import InputError
from nominee.scheduler.assembly import make_registry
from nominee.scheduler.decision import Decision, decide

OWN = Path(__file__).resolve().parents[2] / "conformance" / "cases"


def decision(theme: str, name: str, **changes: Any) -> Decision:
    """The decision about a case of the conformance suite."""
    cases = map(json.loads, (OWN / f"{theme}.jsonl").read_text().splitlines())
    source = next(case for case in cases if name in case["name"]) | changes
    case = CaseReader(make_registry(), FeatureGates()).read(source)
    return decide(case.profile, case.cluster, case.pod, now=0.0)


def test_a_placement_shows_scores_and_rejections() -> None:
    assert render("x", decision("resources", "least")).splitlines() == [
        "x: pod default/p goes to c, one of 2 nodes that can take it",
        "                    Node",
        "               Resources",
        "  node  total        Fit",
        "  * c     150        150",
        "    b      74         74",
        "  nodes  rejected by       because           eviction  which",
        "      1  NodeResourcesFit  Insufficient cpu  may help  a",
    ]


def test_where_columns_are_too_wide_each_node_names_its_scores() -> None:
    placed = decision("resources", "least")
    assert "of which" not in render("x", placed, width=40)
    assert "* c     150  NodeRe" in render("x", placed, width=22)


def test_a_failure_shows_the_message_and_who_would_be_evicted() -> None:
    assert render("x", decision("preemption", "outweighs")).splitlines() == [
        "x: pod default/p fits nowhere",
        "  0/2 nodes are available: 2 Insufficient cpu.",
        "  nodes  rejected by       because           eviction  which",
        "      2  NodeResourcesFit  Insufficient cpu  may help  a, b",
        "  preemption would evict from b:",
        "    default/y (priority 5)",
        "    default/z (priority 3)",
        "    other nodes where eviction helps: a",
    ]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("never preempts", "  preemption: not eligible due to preemptionPolicy=Never."),
        (
            "no one less",
            "  preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
        ),
    ],
)
def test_why_nobody_would_be_evicted(name: str, says: str) -> None:
    assert render("x", decision("preemption", name)).splitlines()[-1] == says


def test_a_narrowed_search_names_what_is_left() -> None:
    assert "  the pod allows only: b" in render("x", decision("nodeaffinity", "narrows"))


def test_an_empty_cluster_is_one_sentence() -> None:
    assert render("x", decision("resources", "larger", objects=[])).splitlines() == [
        "x: pod default/p fits nowhere",
        "  no nodes available to schedule pods",
    ]


@pytest.mark.parametrize("width", [80, 120, 160])
def test_a_terminal_gets_no_line_wider_than_itself(width: int) -> None:
    for theme in OWN.glob("*.jsonl"):
        for case in map(json.loads, theme.read_text().splitlines()):
            text = render(case["name"], decision(theme.stem, case["name"]), width=width)
            assert max(map(len, text.splitlines())) <= width


def test_a_pipe_gets_whole_lines_without_colour() -> None:
    stream = io.StringIO()
    Writer(stream).write("x", InputError("no " * 200 + "end"))
    assert stream.getvalue() == f"x: error: {'no ' * 200}end\n"


def test_a_terminal_gets_colour_unless_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    answer = decision("resources", "least")
    for refused, colourful in (("", True), ("1", False)):
        monkeypatch.setenv("NO_COLOR", refused)
        stream = io.StringIO()
        Writer(stream, width=80, color=True).write("x", answer)
        assert ("\x1b[1;32m" in stream.getvalue()) == colourful


def test_names_from_a_file_do_not_reach_the_terminal_as_orders() -> None:
    assert "\x1b" not in render("\x1b[2J", InputError("\x1b]0;x\x07"))
