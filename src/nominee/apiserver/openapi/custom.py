"""What a definition of a custom resource says of it, as documents show it: the schema as it was given.

apiextensions-apiserver/pkg/controller/openapi/builder/builder.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nominee.apiserver.crd.custom_kind import CustomKind
from nominee.apiserver.crd.structural import EMBEDDED, PRESERVE
from nominee.apiserver.crd.validation import INT_OR_STRING
from nominee.apiserver.openapi.schemas import Schema, Schemas
from nominee.apiserver.schema.catalogue import CATALOGUE
from nominee.apiserver.schema.notation import META
from nominee.apiserver.schema.type import Field, ListOf, Struct

_PLAIN = ("type", "format", "description", "required", "enum")


def add_custom(schemas: Schemas, kind: CustomKind, api_version: str) -> None:
    """Put a custom resource and its list into a document."""
    served = kind.served[api_version]
    root = served.type
    common = Struct(root.name, lambda: _common(root), description=root.description, kind=root.kind)
    own = schemas.struct(common)
    given = _plain(served.schema) if schemas.plain else served.schema
    properties = {**(given.get("properties") or {}), **own["properties"]}
    schemas.found[root.name] = {**given, **own, "properties": properties}
    if served.schema.get(PRESERVE) and schemas.plain:
        del schemas.found[root.name]["properties"]
    schemas.found[f"{root.name}List"] = schemas.struct(_list_of(root))


def _common(root: Struct) -> Mapping[str, Field]:
    return {name: root.fields[name] for name in ("apiVersion", "kind", "metadata")}


def _list_of(root: Struct) -> Struct:
    group, version, kind = root.kind or ("", "", "")
    items = Field("items", ListOf(root, f"[]{root.called}"), f"All of kind {kind}.", required=True)
    metadata = Field("metadata", CATALOGUE.type(f"{META}.ListMeta"), "Where the list stands.")
    return Struct(
        f"{root.name}List",
        lambda: {**_common(root), "metadata": metadata, "items": items},
        description=f"Some of kind {kind}.",
        kind=(group, version, f"{kind}List"),
    )


def _plain(schema: Mapping[str, Any]) -> Schema:
    """A schema for version 2, which knows less: what it can not say is left open.

    apiextensions-apiserver/pkg/controller/openapi/v2/conversion.go, v1.37.
    """
    kept = {
        name: value for name, value in schema.items() if name in _PLAIN or name.startswith("x-kubernetes-")
    }
    if schema.get(PRESERVE) or schema.get(EMBEDDED):
        return {name: value for name, value in kept.items() if name not in ("required", "type")}
    if schema.get(INT_OR_STRING) or schema.get("nullable"):
        kept.pop("type", None)
        return kept
    if schema.get("properties"):
        kept["properties"] = {name: _plain(each) for name, each in schema["properties"].items()}
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            kept[name] = _plain(schema[name])
    return kept
