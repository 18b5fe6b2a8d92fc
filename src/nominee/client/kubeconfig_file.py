"""Kubeconfig files as data: each read, all merged; the first to name something has its say.

Reproduces the merging of client-go (tools/clientcmd/loader.go, v1.37).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from nominee.config.read import read_text
from nominee.errors import ConfigError, InputError
from nominee.model.codec import decode


class _Entry(msgspec.Struct, frozen=True, kw_only=True, rename="kebab"):
    """What stands in a kubeconfig; its names are in kebab case."""


class ExtensionEntry(_Entry, frozen=True):
    """Something that a program other than kubectl reads."""

    name: str = ""
    extension: Any = None


class ClusterEntry(_Entry, frozen=True):
    """How to reach a cluster."""

    server: str = ""
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False
    certificate_authority: str = ""
    certificate_authority_data: bytes = b""
    proxy_url: str = ""
    disable_compression: bool = False
    extensions: tuple[ExtensionEntry, ...] = ()


class ExecEnv(_Entry, frozen=True):
    """A variable of a program's environment."""

    name: str = ""
    value: str = ""


class ExecEntry(_Entry, frozen=True, rename="camel"):
    """A program that gives credentials."""

    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[ExecEnv, ...] = ()
    api_version: str = ""
    install_hint: str = ""
    provide_cluster_info: bool = False
    interactive_mode: str = ""


class UserEntry(_Entry, frozen=True):
    """How to prove who one is."""

    client_certificate: str = ""
    client_certificate_data: bytes = b""
    client_key: str = ""
    client_key_data: bytes = b""
    token: str = ""
    token_file: str = msgspec.field(default="", name="tokenFile")
    as_user: str = msgspec.field(default="", name="as")
    as_uid: str = ""
    as_groups: tuple[str, ...] = ()
    as_user_extra: dict[str, tuple[str, ...]] = {}
    username: str = ""
    password: str = ""
    auth_provider: Any = None
    exec: ExecEntry | None = None


class ContextEntry(_Entry, frozen=True):
    """A cluster, a user and a namespace together."""

    cluster: str = ""
    user: str = ""
    namespace: str = ""


class _NamedCluster(_Entry, frozen=True):
    name: str = ""
    cluster: ClusterEntry = ClusterEntry()


class _NamedUser(_Entry, frozen=True):
    name: str = ""
    user: UserEntry = UserEntry()


class _NamedContext(_Entry, frozen=True):
    name: str = ""
    context: ContextEntry = ContextEntry()


class _File(_Entry, frozen=True):
    clusters: tuple[_NamedCluster, ...] = ()
    users: tuple[_NamedUser, ...] = ()
    contexts: tuple[_NamedContext, ...] = ()
    current_context: str = ""


E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Placed(Generic[E]):
    """An entry, and where it stands: paths in it are relative to that file."""

    entry: E
    file: Path
    place: str

    @property
    def source(self) -> str:
        return str(self.file)

    def path(self, written: str) -> Path:
        """A path as it is written in the entry."""
        return self.file.parent / written

    def error(self, message: str, name: str = "") -> ConfigError:
        """An error in this entry, or in a field of it."""
        field = f"{self.place}.{name}" if name else self.place
        return ConfigError(message, source=self.source, field=field)


@dataclass(slots=True)
class Kubeconfig:
    """Files merged. Names are unique; `source` names the files."""

    source: str
    clusters: dict[str, Placed[ClusterEntry]] = field(default_factory=dict)
    users: dict[str, Placed[UserEntry]] = field(default_factory=dict)
    contexts: dict[str, Placed[ContextEntry]] = field(default_factory=dict)
    current_context: str = ""


def read_kubeconfig(paths: Sequence[Path], *, required: bool = False) -> Kubeconfig:
    """Read and merge files; those that do not exist are passed over unless they are `required`."""
    merged = Kubeconfig(source=":".join(map(str, paths)))
    for path in paths:
        if required or path.exists():
            _merge(merged, _read(path), path)
    return merged


def _merge(merged: Kubeconfig, read: _File, path: Path) -> None:
    for cluster in read.clusters:
        place = f"clusters[{cluster.name}].cluster"
        merged.clusters.setdefault(cluster.name, Placed(cluster.cluster, path, place))
    for user in read.users:
        merged.users.setdefault(user.name, Placed(user.user, path, f"users[{user.name}].user"))
    for context in read.contexts:
        place = f"contexts[{context.name}].context"
        merged.contexts.setdefault(context.name, Placed(context.context, path, place))
    merged.current_context = merged.current_context or read.current_context


def _read(path: Path) -> _File:
    try:
        text = path.read_bytes()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ConfigError(f"can not read the kubeconfig: {why}", source=str(path)) from None
    data = read_text(text, str(path)) if text.strip() else {}
    try:
        return decode(_File, data, str(path))
    except InputError as error:
        raise ConfigError(error.message, source=error.source, field=error.field) from None
