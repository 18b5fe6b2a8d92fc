"""What a structural schema may say.

apiextensions-apiserver/pkg/apiserver/schema/{validation,convert}.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nominee.apiserver.crd.structural import PRESERVE
from nominee.apiserver.crd.validation import INT_OR_STRING
from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.field_errors import forbidden, invalid, not_supported, required
from nominee.apiserver.status import FieldError

_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_LIST_TYPES = ("atomic", "map", "set")
_DEEPEST = 100


def validate_schema(schema: JsonObject, path: str) -> Iterator[FieldError]:
    """Everything that is wrong with the schema of a version."""
    if schema.get("type") != "object":
        told = "must be object at the root"
        if schema.get("type"):
            yield invalid(f"{path}.type", schema["type"], told)
        else:
            yield required(f"{path}.type", "must not be empty at the root")
    yield from _validate(schema, path, 0, "at the root")


def _validate(schema: Any, path: str, depth: int, place: str) -> Iterator[FieldError]:
    if depth > _DEEPEST:
        yield forbidden(path, "the schema is nested too deeply")
        return
    if depth and not schema.get("type") and not schema.get(PRESERVE) and not schema.get(INT_OR_STRING):
        yield required(f"{path}.type", f"must not be empty for specified {place}")
    if schema.get("type") and schema["type"] not in _TYPES:
        yield not_supported(f"{path}.type", schema["type"], _TYPES)
    yield from _validate_list(schema, path)
    if schema.get("properties") and schema.get("additionalProperties"):
        yield forbidden(
            f"{path}.additionalProperties", "additionalProperties and properties are mutual exclusive"
        )
    for name, inner in (schema.get("properties") or {}).items():
        yield from _validate(inner, f"{path}.properties[{name}]", depth + 1, "object fields")
    items, additional = schema.get("items"), schema.get("additionalProperties")
    if isinstance(items, dict):
        yield from _validate(items, f"{path}.items", depth + 1, "array items")
    if isinstance(additional, dict):
        told = "object with additionalProperties"
        yield from _validate(additional, f"{path}.additionalProperties", depth + 1, told)


def _validate_list(schema: JsonObject, path: str) -> Iterator[FieldError]:
    if schema.get("type") == "array" and "items" not in schema:
        yield required(f"{path}.items", "must be specified")
    if schema.get("uniqueItems"):
        yield forbidden(
            f"{path}.uniqueItems",
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        )
    kind = schema.get("x-kubernetes-list-type")
    if kind is not None and kind not in _LIST_TYPES:
        yield not_supported(f"{path}.x-kubernetes-list-type", kind, _LIST_TYPES)
    if kind == "map" and not schema.get("x-kubernetes-list-map-keys"):
        yield required(
            f"{path}.x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map"
        )
