"""What CSI drivers say of themselves, of nodes and of capacities.

The rules of pkg/apis/storage/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import (
    IMMUTABLE,
    NEGATIVE,
    duplicate,
    invalid,
    not_supported,
    required,
)
from nominee.apiserver.kinds.pod.volumes import validate_driver_name
from nominee.apiserver.kinds.quantities import canonical
from nominee.apiserver.kinds.selectors import validate_label_selector
from nominee.apiserver.kinds.table import AGE, NAME, UNSET, age_of, joined, shown
from nominee.apiserver.status import FieldError
from nominee.model.quantity import nano_value
from nominee.store.ports import Stored

Item = Mapping[str, Any]

_GROUP = "storage.k8s.io"
_MODES = ("Ephemeral", "Persistent")
_GROUP_POLICIES = ("File", "None", "ReadWriteOnceWithFSType")
_DRIVER_DEFAULTS: Mapping[str, Any] = {
    "attachRequired": True,
    "podInfoOnMount": False,
    "storageCapacity": False,
    "fsGroupPolicy": "ReadWriteOnceWithFSType",
    "requiresRepublish": False,
    "seLinuxMount": False,
    "preventPodSchedulingIfMissing": False,
}


class CSIDriverKind(Kind):
    """CSI drivers."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        spec = item.setdefault("spec", {})
        for name, value in _DRIVER_DEFAULTS.items():
            spec.setdefault(name, value)
        if not spec.get("volumeLifecycleModes"):
            spec["volumeLifecycleModes"] = ["Persistent"]

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate_driver(item.get("spec") or {}))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        spec, before = item.get("spec") or {}, old.get("spec") or {}
        fixed = ("attachRequired", "volumeLifecycleModes")
        changed = [name for name in fixed if spec.get(name) != before.get(name)]
        errors = [invalid(f"spec.{name}", spec.get(name), IMMUTABLE) for name in changed]
        return [*self.validate(item), *errors]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec = item.get("spec") or {}
        requests = spec.get("tokenRequests")
        tokens = UNSET if requests is None else ",".join(one.get("audience") or "" for one in requests)
        return [
            item["metadata"]["name"],
            spec.get("attachRequired", True),
            spec.get("podInfoOnMount", False),
            spec.get("storageCapacity", False),
            tokens,
            spec.get("requiresRepublish", False),
            joined(spec.get("volumeLifecycleModes") or ()),
            age_of(item, now),
        ]


def _validate_driver(spec: Item) -> Iterator[FieldError]:
    for mode in spec.get("volumeLifecycleModes") or ():
        if mode not in _MODES:
            yield not_supported("spec.volumeLifecycleModes", mode, _MODES)
    policy = spec.get("fsGroupPolicy")
    if policy is not None and policy not in _GROUP_POLICIES:
        yield not_supported("spec.fsGroupPolicy", policy, _GROUP_POLICIES)
    seen: set[str] = set()
    for position, request in enumerate(spec.get("tokenRequests") or ()):
        path, audience = f"spec.tokenRequests[{position}]", request.get("audience") or ""
        if audience in seen:
            yield duplicate(f"{path}.audience", audience)
        seen.add(audience)
        seconds = request.get("expirationSeconds")
        if seconds is not None and seconds < 600:
            why = "may not specify a duration less than 10 minutes"
            yield invalid(f"{path}.expirationSeconds", seconds, why)


class CSINodeKind(Kind):
    """What CSI drivers say of a node."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        item.setdefault("spec", {}).setdefault("drivers", [])

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate_node((item.get("spec") or {}).get("drivers") or ()))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        before = {one.get("name"): one for one in (old.get("spec") or {}).get("drivers") or ()}
        errors = [
            invalid("spec.drivers", driver, IMMUTABLE)
            for driver in (item.get("spec") or {}).get("drivers") or ()
            if driver.get("name") in before and _fixed(driver) != _fixed(before[driver["name"]])
        ]
        return [*self.validate(item), *errors]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        drivers = (item.get("spec") or {}).get("drivers") or ()
        return [item["metadata"]["name"], len(drivers), age_of(item, now)]


def _fixed(driver: Item) -> Item:
    return {name: value for name, value in driver.items() if name != "allocatable"}


def _validate_node(drivers: Sequence[Item]) -> Iterator[FieldError]:
    seen: set[str] = set()
    for position, driver in enumerate(drivers):
        path, name, node = f"spec.drivers[{position}]", driver.get("name") or "", driver.get("nodeID") or ""
        yield from validate_driver_name(name, f"{path}.name")
        if not node:
            yield required(f"{path}.nodeID")
        if len(node.encode()) > 256:
            yield invalid(f"{path}.nodeID", node, "must be 256 characters or less")
        count = (driver.get("allocatable") or {}).get("count")
        if count is not None and count < 0:
            yield invalid(f"{path}.allocatable.count", count, NEGATIVE)
        if name in seen:
            yield duplicate(f"{path}.name", name)
        seen.add(name)
        yield from _validate_topology_keys(driver.get("topologyKeys") or [], path)


def _validate_topology_keys(keys: Sequence[str], path: str) -> Iterator[FieldError]:
    for position, key in enumerate(keys):
        if not key:
            yield required(path)
        if key in keys[:position]:
            yield duplicate(path, key)
        for fault in syntax.label_key(key):
            yield invalid(path, key, fault)


class CSIStorageCapacityKind(Kind):
    """How much a storage class can still give somewhere."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        for name in ("capacity", "maximumVolumeSize"):
            if item.get(name) is not None:
                item[name] = canonical(item[name])

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        errors = list(validate_label_selector(item.get("nodeTopology"), "nodeTopology"))
        name = item.get("storageClassName") or ""
        errors += [invalid("storageClassName", name, fault) for fault in syntax.dns_subdomain(name)]
        for field in ("capacity", "maximumVolumeSize"):
            if item.get(field) is not None and nano_value(item[field]) < 0:
                errors.append(invalid(field, item[field], NEGATIVE))
        return errors

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        fixed = ("nodeTopology", "storageClassName")
        changed = [name for name in fixed if item.get(name) != old.get(name)]
        return [*self.validate(item), *(invalid(name, item.get(name), IMMUTABLE) for name in changed)]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        capacity = item.get("capacity")
        return [
            item["metadata"]["name"],
            item.get("storageClassName") or "",
            UNSET if capacity is None else capacity,
        ]


CSI_DRIVERS = CSIDriverKind(
    Names("CSIDriver", "csidrivers", "csidriver", group=_GROUP, namespaced=False),
    schema="io.k8s.api.storage.v1.CSIDriver",
    generation=True,
    columns=(
        NAME,
        *(Column(name, "boolean") for name in ("AttachRequired", "PodInfoOnMount", "StorageCapacity")),
        *shown("TokenRequests"),
        Column("RequiresRepublish", "boolean"),
        *shown("Modes"),
        AGE,
    ),
    unconditional=False,
)
CSI_NODES = CSINodeKind(
    Names("CSINode", "csinodes", "csinode", group=_GROUP, namespaced=False),
    schema="io.k8s.api.storage.v1.CSINode",
    columns=(NAME, Column("Drivers", "integer"), AGE),
    unconditional=False,
)
CSI_STORAGE_CAPACITIES = CSIStorageCapacityKind(
    Names("CSIStorageCapacity", "csistoragecapacities", "csistoragecapacity", group=_GROUP),
    schema="io.k8s.api.storage.v1.CSIStorageCapacity",
    columns=(NAME, *shown("StorageClassName", "Capacity")),
    unconditional=False,
)
