"""The kubeconfig with which clients find the server and are let in."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

import yaml

from nominee.embedded.files import read, write_private
from nominee.errors import InputError

NAME = "nominee"
_HEAD = b"# Written by `nominee up` at each start.\n"


def write_kubeconfig(path: Path, server: str, ca: bytes, token: str) -> None:
    """Write it, unless there is a file of somebody else's, which would be lost."""
    there = read(path)
    if there and not there.startswith(_HEAD):
        problem = "there is a file already that nominee has not written: name another --kubeconfig"
        raise InputError(problem, source=str(path))
    content = yaml.safe_dump(_kubeconfig(server, ca, token), sort_keys=False)
    write_private(path, _HEAD + content.encode())


def _kubeconfig(server: str, ca: bytes, token: str) -> dict[str, Any]:
    cluster = {"server": server, "certificate-authority-data": b64encode(ca).decode()}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": NAME, "cluster": cluster}],
        "users": [{"name": NAME, "user": {"token": token}}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME}}],
        "current-context": NAME,
        "preferences": {},
    }
