"""Nodes.

The rules of pkg/registry/core/node/strategy.go and ValidateNode of pkg/apis/core/validation/validation.go,
v1.37, with the paths that they name: taints are told of below metadata.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.addresses import validate_cidr, version_of
from nominee.apiserver.kinds.field_errors import duplicate, forbidden, invalid, shown
from nominee.apiserver.kinds.pod.placement import validate_effect
from nominee.apiserver.kinds.pod.resources import validate_amount
from nominee.apiserver.kinds.quantities import canonicalize
from nominee.apiserver.kinds.table import AGE, NAME, NONE, UNKNOWN, age_of
from nominee.apiserver.kinds.table import shown as columns
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

Item = Mapping[str, Any]

_ROLE_PREFIX = "node-role.kubernetes.io/"
_ROLE = "kubernetes.io/role"
_feature = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*").fullmatch


class NodeKind(Kind):
    """Nodes: whoever makes one may give it a status, too."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        spec, status = item.setdefault("spec", {}), item.setdefault("status", {})
        _sync_ranges(spec)
        capacity = status.get("capacity")
        canonicalize(capacity)
        if status.get("allocatable") is None and capacity is not None:
            status["allocatable"] = dict(capacity)
        else:
            canonicalize(status.get("allocatable"))

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        item["spec"].pop("configSource", None)

    def prepare_status(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        """A status may come with labels and annotations, as those who watch over nodes write them."""
        item["spec"] = old.get("spec") or {}

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return [*_validate(item), *_validate_change(item, old)]

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return [*_validate_status(item.get("status") or {}), *_validate_change(item, old)]

    def fields(self, item: JsonObject) -> Mapping[str, str]:
        unschedulable = (item.get("spec") or {}).get("unschedulable")
        return {
            "metadata.name": item["metadata"]["name"],
            "spec.unschedulable": "true" if unschedulable else "false",
        }

    def cells(self, stored: Stored, now: float) -> list[Any]:
        return _cells(stored.object, now)


def _sync_ranges(spec: JsonObject) -> None:
    """The one range of addresses and the list of ranges say the same."""
    first, ranges = spec.get("podCIDR"), spec.get("podCIDRs")
    if first and (not ranges or ranges[0] != first):
        spec["podCIDRs"] = [first]
    elif ranges and not first:
        spec["podCIDR"] = ranges[0]


def _validate(item: Item) -> Iterator[FieldError]:
    spec = item.get("spec") or {}
    if taints := spec.get("taints"):
        yield from validate_taints(taints, "metadata.taints")
    yield from _validate_status(item.get("status") or {})
    if ranges := spec.get("podCIDRs"):
        yield from _validate_ranges(ranges)


def validate_taints(taints: Sequence[Item], path: str) -> Iterator[FieldError]:
    """What is wrong with the taints of a node."""
    seen: set[tuple[str, str]] = set()
    for position, taint in enumerate(taints):
        at = f"{path}[{position}]"
        key, value = taint.get("key") or "", taint.get("value") or ""
        effect = taint.get("effect") or ""
        for fault in syntax.label_key(key):
            yield invalid(f"{at}.key", key, fault)
        if faults := syntax.label_value(value):
            yield invalid(f"{at}.value", value, ";".join(faults))
        yield from validate_effect(effect, f"{at}.effect")
        if (key, effect) in seen:
            # Upstream shows its own form of the taint, which has names and all fields in capitals.
            told = {"Key": key, "Value": value, "Effect": effect, "TimeAdded": taint.get("timeAdded")}
            why = f"Duplicate value: {shown_in_order(told)}: taints must be unique by key and effect pair"
            yield FieldError(at, "FieldValueDuplicate", why)
        seen.add((key, effect))


def shown_in_order(fields: Item) -> str:
    """A value whose fields are shown in the order in which they are declared."""
    return "{" + ",".join(f"{shown(name)}:{shown(value)}" for name, value in fields.items()) + "}"


def _validate_status(status: Item) -> Iterator[FieldError]:
    for name in ("capacity", "allocatable"):
        for resource, quantity in (status.get(name) or {}).items():
            yield from validate_amount(resource, quantity, f"status.{name}.{resource}")
    before = ""
    for position, feature in enumerate(status.get("declaredFeatures") or ()):
        yield from _validate_feature(feature, before, f"status.declaredFeatures[{position}]")
        before = feature


def _validate_feature(feature: str, before: str, path: str) -> Iterator[FieldError]:
    if not _feature(feature):
        why = (
            f'invalid feature name "{feature}": must start with an UpperCamelCase segment, with subsequent '
            "segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only "
            "alphanumeric characters and slashes"
        )
        yield invalid(path, feature, why)
    if before and feature == before:
        yield duplicate(path, feature)
    elif before > feature:
        yield invalid(path, feature, "list must be sorted alphabetically")


def _validate_ranges(ranges: Sequence[str]) -> Iterator[FieldError]:
    for position, one in enumerate(ranges):
        yield from validate_cidr(one, f"spec.podCIDRs[{position}]")
    versions = [version_of(one.partition("/")[0]) for one in ranges]
    if len(ranges) > 2 or (len(ranges) == 2 and versions[0] == versions[1]):
        yield invalid("spec.podCIDRs", ranges, "may specify no more than one CIDR for each IP family")


def _validate_change(item: Item, old: Item) -> Iterator[FieldError]:
    spec, before = item.get("spec") or {}, old.get("spec") or {}
    addresses = (item.get("status") or {}).get("addresses") or []
    for position, address in enumerate(addresses):
        if address in addresses[:position]:
            told = {"Type": address.get("type") or "", "Address": address.get("address") or ""}
            message = f"Duplicate value: {shown_in_order(told)}"
            yield FieldError(f"status.addresses[{position}]", "FieldValueDuplicate", message)
    if before.get("podCIDRs") and before["podCIDRs"] != spec.get("podCIDRs"):
        yield forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')
    provider, was = spec.get("providerID"), before.get("providerID")
    if was and provider and was != provider:
        yield invalid("spec.providerID", None, "field cannot be modified once set")
    if was and not provider:
        yield invalid("spec.providerID", None, "field cannot be cleared once set")
    if (spec.get("externalID") or "") != (before.get("externalID") or ""):
        yield forbidden("spec.externalID", "may not be updated")


def _cells(item: Item, now: float) -> list[Any]:
    status = item.get("status") or {}
    info = status.get("nodeInfo") or {}
    kernel = info.get("kernelVersion") or UNKNOWN
    if info.get("architecture"):
        kernel += f" ({info['architecture']})"
    return [
        item["metadata"]["name"],
        _status(item),
        ",".join(_roles(item["metadata"].get("labels") or {})) or NONE,
        age_of(item, now),
        info.get("kubeletVersion") or "",
        _address(status, "InternalIP"),
        _address(status, "ExternalIP"),
        info.get("osImage") or UNKNOWN,
        kernel,
        info.get("containerRuntimeVersion") or UNKNOWN,
    ]


def _status(item: Item) -> str:
    words = []
    for condition in (item.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "Ready":
            words = ["Ready" if condition.get("status") == "True" else "NotReady"]
    words = words or ["Unknown"]
    if (item.get("spec") or {}).get("unschedulable"):
        words.append("SchedulingDisabled")
    return ",".join(words)


def _roles(labels: Mapping[str, str]) -> list[str]:
    prefixed = {key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX)}
    return sorted((prefixed | {labels.get(_ROLE, "")}) - {""})


def _address(status: Item, kind: str) -> str:
    for address in status.get("addresses") or ():
        if address.get("type") == kind:
            return address.get("address") or ""
    return NONE


NODES = NodeKind(
    Names("Node", "nodes", "node", short=("no",), namespaced=False),
    schema="io.k8s.api.core.v1.Node",
    subresources=("status",),
    columns=(
        NAME,
        *columns("Status", "Roles"),
        AGE,
        *columns("Version"),
        *columns("Internal-IP", "External-IP", "OS-Image", "Kernel-Version", "Container-Runtime", wide=True),
    ),
    field_labels=("metadata.name", "spec.unschedulable"),
)
