"""A `nominee up` in a process of its own, for benchmarks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import yaml

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Server:
    """A running `nominee up`, and what it took to get there."""

    process: subprocess.Popen[str]
    kubeconfig: dict[str, Any]
    ready_seconds: float
    ready_cpu: float

    def cpu(self) -> float:
        """Seconds of processor that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory(self, name: str = "VmRSS") -> float:
        """MiB that it has, or (VmHWM) has had at most."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) / 1024
        raise LookupError(name)


@contextmanager
def nominee_up(data: Path | None, *options: str) -> Iterator[Server]:
    """A server that listens on any port that is free; it is asked to end afterwards."""
    where = ["--in-memory"] if data is None else ["--data", str(data)]
    command = [sys.executable, "-m", "nominee", "up", "--port", "0", *where, *options]
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield _when_ready(process, process.stdout or sys.stdin, started)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def _when_ready(process: subprocess.Popen[str], output: IO[str], started: float) -> Server:
    kubeconfig: dict[str, Any] = {}
    for line in output:
        if line.startswith("export KUBECONFIG="):
            kubeconfig = yaml.safe_load(Path(line.strip().partition("=")[2]).read_text())
        elif line.startswith("ready"):
            server = Server(process, kubeconfig, time.perf_counter() - started, 0.0)
            server.ready_cpu = server.cpu()
            return server
    sys.exit("nominee up has ended before it was ready")
