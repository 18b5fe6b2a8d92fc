"""Watches: what is there, if that is wanted, and then every change as it happens.

apiserver/pkg/storage/cacher/cacher.go and pkg/endpoints/handlers/watch.go, v1.37.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterable

from nominee.apiserver.http.call import Call
from nominee.apiserver.http.events import INITIAL_EVENTS_END, Events, error_line
from nominee.apiserver.http.list_options import NOT_OLDER, ListOptions, list_options
from nominee.apiserver.http.message import Stream
from nominee.apiserver.http.reading import found_now
from nominee.apiserver.http.selecting import Selection, selection_of
from nominee.apiserver.http.table import include_of
from nominee.apiserver.status import refusal
from nominee.errors import Expired
from nominee.store.ports import Stored, Watch

_BOOKMARK_SECONDS = 60.0
_SHORTEST = 1800
_PIECE = 64 * 1024


class Watcher:
    """One watch of one client. `now` is a clock that only runs forward."""

    def __init__(self, call: Call, now: Callable[[], float]) -> None:
        self._call = call
        self._now = now
        self._options: ListOptions = list_options(call.request, watch=True)
        self._selection: Selection = selection_of(call)
        if call.form.kind == "Table":
            include_of(call)
        self._events = Events(call, self._selection)

    def stream(self) -> Stream:
        """The answer; what is there is read now, so that nothing is missed."""
        initial, since = self._start()
        return Stream(self._lines(initial, since))

    def _start(self) -> tuple[Iterable[Stored], int]:
        options, store = self._options, self._call.rest.store
        wanted = options.initial_events
        if wanted is None:
            wanted = not options.version
        if wanted:
            return found_now(self._call, self._selection), store.version
        return (), options.version or store.version

    async def _lines(self, initial: Iterable[Stored], since: int) -> AsyncIterator[bytes]:
        end = self._now() + self._seconds()
        store = self._call.rest.store
        try:
            watch = store.watch(self._call.resource, self._call.place.namespace, since)
        except Expired as error:
            yield error_line(gone(error, since, store.version))
            return
        try:
            await store.durable(since if since <= store.version else None)
            for piece in _pieces(map(self._events.added, initial)):
                yield piece
            if self._ends_initial():
                yield self._events.bookmark(since, INITIAL_EVENTS_END)
            async for piece in self._follow(watch, end):
                yield piece
        except Expired as error:
            yield error_line(gone(error, watch.version, store.version))
        finally:
            watch.close()

    def _ends_initial(self) -> bool:
        options = self._options
        return bool(options.initial_events) and options.bookmarks and options.match == NOT_OLDER

    async def _follow(self, watch: Watch, end: float) -> AsyncIterator[bytes]:
        told = watch.version
        bookmark = self._now() + _BOOKMARK_SECONDS
        while (now := self._now()) < end:
            changes = await watch.next(max(min(end, bookmark) - now, 0.0))
            for piece in _pieces(map(self._events.of, changes)):
                yield piece
            if self._now() < bookmark:
                continue
            bookmark = self._now() + _BOOKMARK_SECONDS
            if self._options.bookmarks and watch.version > told:
                told = watch.version
                yield self._events.bookmark(told)

    def _seconds(self) -> float:
        if self._options.timeout and self._options.timeout > 0:
            return float(self._options.timeout)
        return _SHORTEST * (1 + random.random())  # noqa: S311 - so that not all come back at once


def _pieces(lines: Iterable[bytes]) -> Iterable[bytes]:
    """Lines together, in pieces of a bounded size; none that is empty, which would end the answer."""
    gathered: list[bytes] = []
    size = 0
    for line in lines:
        gathered.append(line)
        size += len(line)
        if size >= _PIECE:
            yield b"".join(gathered)
            gathered, size = [], 0
    if size:
        yield b"".join(gathered)


def gone(error: Expired, version: int, current: int) -> dict[str, object]:
    """The Status of a watch that can not go on."""
    if error.body is not None:
        return error.body
    status = refusal(410, "Expired", f"too old resource version: {version} ({current})")
    return status.body or {}
