import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from nominee.cli.main import run

Case = dict[str, Any]


class Ended(NamedTuple):
    code: int
    out: list[Any]
    err: list[str]


@pytest.fixture
def decide(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    def call(*args: object) -> Ended:
        with pytest.raises(SystemExit) as ended:
            sys.exit(run(["decide", *map(str, args)]))
        said = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Ended(code, list(map(json.loads, said.out.splitlines())), said.err.splitlines())

    return call


def pod(name: str = "web", cpu: Any = "1", **spec: Any) -> Case:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    return {"metadata": {"name": name}, "spec": {"containers": [container], **spec}}


def node(name: str = "a", cpu: str = "2") -> Case:
    amounts = {"cpu": cpu, "memory": "1Gi", "pods": "10"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": amounts},
    }


def case(name: str, *objects: Any, **fields: Any) -> Case:
    return {"name": name, "objects": list(objects), "pod": pod()} | fields


FITS = case("fits", node())
TOO_BIG = case("too-big", node(cpu="500m"))


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def store(*cases: Any, name: str = "cases.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join((c if isinstance(c, str) else json.dumps(c)) + "\n" for c in cases))
        return path

    return store


def test_all_fit_ends_with_0(decide: Callable[..., Ended], write: Callable[..., Path]) -> None:
    ended = decide(write(FITS, FITS))
    assert (ended.code, [d["feasible"] for d in ended.out], ended.err) == (0, [["a"], ["a"]], [])


def test_one_that_fits_nowhere_ends_with_1(decide: Callable[..., Ended], write: Callable[..., Path]) -> None:
    ended = decide(write(FITS, TOO_BIG))
    assert ended.code == 1
    assert ended.out[1]["message"] == "0/1 nodes are available: 1 Insufficient cpu."


def test_a_malformed_case_is_answered_in_its_place(
    decide: Callable[..., Ended], write: Callable[..., Path]
) -> None:
    path = write(FITS, case("odd", pod=pod(cpu="1x")), TOO_BIG)
    ended = decide(path)
    assert ended.code == 2
    error = ended.out[1]
    assert error["name"] == "odd"
    assert error["error"].startswith(f"{path}:2: pod.spec.containers[0].resources.requests[cpu]: '1x' is not")
    assert ended.err == [f"nominee: error: {error['error']}"]
    assert ended.out[0]["feasible"] == ["a"]
    assert ended.out[2]["feasible"] == []


AFFINITY = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "k", "operator": "Is"}]}]}}  # fmt: skip  # noqa: E501
CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
FIT_ARGS = {"pluginConfig": [{"name": "NodeResourcesFit", "args": {"strategy": 1}}]}


