"""Persistent volume claims.

The rules of pkg/registry/core/persistentvolumeclaim/strategy.go and ValidatePersistentVolumeClaimUpdate of
pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds.field_errors import IMMUTABLE, forbidden, invalid
from nominee.apiserver.kinds.persistent_volume_claim_spec import validate_claim_spec
from nominee.apiserver.kinds.persistent_volumes import CLASS_ANNOTATION, access_modes_text, class_of
from nominee.apiserver.kinds.pod.updates import difference
from nominee.apiserver.kinds.pod.volume_defaults import default_claim_spec
from nominee.apiserver.kinds.pod.warnings import claim_warnings
from nominee.apiserver.kinds.quantities import canonicalize
from nominee.apiserver.kinds.table import AGE, NAME, UNSET, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.model.quantity import nano_value
from nominee.store.ports import Stored

Item = Mapping[str, Any]


class PersistentVolumeClaimKind(Kind):
    """Persistent volume claims."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        default_claim_spec(item.setdefault("spec", {}))
        status = item.setdefault("status", {})
        status["phase"] = status.get("phase") or "Pending"
        canonicalize(status.get("capacity"))
        canonicalize(status.get("allocatedResources"))

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        item["status"] = {"phase": "Pending"}
        _match_data_sources(item["spec"])

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        super().prepare_update(item, old, context)
        _match_data_sources(item["spec"])

    def prepare_status(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        item["spec"] = old.get("spec") or {}

    def warnings(self, item: JsonObject) -> Sequence[str]:
        return list(claim_warnings(item.get("spec") or {}, "spec"))

    def update_warnings(self, item: JsonObject, old: JsonObject) -> Sequence[str]:
        return self.warnings(item)

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(validate_claim_spec(item.get("spec") or {}, "spec"))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return [*self.validate(item), *_validate_change(item, old)]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec, status = item.get("spec") or {}, item.get("status") or {}
        bound = spec.get("volumeName") or ""
        deleted = "deletionTimestamp" in item["metadata"]
        return [
            item["metadata"]["name"],
            "Terminating" if deleted else status.get("phase") or "",
            bound,
            (status.get("capacity") or {}).get("storage", "0") if bound else "",
            access_modes_text(status.get("accessModes") or ()) if bound else "",
            class_of(item),
            spec.get("volumeAttributesClassName") or UNSET,
            age_of(item, now),
            spec.get("volumeMode") or UNSET,
        ]


def _match_data_sources(spec: JsonObject) -> None:
    """The two names of a source of data follow each other.

    Reproduces NormalizeDataSources of pkg/api/persistentvolumeclaim/util.go, v1.37.
    """
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source and not reference:
        spec["dataSourceRef"] = dict(source)
    elif reference and not source and not reference.get("namespace"):
        names = ("apiGroup", "kind", "name")
        spec["dataSource"] = {name: reference[name] for name in names if name in reference}


def _validate_change(item: Item, old: Item) -> Iterator[FieldError]:
    spec, before = dict(item.get("spec") or {}), dict(old.get("spec") or {})
    new_class, old_class = (_annotated_class(one) for one in (item, old))
    if new_class != old_class:
        yield invalid(f"metadata.annotations.{CLASS_ANNOTATION}", new_class, IMMUTABLE)
    if not before.get("volumeName"):  # a volume is chosen once
        before.pop("volumeName", None)
        spec.pop("volumeName", None)
    if before.get("storageClassName") is None and old_class in ("", spec.get("storageClassName")):
        spec.pop("storageClassName", None)
    size, was = _storage(spec), _storage(before)
    if (item.get("status") or {}).get("phase") == "Bound":
        for one in (spec, before):
            one["resources"] = _without_storage(one.get("resources") or {})
            one.pop("volumeAttributesClassName", None)
    if spec != before:
        why = "spec is immutable after creation except resources.requests and volumeAttributesClassName"
        told = f"{why} for bound claims\n{difference(before, spec)}"
        yield forbidden("spec", told)
    held = ((old.get("status") or {}).get("capacity") or {}).get("storage") or "0"
    if size < was and size <= nano_value(held):
        yield forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")
    if spec.get("volumeMode") != before.get("volumeMode"):
        yield invalid("volumeMode", spec.get("volumeMode"), IMMUTABLE)


def _annotated_class(item: Item) -> str:
    return (item["metadata"].get("annotations") or {}).get(CLASS_ANNOTATION) or ""


def _storage(spec: Item) -> int:
    requests = (spec.get("resources") or {}).get("requests") or {}
    return nano_value(requests.get("storage") or "0")


def _without_storage(resources: Item) -> Item:
    requests = {name: value for name, value in (resources.get("requests") or {}).items() if name != "storage"}
    return {**resources, "requests": requests}


PERSISTENT_VOLUME_CLAIMS = PersistentVolumeClaimKind(
    Names("PersistentVolumeClaim", "persistentvolumeclaims", "persistentvolumeclaim", short=("pvc",)),
    schema="io.k8s.api.core.v1.PersistentVolumeClaim",
    subresources=("status",),
    columns=(
        NAME,
        *shown("Status", "Volume", "Capacity", "Access Modes", "StorageClass", "VolumeAttributesClass"),
        AGE,
        *shown("VolumeMode", wide=True),
    ),
)
