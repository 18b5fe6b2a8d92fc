"""How tests of kinds read: an object goes the way of a write, and what is said of it is compared."""

from __future__ import annotations

import copy
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind
from nominee.apiserver.kinds.metadata import validate_metadata, validate_metadata_update
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

NOW = "2026-01-31T12:00:00Z"
CONTEXT = Context(now=NOW)


def metadata(**more: Any) -> JsonObject:
    return {"name": "a", "namespace": "default", **more}


def made(kind: Kind, item: JsonObject) -> JsonObject:
    """What becomes of a new object before it is validated."""
    item = copy.deepcopy(item)
    if not kind.names.namespaced:
        item["metadata"].pop("namespace", None)
    item.setdefault("apiVersion", kind.names.api_version)
    kind.default(item)
    kind.prepare_create(item, CONTEXT)
    return item


def told(errors: Any) -> list[str]:
    """Errors as users read them, in the order of their fields."""
    return sorted(f"{error.field}: {error.message}" for error in errors)


def errors_of(kind: Kind, item: JsonObject) -> list[str]:
    """What is said of a new object."""
    item = made(kind, item)
    found: list[FieldError] = [*validate_metadata(item, kind), *kind.validate(item)]
    return told(found)


def errors_of_update(kind: Kind, item: JsonObject, old: JsonObject, *, part: str = "") -> list[str]:
    """What is said of a change; both come as they are stored or sent."""
    item, rules = copy.deepcopy(item), kind.part(part) if part else kind
    item["metadata"].setdefault("resourceVersion", "1")
    kind.default(item)
    if part == "status":
        kind.prepare_status(item, old, CONTEXT)
        errors = kind.validate_status(item, old, CONTEXT)
    else:
        rules.prepare_update(item, old, CONTEXT)
        item["metadata"].setdefault("resourceVersion", "1")
        errors = rules.validate_update(item, old, CONTEXT)
    return told([*validate_metadata_update(item, old), *errors])


class Shown:
    """A stored object, as far as cells look at it."""

    def __init__(self, item: JsonObject) -> None:
        self.object = item
        self.resource = self.key = ""
        self.version = 1
        self.json = b""


def row(kind: Kind, item: JsonObject, now: float = 0.0) -> dict[str, Any]:
    """The cells of an object by the names of their columns."""
    stored: Stored = Shown(item)
    cells = kind.cells(stored, now)
    assert len(cells) == len(kind.columns)
    return {column.name: cell for column, cell in zip(kind.columns, cells, strict=True)}
