"""`metadata.managedFields` read and written: who owns what.

apimachinery/pkg/util/managedfields/internal/managedfields.go and capmanagers.go, v1.37.
"""

from __future__ import annotations

import calendar
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from nominee.apiserver.patches.managed_fields.sets import Fields, canonical, union

MOST_UPDATERS = 10
_BUCKET = "ancient-changes"


@dataclass(frozen=True, slots=True)
class Manager:
    """Who: an updater is another for each version that it writes, an applier is the same for all."""

    name: str
    operation: str
    api_version: str = ""
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class Owned:
    """What a manager owns: the fields, in which version it has written them, and when."""

    fields: Fields
    api_version: str
    time: str | None = None


Managed = dict[Manager, Owned]


def applier(name: str, subresource: str) -> Manager:
    """Somebody who applies."""
    return Manager(name or "unknown", "Apply", "", subresource)


def updater(name: str, api_version: str, subresource: str) -> Manager:
    """Somebody who creates, updates or patches."""
    return Manager(name or "unknown", "Update", api_version, subresource)


def read_entries(entries: Any) -> Managed:
    """The managers of an object; raises `ValueError` if an entry makes no sense."""
    managed: Managed = {}
    for entry in entries or ():
        manager, owned = _read_entry(entry)
        managed[manager] = owned
    return managed


def _read_entry(entry: dict[str, Any]) -> tuple[Manager, Owned]:
    operation, api_version = entry.get("operation"), entry.get("apiVersion")
    if operation not in ("Apply", "Update"):
        raise ValueError("operation must be `Apply` or `Update`")
    if not api_version:
        raise ValueError("apiVersion must not be empty")
    if entry.get("fieldsType") != "FieldsV1":
        raise ValueError("invalid fieldsType")
    manager = Manager(
        entry.get("manager", ""),
        operation,
        api_version if operation == "Update" else "",
        entry.get("subresource", ""),
    )
    return manager, Owned(_set_of(entry), api_version, entry.get("time"))


def _set_of(entry: dict[str, Any]) -> Fields:
    """Sets that the server has written itself are known, and need no reading."""
    fields = entry.get("fieldsV1") or {}
    if id(fields) in _OWN:
        known: Fields = fields
        return known
    return canonical(fields)


def write_entries(managed: Managed) -> list[dict[str, Any]]:
    """As they stand in an object: appliers first, then by time and name."""
    if len(managed) == 1:
        return [_entry(manager, owned) for manager, owned in managed.items()]
    ordered = sorted(managed.items(), key=lambda each: _rank(*each))
    return [_entry(manager, owned) for manager, owned in ordered]


def _rank(manager: Manager, owned: Owned) -> tuple[str, int, str, str, str]:
    return (manager.operation, _seconds(owned.time), manager.name, owned.api_version, manager.subresource)


def _seconds(text: str | None) -> int:
    if not text:
        return 0
    try:
        return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return 0


def _entry(manager: Manager, owned: Owned) -> dict[str, Any]:
    entry = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": owned.api_version,
        "time": owned.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": shared(owned.fields),
        "subresource": manager.subresource,
    }
    return {key: value for key, value in entry.items() if value or key == "fieldsV1"}


_MOST_SHARED = 4096
_SHARED: dict[bytes, Fields] = {}
_OWN: dict[int, Fields] = {}


def shared(fields: Fields) -> Fields:
    """An equal set that others hold already: the pods of a template all have the same."""
    if id(fields) in _OWN:
        return fields
    key = orjson.dumps(fields)
    known = _SHARED.get(key)
    if known is None:
        if len(_SHARED) >= _MOST_SHARED:
            _SHARED.clear()
            _OWN.clear()
        known = _SHARED[key] = fields
        _OWN[id(fields)] = fields
    return known


def capped(managed: Managed) -> Managed:
    """With at most ten updaters: the oldest of a version go together into one entry."""
    updaters = [manager for manager in managed if manager.operation == "Update"]
    excess = len(updaters) - MOST_UPDATERS
    if excess <= 0:
        return managed
    updaters.sort(key=lambda manager: (_seconds(managed[manager].time), manager.name))
    return _bucketed(dict(managed), updaters, excess)


def _bucketed(managed: Managed, oldest: Sequence[Manager], excess: int) -> Managed:
    first_of_version: dict[str, Manager] = {}
    for manager in oldest:
        if excess <= 0:
            break
        owned = managed[manager]
        first = first_of_version.setdefault(owned.api_version, manager)
        if first is manager:
            continue
        bucket = updater(_BUCKET, owned.api_version, "")
        if bucket not in managed:
            managed[bucket] = managed.pop(first)
        del managed[manager]
        managed[bucket] = replace(owned, fields=union(owned.fields, managed[bucket].fields))
        excess -= 1
    return managed
