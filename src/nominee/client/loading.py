"""Which way into a cluster: a file that was named, $KUBECONFIG, ~/.kube/config, the pod's own account."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from nominee.client.access import Access
from nominee.client.in_cluster import ACCOUNT, in_cluster
from nominee.client.kubeconfig import access_of
from nominee.client.kubeconfig_file import read_kubeconfig
from nominee.errors import ConfigError


def load_access(
    kubeconfig: str | Path | None = None,
    context: str | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    account: Path = ACCOUNT,
) -> Access:
    """Find the access to a cluster as kubectl does; raises ConfigError that says what is missing.

    kubeconfig   a file; else those in $KUBECONFIG, else ~/.kube/config, else the account of the pod
    context      the name of a context of it; else its current one
    """
    if kubeconfig:
        return access_of(read_kubeconfig([Path(kubeconfig)], required=True), context)
    if paths := [Path(part) for part in environ.get("KUBECONFIG", "").split(os.pathsep) if part]:
        if not any(path.exists() for path in paths):
            missing = os.pathsep.join(str(path) for path in paths)
            raise ConfigError("no such file: set it to a kubeconfig", source="$KUBECONFIG", field=missing)
        return access_of(read_kubeconfig(paths), context)
    home = Path(environ["HOME"]) / ".kube" / "config" if environ.get("HOME") else None
    if home is not None and home.exists():
        return access_of(read_kubeconfig([home]), context)
    if context is None and (access := in_cluster(environ, account)):
        return access
    raise ConfigError(
        "no kubeconfig found: give --kubeconfig FILE, or set KUBECONFIG, or run inside a cluster"
    )
