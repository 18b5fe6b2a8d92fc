"""A process that is asked to end before it has got anywhere."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

KUBECONFIG = """
clusters: [{{name: c, cluster: {{server: "http://127.0.0.1:{port}"}}}}]
contexts: [{{name: x, context: {{cluster: c}}}}]
current-context: x
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_says_nothing_is_not_waited_for_at_the_end(
    tmp_path: Path, number: signal.Signals
) -> None:
    """The connection is made, the question asked, and no answer comes; asked to end, it ends with 0."""
    config = tmp_path / "kubeconfig"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        config.write_text(KUBECONFIG.format(port=silent.getsockname()[1]))
        command = [sys.executable, "-m", "nominee", "run", f"--kubeconfig={config}", "--metrics-address="]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            asked, _ = silent.accept()
            assert asked.recv(4)
            process.send_signal(number)
            _, said = process.communicate(timeout=300)
            asked.close()
    assert (process.returncode, said) == (0, "")
