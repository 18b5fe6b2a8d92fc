"""A program as a process with a log: started, signalled and ended by its own pid."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


PORTS = iter(random.sample(range(20_000, 32_000), 12_000))


def free_port() -> int:
    """A port that nobody listens on, and that nobody will be given.

    Those that the system gives away itself (from 32768 on) may be taken by any connection before the program
    that is meant listens there, or while it is restarted.
    """
    for port in PORTS:
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port is left")


class Process:
    """One program that can be started again with the same command; its output goes to one file."""

    def __init__(self, command: Sequence[str], log: Path, *, env: dict[str, str] | None = None) -> None:
        self.command = list(command)
        self.log_path = log
        self.env = os.environ | (env or {})
        self.running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert not self.alive, f"{self.command[0]} runs already"
        with self.log_path.open("ab") as log:
            self.running = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.env,
                start_new_session=True,  # Ctrl-C is for pytest, which then ends its processes in order
                preexec_fn=_die_with_parent,  # noqa: PLW1509  (one system call; no threads are about yet)
            )

    @property
    def pid(self) -> int:
        assert self.running
        return self.running.pid

    @property
    def alive(self) -> bool:
        return self.running is not None and self.running.poll() is None

    @property
    def exit_code(self) -> int | None:
        return self.running.poll() if self.running else None

    def send(self, number: signal.Signals) -> None:
        assert self.running
        self.running.send_signal(number)

    def kill(self) -> None:
        """End it as a crash would: SIGKILL, nothing is cleaned up."""
        self._end(signal.SIGKILL, 60)

    def stop(self, within: float = 60) -> None:
        """Ask it to end, and end it if it does not."""
        try:
            self._end(signal.SIGTERM, within)
        except subprocess.TimeoutExpired:
            self.kill()

    def terminate(self, within: float = 60) -> int:
        """Ask it to end; it must do so by itself. The exit code."""
        self._end(signal.SIGTERM, within)
        assert self.running
        return int(self.running.returncode)

    def _end(self, how: signal.Signals, within: float) -> None:
        if self.running is None:
            return
        if self.running.poll() is None:
            self.running.send_signal(how)
        self.running.wait(within)

    def log(self) -> str:
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def log_tail(self, lines: int = 15) -> str:
        return "\n".join(self.log().splitlines()[-lines:])


def _die_with_parent() -> None:
    """Let the kernel end the program with the thread that started it, however that ends (Linux)."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
