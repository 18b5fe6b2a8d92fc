"""From a kubeconfig's user to credentials: certificate, token, password, program; data or files."""

from __future__ import annotations

from nominee.client.access import Trust
from nominee.client.credentials import (
    Certificate,
    Credentials,
    FileCredentials,
    Fixed,
    Proof,
    basic,
    bearer,
    read_file,
    read_token,
)
from nominee.client.exec_credentials import ExecCredentials
from nominee.client.kubeconfig_file import ClusterEntry, Placed, UserEntry
from nominee.client.tls import check_pair
from nominee.errors import ConfigError


def credentials_of(
    user: Placed[UserEntry] | None, cluster: Placed[ClusterEntry], trust: Trust
) -> Credentials:
    """The credentials of a user; files are read now, so that what is wrong with them is known now.

    A program is asked only where nothing else is given
    (client-go/plugin/pkg/client/auth/exec/exec.go, v1.37).
    """
    if user is None:
        return Fixed()
    entry = user.entry
    if entry.auth_provider is not None:
        raise user.error("is not supported any more: use `exec`", "auth-provider")
    if entry.exec is not None and not _has_other(entry):
        return ExecCredentials(user, cluster.entry, trust)
    proof = _proof(user)
    if entry.token_file or (entry.client_certificate and not entry.client_certificate_data):
        return FileCredentials(lambda: _proof(user))
    return Fixed(proof)


def _has_other(entry: UserEntry) -> bool:
    return bool(
        entry.token
        or entry.token_file
        or entry.username
        or entry.client_certificate
        or entry.client_certificate_data
    )


def _proof(user: Placed[UserEntry]) -> Proof:
    return Proof(_authorization(user), _certificate(user))


def _authorization(user: Placed[UserEntry]) -> str | None:
    entry = user.entry
    if entry.token_file:
        try:
            path = user.path(entry.token_file)
            return bearer(read_token(path, f"{user.place}.tokenFile", user.source))
        except ConfigError:
            if not entry.token:
                raise
    if entry.token:
        return bearer(entry.token)
    return basic(entry.username, entry.password) if entry.username else None


def _certificate(user: Placed[UserEntry]) -> Certificate | None:
    entry = user.entry
    chain = _pem(user, entry.client_certificate_data, entry.client_certificate, "client-certificate")
    key = _pem(user, entry.client_key_data, entry.client_key, "client-key")
    if chain and key:
        certificate = Certificate(chain, key)
        if not entry.client_certificate_data:  # one file may be replaced before the other
            check_pair(certificate, user.source)
        return certificate
    if chain or key:
        missing, there = (
            ("client-key", "client-certificate") if chain else ("client-certificate", "client-key")
        )
        raise user.error(f"is missing beside {there}: give both", missing)
    return None


def _pem(user: Placed[UserEntry], data: bytes, path: str, name: str) -> str:
    if data:
        try:
            return data.decode("ascii")
        except UnicodeDecodeError:
            raise user.error("is not PEM", f"{name}-data") from None
    return read_file(user.path(path), f"{user.place}.{name}", user.source) if path else ""
