"""Resource slices: the devices that a driver offers.

The rules of validateResourceSliceSpec of pkg/apis/resource/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.devices import (
    GROUP,
    validate_binding_conditions,
    validate_label_name,
    validate_list,
    validate_pool_name,
    validate_qualified_name,
    validate_taint,
    validate_unique,
)
from nominee.apiserver.kinds.field_errors import IMMUTABLE, NEGATIVE, invalid, required, too_long, too_many
from nominee.apiserver.kinds.pod.affinity import validate_node_selector
from nominee.apiserver.kinds.pod.volumes import validate_driver_name
from nominee.apiserver.kinds.quantities import canonical
from nominee.apiserver.kinds.table import AGE, NAME, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

Item = Mapping[str, Any]

_MOST_DEVICES = 128
_MOST_ADVANCED = 64
_MOST_ENTRIES = 32
_VALUES = ("bool", "int", "string", "version", "bools", "ints", "strings", "versions")


class ResourceSliceKind(Kind):
    """Resource slices."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        spec = item.setdefault("spec", {})
        for device in spec.get("devices") or ():
            for capacity in (device.get("capacity") or {}).values():
                capacity["value"] = canonical(capacity.get("value") or "0")

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        _date_taints(item, context.now)

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        _date_taints(item, context.now)

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item.get("spec") or {}))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        spec, before = item.get("spec") or {}, old.get("spec") or {}
        changed = [
            invalid(f"spec.{name}", spec.get(name), IMMUTABLE)
            for name in ("driver", "nodeName")
            if spec.get(name) != before.get(name)
        ]
        pool, was = spec.get("pool") or {}, before.get("pool") or {}
        if pool.get("name") != was.get("name"):
            changed.insert(0, invalid("spec.pool.name", pool.get("name") or "", IMMUTABLE))
        return [*changed, *_validate(spec)]

    def fields(self, item: JsonObject) -> Mapping[str, str]:
        spec = item.get("spec") or {}
        return {
            "metadata.name": item["metadata"]["name"],
            "spec.nodeName": spec.get("nodeName") or "",
            "spec.driver": spec.get("driver") or "",
        }

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec = item.get("spec") or {}
        return [
            item["metadata"]["name"],
            spec.get("nodeName") or "",
            spec.get("driver") or "",
            (spec.get("pool") or {}).get("name") or "",
            age_of(item, now),
        ]


def _date_taints(item: JsonObject, now: str) -> None:
    for device in item["spec"].get("devices") or ():
        for taint in device.get("taints") or ():
            taint.setdefault("timeAdded", now)


def _validate(spec: Item) -> Iterator[FieldError]:
    yield from validate_driver_name(spec.get("driver") or "", "spec.driver")
    pool = spec.get("pool") or {}
    yield from validate_pool_name(pool.get("name") or "", "spec.pool.name")
    count, generation = pool.get("resourceSliceCount") or 0, pool.get("generation") or 0
    if count <= 0:
        yield invalid("spec.pool.resourceSliceCount", count, "must be greater than zero")
    if generation < 0:
        yield invalid("spec.pool.generation", generation, NEGATIVE.replace("0", "zero"))
    yield from _validate_nodes(spec)
    devices = spec.get("devices") or ()
    if "sharedCounters" in spec and "devices" in spec:
        yield invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")
    advanced = any(one.get("taints") or one.get("consumesCounters") for one in devices)
    per_device = bool(spec.get("perDeviceNodeSelection"))
    yield from validate_list(
        devices,
        _MOST_ADVANCED if advanced else _MOST_DEVICES,
        lambda one, at: _validate_device(one, at, per_device=per_device),
        "spec.devices",
    )
    yield from validate_unique(devices, "spec.devices", "name")
    counters = spec.get("sharedCounters") or ()
    yield from validate_list(counters, 8, _validate_counters, "spec.sharedCounters")
    yield from validate_unique(counters, "spec.sharedCounters", "name")


