"""Whatever stands in a case, `nominee decide` answers: a decision or an error, never a traceback.

Two cases that use much of the API, and the published vectors where they are, with random faults.
NOMINEE_FUZZ is the number of faulty cases (a night's worth: 100000), NOMINEE_FUZZ_SEED where it starts.
"""

import gzip
import json
import os
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nominee.cli.cases import CaseReader
from nominee.cli.decide import Decider
from nominee.cli.decision_text import render
from nominee.cli.lines import Line
from nominee.config.features import FeatureGates
from nominee.errors import NomineeError, PluginError
from nominee.scheduler.assembly import make_registry
from nominee.scheduler.decision import Decision
from tests.unit.cli.fuzzing import mutate

COUNT = int(os.environ.get("NOMINEE_FUZZ", "600"))
SEED = int(os.environ.get("NOMINEE_FUZZ_SEED", "1"))
BATCHES = 6
VECTORS = Path(os.environ.get("NOMINEE_SHARED", Path(__file__).resolve().parents[4] / "shared")) / "vectors"

# What belongs to Python's insides and not to an answer: addresses, classes, modules, struct reprs.
INSIDES = re.compile(r" at 0x|<class |nominee\.|msgspec|numpy|Traceback|\bStruct\b|\w+\([a-z_]+=")


def _own_cases() -> list[dict[str, Any]]:
    text = (Path(__file__).parent / "fuzz_cases.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def _vectors() -> list[dict[str, Any]]:
    texts = (gzip.decompress(path.read_bytes()) for path in sorted(VECTORS.glob("*.jsonl.gz")))
    cases = (json.loads(line) for text in texts for line in text.splitlines()[::9])
    return [{k: v for k, v in case.items() if k != "expected"} for case in cases]


class Answers:
    """Takes what is written, and holds it to what users may see."""

    def __init__(self) -> None:
        self.count = self.errors = 0

    def take(self, name: str, answer: Decision | NomineeError) -> None:
        assert render(name, answer)
        self.count += 1
        if isinstance(answer, NomineeError):
            self.errors += 1
            text = str(answer)
            assert "\n" not in text
            assert len(text) < 4000
            if not isinstance(answer, PluginError):
                assert not INSIDES.search(text), text
                assert text.startswith("f:1: ")


def _fuzz(cases: list[dict[str, Any]], seed: int, count: int) -> Answers:
    random, answers = Random(seed), Answers()
    decider = Decider(CaseReader(make_registry(), FeatureGates()), (), answers.take)
    for _ in range(count):
        faulty = mutate(random, random.choice(cases))
        try:
            code = decider.answer(Line("f", 1, json.dumps(faulty).encode()))
        except Exception as error:  # noqa: BLE001 - the case is what one needs to see
            pytest.fail(f"{error!r} on {json.dumps(faulty)}", pytrace=True)
        assert code in {0, 1, 2}
    return answers


@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_faulty_case_is_answered(batch: int) -> None:
    answers = _fuzz(_own_cases(), SEED + batch, COUNT // BATCHES)
    assert answers.count == COUNT // BATCHES
    assert 0 < answers.errors < answers.count, "the faults are all harmless, or all fatal"


@pytest.mark.skipif(not VECTORS.is_dir(), reason="no decision vectors; NOMINEE_SHARED names their folder")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_faulty_vector_is_answered(batch: int) -> None:
    answers = _fuzz(_vectors(), SEED + BATCHES + batch, COUNT // BATCHES)
    assert 0 < answers.errors < answers.count, "the faults are all harmless, or all fatal"
