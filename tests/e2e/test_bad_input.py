"""What `nominee run` says, in one line, when it cannot even begin."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from tests.e2e.harness.control_plane import ControlPlane
from tests.e2e.harness.kubeconfig import write_kubeconfig
from tests.e2e.harness.pki import Pki
from tests.e2e.harness.process import free_port
from tests.e2e.harness.programs import NOMINEE


def run(*arguments: object, env: dict[str, str] | None = None, within: float = 300) -> tuple[int, list[str]]:
    """The exit code, and the lines of standard error."""
    command = [*NOMINEE, "run", "--no-leader-elect", "--metrics-address=127.0.0.1:0", *map(str, arguments)]
    done = subprocess.run(
        command,
        env=env,
        timeout=within,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr.strip().splitlines()


def test_no_kubeconfig(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere"
    code, lines = run(f"--kubeconfig={missing}")
    assert (code, len(lines)) == (2, 1), lines
    assert str(missing) in lines[0]


def test_nothing_to_connect_to(tmp_path: Path) -> None:
    """No flag, no environment, no file in the home directory, not in a cluster."""
    code, lines = run(env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})
    assert (code, len(lines)) == (2, 1), lines
    assert "kubeconfig" in lines[0]


def test_a_wrong_context(control_plane: ControlPlane) -> None:
    code, lines = run(f"--kubeconfig={control_plane.kubeconfig()}", "--context=staging")
    assert (code, len(lines)) == (2, 1), lines
    assert "staging" in lines[0]
    assert "e2e" in lines[0], "the line names the contexts there are"


def test_a_kubeconfig_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("clusters: 3\n", encoding="utf-8")
    code, lines = run(f"--kubeconfig={path}")
    assert (code, len(lines)) == (2, 1), lines
    assert "clusters" in lines[0]


def test_an_unreachable_server(tmp_path: Path, control_plane: ControlPlane) -> None:
    server = f"https://127.0.0.1:{free_port()}"
    config = write_kubeconfig(tmp_path / "config", server, "token", control_plane.pki.authority)
    code, lines = run(f"--kubeconfig={config}")
    assert code in {1, 2}
    assert len(lines) == 1, lines
    assert server.removeprefix("https://") in lines[0]


def test_an_untrusted_server(tmp_path: Path, control_plane: ControlPlane) -> None:
    stranger = Pki.create(tmp_path / "other").authority
    config = write_kubeconfig(tmp_path / "config", control_plane.url, "token", stranger)
    code, lines = run(f"--kubeconfig={config}")
    assert code in {1, 2}
    assert len(lines) == 1, lines
    assert "certificate" in lines[0]


def test_a_token_that_is_not_known(tmp_path: Path, control_plane: ControlPlane) -> None:
    config = write_kubeconfig(tmp_path / "config", control_plane.url, "wrong", control_plane.pki.authority)
    code, lines = run(f"--kubeconfig={config}")
    assert code in {1, 2}
    assert len(lines) == 1, lines
    assert "nauthorized" in lines[0]


@pytest.mark.parametrize("field", ["profiles", "leaderElection"])
def test_a_configuration_that_is_none(tmp_path: Path, control_plane: ControlPlane, field: str) -> None:
    config = tmp_path / "scheduler.yaml"
    kind = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    config.write_text(yaml.safe_dump(kind | {field: "many"}), encoding="utf-8")
    code, lines = run(f"--kubeconfig={control_plane.kubeconfig()}", f"--config={config}")
    assert (code, len(lines)) == (2, 1), lines
    assert field in lines[0]
    assert str(config) in lines[0]