def _validate_nodes(spec: Item) -> Iterator[FieldError]:
    yield from _validate_node_fields(spec, "spec")
    given = [
        f"`{name}`"
        for name in ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
        if spec.get(name)
    ]
    if spec.get("perDeviceNodeSelection") is False:
        yield invalid("spec.perDeviceNodeSelection", False, "must be either unset or set to true")
    terms = (spec.get("nodeSelector") or {}).get("nodeSelectorTerms") or ()
    if "nodeSelector" in spec and len(terms) != 1:
        why = "must have exactly one node selector term"
        yield invalid("spec.nodeSelector.nodeSelectorTerms", terms, why)
    why = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
    if not given:
        yield required("spec", why)
    elif len(given) > 1:
        yield invalid("spec", f"{{{', '.join(given)}}}", f"{why}, but multiple fields are set")


def _validate_node_fields(item: Item, path: str) -> Iterator[FieldError]:
    node = item.get("nodeName")
    if node == "":
        yield invalid(f"{path}.nodeName", node, "must be either unset or set to a non-empty string")
    for fault in syntax.dns_subdomain(node) if node else ():
        yield invalid(f"{path}.nodeName", node, fault)
    if "nodeSelector" in item:
        yield from validate_node_selector(item["nodeSelector"], f"{path}.nodeSelector")
    if item.get("allNodes") is False:
        yield invalid(f"{path}.allNodes", False, "must be either unset or set to true")


def _validate_device(device: Item, path: str, *, per_device: bool) -> Iterator[FieldError]:
    yield from validate_label_name(device.get("name") or "", f"{path}.name")
    attributes, capacity = device.get("attributes") or {}, device.get("capacity") or {}
    if len(attributes) + len(capacity) > _MOST_ENTRIES:
        why = "the total number of attributes and capacities must not exceed 32"
        yield invalid(path, len(attributes) + len(capacity), why)
    for name, attribute in attributes.items():
        yield from validate_qualified_name(name, f"{path}.attributes[{name}]")
        yield from _validate_attribute(attribute, f"{path}.attributes[{name}]")
    for name in capacity:
        yield from validate_qualified_name(name, f"{path}.capacity[{name}]")
    yield from validate_list(device.get("taints") or (), 16, validate_taint, f"{path}.taints")
    if len(device.get("consumesCounters") or ()) > _MOST_ENTRIES:
        yield too_many(f"{path}.consumesCounters", len(device["consumesCounters"]), _MOST_ENTRIES)
    given = [name for name in ("nodeName", "nodeSelector", "allNodes") if name in device]
    if per_device:
        yield from _validate_node_fields(device, path)
        if len(given) != 1:
            why = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when"
            yield required(path, f"{why} `perDeviceNodeSelection` is set to true in the ResourceSlice spec")
    elif given:
        why = "`nodeName`, `nodeSelector` and `allNodes` can only be set if"
        yield invalid(path, None, f"{why} `perDeviceNodeSelection` is set to true in the ResourceSlice spec")
    yield from validate_binding_conditions(device, path)


def _validate_attribute(attribute: Item, path: str) -> Iterator[FieldError]:
    given = [name for name in _VALUES if name in attribute]
    if len(given) != 1:
        yield invalid(path, attribute if given else "", "exactly one value must be specified")
    for name in ("string", "version"):
        if len((attribute.get(name) or "").encode()) > 64:
            yield too_long(f"{path}.{name}", 64)


def _validate_counters(counters: Item, path: str) -> Iterator[FieldError]:
    name = counters.get("name") or ""
    if not name:
        yield required(f"{path}.name")
    else:
        yield from validate_label_name(name, f"{path}.name")
    if not counters.get("counters"):
        yield required(f"{path}.counters")


RESOURCE_SLICES = ResourceSliceKind(
    Names("ResourceSlice", "resourceslices", "resourceslice", group=GROUP, namespaced=False),
    schema="io.k8s.api.resource.v1.ResourceSlice",
    generation=True,
    columns=(NAME, *shown("Node", "Driver", "Pool"), AGE),
    field_labels=("metadata.name", "spec.nodeName", "spec.driver"),
)
