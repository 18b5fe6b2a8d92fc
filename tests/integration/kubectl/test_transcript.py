"""How sessions are read, and what is not compared in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.kubectl.normalised import in_any_words, normalised
from tests.integration.kubectl.transcript import read

SESSION = """\
# Looking.
$ kubectl get pods
NAME  READY
web  1/1

$ kubectl create -f - <<END
> kind: Pod
> END
[from 1.34]
pod/web created now
[before 1.34]
pod/web created
[any]
[exit 1]
"""


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "session.txt"
    path.write_text(SESSION)
    return path


def test_a_session_is_commands_and_what_they_print(session: Path) -> None:
    first, second = read(session)
    assert (first.command, first.expected) == ("kubectl get pods", ["NAME  READY", "web  1/1"])
    assert second.command == "kubectl create -f - <<END\nkind: Pod\nEND"


@pytest.mark.parametrize(("minor", "printed"), [(33, "pod/web created"), (34, "pod/web created now")])
def test_versions_may_print_different_lines(session: Path, minor: int, printed: str) -> None:
    _, step = read(session)
    assert step.expected_of((1, minor)) == [printed, "[exit 1]"]


def test_what_was_read_is_written_as_it_was(session: Path) -> None:
    assert "\n".join(line for step in read(session) for line in step.shown(step.expected)) == SESSION


@pytest.mark.parametrize(
    ("printed", "compared"),
    [
        ("web-6656c4cb49-7w8mz   1/1     Running   0          12s", "web-HASH-RANDOM  1/1  Running  0  AGE"),
        ("replicaset.apps/web-7d6d4dc   3", "replicaset.apps/web-HASH  3"),
        ("web    ClusterIP   10.96.3.7   <none>   80:31234/TCP", "web  ClusterIP  IP  <none>  80:PORT/TCP"),
        ("Start Time:   Thu, 19 Nov 2026 21:28:15 +0000", "Start Time:  TIME"),
        ('  resourceVersion: "17"', "  resourceVersion: VERSION"),
        (
            "  Normal   NoPods   3s (x2 over 5s)   NodeIsGone",
            "  Normal  NoPods  AGE (xN over AGE)  NodeIsGone",
        ),
    ],
)
def test_chance_is_taken_out(printed: str, compared: str) -> None:
    assert normalised(printed) == [compared]


@pytest.mark.parametrize(
    "printed",
    [
        ['pod "web" deleted'],
        ['pod "web" deleted from default namespace'],
        ["", 'pod "web" deleted'],
    ],
)
def test_kubectls_of_any_age_are_compared(printed: list[str]) -> None:
    assert in_any_words(printed) == ['pod "web" deleted']
