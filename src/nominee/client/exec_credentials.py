"""Credentials from a program: `client.authentication.k8s.io/v1` and `v1beta1`.

Reproduces client-go/plugin/pkg/client/auth/exec/exec.go, v1.37.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import msgspec
import orjson

from nominee.client.access import Trust
from nominee.client.credentials import Certificate, Proof, bearer, not_renewed
from nominee.client.kubeconfig_file import ClusterEntry, ExecEntry, Placed, UserEntry
from nominee.errors import ConfigError, InputError
from nominee.model.base import ApiStruct
from nominee.model.timestamps import parse_time

GROUP = "client.authentication.k8s.io"
VERSIONS = (f"{GROUP}/v1", f"{GROUP}/v1beta1")
MODES = ("Never", "IfAvailable", "Always")
LONGEST_SECONDS = 300.0
"""A program that takes longer, perhaps for a login in a browser, is not waited for."""
LEEWAY_SECONDS = 10.0
"""Credentials are renewed this long before they expire, as far as their life allows."""
AGAIN_SECONDS = 10.0
"""A program that has nothing better than what was refused is not asked again for so long."""


class _Status(ApiStruct, frozen=True):
    expiration_timestamp: str | None = None
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""


class _ExecCredential(ApiStruct, frozen=True):
    api_version: str = ""
    kind: str = ""
    status: _Status | None = None


class ExecCredentials:
    """Runs the program when credentials are first needed, when they expire, and when they are refused."""

    def __init__(
        self,
        user: Placed[UserEntry],
        cluster: ClusterEntry,
        trust: Trust,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        assert user.entry.exec is not None  # noqa: S101 - the caller's reason to come here
        self._user = user
        self._exec: ExecEntry = user.entry.exec
        self._mode = _checked(user, self._exec)
        self._clock = clock
        self._cluster = _cluster_info(cluster, trust) if self._exec.provide_cluster_info else None
        self._proof: Proof | None = None
        self._until = 0.0
        self._nothing_better_until = 0.0

    def ready(self) -> Proof | None:
        return self._proof if self._clock() < self._until else None

    async def renew(self, refused: Proof | None = None) -> Proof:
        if self._proof == refused is not None and self._clock() < self._nothing_better_until:
            return refused
        try:
            return await self._renewed(refused)
        except ConfigError as error:
            if self._proof is None:
                raise
            raise not_renewed(error) from None

    async def _renewed(self, refused: Proof | None) -> Proof:
        status = self._status(await self._output())
        now = self._clock()
        proof, until = _proof(status, self._error), _good_until(status, now, self._error)
        self._proof, self._until = proof, until
        if proof == refused:
            self._nothing_better_until = now + AGAIN_SECONDS
        return proof

    async def _output(self) -> bytes:
        interactive = self._mode != "Never" and sys.stdin is not None and sys.stdin.isatty()
        if self._mode == "Always" and not interactive:
            raise self._error("needs a terminal, and there is none: interactiveMode is 'Always'")
        try:
            process = await asyncio.create_subprocess_exec(
                self._command(),
                *self._exec.args,
                stdin=None if interactive else DEVNULL,
                stdout=PIPE,
                env=self._environment(interactive=interactive),
            )
        except OSError as error:
            hint = f"; {' '.join(self._exec.install_hint.split())}" if self._exec.install_hint else ""
            why = (error.strerror or str(error)).lower()
            raise self._error(f"can not run {self._exec.command!r}: {why}{hint}", "command") from None
        return await self._answer_of(process)

    async def _answer_of(self, process: asyncio.subprocess.Process) -> bytes:
        try:
            async with asyncio.timeout(LONGEST_SECONDS):
                output, _ = await process.communicate()
        except TimeoutError:
            raise self._error(f"{self._exec.command!r} took longer than {LONGEST_SECONDS:.0f} s") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            raise self._error(f"{self._exec.command!r} failed with exit code {process.returncode}")
        return output

    def _command(self) -> str:
        command = self._exec.command
        return str(self._user.path(command).resolve()) if os.sep in command else command

    def _environment(self, *, interactive: bool) -> dict[str, str]:
        spec: dict[str, Any] = {"interactive": interactive}
        if self._cluster is not None:
            spec["cluster"] = self._cluster
        info = {"apiVersion": self._exec.api_version, "kind": "ExecCredential", "spec": spec}
        own = {variable.name: variable.value for variable in self._exec.env}
        return {**os.environ, **own, "KUBERNETES_EXEC_INFO": orjson.dumps(info).decode()}

    def _status(self, output: bytes) -> _Status:
        try:
            said = msgspec.json.decode(output, type=_ExecCredential)
        except msgspec.MsgspecError as error:
            raise self._error(f"{self._exec.command!r} did not write an ExecCredential: {error}") from None
        if (said.api_version, said.kind) != (self._exec.api_version, "ExecCredential"):
            got = f"{said.api_version} {said.kind}".strip() or "nothing of the kind"
            wanted = f"{self._exec.api_version} ExecCredential"
            raise self._error(f"{self._exec.command!r} wrote {got!r}: expected {wanted!r}")
        if said.status is None:
            raise self._error(f"{self._exec.command!r} wrote an ExecCredential without a status")
        return said.status

    def _error(self, message: str, name: str = "") -> ConfigError:
        return self._user.error(message, f"exec.{name}" if name else "exec")


def _checked(user: Placed[UserEntry], entry: ExecEntry) -> str:
    """The interactive mode; raises ConfigError if the entry is not as it must be."""
    if not entry.command:
        raise user.error("is missing: expected the program to run", "exec.command")
    if entry.api_version not in VERSIONS:
        message = f"{entry.api_version!r} is not supported: expected one of {', '.join(VERSIONS)}"
        raise user.error(message, "exec.apiVersion")
    mode = entry.interactive_mode
    if not mode and entry.api_version == f"{GROUP}/v1beta1":
        return "IfAvailable"
    if mode not in MODES:
        raise user.error(f"expected one of {', '.join(MODES)}, got {mode!r}", "exec.interactiveMode")
    return mode


def _cluster_info(cluster: ClusterEntry, trust: Trust) -> dict[str, Any]:
    info: dict[str, Any] = {
        "server": cluster.server,
        "tls-server-name": cluster.tls_server_name,
        "insecure-skip-tls-verify": cluster.insecure_skip_tls_verify,
        "certificate-authority-data": b64encode((trust.authorities or "").encode()).decode(),
        "proxy-url": cluster.proxy_url,
        "disable-compression": cluster.disable_compression,
    }
    config = {each.name: each.extension for each in cluster.extensions}.get(f"{GROUP}/exec")
    return {name: value for name, value in {**info, "config": config}.items() if value or name == "config"}


def _good_until(status: _Status, now: float, error: Callable[[str], ConfigError]) -> float:
    if not status.expiration_timestamp:
        return float("inf")
    try:
        expires = parse_time(status.expiration_timestamp)
    except InputError as fault:
        raise error(f"status.expirationTimestamp: {fault}") from None
    return expires - min(LEEWAY_SECONDS, max(0.0, expires - now) / 10)


def _proof(status: _Status, error: Callable[[str], ConfigError]) -> Proof:
    chain, key = status.client_certificate_data, status.client_key_data
    if bool(chain) != bool(key):
        raise error("the program gave only one of clientCertificateData and clientKeyData")
    if not chain and not status.token:
        raise error("the program gave neither a token nor a certificate")
    authorization = bearer(status.token) if status.token else None
    return Proof(authorization, Certificate(chain, key) if chain else None)
