"""Which rows changed since I last looked: the question behind every remembered answer."""

from __future__ import annotations

import numpy as np

from nominee.state.arrays import Mask, Rows

_FEW = 48


class ChangeLog:
    """An append-only list of changed rows, cut off at the front.

    A reader keeps the position up to which it has seen the log. `since` answers with the distinct
    rows written after it, or None when so much has happened (or the front was cut off) that
    computing everything again is the cheaper way.
    """

    __slots__ = ("_first", "_limit", "_marks", "_rows", "_size", "end")

    def __init__(self, limit: int = 1024) -> None:
        self._rows: Rows = np.zeros(2 * limit, np.intp)  # of which `_size` are written
        self._size = 0
        self._first = 0
        self._limit = limit
        self._marks: Mask = np.zeros(limit, np.bool_)  # by row; all False between two questions
        self.end = 0

    def append(self, row: int) -> None:
        if self._size == self._rows.size:
            self._cut_off()
        self._rows[self._size] = row
        self._size += 1
        self.end += 1

    def _cut_off(self) -> None:
        """Forget the older ones, and make or give back room if the limit has changed."""
        kept = self._rows[self._size - min(self._limit, self._size) : self._size]
        rows: Rows = np.zeros(2 * self._limit, np.intp)
        rows[: kept.size] = kept
        self._first += self._size - kept.size
        self._rows, self._size = rows, kept.size

    def resize(self, limit: int) -> None:
        """Remember about `limit` changes: as many as there are rows is enough."""
        self._limit = max(limit, 1024)

    def since(self, position: int, at_most: int) -> Rows | None:
        start, count = position - self._first, self.end - position
        if start < 0 or count > 4 * at_most:
            return None
        recent = self._rows[start : self._size]
        if count == 1:
            return recent.copy()
        rows = _sorted_set(recent) if count <= _FEW else self._marked(recent)
        return None if rows.size > at_most else rows

    def _marked(self, recent: Rows) -> Rows:
        """The distinct ones in order: for many, marks are cheaper than a set."""
        highest = int(recent.max())
        if highest >= self._marks.size:
            self._marks = np.zeros(max(highest + 1, self._limit), np.bool_)
        self._marks[recent] = True
        rows = np.flatnonzero(self._marks)
        self._marks[rows] = False
        return rows


def _sorted_set(rows: Rows) -> Rows:
    return np.array(sorted(set(rows.tolist())), np.intp)
