"""Whole sessions with real kubectls against `nominee up`, each command's output compared.

`NOMINEE_RECORD=1` writes the sessions anew as they are now; look at the difference before you keep it.
"""

from __future__ import annotations

import difflib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.kubectl.kubectls import EVERY, Kubectl, kubectls
from tests.integration.kubectl.normalised import in_any_words, normalised
from tests.integration.kubectl.transcript import Step, read
from tests.integration.up.process import PATIENCE, up

QUICK = ("applying", "deployments", "looking-around")  # the rest with `make test-kubectl`
SESSIONS = [
    path
    for path in sorted((Path(__file__).parent / "sessions").glob("*.txt"))
    if EVERY in os.environ or path.stem in QUICK
]
KUBECTLS = kubectls()
RECORD = "NOMINEE_RECORD" in os.environ

pytestmark = pytest.mark.skipif(not KUBECTLS, reason="no kubectl of 1.27 or later on the PATH, none built")


class Shell:
    """Runs commands in a directory of their own, where `kubectl` is one version and talks to one cluster."""

    def __init__(self, directory: Path, kubectl: Kubectl, kubeconfig: Path) -> None:
        self.directory = directory
        programs = directory / ".bin"
        programs.mkdir()
        (programs / "kubectl").symlink_to(kubectl.path)
        self.environment = {
            "HOME": str(directory),  # where kubectl keeps what it discovered
            "KUBECONFIG": str(kubeconfig),
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
        }

    def run(self, command: str) -> list[str]:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        lines = normalised(done.stdout.replace(str(self.directory), "."))
        while lines and not lines[-1]:
            lines.pop()
        return [*lines, *([f"[exit {done.returncode}]"] if done.returncode else [])]


@pytest.fixture(scope="module", params=KUBECTLS, ids=str)
def kubectl(request: pytest.FixtureRequest) -> Kubectl:
    found: Kubectl = request.param
    return found


@pytest.fixture
def shell(kubectl: Kubectl, tmp_path: Path) -> Iterator[Shell]:
    """With a cluster of three nodes behind it, and nothing else in that."""
    kubeconfig = tmp_path / "config"
    with up("--in-memory", "--nodes", "3", "--kubeconfig", kubeconfig):
        yield Shell(tmp_path, kubectl, kubeconfig)


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_kubectl_prints_what_people_expect(session: Path, shell: Shell, kubectl: Kubectl) -> None:
    steps = read(session)
    printed = [shell.run(step.command) for step in steps]
    if RECORD:
        _record(session, steps, printed, kubectl)
        return
    wanted = _comparable(steps, [step.expected_of(kubectl.version) for step in steps])
    found = _comparable(steps, printed)
    assert found == wanted, _difference(wanted, found)


def _comparable(steps: list[Step], printed: list[list[str]]) -> list[str]:
    both = zip(steps, printed, strict=True)
    return [line for step, lines in both for line in (f"$ {step.command}", *in_any_words(lines))]


def _difference(wanted: list[str], found: list[str]) -> str:
    return "\n".join(("", *difflib.unified_diff(wanted, found, "expected", "printed", lineterm="", n=4)))


def _record(session: Path, steps: list[Step], printed: list[list[str]], kubectl: Kubectl) -> None:
    """Keep what is written for several versions, where it is true."""
    lines: list[str] = []
    for step, shown in zip(steps, printed, strict=True):
        kept = in_any_words(step.expected_of(kubectl.version)) == in_any_words(shown)
        lines += step.shown(step.expected if kept else shown)
    session.write_text("\n".join(lines), encoding="utf-8")
