"""Device taint rules.

The rules of pkg/registry/resource/devicetaintrule/strategy.go and pkg/apis/resource/validation/validation.go,
v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds.devices import (
    GROUP,
    validate_label_name,
    validate_pool_name,
    validate_taint,
)
from nominee.apiserver.kinds.pod.volumes import validate_driver_name
from nominee.apiserver.kinds.table import AGE, NAME, age, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored


class DeviceTaintRuleKind(Kind):
    """Device taint rules."""

    __slots__ = ()

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        super().prepare_create(item, context)
        _taint(item).setdefault("timeAdded", context.now)

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        """A taint dates from the day of its effect."""
        super().prepare_update(item, old, context)
        taint, before = _taint(item), _taint(old)
        changed = taint.get("effect") != before.get("effect")
        if changed and taint.get("timeAdded") == before.get("timeAdded"):
            taint["timeAdded"] = context.now
        taint.setdefault("timeAdded", context.now)

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item.get("spec") or {}))

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        taint = (item.get("spec") or {}).get("taint") or {}
        return [
            item["metadata"]["name"],
            taint.get("key") or "",
            taint.get("value") or "",
            taint.get("effect") or "",
            age(taint["timeAdded"], now) if "timeAdded" in taint else "",
            age_of(item, now),
        ]


def _taint(item: JsonObject) -> JsonObject:
    spec = item.setdefault("spec", {})
    taint: JsonObject = spec.setdefault("taint", {})
    return taint


def _validate(spec: Mapping[str, Any]) -> Iterator[FieldError]:
    selector = spec.get("deviceSelector") or {}
    if "driver" in selector:
        yield from validate_driver_name(selector["driver"], "spec.deviceSelector.driver")
    if "pool" in selector:
        yield from validate_pool_name(selector["pool"], "spec.deviceSelector.pool")
    if "device" in selector:
        yield from validate_label_name(selector["device"], "spec.deviceSelector.device")
    yield from validate_taint(spec.get("taint") or {}, "spec.taint")


DEVICE_TAINT_RULES = DeviceTaintRuleKind(
    Names("DeviceTaintRule", "devicetaintrules", "devicetaintrule", group=GROUP, namespaced=False),
    schema="io.k8s.api.resource.v1.DeviceTaintRule",
    subresources=("status",),
    generation=True,
    columns=(NAME, *shown("Key", "Value", "Effect", "TimeAdded"), AGE),
    unconditional=False,
)
