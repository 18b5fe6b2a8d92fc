"""Structural schemas as types of the catalogue: what managed fields and explanations go by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nominee.apiserver.crd.structural import EMBEDDED, PRESERVE
from nominee.apiserver.crd.validation import INT_OR_STRING
from nominee.apiserver.kind import JsonObject
from nominee.apiserver.schema.catalogue import CATALOGUE
from nominee.apiserver.schema.notation import META
from nominee.apiserver.schema.type import ANY, STRING, Field, ListOf, MapOf, Scalar, Struct, Type

_SCALARS: Mapping[str, Type] = {
    "string": STRING,
    "boolean": Scalar("bool", "bool"),
    "integer": Scalar("int64", "int64"),
    "number": Scalar("float64", "float64"),
}
_INT_OR_STRING = Scalar("int-or-string", "intstr.IntOrString")


def struct_of(name: str, schema: JsonObject, kind: tuple[str, str, str]) -> Struct:
    """The type of a custom resource in one version; `name` is its full name, dots and all."""
    return Struct(
        name,
        lambda: {**_object_fields(), **_fields(name, schema, root=True)},
        description=schema.get("description", ""),
        kind=kind,
        open=bool(schema.get(PRESERVE)),
    )


def _object_fields() -> Mapping[str, Field]:
    metadata = CATALOGUE.type(f"{META}.ObjectMeta")
    return {
        "apiVersion": Field("apiVersion", STRING, "The version of this form of the object."),
        "kind": Field("kind", STRING, "What kind of object this is."),
        "metadata": Field(
            "metadata", metadata, "Name, labels and what else all objects have.", standing=True
        ),
    }


def _fields(name: str, schema: JsonObject, *, root: bool = False) -> dict[str, Field]:
    required = schema.get("required") or ()
    return {
        each: Field(each, _type(f"{name}.{each}", inner), inner.get("description", ""), each in required)
        for each, inner in (schema.get("properties") or {}).items()
        if not (root and each in ("apiVersion", "kind", "metadata"))
    }


def _type(name: str, schema: JsonObject) -> Type:
    if schema.get(INT_OR_STRING):
        return _INT_OR_STRING
    match schema.get("type"):
        case "object":
            return _object_type(name, schema)
        case "array":
            items = schema.get("items")
            element = _type(f"{name}.items", items) if isinstance(items, dict) else ANY
            keys = tuple(schema.get("x-kubernetes-list-map-keys") or ())
            return ListOf(element, f"[]{element.called}", _list_kind(schema), keys)
        case kind:
            return _SCALARS.get(str(kind), ANY)


def _list_kind(schema: JsonObject) -> Any:
    kind = schema.get("x-kubernetes-list-type")
    return kind if kind in ("set", "map") else "atomic"


def _object_type(name: str, schema: JsonObject) -> Type:
    atomic = schema.get("x-kubernetes-map-type") == "atomic"
    additional = schema.get("additionalProperties")
    if isinstance(additional, dict) and not schema.get("properties"):
        element = _type(f"{name}.values", additional)
        return MapOf(element, f"map[string]{element.called}", atomic)
    is_open = bool(schema.get(PRESERVE) or schema.get(EMBEDDED) or additional)
    return Struct(
        name,
        lambda: _fields(name, schema),
        description=schema.get("description", ""),
        atomic=atomic,
        open=is_open,
    )
