"""Changes as lines of a watch.

apiserver/pkg/endpoints/handlers/watch.go and pkg/storage/cacher/cache_watcher.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Callable

import orjson

from nominee.apiserver.http.call import Call
from nominee.apiserver.http.selecting import Selection
from nominee.apiserver.http.table import partial, table_of
from nominee.apiserver.kind import JsonObject
from nominee.store.ports import Change, Stored

INITIAL_EVENTS_END = {"k8s.io/initial-events-end": "true"}

_STARTS = {name: f'{{"type":"{name}","object":'.encode() for name in ("ADDED", "MODIFIED", "DELETED")}


class Events:
    """Writes what one watcher is told, in its form and its version."""

    def __init__(self, call: Call, selection: Selection) -> None:
        self._call = call
        self._selection = selection
        self._everything = selection.everything
        self._headed = True
        self._body = self._body_function()

    def _body_function(self) -> Callable[[Stored], bytes]:
        call = self._call
        if call.form.kind == "Table":
            return self._row
        if call.form.kind:
            return lambda stored: orjson.dumps(partial(stored.object, call.form))
        return call.json_of

    def _row(self, stored: Stored) -> bytes:
        metadata = {"resourceVersion": str(stored.version)}
        table = table_of(self._call, [stored], metadata, headed=self._headed)
        self._headed = False
        return orjson.dumps(table)

    def added(self, stored: Stored) -> bytes:
        """An object that is there at the start."""
        return self._line("ADDED", stored)

    def of(self, change: Change) -> bytes:
        """A change, as it looks to somebody who sees nothing but what is selected; may be nothing."""
        if self._everything:
            return self._line(change.type, change.stored)
        after = change.type != "DELETED" and self._selection.selects(change.stored)
        before = self._was_selected(change)
        if after:
            return self._line("MODIFIED" if before else "ADDED", change.stored)
        return self._line("DELETED", change.stored) if before else b""

    def _was_selected(self, change: Change) -> bool:
        if change.type == "ADDED":
            return False
        return self._selection.selects(change.previous or change.stored)

    def _line(self, kind: str, stored: Stored) -> bytes:
        return b"%b%b}\n" % (_STARTS[kind], self._body(stored))

    def bookmark(self, version: int, annotations: JsonObject | None = None) -> bytes:
        """All up to a version has been told."""
        metadata: JsonObject = {"resourceVersion": str(version), "creationTimestamp": None}
        if annotations:
            metadata["annotations"] = annotations
        return orjson.dumps({"type": "BOOKMARK", "object": self._empty(metadata)}) + b"\n"

    def _empty(self, metadata: JsonObject) -> JsonObject:
        form, place = self._call.form, self._call.place
        item = {"kind": self._call.kind.names.kind, "apiVersion": place.api_version, "metadata": metadata}
        if form.kind == "Table":
            row = {"cells": [], "object": item}
            return {
                "kind": "Table",
                "apiVersion": form.api_version,
                "metadata": {"resourceVersion": metadata["resourceVersion"]},
                "columnDefinitions": None,
                "rows": [row],
            }
        if form.kind:
            return {**item, "kind": "PartialObjectMetadata", "apiVersion": form.api_version}
        return item


def error_line(status: JsonObject) -> bytes:
    """The watch is over, and why."""
    return orjson.dumps({"type": "ERROR", "object": status}) + b"\n"
