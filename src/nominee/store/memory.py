"""The store: everything in memory, and a journal for what must survive."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn

from nominee.errors import Conflict, NotFound
from nominee.store.history import History, Window
from nominee.store.journal import FIRST_VERSION, Journal, NoJournal
from nominee.store.ports import Change, ChangeType, JsonObject, Listener, Stored
from nominee.store.record import Record, Trees
from nominee.store.table import Table
from nominee.store.watch import TableWatch

TREES = 8_192


class MemoryStore:
    """What the store's contract calls `Store`; without a journal it lasts as long as its process."""

    def __init__(
        self, journal: Journal | None = None, *, window: Window | None = None, trees: int = TREES
    ) -> None:
        self._journal: Journal = NoJournal() if journal is None else journal
        self._window = window or Window()
        self._trees = Trees(trees)
        self._tables: dict[str, Table] = {}
        self._version = FIRST_VERSION
        self._stirred: set[Table] = set()
        self._listeners: list[tuple[frozenset[str] | None, Listener]] = []
        self._hearing: dict[str, tuple[Listener, ...]] = {}
        self._untold: deque[Change] = deque()
        self._telling = False

    # -- reading ------------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """The version of the latest write."""
        return self._version

    def get(self, resource: str, key: str) -> Stored | None:
        table = self._tables.get(resource)
        return None if table is None else table.records.get(key)

    def list(self, resource: str, namespace: str = "") -> Sequence[Stored]:
        """All of a resource, or of one namespace, by key; a snapshot at `version`."""
        table = self._tables.get(resource)
        return [] if table is None else table.list(namespace)

    def list_at(self, resource: str, namespace: str, version: int) -> Sequence[Stored]:
        """As it was at an earlier version; `Expired` if too long ago."""
        table = self._tables.get(resource)
        return [] if table is None else table.list_at(namespace, version)

    def resources(self) -> Iterator[str]:
        """Every resource of which there is an object."""
        return (name for name, table in self._tables.items() if table.records)

    # -- writing ------------------------------------------------------------------------------------

    def create(self, resource: str, key: str, item: JsonObject) -> Stored:
        """Store a new object, whose resourceVersion it sets in place; raises `KeyError` if one is there."""
        if self.get(resource, key) is not None:
            raise KeyError(f"{resource} {key}")
        return self._write("ADDED", self._next(resource, key, item), None)

    def update(self, resource: str, key: str, item: JsonObject, expected: int | None = None) -> Stored:
        """Replace an object, if its version is still `expected`; raises `Conflict` or `NotFound`."""
        before = self._present(resource, key, expected)
        item["metadata"] = {**item["metadata"]}  # which may be that of the state before
        return self._write("MODIFIED", self._next(resource, before.key, item), before)

    def delete(self, resource: str, key: str, expected: int | None = None) -> Stored:
        """Remove an object; answers with its last state under the version of the deletion."""
        before = self._present(resource, key, expected)
        return self._write("DELETED", before.under(self._version + 1), before)

    def _present(self, resource: str, key: str, expected: int | None) -> Record:
        found = self.get(resource, key)
        if found is None:
            _absent(resource, key)
        if expected is not None and found.version != expected:
            _outdated(resource, key)
        assert isinstance(found, Record)  # noqa: S101 - nothing else is put into a table
        return found

    def _next(self, resource: str, key: str, item: JsonObject) -> Record:
        return Record.of(resource, key, self._version + 1, item, self._trees)

    def _write(self, kind: ChangeType, record: Record, before: Record | None) -> Record:
        change = Change(kind, record, before)
        self._journal.append(change)
        self._version = record.version
        table = self._table(record.resource)
        table.apply(change)
        self._note(table, change)
        self._stirred.add(table)
        if self._journal.version == record.version:
            self.progress()
        self._tell(change)
        return record

    def _note(self, table: Table, change: Change) -> None:
        forgotten = table.history.append(change)
        if forgotten:
            self._journal.forget(table.resource, table.history.floor, list(outlived(forgotten)))

    def _table(self, resource: str) -> Table:
        table = self._tables.get(resource)
        if table is None:
            table = self._tables[resource] = Table(resource, History(self._window))
        return table

    # -- hearing ------------------------------------------------------------------------------------

    def watch(self, resource: str, namespace: str = "", since: int | None = None) -> TableWatch:
        """Changes after version `since` (None: from now on); `Expired` if they are not kept."""
        since = self._version if since is None else since
        return TableWatch(self._table(resource), namespace, since, self._horizon)

    def _horizon(self) -> int:
        return self._journal.version

    def listen(self, listener: Listener, resources: Sequence[str] | None = None) -> Callable[[], None]:
        """Call `listener` within every write, before it returns, durable or not; the answer ends that.

        A listener may write. What it writes is told to all once what it was told has been told to all.
        """
        entry = (None if resources is None else frozenset(resources), listener)
        self._listeners.append(entry)
        self._hearing.clear()

        def leave() -> None:
            if entry in self._listeners:
                self._listeners.remove(entry)
                self._hearing.clear()

        return leave

    def _tell(self, change: Change) -> None:
        if not self._listeners:
            return
        self._untold.append(change)
        if self._telling:
            return
        self._telling = True
        try:
            while self._untold:
                told = self._untold.popleft()
                for listener in self._listeners_of(told.stored.resource):
                    listener(told)
        finally:
            self._telling = False

    def _listeners_of(self, resource: str) -> tuple[Listener, ...]:
        found = self._hearing.get(resource)
        if found is None:
            found = tuple(each for names, each in self._listeners if names is None or resource in names)
            self._hearing[resource] = found
        return found

    # -- durability ---------------------------------------------------------------------------------

    async def durable(self, version: int | None = None) -> None:
        """Wait until all up to a version (None: up to now) is on disk; `StorageError` if it never will be."""
        await self._journal.durable(self._version if version is None else version)

    def progress(self) -> None:
        """More is durable than before: wake those who watch that."""
        durable = self._journal.version
        for table in self._stirred:
            table.wake()
        self._stirred = {table for table in self._stirred if table.latest > durable}

    def close(self) -> None:
        """Write what is left to be written; nothing may be written after."""
        self._journal.close()

    # -- an earlier process's ------------------------------------------------------------------------

    def restore(self, resource: str, key: str, version: int, json: bytes, *, deleted: bool) -> None:
        """A change of an earlier process; they come in order, and so do the floors before them."""
        table = self._table(resource)
        before = table.records.get(key)
        record = Record(resource, key if before is None else before.key, version, json, self._trees)
        kind: ChangeType = "DELETED" if deleted else "ADDED" if before is None else "MODIFIED"
        change = Change(kind, record, before)
        self._version = version
        table.apply(change)
        if version > table.history.floor:
            table.history.append(change)

    def restore_floor(self, resource: str, floor: int) -> None:
        """The past of a resource up to this version is not known."""
        self._tables[resource] = Table(resource, History(self._window, floor))
        self._version = max(self._version, floor)


def outlived(forgotten: Sequence[Change]) -> Iterator[int]:
    """The versions whose states nobody can ask for any more, once these changes are forgotten."""
    for change in forgotten:
        if change.previous is not None:
            yield change.previous.version
        if change.type == "DELETED":
            yield change.stored.version


def _absent(resource: str, key: str) -> NoReturn:
    raise NotFound(404, f'{resource} "{_name(key)}" not found')


def _outdated(resource: str, key: str) -> NoReturn:
    message = (
        f'Operation cannot be fulfilled on {resource} "{_name(key)}": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    raise Conflict(409, message)


def _name(key: str) -> str:
    return key.rpartition("/")[2]
