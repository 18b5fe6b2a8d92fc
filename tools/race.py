"""Races schedulers on one kube-apiserver, one after the other, and prints the results as Markdown.

    python -m tools.race --arena PATH/arena.py basic spread preemption

etcd and kube-apiserver are those of `make kubernetes`. Each scenario is run by nominee, by kube-scheduler
with its client limits lifted, and, where there is room for all pods, by tools/ceiling.py, which binds without
scheduling.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.e2e.harness.control_plane import ADMIN, ControlPlane
from tests.e2e.harness.programs import NOMINEE, program

IDLE_SECONDS = "100"  # a burst of preemptors keeps kube-scheduler busy for most of a minute before it binds
_KUBE_SCHEDULER = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {{kubeconfig: {kubeconfig}, qps: 100000, burst: 100000}}
leaderElection: {{leaderElect: false}}
"""


@dataclass(frozen=True)
class Scenario:
    """The size at which a scenario is raced."""

    pods: int
    nodes: int = 5000
    standing: int = 0

    def options(self) -> list[str]:
        return ["--pods", str(self.pods), "--nodes", str(self.nodes), "--init", str(self.standing)]


SCENARIOS = {
    "basic": Scenario(10_000),
    "mixed": Scenario(5_000),
    "nodeaffinity": Scenario(3_000),
    "spread": Scenario(3_000, standing=5_000),
    "antiaffinity": Scenario(2_000),
    "preferredaffinity": Scenario(2_000),
    "preemption": Scenario(1_000, nodes=1_000),
    "preemptionasync": Scenario(500, nodes=1_000),  # and as many that fit anywhere
}
_COLUMNS = {
    "scenario": "scenario",
    "label": "scheduler",
    "pods": "pods",
    "bound": "bound",
    "pods_per_s": "pods/s",
    "first_bind_s": "first bind s",
    "total_s": "all bound s",
    "scheduler_cpu_ms_per_pod": "its CPU ms/pod",
    "server_cpu_ms_per_pod": "server CPU ms/pod",
    "scheduler_peak_mib": "its peak MiB",
}


class Race:
    """One API server, and the schedulers that take turns on it."""

    def __init__(self, plane: ControlPlane, arena: Path) -> None:
        self._plane = plane
        self._arena = arena

    def command(self, who: str) -> list[str]:
        """The scheduler's command line."""
        kubeconfig = str(self._plane.kubeconfig())
        if who == "nominee":
            options = ["--kubeconfig", kubeconfig, "--no-leader-elect", "--metrics-address", ""]
            return [*NOMINEE, "run", *options]
        if who == "ceiling":
            return [sys.executable, "-m", "tools.ceiling", kubeconfig]
        config = self._plane.directory / "kube-scheduler.yaml"
        config.write_text(_KUBE_SCHEDULER.format(kubeconfig=kubeconfig), encoding="utf-8")
        return [program("kube-scheduler"), "--config", str(config), "--secure-port", "0"]

    def run(self, name: str, who: str) -> dict[str, Any]:
        """One scheduler through one scenario; what arena.py says of it."""
        plane = self._plane
        options = ["--server", plane.url, "--token", plane.tokens[ADMIN], "--label", who]
        options += ["--server-pids", ",".join(map(str, plane.pids)), "--idle", IDLE_SECONDS]
        options += ["--log", str(plane.directory / f"{who}.log"), *SCENARIOS[name].options()]
        command = [sys.executable, str(self._arena), name, *options, "--", *self.command(who)]
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        result: dict[str, Any] = json.loads(answer.stdout)
        return result


def main() -> None:
    """Race through what is named, or through everything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=f"of {', '.join(SCENARIOS)}")
    parser.add_argument("--arena", type=Path, required=True, help="the arena.py that fills the cluster")
    parser.add_argument("--schedulers", default="nominee,ceiling,kube-scheduler", help="who takes part")
    arguments = parser.parse_args()
    if not arguments.arena.is_file():
        parser.error(f"there is no {arguments.arena}; name another with --arena")
    names = arguments.scenarios or list(SCENARIOS)
    if unknown := set(names) - set(SCENARIOS):
        parser.error(f"unknown scenario {min(unknown)!r}: expected some of {', '.join(SCENARIOS)}")
    with TemporaryDirectory(prefix="race-") as directory:
        plane = ControlPlane(Path(directory), audit=False)
        plane.start()
        try:
            _race(Race(plane, arguments.arena), names, arguments.schedulers.split(","))
        finally:
            plane.stop()


def _race(race: Race, names: list[str], schedulers: list[str]) -> None:
    print(f"| {' | '.join(_COLUMNS.values())} |\n|{'---|' * len(_COLUMNS)}")
    for name in names:
        for who in schedulers:
            if who == "ceiling" and name.startswith("preemption"):
                continue
            result = race.run(name, who)
            print(f"| {' | '.join(str(result[key]) for key in _COLUMNS)} |", flush=True)


if __name__ == "__main__":
    main()
