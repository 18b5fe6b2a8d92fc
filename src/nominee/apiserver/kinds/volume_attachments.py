"""Volume attachments.

The rules of ValidateVolumeAttachment of pkg/apis/storage/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import IMMUTABLE, forbidden, invalid, required, too_long
from nominee.apiserver.kinds.pod.volumes import validate_driver_name
from nominee.apiserver.kinds.table import AGE, NAME, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

Item = Mapping[str, Any]

_ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"


class VolumeAttachmentKind(Kind):
    """Volume attachments."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        item.setdefault("status", {}).setdefault("attached", False)

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        item["status"] = {"attached": False}

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        errors = list(_validate(item))
        if item.get("spec") != old.get("spec"):
            errors.append(invalid("spec", item.get("spec"), IMMUTABLE))
        return errors

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return list(_validate(item))

    def fields(self, item: JsonObject) -> Mapping[str, str]:
        return {"metadata.name": item["metadata"]["name"]}

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec = item.get("spec") or {}
        return [
            item["metadata"]["name"],
            spec.get("attacher") or "",
            (spec.get("source") or {}).get("persistentVolumeName") or "",
            spec.get("nodeName") or "",
            bool((item.get("status") or {}).get("attached")),
            age_of(item, now),
        ]


def _validate(item: Item) -> Iterator[FieldError]:
    spec, status = item.get("spec") or {}, item.get("status") or {}
    yield from validate_driver_name(spec.get("attacher") or "", "spec.attacher")
    source = spec.get("source") or {}
    given = [name for name in ("inlineVolumeSpec", "persistentVolumeName") if name in source]
    if not given:
        yield required("spec.source", _ONE_SOURCE)
    elif len(given) > 1:
        yield forbidden("spec.source", _ONE_SOURCE)
    elif source.get("persistentVolumeName") == "":
        yield required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName")
    node, volume = spec.get("nodeName") or "", source.get("persistentVolumeName")
    for fault in syntax.dns_subdomain(node):
        yield invalid("spec.nodeName", node, fault)
    for fault in syntax.dns_subdomain(volume) if volume else ():
        yield invalid("spec.source.persistentVolumeName", volume, fault)
    for name in ("attachError", "detachError"):
        if len(((status.get(name) or {}).get("message") or "").encode()) > 1024:
            yield too_long(f"status.{name}.message", 1024)


VOLUME_ATTACHMENTS = VolumeAttachmentKind(
    Names(
        "VolumeAttachment", "volumeattachments", "volumeattachment", group="storage.k8s.io", namespaced=False
    ),
    schema="io.k8s.api.storage.v1.VolumeAttachment",
    subresources=("status",),
    columns=(NAME, *shown("Attacher", "PV", "Node"), Column("Attached", "boolean"), AGE),
    unconditional=False,
)
