"""Storage classes.

The rules of ValidateStorageClass of pkg/apis/storage/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import (
    IMMUTABLE,
    duplicate,
    invalid,
    not_supported,
    required,
    too_long,
)
from nominee.apiserver.kinds.table import AGE, NAME, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

Item = Mapping[str, Any]

_RECLAIM = ("Delete", "Retain")
_MODES = ("Immediate", "WaitForFirstConsumer")
_FIXED = ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
_DEFAULT = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


class StorageClassKind(Kind):
    """Storage classes."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        item.setdefault("reclaimPolicy", "Delete")
        item.setdefault("volumeBindingMode", "Immediate")

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        changed = [name for name in _FIXED if (item.get(name) or None) != (old.get(name) or None)]
        return [invalid(name, item.get(name), IMMUTABLE) for name in changed]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        name = item["metadata"]["name"]
        annotations = item["metadata"].get("annotations") or {}
        if any(annotations.get(one) == "true" for one in _DEFAULT):
            name += " (default)"
        return [
            name,
            item.get("provisioner") or "",
            item.get("reclaimPolicy") or "Delete",
            item.get("volumeBindingMode") or "<unset>",
            bool(item.get("allowVolumeExpansion")),
            age_of(item, now),
        ]


def _validate(item: Item) -> Iterator[FieldError]:
    provisioner = item.get("provisioner") or ""
    if not provisioner:
        yield required("provisioner")
    for fault in syntax.label_key(provisioner.lower()) if provisioner else ():
        yield invalid("provisioner", provisioner, fault)
    parameters = item.get("parameters") or {}
    if len(parameters) > 512:
        yield too_long("parameters", 512)
    elif sum(len(key.encode()) + len(text.encode()) for key, text in parameters.items()) > 262144:
        yield too_long("parameters", 262144)
    if "" in parameters:
        yield invalid("parameters", "", "field can not be empty.")
    if item.get("reclaimPolicy") and item["reclaimPolicy"] not in _RECLAIM:
        yield not_supported("reclaimPolicy", item["reclaimPolicy"], _RECLAIM)
    if item.get("volumeBindingMode") not in _MODES:
        yield not_supported("volumeBindingMode", item.get("volumeBindingMode"), _MODES)
    yield from _validate_topologies(item.get("allowedTopologies") or ())


def _validate_topologies(terms: Sequence[Item]) -> Iterator[FieldError]:
    for position, term in enumerate(terms):
        path = f"allowedTopologies[{position}].matchLabelExpressions"
        seen: set[str] = set()
        for row, expression in enumerate(term.get("matchLabelExpressions") or ()):
            key = expression.get("key") or ""
            yield from _validate_expression(expression, key, f"{path}[{row}]")
            if key in seen:
                yield duplicate(f"{path}[{row}].key", key)
            seen.add(key)
        if term in terms[:position]:
            yield duplicate(path, "")


def _validate_expression(expression: Item, key: str, path: str) -> Iterator[FieldError]:
    values = expression.get("values") or []
    if not values:
        yield required(f"{path}.values")
    for position, value in enumerate(values):
        if value in values[:position]:
            yield duplicate(f"{path}.values[{position}]", value)
    for fault in syntax.label_key(key):
        yield invalid(f"{path}.key", key, fault)


STORAGE_CLASSES = StorageClassKind(
    Names(
        "StorageClass",
        "storageclasses",
        "storageclass",
        group="storage.k8s.io",
        short=("sc",),
        namespaced=False,
    ),
    schema="io.k8s.api.storage.v1.StorageClass",
    columns=(
        NAME,
        *shown("Provisioner", "ReclaimPolicy", "VolumeBindingMode"),
        Column("AllowVolumeExpansion", "boolean"),
        AGE,
    ),
)
