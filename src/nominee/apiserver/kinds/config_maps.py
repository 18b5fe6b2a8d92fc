"""Config maps.

The rules of ValidateConfigMap of pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import forbidden, invalid, too_long
from nominee.apiserver.kinds.table import AGE, NAME, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

SIZE_LIMIT = 1024 * 1024
_FIXED = "field is immutable when `immutable` is set"


class ConfigMapKind(Kind):
    """Config maps."""

    __slots__ = ()

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return [*validate_immutable(item, old, "data", "binaryData"), *_validate(item)]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        entries = len(item.get("data") or ()) + len(item.get("binaryData") or ())
        return [item["metadata"]["name"], entries, age_of(item, now)]


def _validate(item: Mapping[str, Any]) -> Iterator[FieldError]:
    data, binary = item.get("data") or {}, item.get("binaryData") or {}
    for key in data:
        for fault in syntax.config_key(key):
            yield invalid(f"data[{key}]", key, fault)
        if key in binary:
            yield invalid(f"data[{key}]", key, "duplicate of key present in binaryData")
    for key in binary:
        for fault in syntax.config_key(key):
            yield invalid(f"binaryData[{key}]", key, fault)
    size = sum(len(text.encode()) for text in data.values()) + sum(map(decoded_size, binary.values()))
    if size > SIZE_LIMIT:
        yield too_long("[]", SIZE_LIMIT)  # so Go writes a path that leads nowhere


def decoded_size(text: str) -> int:
    """How many bytes a text in base64 stands for."""
    return len(text) * 3 // 4 - text.count("=", -2)


def validate_immutable(item: Mapping[str, Any], old: Mapping[str, Any], *fields: str) -> Iterator[FieldError]:
    """What was made immutable stays as it is, and immutable."""
    if not old.get("immutable"):
        return
    if not item.get("immutable"):
        yield forbidden("immutable", _FIXED)
    for name in fields:
        if (item.get(name) or {}) != (old.get(name) or {}):
            yield forbidden(name, _FIXED)


CONFIG_MAPS = ConfigMapKind(
    Names("ConfigMap", "configmaps", "configmap", short=("cm",)),
    schema="io.k8s.api.core.v1.ConfigMap",
    columns=(NAME, *shown("Data"), AGE),
)
