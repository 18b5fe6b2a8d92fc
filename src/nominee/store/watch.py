"""A reader of changes: a position in the history of a table, and no queue of its own."""

from __future__ import annotations

from asyncio import get_running_loop
from collections.abc import Callable, Sequence

from nominee.errors import Expired
from nominee.store.history import version_of
from nominee.store.ports import Change
from nominee.store.table import Table

BATCH = 1024
"""Changes looked at in one go, so that a watcher from long ago does not stop everybody else."""


class TableWatch:
    """What the store's contract calls `Watch`; `horizon` tells the version up to which all is durable."""

    def __init__(self, table: Table, namespace: str, since: int, horizon: Callable[[], int]) -> None:
        self._table = table
        self._prefix = f"{namespace}/" if namespace else ""
        self._position = table.history.position(since)
        self._horizon = horizon
        self._version = since
        self._closed = False

    async def next(self, seconds: float | None = None) -> Sequence[Change]:
        """All that are there by now, at least one; an empty list after `seconds`, or once it is closed."""
        loop = get_running_loop()
        deadline = None if seconds is None else loop.time() + seconds
        while not self._closed:
            taken = self._take()
            if taken is not None:
                if taken:
                    return taken
            elif not await self._wait(deadline):
                break
        return []

    def _take(self) -> Sequence[Change] | None:
        """Those of the next ones that concern this watch; None if there are none at all."""
        if self._idle:
            self._version = max(self._version, self._horizon())
            return None
        changes = self._read()
        if not changes:
            return None
        self._position += len(changes)
        self._version = version_of(changes[-1])
        prefix = self._prefix
        if not prefix:
            return changes
        return [change for change in changes if change.stored.key.startswith(prefix)]

    def _read(self) -> Sequence[Change]:
        horizon = self._horizon()
        try:
            changes = self._table.history.read(self._position, BATCH)
        except Expired:
            self.close()
            raise
        while changes and version_of(changes[-1]) > horizon:  # few: what is on its way to the disk
            changes = changes[:-1]
        return changes

    async def _wait(self, deadline: float | None) -> bool:
        """Until something has changed; False if that takes too long."""
        loop = get_running_loop()
        waiting = loop.create_future()
        timer = None
        if deadline is not None:
            if loop.time() >= deadline:
                return False
            timer = loop.call_at(deadline, self._table.leave, waiting)
        self._table.wait(waiting)
        try:
            await waiting
        finally:
            if timer is not None:
                timer.cancel()
            self._table.leave(waiting)
        return True

    @property
    def _idle(self) -> bool:
        return self._position == self._table.history.end

    @property
    def version(self) -> int:
        """All up to this version has been handed out or does not concern this watch."""
        if self._idle:
            self._version = max(self._version, self._horizon())
        return self._version

    def close(self) -> None:
        """Nobody reads any more; who waits is told so."""
        self._closed = True
        self._table.wake()
