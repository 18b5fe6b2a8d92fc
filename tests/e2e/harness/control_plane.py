"""etcd and kube-apiserver on free loopback ports, which can be killed and started again on the same data."""

from __future__ import annotations

import asyncio
import secrets
import ssl
import time
import urllib.request
from pathlib import Path

from tests.e2e.harness.kubeconfig import write_kubeconfig
from tests.e2e.harness.pki import Pki
from tests.e2e.harness.process import Process, free_port
from tests.e2e.harness.programs import program

ADMIN = "e2e-admin"
SCHEDULER = "system:kube-scheduler"
LIMITED = "e2e-limited"  # may do nothing but what a test allows

# Who writes what is recorded, bodies included; reads and the lease's renewals are not.
AUDIT_POLICY = """
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, verbs: [get, list, watch]}
- {level: None, resources: [{group: coordination.k8s.io}]}
- {level: Request, users: ["system:kube-scheduler", "e2e-limited"]}
- {level: None}
"""


class ControlPlane:
    """One etcd and one kube-apiserver. Feature gates may differ from start to start."""

    def __init__(
        self,
        directory: Path,
        *,
        gates: dict[str, bool] | None = None,
        authorization: str = "RBAC",
        audit: bool = True,
    ) -> None:
        self.directory = directory
        self.gates = gates or {}
        self.authorization = authorization
        self.audit = audit  # it costs the server something
        self.pki = Pki.create(directory / "pki")
        self.port = free_port()
        self.tokens = {user: secrets.token_hex(16) for user in (ADMIN, SCHEDULER, LIMITED)}
        self.audit_path = directory / "audit.log"
        self._write_files()
        etcd_port = free_port()
        self.etcd = Process(self._etcd_command(etcd_port), directory / "etcd.log")
        self._etcd_url = f"http://127.0.0.1:{etcd_port}"
        self.apiserver = Process(self._apiserver_command(), directory / "kube-apiserver.log")

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def pids(self) -> tuple[int, int]:
        return self.etcd.pid, self.apiserver.pid

    def start(self, within: float = 300) -> None:
        self.etcd.start()
        self.start_apiserver(within)

    def start_apiserver(self, within: float = 300) -> None:
        self.apiserver.start()
        self.wait_ready(within)

    def kill_apiserver(self) -> None:
        """End the API server as a crash would; etcd and the data stay."""
        self.apiserver.kill()

    async def revive_apiserver(self, within: float = 300) -> None:
        """Start it again while the test goes on."""
        self.apiserver.start()  # here: a process ends with the thread that started it
        await asyncio.to_thread(self.wait_ready, within)

    def restart_apiserver(self, *, gates: dict[str, bool] | None = None) -> None:
        """A clean restart, with other gates if given, on the same port and data."""
        self.apiserver.stop()
        if gates is not None:
            self.gates = gates
            self.apiserver.command = self._apiserver_command()
        self.start_apiserver()

    def stop(self) -> None:
        self.apiserver.stop()
        self.etcd.stop()

    def kubeconfig(self, user: str = SCHEDULER, *, server: str = "") -> Path:
        """A kubeconfig of that user for this server, or for a proxy in front of it."""
        name = f"{user.replace(':', '-')}-{(server or self.url).rpartition(':')[2]}.kubeconfig"
        path = self.directory / name
        return write_kubeconfig(path, server or self.url, self.tokens[user], self.pki.authority)

    def wait_ready(self, within: float = 300) -> None:
        deadline = time.monotonic() + within
        while not (self._answers("/readyz", ADMIN) and self._answers("/api/v1/nodes?limit=1", SCHEDULER)):
            assert self.apiserver.alive, f"kube-apiserver ended:\n{self.apiserver.log_tail()}"
            assert self.etcd.alive, f"etcd ended:\n{self.etcd.log_tail()}"
            assert time.monotonic() < deadline, f"kube-apiserver is not ready:\n{self.apiserver.log_tail()}"
            time.sleep(0.05)

    def _answers(self, path: str, user: str) -> bool:
        """Whether it says yes to that user: for a moment a ready server still knows no roles."""
        request = urllib.request.Request(f"{self.url}{path}")
        request.add_header("Authorization", f"Bearer {self.tokens[user]}")
        context = ssl.create_default_context(cafile=str(self.pki.authority))
        try:
            with urllib.request.urlopen(request, timeout=5, context=context) as answer:
                return bool(answer.status == 200)
        except OSError:  # refused, reset, timed out, or an HTTP status of another kind
            return False

    def _write_files(self) -> None:
        groups = {ADMIN: "system:masters"}
        lines = [f'{token},{user},{user},"{groups.get(user, "")}"\n' for user, token in self.tokens.items()]
        (self.directory / "tokens.csv").write_text("".join(lines), encoding="utf-8")
        (self.directory / "audit.yaml").write_text(AUDIT_POLICY, encoding="utf-8")

    def _etcd_command(self, port: int) -> list[str]:
        client, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{free_port()}"
        return [
            program("etcd"),
            f"--data-dir={self.directory / 'etcd'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync",
            "--log-level=error",
        ]

    def _apiserver_command(self) -> list[str]:
        return [
            program("kube-apiserver"),
            f"--etcd-servers={self._etcd_url}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            "--endpoint-reconciler-type=none",  # loopback is no address for an endpoint
            f"--secure-port={self.port}",
            f"--tls-cert-file={self.pki.certificate}",
            f"--tls-private-key-file={self.pki.key}",
            f"--service-account-key-file={self.pki.service_account_key}",
            f"--service-account-signing-key-file={self.pki.service_account_key}",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-cluster-ip-range=10.0.0.0/24",
            f"--token-auth-file={self.directory / 'tokens.csv'}",
            f"--authorization-mode={self.authorization}",
            # No controllers run: nobody makes service accounts, nobody takes the taint off new nodes.
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
            "--delete-collection-workers=16",
            *self._audit_flags(),
            *gate_flags(self.gates),
        ]

    def _audit_flags(self) -> list[str]:
        policy = f"--audit-policy-file={self.directory / 'audit.yaml'}"
        return [policy, f"--audit-log-path={self.audit_path}"] if self.audit else []


def gate_flags(gates: dict[str, bool]) -> list[str]:
    """`--feature-gates=A=true,B=false`, or nothing."""
    pairs = ",".join(f"{name}={str(on).lower()}" for name, on in gates.items())
    return [f"--feature-gates={pairs}"] if pairs else []
