"""Objects as rows: what `kubectl get` shows.

apiserver/pkg/registry/rest/table.go and pkg/endpoints/handlers/response.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nominee.apiserver.http.accept import Form
from nominee.apiserver.http.call import Call
from nominee.apiserver.http.parameters import not_supported
from nominee.apiserver.kind import Column, JsonObject, Kind
from nominee.apiserver.kinds.table import AGE, age
from nominee.apiserver.status import invalid
from nominee.store.ports import Stored

_BARE = (
    Column("Name", format="name", description="Name must be unique within a namespace."),
    Column("Created At", type="date", description="When the server created the object."),
)
_SCALE = (Column("Name"), Column("Desired", "integer"), Column("Available", "integer"), AGE)
_INCLUDE = ("", "Metadata", "None", "Object")


def include_of(call: Call) -> str:
    """What of the objects goes with their rows; raises 422 if it is none of the three."""
    include = call.request.first("includeObject")
    if include not in _INCLUDE:
        wrong = not_supported("includeObject", include, ("Metadata", "None", "Object"))
        raise invalid("TableOptions", "meta.k8s.io", "", [wrong])
    return include or "Metadata"


def table_of(
    call: Call, chosen: Sequence[Stored], metadata: JsonObject, *, headed: bool = True
) -> JsonObject:
    """A table; `headed` if its columns are described, which those after the first of a watch are not."""
    include = include_of(call)
    now = call.rest.clock.now()
    return {
        "kind": "Table",
        "apiVersion": call.form.api_version,
        "metadata": metadata,
        "columnDefinitions": _definitions(call.kind) if headed else None,
        "rows": [_row(call, stored, now, include) for stored in chosen],
    }


def scale_table(call: Call, scale: JsonObject) -> JsonObject:
    """A Scale as a table (printScale of pkg/printers/internalversion/printers.go, v1.37)."""
    metadata = scale["metadata"]
    numbers = [scale[part].get("replicas", 0) for part in ("spec", "status")]
    row: JsonObject = {
        "cells": [metadata["name"], *numbers, age(metadata.get("creationTimestamp"), call.rest.clock.now())]
    }
    include = include_of(call)
    if include != "None":
        row["object"] = scale if include == "Object" else partial(scale, call.form)
    return {
        "kind": "Table",
        "apiVersion": call.form.api_version,
        "metadata": {"resourceVersion": metadata.get("resourceVersion", "")},
        "columnDefinitions": _described(_SCALE),
        "rows": [row],
    }


def _definitions(kind: Kind) -> list[JsonObject]:
    return _described(kind.columns or _BARE)


def _described(columns: Sequence[Column]) -> list[JsonObject]:
    return [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description,
            "priority": column.priority,
        }
        for column in columns
    ]


def _row(call: Call, stored: Stored, now: float, include: str) -> JsonObject:
    row: JsonObject = {"cells": _cells(call.kind, stored, now)}
    if include == "Object":
        row["object"] = call.shown(stored.object)
    elif include == "Metadata":
        row["object"] = partial(stored.object, call.form)
    return row


def _cells(kind: Kind, stored: Stored, now: float) -> list[Any]:
    if kind.columns:
        return kind.cells(stored, now)
    metadata = stored.object["metadata"]
    return [metadata["name"], metadata.get("creationTimestamp")]


def partial(item: JsonObject, form: Form) -> JsonObject:
    """An object without anything but its metadata."""
    return {"kind": "PartialObjectMetadata", "apiVersion": form.api_version, "metadata": item["metadata"]}
