"""The schedulers under test as processes: `nominee run`, and kube-scheduler as the measure."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.harness.control_plane import SCHEDULER, ControlPlane, gate_flags
from tests.e2e.harness.process import Process, free_port
from tests.e2e.harness.programs import NOMINEE, program

# Who is tested: both by default, so that every expectation is kube-scheduler's own.
KINDS = os.environ.get("NOMINEE_KUBERNETES_SCHEDULERS", "nominee kube-scheduler").split()
# Gates of ours that kube-scheduler does not know.
OWN_GATES = {"TryNominatedNodeFirst", "NominatedNodeNameFromOthers"}


@dataclass(frozen=True)
class Setup:
    """How a scheduler is to run: which one, with whose credentials, with what configuration."""

    kind: str
    kubeconfig: Path
    gates: dict[str, bool] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()

    def configuration(self) -> dict[str, Any]:
        """The same file for both: no election, no limits on the connection, and what the test asks for."""
        return {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": str(self.kubeconfig), "qps": 5000, "burst": 5000},
            "leaderElection": {"leaderElect": False},
        } | self.config


class Scheduler(Process):
    """A scheduler's process; `port` is where it answers /metrics and /healthz."""

    def __init__(self, setup: Setup, directory: Path, name: str) -> None:
        self.port = free_port()
        config = directory / f"{name}.yaml"
        config.write_text(yaml.safe_dump(setup.configuration()), encoding="utf-8")
        command = [*COMMANDS[setup.kind](setup, config, self.port), *setup.arguments]
        super().__init__(command, directory / f"{name}.log")


class Starter:
    """Starts schedulers against one control plane and ends them."""

    def __init__(self, control_plane: ControlPlane, directory: Path) -> None:
        self.started: list[Process] = []
        self._control_plane = control_plane
        self._directory = directory

    def __call__(self, kind: str, *, user: str = SCHEDULER, server: str = "", **setup: Any) -> Scheduler:
        """Start one; `setup` is the rest of `Setup`, `server` a proxy's address."""
        kubeconfig = self._control_plane.kubeconfig(user, server=server)
        name = f"{kind}-{len(self.started)}"
        scheduler = Scheduler(Setup(kind, kubeconfig, **setup), self._directory, name)
        self.started.append(scheduler)
        scheduler.start()
        return scheduler

    def stop(self) -> None:
        for process in self.started:
            process.stop()


def nominee_command(setup: Setup, config: Path, port: int) -> list[str]:
    return [
        *NOMINEE,
        "run",
        f"--kubeconfig={setup.kubeconfig}",
        f"--config={config}",
        f"--metrics-address=127.0.0.1:{port}",
        *gate_flags(setup.gates),
    ]


def kube_scheduler_command(setup: Setup, config: Path, port: int) -> list[str]:
    known = {name: on for name, on in setup.gates.items() if name not in OWN_GATES}
    return [
        program("kube-scheduler"),
        f"--config={config}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        "--authentication-skip-lookup",
        "--authorization-always-allow-paths=/*",
        *gate_flags(known),
    ]


COMMANDS: dict[str, Callable[[Setup, Path, int], list[str]]] = {
    "nominee": nominee_command,
    "kube-scheduler": kube_scheduler_command,
}
