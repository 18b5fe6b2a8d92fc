"""A `nominee up` in a process of its own, and a client of it."""

from __future__ import annotations

import json
import signal
import ssl
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

PATIENCE = 180.0  # for a machine that is busy with something else, too
PODS = "/api/v1/namespaces/default/pods"


def command(*options: str | Path) -> list[str]:
    return [sys.executable, "-m", "nominee", "up", *map(str, options)]


class Up:
    """The process, and requests to it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines = self._until_ready()
        exported = next(line for line in self.lines if line.startswith("export KUBECONFIG="))
        self.kubeconfig = Path(exported.partition("=")[2])
        config = yaml.safe_load(self.kubeconfig.read_text())
        cluster = config["clusters"][0]["cluster"]
        self.server = urlsplit(cluster["server"])
        self.authority = b64decode(cluster["certificate-authority-data"]).decode()
        self.tls = ssl.create_default_context(cadata=self.authority)
        self.token = config["users"][0]["user"]["token"]

    def _until_ready(self) -> list[str]:
        assert self.process.stdout is not None
        lines: list[str] = []
        for line in self.process.stdout:
            lines.append(line.rstrip("\n"))
            if lines[-1] == "ready":
                return lines
        raise AssertionError(f"it ended before it was ready: {lines}")

    def request(
        self, method: str, path: str, body: object = None, *, token: str | None = None
    ) -> tuple[int, dict[str, Any]]:
        connection = HTTPSConnection(
            str(self.server.hostname), self.server.port, context=self.tls, timeout=PATIENCE
        )
        headers = {"Authorization": f"Bearer {self.token if token is None else token}"}
        content = None if body is None else json.dumps(body)
        connection.request(
            method, path, content, {**headers, "Content-Type": "application/json"} if content else headers
        )
        answer = connection.getresponse()
        found = json.loads(answer.read())
        connection.close()
        return answer.status, found

    def get(self, path: str) -> dict[str, Any]:
        status, found = self.request("GET", path)
        assert status == 200, found
        return found

    def create(self, path: str, body: object) -> dict[str, Any]:
        status, found = self.request("POST", path, body)
        assert status == 201, found
        return found

    def wait(self, path: str, until: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Ask until the answer is as it should be."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            status, found = self.request("GET", path)
            if status == 200 and until(found):
                return found
            time.sleep(0.02)
        raise AssertionError(f"not in time: {found}")

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


_LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""


@contextmanager
def up(*options: str | Path, largest_file: int | None = None) -> Iterator[Up]:
    """One that is killed in the end; its disk refuses to let a file grow beyond `largest_file` bytes."""
    arguments = command("--port", "0", *options)
    if largest_file is not None:
        arguments = [sys.executable, "-c", _LIMITED, str(largest_file), *arguments]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield Up(process)
        finally:
            process.kill()


def pod(name: str, annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "annotations": annotations or {}},
        "spec": {"containers": [{"name": "c", "image": "app"}], **spec},
    }
