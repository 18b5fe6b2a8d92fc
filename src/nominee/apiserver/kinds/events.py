"""Events, which are served in two groups with fields of different names.

They are stored in the form of the core group. The rules are those of pkg/apis/core/validation/events.go and
pkg/apis/events/v1/conversion.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import IMMUTABLE, invalid, required
from nominee.apiserver.kinds.table import age, shown
from nominee.apiserver.status import FieldError
from nominee.apiserver.status import invalid as invalid_object
from nominee.store.ports import Stored

Item = Mapping[str, Any]

_EVENTS = "events.k8s.io/v1"
_CORE_NAMES = {
    "note": "message",
    "regarding": "involvedObject",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_EVENTS_NAMES = {core: name for name, core in _CORE_NAMES.items()}
_OBJECT_FIELDS = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_LIMITS = (("reportingInstance", 128), ("action", 128), ("reason", 128), ("message", 1024))
_COMMON_LABELS = ("metadata.name", "metadata.namespace", "reason", "type")
_CORE_LABELS = (
    *_COMMON_LABELS,
    *(f"involvedObject.{name}" for name in _OBJECT_FIELDS),
    "reportingComponent",
    "source",
)
_EVENTS_LABELS = (
    *_COMMON_LABELS,
    *(f"regarding.{name}" for name in _OBJECT_FIELDS),
    "reportingController",
)


class EventKind(Kind):
    """Events of either group."""

    __slots__ = ()

    def selectable(self, api_version: str) -> tuple[str, ...]:
        return _EVENTS_LABELS if api_version == _EVENTS else self.field_labels

    def schema_of(self, api_version: str) -> str:
        return "io.k8s.api.events.v1.Event" if api_version == _EVENTS else self.schema

    def to_stored(self, item: JsonObject) -> JsonObject:
        if item.get("apiVersion") != _EVENTS:
            return item
        if "resourceVersion" not in item["metadata"] and (errors := list(_validate_strictly(item))):
            raise invalid_object("Event", "events.k8s.io", item["metadata"].get("name") or "", errors)
        stored = {_CORE_NAMES.get(name, name): value for name, value in item.items()}
        stored["apiVersion"] = "v1"
        return stored

    def to_version(self, item: JsonObject, api_version: str) -> JsonObject:
        if api_version != _EVENTS:
            return item
        shown = {_EVENTS_NAMES.get(name, name): value for name, value in item.items()}
        shown["apiVersion"] = _EVENTS
        return shown

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return [*_validate(item), *_validate_change(item, old)]

    def fields(self, item: JsonObject) -> Mapping[str, str]:
        metadata, involved = item["metadata"], item.get("involvedObject") or {}
        reporter = item.get("reportingComponent") or ""
        selected = {
            "metadata.name": metadata["name"],
            "metadata.namespace": metadata.get("namespace", ""),
            "reason": item.get("reason") or "",
            "reportingComponent": reporter,
            "reportingController": reporter,
            "source": (item.get("source") or {}).get("component") or reporter,
            "type": item.get("type") or "",
        }
        for name in _OBJECT_FIELDS:
            value = involved.get(name) or ""
            selected[f"involvedObject.{name}"] = selected[f"regarding.{name}"] = value
        return selected

    def cells(self, stored: Stored, now: float) -> list[Any]:
        return _cells(stored.object, now)


def _validate(item: Item) -> Iterator[FieldError]:
    """What holds in either group."""
    namespace = item["metadata"].get("namespace") or ""
    involved = (item.get("involvedObject") or {}).get("namespace") or ""
    is_new = bool(item.get("eventTime"))
    if is_new:
        strays = not involved and namespace not in ("default", "kube-system")
    else:
        strays = involved != namespace if involved else namespace not in ("", "default")
    if strays:
        yield invalid("involvedObject.namespace", involved, "does not match event.namespace")
    if is_new:
        yield from _validate_new(item)


def _validate_new(item: Item) -> Iterator[FieldError]:
    reporter = item.get("reportingComponent") or ""
    if not reporter:
        yield required("reportingComponent")
    for fault in syntax.label_key(reporter):
        yield invalid("reportingComponent", reporter, fault)
    for name, limit in _LIMITS:
        text = item.get(name) or ""
        if not text and name != "message":
            yield required(name)
        if len(text) * 4 > limit and len(text.encode()) > limit:
            yield invalid(name, "", f"can have at most {limit} characters")


def _validate_strictly(item: Item) -> Iterator[FieldError]:
    """What holds besides for a new event of events.k8s.io, in whose form it is."""
    series = item.get("series")
    if series is not None:
        if (series.get("count") or 0) < 2:
            yield invalid("series.count", "", "should be at least 2")
        if not series.get("lastObservedTime"):
            yield required("series.lastObservedTime")
    if not item.get("eventTime"):
        yield required("eventTime")
    if item.get("type") not in ("Normal", "Warning"):
        yield invalid("type", "", f"has invalid value: {item.get('type') or ''}")
    for name, told in (
        ("deprecatedFirstTimestamp", "firstTimestamp"),
        ("deprecatedLastTimestamp", "lastTimestamp"),
        ("deprecatedCount", "count"),
        ("deprecatedSource", "source"),
    ):
        if item.get(name):
            yield invalid(told, "", "needs to be unset")


def _validate_change(item: Item, old: Item) -> Iterator[FieldError]:
    """A new event changes in its series alone; the older ones are counted in place."""
    if not old.get("eventTime"):
        return
    for name in ("involvedObject", "reason", "message", "type", "action", "related", "reportingInstance"):
        if item.get(name) != old.get(name):
            yield invalid(name, item.get(name), IMMUTABLE)


def _cells(item: Item, now: float) -> list[Any]:
    first = age(item.get("firstTimestamp") or item.get("eventTime"), now)
    last = age(item["lastTimestamp"], now) if item.get("lastTimestamp") else first
    count = item.get("count") or 1
    if series := item.get("series"):
        last, count = age(series.get("lastObservedTime"), now), series.get("count") or 0
    involved = item.get("involvedObject") or {}
    target = (involved.get("kind") or "").lower()
    if involved.get("name"):
        target += f"/{involved['name']}"
    return [
        last,
        item.get("type") or "",
        item.get("reason") or "",
        target,
        involved.get("fieldPath") or "",
        _source(item),
        (item.get("message") or "").strip(),
        first,
        count,
        item["metadata"]["name"],
    ]


def _source(item: Item) -> str:
    source = item.get("source") or {}
    component = source.get("component") or item.get("reportingComponent") or ""
    host = source.get("host") or item.get("reportingInstance") or ""
    return f"{component}, {host}" if host else component


EVENTS = EventKind(
    Names("Event", "events", "event", short=("ev",), also=(("events.k8s.io", "v1"),)),
    schema="io.k8s.api.core.v1.Event",
    columns=(
        *shown("Last Seen", "Type", "Reason", "Object"),
        *shown("Subobject", "Source", wide=True),
        *shown("Message"),
        *shown("First Seen", "Count", wide=True),
        Column("Name", format="name", priority=1),
    ),
    converts=True,
    create_on_put=True,
    field_labels=_CORE_LABELS,
)
