"""The examples of docs/decide.md are what the command answers."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "decide.md").read_text()


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/decide.md has no block {language!r}"
    return found[1]


def decide(directory: Path, case: object, *options: str) -> subprocess.CompletedProcess[str]:
    (directory / "cases.jsonl").write_text(json.dumps(case) + "\n")
    command = [sys.executable, "-m", "nominee", "decide", "cases.jsonl", *options]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)


@pytest.fixture
def case() -> object:
    return json.loads(block("json"))


def test_the_case_is_decided_as_shown(case: object, tmp_path: Path) -> None:
    answer = decide(tmp_path, case)
    assert (answer.returncode, answer.stderr) == (1, "")
    assert json.loads(answer.stdout) == json.loads(block("json output"))


def test_the_text_is_as_shown(case: object, tmp_path: Path) -> None:
    assert decide(tmp_path, case, "-o", "text").stdout == block("text output")


def test_the_error_is_as_shown(tmp_path: Path) -> None:
    answer = decide(tmp_path, {"objects": []})
    assert answer.returncode == 2
    assert json.loads(answer.stdout) == json.loads(block("json error"))
