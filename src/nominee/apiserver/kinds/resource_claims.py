"""Resource claims and their templates.

The rules of pkg/registry/resource/resourceclaim/strategy.go and pkg/apis/resource/validation/validation.go,
v1.37.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds.devices import (
    GROUP,
    default_claim,
    request_names,
    validate_binding_conditions,
    validate_claim,
    validate_config,
    validate_label_name,
    validate_list,
    validate_pool_name,
    validate_reference,
    validate_unique,
)
from nominee.apiserver.kinds.field_errors import IMMUTABLE, forbidden, invalid, not_supported, required
from nominee.apiserver.kinds.pod.affinity import validate_node_selector
from nominee.apiserver.kinds.pod.volumes import validate_driver_name, validate_template_metadata
from nominee.apiserver.kinds.table import AGE, NAME, NamedKind, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

Item = Mapping[str, Any]

_SOURCES = ("FromClaim", "FromClass")


class ResourceClaimKind(Kind):
    """Resource claims: what they ask for is for ever, what they got is until they are deallocated."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        item.setdefault("status", {})
        default_claim(item.setdefault("spec", {}))

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        item["status"] = {}

    def prepare_status(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        super().prepare_status(item, old, context)
        status = item.setdefault("status", {})
        if "allocation" not in status and "allocation" in (old.get("status") or {}):
            status.pop("devices", None)

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(validate_claim(item.get("spec") or {}, "spec"))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        if item.get("spec") != old.get("spec"):
            return [invalid("spec", item.get("spec"), IMMUTABLE)]
        return ()

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return list(_validate_status(item, old))

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        return [item["metadata"]["name"], _state(item), age_of(item, now)]


def _state(item: Item) -> str:
    status, deleted = item.get("status") or {}, "deletionTimestamp" in item["metadata"]
    words = ["deleted"] if deleted else []
    if "allocation" in status:
        words.append("allocated")
        if status.get("reservedFor"):
            words.append("reserved")
    elif not deleted:
        words.append("pending")
    return ",".join(words)


def _validate_status(item: Item, old: Item) -> Iterator[FieldError]:
    status, before = item.get("status") or {}, old.get("status") or {}
    yield from _validate_consumers(item, status, before)
    allocation = status.get("allocation")
    if allocation is not None:
        if before.get("allocation") is not None:
            if allocation != before["allocation"]:
                yield invalid("status.allocation", allocation, IMMUTABLE)
        else:
            names = request_names((item.get("spec") or {}).get("devices") or {})
            yield from _validate_allocation(allocation, names, "status.allocation")
    yield from _validate_devices(status)


def _validate_consumers(item: Item, status: Item, before: Item) -> Iterator[FieldError]:
    consumers = status.get("reservedFor") or []
    yield from validate_list(consumers, 256, _validate_consumer, "status.reservedFor")
    yield from validate_unique(consumers, "status.reservedFor", "uid")
    if not consumers:
        return
    if status.get("allocation") is None:
        yield forbidden("status.reservedFor", "may not be specified when `allocated` is not set")
        return
    added = any(one not in (before.get("reservedFor") or ()) for one in consumers)
    if added and "deletionTimestamp" in item["metadata"]:
        why = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"
        yield forbidden("status.reservedFor", why)


def _validate_consumer(consumer: Item, path: str) -> Iterator[FieldError]:
    for name in ("resource", "name", "uid"):
        if not consumer.get(name):
            yield required(f"{path}.{name}")


def _validate_allocation(allocation: Item, names: Collection[str], path: str) -> Iterator[FieldError]:
    devices = allocation.get("devices") or {}
    yield from validate_list(
        devices.get("results") or (),
        32,
        lambda one, at: _validate_result(one, names, at),
        f"{path}.devices.results",
    )
    yield from validate_list(
        devices.get("config") or (),
        64,
        lambda one, at: _validate_allocated_config(one, names, at),
        f"{path}.devices.config",
    )
    if "nodeSelector" in allocation:
        yield from validate_node_selector(allocation["nodeSelector"], f"{path}.nodeSelector")


def _validate_result(result: Item, names: Collection[str], path: str) -> Iterator[FieldError]:
    yield from validate_reference(result.get("request") or "", names, f"{path}.request")
    yield from _validate_device_name(result, path)
    yield from validate_binding_conditions(result, path)


def _validate_device_name(result: Item, path: str) -> Iterator[FieldError]:
    yield from validate_driver_name(result.get("driver") or "", f"{path}.driver")
    yield from validate_pool_name(result.get("pool") or "", f"{path}.pool")
    yield from validate_label_name(result.get("device") or "", f"{path}.device")


def _validate_allocated_config(config: Item, names: Collection[str], path: str) -> Iterator[FieldError]:
    source = config.get("source") or ""
    if not source:
        yield required(f"{path}.source")
    elif source not in _SOURCES:
        yield not_supported(f"{path}.source", source, _SOURCES)
    yield from validate_config(config, names, path)


def _validate_devices(status: Item) -> Iterator[FieldError]:
    results = ((status.get("allocation") or {}).get("devices") or {}).get("results") or ()
    allocated = {_identity(one) for one in results}
    for position, device in enumerate(status.get("devices") or ()):
        path = f"status.devices[{position}]"
        yield from _validate_device_name(device, path)
        if _identity(device) not in allocated:
            told = "/".join(part for part in _identity(device) if part)
            yield invalid(path, told, "must be an allocated device in the claim")


def _identity(device: Item) -> tuple[str, ...]:
    return tuple(device.get(name) or "" for name in ("driver", "pool", "device", "shareID"))


class ResourceClaimTemplateKind(NamedKind):
    """Templates of resource claims."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        template = item.setdefault("spec", {})
        template.setdefault("metadata", {})
        default_claim(template.setdefault("spec", {}))

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        template = item.get("spec") or {}
        return [
            *validate_template_metadata(template.get("metadata") or {}, "spec.metadata"),
            *validate_claim(template.get("spec") or {}, "spec.spec"),
        ]

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        if item.get("spec") != old.get("spec"):
            return [invalid("spec", item.get("spec"), IMMUTABLE)]
        return ()


RESOURCE_CLAIMS = ResourceClaimKind(
    Names("ResourceClaim", "resourceclaims", "resourceclaim", group=GROUP),
    schema="io.k8s.api.resource.v1.ResourceClaim",
    subresources=("status",),
    columns=(NAME, *shown("State"), AGE),
)
RESOURCE_CLAIM_TEMPLATES = ResourceClaimTemplateKind(
    Names("ResourceClaimTemplate", "resourceclaimtemplates", "resourceclaimtemplate", group=GROUP),
    schema="io.k8s.api.resource.v1.ResourceClaimTemplate",
)