@pytest.mark.parametrize(
    ("faulty", "says"),
    [
        ("{", ": not JSON: "),
        ("[]", ": a case must be an object with 'objects' and 'pod'"),
        ({"objects": []}, ": pod: a case needs the pod to decide about"),
        (FITS | {"name": 3}, ": name: must be text"),
        (case("x", objects={}), ": objects: must be a list of objects"),
        (case("x", 7), ": objects[0]: must be an object"),
        (case("x", {"apiVersion": "v1"}), ": objects[0].kind: an object needs a kind: expected one of CSIDr"),
        (case("x", {"kind": "Pot"}), ": objects[0].kind: unknown kind 'Pot': expected one of CSIDriver"),
        (case("x", {"kind": True}), ": objects[0].kind: unknown kind true: expected one of CSIDriver"),
        (
            case("x", {"kind": "Node"}),
            ": objects[0].apiVersion: an object needs an apiVersion: expected 'v1'",
        ),
        (case("x", node(), node()), ": objects[1].metadata.name: 'a' is taken by objects[0]: must be unique"),
        (case("x", {"apiVersion": "v1", "kind": "Pod", **pod()}), "'web' is taken by pod: must be unique"),
        (case("x", pod=pod(cpu=[])), ": pod.spec.containers[0].resources.requests[cpu]: expected"),
        (case("x", pod=pod(cpu="-1")), "'-1' must be greater than or equal to 0"),
        (case("x", pod=pod(priority="high")), ": pod.spec.priority: expected"),
        (case("x", pod=pod(nodeName="a")), ": pod.spec.nodeName: the pod to decide about must have no node"),
        (
            case("x", pod=pod(affinity={"nodeAffinity": AFFINITY})),
            "'Is' is not an operator here: expected one",
        ),
        (
            case("x", pod=pod(schedulerName="y")),
            "schedulerName: no profile is named 'y': expected one of 'def",
        ),
        (case("x", config=[]), ": config: must be an object"),
        (case("x", config={}), ": config"),
        (case("x", config={**CONFIG, "profiles": [FIT_ARGS]}), ": config.profiles[0].pluginConfig[0].args."),
        (case("x", pod={**node(), "kind": "Node"}), ": pod.kind: must be a Pod, not a Node"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    decide: Callable[..., Ended], write: Callable[..., Path], faulty: Any, says: str
) -> None:
    path = write(faulty, FITS)
    ended = decide(path)
    assert ended.code == 2
    assert ended.out[0]["error"].startswith(f"{path}:1: ")
    assert says in ended.out[0]["error"]
    assert len(ended.err) == 1
    assert ended.out[1]["feasible"] == ["a"]


def test_a_missing_file_does_not_keep_the_others_waiting(
    decide: Callable[..., Ended], write: Callable[..., Path]
) -> None:
    ended = decide("absent.jsonl", write(FITS))
    assert ended.code == 2
    assert ended.out[0] == {
        "name": "absent.jsonl",
        "error": "absent.jsonl: can not be read: no such file or directory",
    }
    assert ended.out[1]["feasible"] == ["a"]


def test_gzip_is_known_by_its_content(decide: Callable[..., Ended], tmp_path: Path) -> None:
    path = tmp_path / "cases"
    path.write_bytes(gzip.compress(json.dumps(FITS).encode()))
    assert decide(path).code == 0


def test_truncated_gzip_is_said_after_the_cases_before(decide: Callable[..., Ended], tmp_path: Path) -> None:
    path = tmp_path / "cases.gz"
    lines = "".join(json.dumps(case(f"{i:x}", node(f"n{i * 7919}"))) + "\n" for i in range(2000))
    path.write_bytes(gzip.compress(lines.encode())[:-5000])
    ended = decide(path)
    assert ended.code == 2
    assert len(ended.out) > 100
    assert f"can not be read after line {len(ended.out) - 1}: " in ended.out[-1]["error"]


def test_broken_gzip_is_an_error_too(decide: Callable[..., Ended], tmp_path: Path) -> None:
    path = tmp_path / "cases.gz"
    path.write_bytes(gzip.compress(b"{}")[:10] + b"\xff" * 20)
    assert "can not be read: " in decide(path).out[0]["error"]


def test_standard_input_is_a_dash_or_nothing(
    decide: Callable[..., Ended], write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for args in ((), ("-",), (write(TOO_BIG), "-")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(json.dumps(FITS).encode()))))  # fmt: skip  # noqa: E501
        assert decide(*args).out[-1]["feasible"] == ["a"]


def test_input_without_a_case_is_bad_input(decide: Callable[..., Ended], write: Callable[..., Path]) -> None:
    ended = decide(write("", ""))
    assert ended.code == 2
    assert ended.out[0]["error"].endswith(": no case in it: expected one JSON object a line")


def test_an_empty_cluster_has_no_nodes_available(
    decide: Callable[..., Ended], write: Callable[..., Path]
) -> None:
    ended = decide(write(case("empty")))
    assert ended.code == 1
    assert ended.out == [{"feasible": [], "message": "no nodes available to schedule pods"}]


def test_an_unknown_feature_gate_is_bad_input(
    decide: Callable[..., Ended], write: Callable[..., Path]
) -> None:
    assert decide("--feature-gates", "Nope=true", write(FITS)).code == 2


STATUS_OFF = "InPlacePodLevelResourcesVerticalScaling=false"
BOTH_OFF = f"PodLevelResources=false,{STATUS_OFF}"


@pytest.mark.parametrize(
    ("gates", "cpu", "code"),
    [("", 3, 1), ("", 4, 0), (STATUS_OFF, 2, 1), (STATUS_OFF, 3, 0), (BOTH_OFF, 1, 0)],
)
def test_gates_tell_which_requests_of_whole_pods_count(
    decide: Callable[..., Ended], write: Callable[..., Path], gates: str, cpu: int, code: int
) -> None:
    two = {"cpu": "2"}
    grown = pod("grown", cpu="1", nodeName="a", resources={"requests": {"cpu": "1"}})
    grown |= {
        "apiVersion": "v1",
        "kind": "Pod",
        "status": {"resources": {"requests": two}, "allocatedResources": two},
    }
    waiting = pod("waiting", cpu="0", resources={"requests": two})
    path = write(case("x", node(cpu=str(cpu)), grown, pod=waiting))
    assert decide("--feature-gates", gates, path).code == code


def test_sums_beyond_64_bits_make_no_noise(decide: Callable[..., Ended], write: Callable[..., Path]) -> None:
    huge = [{"apiVersion": "v1", "kind": "Pod", **pod(f"p{i}", "9E", nodeName="a")} for i in range(3)]
    assert decide(write(case("huge", node(), *huge))).err == []
