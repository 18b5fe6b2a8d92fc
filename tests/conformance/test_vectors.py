"""Decisions equal those of kube-scheduler: in every published vector, and in the cases kept here.

The vectors lie beside the checkout or where NOMINEE_SHARED points. Themes of plugins that are still
missing are left out, and so is any other case whose pod needs such a plugin.
"""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from nominee.cli.cases import CaseReader
from nominee.config.features import FeatureGates
from nominee.scheduler.assembly import make_registry, missing_plugins
from nominee.scheduler.decision import decide
from tests.conformance.comparison import differences

HERE = Path(__file__).resolve()
VECTORS = Path(os.environ.get("NOMINEE_SHARED", HERE.parents[3] / "shared")) / "vectors"
LATER = {"volumes": "VolumeBinding", "dra": "DynamicResources"}
SHOWN = 5  # cases in a failure's text

REGISTRY = make_registry()
MISSING = frozenset(missing_plugins(REGISTRY))
OWN = sorted((HERE.parent / "cases").glob("*.jsonl"))
THEMES = sorted(path for path in VECTORS.glob("*.jsonl.gz") if LATER.get(path.name[:-9]) not in MISSING)


def _faults(cases: list[dict[str, Any]]) -> tuple[list[str], int]:
    """A text for each case that is decided otherwise than expected, and how many were decided."""
    reader, faults, decided = CaseReader(REGISTRY, FeatureGates()), [], 0
    for source in cases:
        case = reader.read(source)
        if case.wanted & MISSING:
            continue
        decided += 1
        got = decide(case.profile, case.cluster, case.pod, now=0.0).as_expected()
        if lines := differences(got, source["expected"]):
            faults.append("\n  ".join([source["name"], *lines]))
    return faults, decided


def _check(cases: list[dict[str, Any]]) -> None:
    faults, decided = _faults(cases)
    assert decided, "every case needs a plugin that is missing"
    if faults:
        more = f"\nand {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
        shown = "\n".join(faults[:SHOWN])
        pytest.fail(f"{len(faults)} of {decided} decisions differ:\n{shown}{more}", pytrace=False)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_own_cases(path: Path) -> None:
    _check([json.loads(line) for line in path.read_text().splitlines() if line.strip()])


@pytest.mark.skipif(
    not THEMES, reason=f"no vectors in {VECTORS}; NOMINEE_SHARED names the folder of vectors/"
)
@pytest.mark.parametrize("path", THEMES, ids=lambda path: path.name.partition(".")[0])
def test_vectors(path: Path) -> None:
    _check([json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()])


def test_a_difference_is_named_by_its_place() -> None:
    got = {"feasible": ["a"], "totals": {"a": 1}}
    assert differences(got, {"feasible": ["a"], "totals": {"a": 2}}) == ["totals[a]: got 1, want 2"]
    assert differences(got, got | {"scores": {"X": {"a": 0}}}) == []


def test_a_pick_must_be_one_of_the_allowed() -> None:
    want = {"preemptionPicks": ["a", "b"]}
    assert differences({"preemptionPicks": ["a"]}, want) == []
    assert differences({"preemptionPicks": ["a", "c"]}, want)
    assert differences({}, want)
