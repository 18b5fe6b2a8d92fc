"""The durable store: a thread that writes what has gathered meanwhile, one commit after the other."""

from __future__ import annotations

import os
import sqlite3
from asyncio import AbstractEventLoop, Future, get_running_loop
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from nominee.errors import StorageError
from nominee.store.database import Database, Row
from nominee.store.history import Window
from nominee.store.lock import DirectoryLock
from nominee.store.memory import TREES, MemoryStore
from nominee.store.ports import Change

_FORGET_AT_ONCE = 512
"""Old rows removed in one commit, so that none takes long for their sake."""

Failed = Callable[[StorageError], None]


@dataclass(slots=True)
class Batch:
    """What is committed together."""

    rows: list[Row] = field(default_factory=list)
    forgotten: list[int] = field(default_factory=list)
    floors: dict[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.rows or self.forgotten or self.floors)


class SqliteJournal:
    """Group commit: while one batch is on its way to the disk, the next one gathers.

    The first error of the disk is the last thing that happens: whoever waits is told, nothing more is
    accepted, and `on_failure` is called.
    """

    def __init__(self, database: Database, version: int, leftover: list[int], on_failure: Failed) -> None:
        self.version = version
        self.on_progress: Callable[[], None] = _nothing
        self._database = database
        self._loop: AbstractEventLoop = get_running_loop()
        self._on_failure = on_failure
        self._failure: StorageError | None = None
        self._gathering = Batch()
        self._forgotten = leftover
        self._writing = False
        self._handing_over = False
        self._waiting: list[tuple[int, Future[None]]] = []
        self._batches: SimpleQueue[Batch | None] = SimpleQueue()
        self._thread = Thread(target=self._write, name="store", daemon=True)
        self._thread.start()

    # -- the event loop's side ----------------------------------------------------------------------

    def append(self, change: Change) -> None:
        """Begin to write a change down; raises `StorageError` if the disk has failed before."""
        if self._failure is not None:
            raise self._failure
        stored = change.stored
        row = Row(stored.version, stored.resource, stored.key, change.type == "DELETED", stored.json)
        self._gathering.rows.append(row)
        self._arrange()

    def forget(self, resource: str, floor: int, versions: Sequence[int]) -> None:
        """The past of a resource up to `floor` is not asked for any more, nor are these states."""
        self._gathering.floors[resource] = floor
        self._forgotten.extend(versions)
        self._arrange()

    async def durable(self, version: int) -> None:
        """Wait until all up to a version is on disk; raises `StorageError` if it will never be."""
        if version <= self.version:
            return
        if self._failure is not None:
            raise self._failure
        waiting: Future[None] = self._loop.create_future()
        self._waiting.append((version, waiting))
        await waiting

    def _arrange(self) -> None:
        """Hand over at the end of this turn of the loop, so that one commit serves all that it does."""
        if not (self._writing or self._handing_over):
            self._handing_over = True
            self._loop.call_soon(self._hand_over)

    def _hand_over(self) -> None:
        self._handing_over = False
        if self._failure is not None or self._writing:
            return
        batch = self._take()
        if batch:
            self._writing = True
            self._batches.put(batch)

    def _take(self) -> Batch:
        batch, self._gathering = self._gathering, Batch()
        batch.forgotten = self._forgotten[:_FORGET_AT_ONCE]
        del self._forgotten[:_FORGET_AT_ONCE]
        return batch

    def _committed(self, version: int) -> None:
        self._writing = False
        self.version = max(self.version, version)
        if self._gathering or self._forgotten:
            self._hand_over()
        waiting, self._waiting = self._waiting, []
        for asked, each in waiting:
            if asked > self.version:
                self._waiting.append((asked, each))
            elif not each.done():
                each.set_result(None)
        self.on_progress()

    def _failed(self, error: Exception) -> None:
        """Nothing that has not been acknowledged by now ever will be."""
        self._failure = StorageError(f"{self._database.path}: {error}")
        for _, each in self._waiting:
            if not each.done():
                each.set_exception(self._failure)
        self._waiting.clear()
        self._on_failure(self._failure)

    def close(self) -> None:
        """Write what is left, and end; what fails now was not acknowledged."""
        if self._failure is None:
            self._batches.put(self._take())
        self._batches.put(None)
        self._thread.join()
        self._database.close()

    # -- the thread's side --------------------------------------------------------------------------

    def _write(self) -> None:
        while (batch := self._batches.get()) is not None:
            try:
                self._database.write(batch.rows, batch.forgotten, batch.floors)
            except (sqlite3.Error, OSError) as error:
                self._report(self._failed, error)
                return
            self._report(self._committed, batch.rows[-1].version if batch.rows else 0)

    def _report(self, what: Callable[..., None], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody is there to hear it
            self._loop.call_soon_threadsafe(what, *arguments)


class SqliteStore(MemoryStore):
    """A store whose changes survive; `close` also gives the directory free."""

    def __init__(
        self,
        directory: Path,
        *,
        window: Window | None = None,
        trees: int = TREES,
        on_failure: Failed | None = None,
    ) -> None:
        _make(directory)
        super().__init__(window=window, trees=trees)
        self._lock = DirectoryLock(directory)
        try:
            self._database = Database(directory)
            leftover = self._load()
        except StorageError:
            self._lock.release()
            raise
        journal = SqliteJournal(self._database, self.version, leftover, on_failure or _nothing)
        journal.on_progress = self.progress
        self._journal = journal

    def _load(self) -> list[int]:
        """Take in what earlier processes wrote; answers with rows that should have been removed."""
        leftover: list[int] = []
        with self._database.reading():
            floors = self._database.floors()
            for resource, floor in floors.items():
                self.restore_floor(resource, floor)
            for row in self._database.rows():
                if row.version <= floors.get(row.resource, 0):
                    before = self.get(row.resource, row.key)
                    leftover += [] if before is None else [before.version]
                    leftover += [row.version] if row.deleted else []
                self.restore(row.resource, row.key, row.version, row.json, deleted=bool(row.deleted))
        return leftover

    def close(self) -> None:
        """Write what is left, and give the directory free."""
        super().close()
        self._lock.release()


def _make(directory: Path) -> None:
    """The data are secrets too: nobody else may look."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{directory}: {error.strerror}: name another --data") from None
    if not os.access(directory, os.R_OK | os.W_OK | os.X_OK):
        raise StorageError(f"{directory}: not writable: name another --data")


def _nothing(*_: object) -> None:
    """Nobody wants to know."""
