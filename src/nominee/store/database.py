"""The file: a log of changes in SQLite, of which the past that nobody asks for is removed.

Every write is one row at the end of one table. The state of an object is the last row of its key; the
rows before it stay for as long as they are part of the window that watches resume from. The last row
of all is always in that window, so that versions never go back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from nominee.errors import StorageError

FORMAT = 1
"""Raise it when what is written can not be read by what was released before."""

NAME = "cluster.db"
APPLICATION_ID = 0x4E6F6D69  # "Nomi"
_PAGE_SIZE = 16_384  # objects take some 2 KiB: measured, a fifth less work than with 4 KiB
_CHECKPOINT_PAGES = 2_000
_ROWS = 64
_COLUMNS = "(version, resource, key, deleted, json)"

_SCHEMA = """
create table change (
    version integer primary key,
    resource text not null,
    key text not null,
    deleted integer not null,
    json blob not null
) strict;
create table floor (
    resource text primary key,
    version integer not null
) strict, without rowid;
"""


class Row(NamedTuple):
    """A change as it is written down."""

    version: int
    resource: str
    key: str
    deleted: bool
    json: bytes


class Database:
    """The file of a data directory; raises `StorageError` with one line for what is wrong with it."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / NAME
        with self.reading():
            self.path.touch(0o600)
            # The thread that opens it reads it once; from then on it belongs to the thread that writes.
            self._connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            with self.reading():
                self._prepare()
        except StorageError:
            self._connection.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Whatever is wrong with the file is a `StorageError` that names it."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StorageError(f"{self.path}: {error}") from error

    def _prepare(self) -> None:
        execute = self._connection.execute
        execute(f"pragma page_size={_PAGE_SIZE}")
        found = int(execute("pragma user_version").fetchone()[0])
        if found > FORMAT:
            problem = f"written by a newer nominee (format {found}, this one knows up to {FORMAT})"
            raise StorageError(f"{self.path}: {problem}: upgrade, or name another --data")
        execute("pragma journal_mode=wal")
        execute("pragma synchronous=full")
        execute(f"pragma wal_autocheckpoint={_CHECKPOINT_PAGES}")
        if found == 0:
            self._create()

    def _create(self) -> None:
        if self._connection.execute("select count(*) from sqlite_schema").fetchone()[0]:
            raise StorageError(f"{self.path}: not a database of nominee: name another --data")
        versions = f"pragma application_id={APPLICATION_ID}; pragma user_version={FORMAT}"
        self._connection.executescript(f"begin; {_SCHEMA} {versions}; commit")

    def floors(self) -> dict[str, int]:
        """Up to which version the past of a resource has been removed, where some has."""
        return dict(self._connection.execute("select resource, version from floor"))

    def rows(self) -> Iterator[Row]:
        """All that is written, in order."""
        found = self._connection.execute(
            "select version, resource, key, deleted, json from change order by version"
        )
        return map(Row._make, found)

    def write(self, rows: Sequence[Row], forgotten: Sequence[int], floors: dict[str, int]) -> None:
        """Commit all of this, or none of it: when it returns it is on disk."""
        self._connection.execute("begin immediate")
        self._insert(rows)
        self._delete(forgotten)
        for resource, version in floors.items():
            self._connection.execute("replace into floor values (?, ?)", (resource, version))
        self._connection.execute("commit")

    def _insert(self, rows: Sequence[Row]) -> None:
        """Many rows in a statement, because each statement gives up the interpreter's lock and gets it again.

        While the event loop is busy a thread waits some milliseconds for that.
        """
        for start in range(0, len(rows), _ROWS):
            some = rows[start : start + _ROWS]
            values = ",".join(("(?,?,?,?,?)",) * len(some))
            arguments = [value for row in some for value in row]
            self._connection.execute(f"insert into change {_COLUMNS} values {values}", arguments)  # noqa: S608

    def _delete(self, versions: Sequence[int]) -> None:
        if versions:
            marks = ",".join("?" * len(versions))
            self._connection.execute(f"delete from change where version in ({marks})", versions)  # noqa: S608

    def close(self) -> None:
        self._connection.close()
