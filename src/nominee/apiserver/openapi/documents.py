"""The documents that are served under /openapi: made when somebody asks, kept until the kinds change.

kube-openapi/pkg/handler3/handler.go: the index names each document with a hash, under which clients
keep it for ever; the hash is that of what the document is made from, so the index costs no document.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from nominee import __version__
from nominee.apiserver.kind import Kind
from nominee.apiserver.openapi.documented import documented
from nominee.apiserver.openapi.gnostic import encode
from nominee.apiserver.openapi.schemas import Schemas, Types, sorted_schemas
from nominee.apiserver.openapi.version2 import document as version2
from nominee.apiserver.registry import Registry
from nominee.apiserver.schema.catalogue import CATALOGUE

_INFO = {"title": "Kubernetes", "version": "unversioned"}


class OpenApi:
    """The documents over the kinds of a registry."""

    def __init__(self, registry: Registry, types: Types = CATALOGUE.type) -> None:
        self._registry = registry
        self._types = types
        self._revision = -1
        self._kept: dict[str, bytes] = {}

    def index(self) -> bytes:
        """`/openapi/v3`: where the document of each group and version is."""
        return self._keep("index", self._index)

    def group(self, path: str) -> bytes | None:
        """The document of `api/v1` or `apis/apps/v1`; None if nothing is served there."""
        served = self._served().get(path)
        if served is None:
            return None
        group, version, kinds = served
        return self._keep(path, lambda: group_document(kinds, group, version, self._types))

    def v2(self) -> bytes:
        """Everything in one document of version 2."""
        return self._keep("v2", self._version2)

    def v2_protobuf(self) -> bytes:
        """The same in protobuf."""
        return self._keep("v2_protobuf", self._version2, encode)

    def _version2(self) -> Mapping[str, Any]:
        return version2(self._served().values(), self._types)

    def _keep(
        self,
        path: str,
        make: Callable[[], Mapping[str, Any]],
        write: Callable[[Mapping[str, Any]], bytes] = orjson.dumps,
    ) -> bytes:
        if self._revision != self._registry.revision:
            self._revision = self._registry.revision
            self._kept = {}
        if path not in self._kept:
            self._kept[path] = write(make())
        return self._kept[path]

    def _index(self) -> Mapping[str, Any]:
        paths = {
            path: {"serverRelativeURL": f"/openapi/v3/{path}?hash={self._hash(*served)}"}
            for path, served in sorted(self._served().items())
        }
        return {"paths": paths}

    def _served(self) -> Mapping[str, tuple[str, str, list[Kind]]]:
        """Kinds by the path of their group and version."""
        return {
            f"apis/{group}/{version}" if group else f"api/{version}": (group, version, kinds)
            for group, versions in self._registry.groups().items()
            for version, kinds in versions.items()
        }

    def _hash(self, group: str, version: str, kinds: list[Kind]) -> str:
        """Of the program's version and types, and of the documents of kinds that come and go."""
        made_of = [__version__, CATALOGUE.fingerprint, group, version]
        made_of += [f"{kind.names.resource} {kind.subresources}" for kind in kinds]
        digest = hashlib.sha256("\n".join(made_of).encode())
        if any(kind.custom for kind in kinds):
            digest.update(orjson.dumps(group_document(kinds, group, version, self._types)))
        return digest.hexdigest().upper()


def group_document(kinds: list[Kind], group: str, version: str, types: Types) -> Mapping[str, Any]:
    """The document, version 3, of the kinds of a group and version."""
    schemas = Schemas()
    paths = dict(path for kind in kinds for path in documented(schemas, kind, (group, version), types))
    return {
        "openapi": "3.0.0",
        "info": _INFO,
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": sorted_schemas(schemas.found)},
    }
