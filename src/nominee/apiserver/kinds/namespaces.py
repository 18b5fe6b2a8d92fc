"""Namespaces: they go when their contents have gone.

The rules of pkg/registry/core/namespace/strategy.go and storage/storage.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import invalid
from nominee.apiserver.kinds.metadata import validate_kubernetes_finalizer
from nominee.apiserver.kinds.table import AGE, NAME, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

NAME_LABEL = "kubernetes.io/metadata.name"
FINALIZER = "kubernetes"


class NamespaceKind(Kind):
    """Namespaces."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        item.setdefault("spec", {})
        status = item.setdefault("status", {})
        status["phase"] = status.get("phase") or "Active"
        _label(item)

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        item["status"] = {"phase": "Active"}
        finalizers = item["spec"].get("finalizers") or []
        if FINALIZER not in finalizers:
            item["spec"]["finalizers"] = [*finalizers, FINALIZER]
        _label(item)

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        super().prepare_update(item, old, context)
        item["spec"] = old.get("spec") or {}

    def prepare_status(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        item["spec"] = old.get("spec") or {}

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        phase = (item.get("status") or {}).get("phase") or ""
        if "deletionTimestamp" in item["metadata"]:
            if phase != "Terminating":
                why = "may only be 'Terminating' if `deletionTimestamp` is not empty"
                return [invalid("status.Phase", phase, why)]
        elif phase != "Active":
            return [invalid("status.Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty")]
        return ()

    def part(self, subresource: str) -> Kind:
        return FINALIZE if subresource == "finalize" else self

    def prepare_deletion(self, item: JsonObject, context: Context) -> None:
        item["status"] = {**(item.get("status") or {}), "phase": "Terminating"}

    def held(self, item: JsonObject) -> bool:
        return bool((item.get("spec") or {}).get("finalizers"))

    def fields(self, item: JsonObject) -> Mapping[str, str]:
        return {
            "metadata.name": item["metadata"]["name"],
            "status.phase": (item.get("status") or {}).get("phase") or "",
        }

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        return [item["metadata"]["name"], (item.get("status") or {}).get("phase") or "", age_of(item, now)]


def _label(item: JsonObject) -> None:
    metadata = item["metadata"]
    name = metadata.get("name")
    labels = metadata.get("labels") or {}
    if name and labels.get(NAME_LABEL) != name:
        metadata["labels"] = {**labels, NAME_LABEL: name}


class FinalizeKind(NamespaceKind):
    """Namespaces, where their own finalizers are written."""

    __slots__ = ()

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        item["status"] = old.get("status") or {}

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return list(_validate_finalizers((item.get("spec") or {}).get("finalizers") or ()))


def _validate_finalizers(finalizers: Sequence[str]) -> Iterator[FieldError]:
    for position, finalizer in enumerate(finalizers):
        path = f"spec.finalizers[{position}]"
        for fault in syntax.label_key(finalizer):
            yield invalid(path, finalizer, fault)
        yield from validate_kubernetes_finalizer(finalizer, path)


_NAMES = Names("Namespace", "namespaces", "namespace", short=("ns",), namespaced=False)
_SCHEMA = "io.k8s.api.core.v1.Namespace"

FINALIZE = FinalizeKind(_NAMES, _SCHEMA, name_rule="label")
NAMESPACES = NamespaceKind(
    _NAMES,
    _SCHEMA,
    subresources=("status", "finalize"),
    verbs=("create", "delete", "get", "list", "patch", "update", "watch"),
    columns=(NAME, *shown("Status"), AGE),
    name_rule="label",
    field_labels=("metadata.name", "status.phase"),
)
