"""What `nominee up` says to bad input. How it runs is shown by tests/integration/up."""

from __future__ import annotations

import fcntl
import gc
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from nominee.cli.main import run

BAD_CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: -1\n"


@pytest.fixture(autouse=True)
def _garbage_collector() -> Iterator[None]:
    """The control plane tunes it for its process, which here is that of the tests."""
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


def refusal(capsys: pytest.CaptureFixture[str], *options: str | Path) -> str:
    """The one line on standard error of one that does not start."""
    assert run(["up", *map(str, options)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    [line] = captured.err.splitlines()
    return line


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        line = refusal(capsys, "--in-memory", "--no-scheduler", "--port", port)
    assert line == f"nominee: error: --port {port}: in use: name another one, or 0 for any that is free"


def test_an_address_that_is_not_ours(capsys: pytest.CaptureFixture[str]) -> None:
    line = refusal(capsys, "--in-memory", "--no-scheduler", "--listen", "192.0.2.1", "--port", "0")
    assert "--listen 192.0.2.1 --port 0: can not listen there" in line


def test_data_of_a_newer_nominee(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "cluster.db") as database:
        database.execute("pragma user_version=99")
    database.close()
    line = refusal(capsys, "--data", tmp_path, "--no-scheduler", "--port", "0")
    assert "written by a newer nominee" in line


def test_data_that_another_process_uses(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w+") as lock:
        lock.write("4711\n")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        line = refusal(capsys, "--data", tmp_path, "--no-scheduler", "--port", "0")
    assert line == f"nominee: error: {tmp_path}: in use by process 4711: end that, or name another --data"


def test_a_directory_that_can_not_be(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "name another --data" in refusal(capsys, "--data", tmp_path / "file" / "data", "--no-scheduler")


def test_somebody_elses_kubeconfig(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("apiVersion: v1\nkind: Config\n")
    line = refusal(capsys, "--in-memory", "--no-scheduler", "--port", "0", "--kubeconfig", config)
    assert "name another --kubeconfig" in line


def test_a_configuration_with_a_fault(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(BAD_CONFIG)
    line = refusal(capsys, "--in-memory", "--port", "0", "--config", config)
    assert f"{config}: parallelism" in line


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--feature-gates", "Nonsense=true"], "unrecognized feature gate: Nonsense"),
        (["--plugins", "no_such_module_here"], "no_such_module_here"),
        (["--config", "/no/such/file"], "/no/such/file"),
        (["--port", "70000"], "--port"),
        (["--nodes", "-1"], "--nodes"),
        (["--data", "x"], "--in-memory keeps nothing: leave out --data"),
    ],
)
def test_options_that_make_no_sense(
    capsys: pytest.CaptureFixture[str], options: list[str], expected: str
) -> None:
    assert expected in refusal(capsys, "--in-memory", *options)
