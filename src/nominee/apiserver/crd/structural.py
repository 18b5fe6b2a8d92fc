"""What a structural schema makes of an object: unknown fields go, defaults come.

apiextensions-apiserver/pkg/apiserver/schema/{pruning,defaulting}, v1.37.
"""

from __future__ import annotations

import copy
from typing import Any

from nominee.apiserver.kind import JsonObject

PRESERVE = "x-kubernetes-preserve-unknown-fields"
EMBEDDED = "x-kubernetes-embedded-resource"
_OBJECT_FIELDS = ("apiVersion", "kind", "metadata")


def prune(item: JsonObject, schema: JsonObject) -> list[str]:
    """Take out of an object, in place, what its schema does not know; answers with the paths."""
    unknown: list[str] = []
    _prune(item, schema, "", unknown, root=True)
    return unknown


def _prune(node: Any, schema: JsonObject, path: str, unknown: list[str], *, root: bool = False) -> None:
    if isinstance(node, list):
        items = schema.get("items")
        for row, value in enumerate(node):
            _prune(value, items if isinstance(items, dict) else {PRESERVE: True}, f"{path}[{row}]", unknown)
    elif isinstance(node, dict):
        _prune_object(node, schema, path, unknown, root=root or bool(schema.get(EMBEDDED)))


def _prune_object(node: JsonObject, schema: JsonObject, path: str, unknown: list[str], *, root: bool) -> None:
    properties = schema.get("properties") or {}
    additional = schema.get("additionalProperties")
    for name in list(node):
        place = f"{path}.{name}" if path else name
        if root and name in _OBJECT_FIELDS:
            continue
        if name in properties:
            _prune(node[name], properties[name], place, unknown)
        elif isinstance(additional, dict):
            _prune(node[name], additional, place, unknown)
        elif not (schema.get(PRESERVE) or additional is True):
            unknown.append(place)
            del node[name]


def default(node: Any, schema: JsonObject) -> None:
    """Fill in what the schema says of fields that are not there, or that are null and must not be."""
    if isinstance(node, dict):
        _default_object(node, schema)
    elif isinstance(node, list) and isinstance(schema.get("items"), dict):
        for value in node:
            default(value, schema["items"])


def _default_object(node: JsonObject, schema: JsonObject) -> None:
    properties = schema.get("properties") or {}
    for name, inner in properties.items():
        if "default" in inner and (name not in node or (node[name] is None and not inner.get("nullable"))):
            node[name] = copy.deepcopy(inner["default"])
    for name in [name for name, value in node.items() if value is None]:
        # A null that means nothing is as good as absent; upstream drops it where a default would stand.
        if name in properties and not properties[name].get("nullable") and "default" in properties[name]:
            del node[name]
    additional = schema.get("additionalProperties")
    for name, value in node.items():
        inner = properties.get(name, additional)
        if isinstance(inner, dict):
            default(value, inner)
