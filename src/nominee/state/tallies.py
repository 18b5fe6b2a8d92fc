"""Tallies: how many pods of a kind stand on each node, kept up to date as pods come and go.

Rules across nodes (spread, pod affinity) reduce to such counts. A column exists from the first time
a tally is asked for; columns nobody asked for lately are dropped and can be counted again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Protocol

from nominee.state.arrays import Ints, grown
from nominee.state.shapes import Shape

_MEMORY = 64 << 20  # bytes of columns to keep


class Tally(Hashable, Protocol):
    """What a placed pod counts for, read off its shape. Equal tallies share a column."""

    @property
    def alive_only(self) -> bool:
        """Whether terminating pods count for nothing."""
        ...

    def of(self, shape: Shape, /) -> int: ...


class TallyTable:
    """One int64 column of the nodes' capacity per tally in use."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._columns: OrderedDict[Tally, Ints] = OrderedDict()
        self._version = 0  # of the set of columns: each shape remembers which of them it counts in

    def get(self, tally: Tally) -> Ints | None:
        column = self._columns.get(tally)
        if column is not None:
            self._columns.move_to_end(tally)
        return column

    def items(self) -> list[tuple[Tally, Ints]]:
        return list(self._columns.items())

    def put(self, tally: Tally, column: Ints) -> None:
        self._columns[tally] = column
        self._version += 1
        most = max(32, _MEMORY // (8 * self.capacity))
        while len(self._columns) > most:
            self._columns.popitem(last=False)

    def count(self, shape: Shape, row: int, sign: int, *, terminating: bool) -> None:
        """A pod of this shape came to (+1) or left (-1) the row."""
        if shape.tallies_version != self._version:
            shape.tallies = [
                (column, amount, tally.alive_only)
                for tally, column in self._columns.items()
                if (amount := tally.of(shape))
            ]
            shape.tallies_version = self._version
        for column, amount, alive_only in shape.tallies:
            if not (alive_only and terminating):
                column[row] += sign * amount

    def grow(self, capacity: int) -> None:
        self.capacity = capacity
        for tally, column in self._columns.items():
            self._columns[tally] = grown(column, capacity)
        self._version += 1
