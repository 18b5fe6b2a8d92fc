"""Which nodes have which image, and how large it is there."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from nominee.model.node import Node
from nominee.state.arrays import Ints, Rows, grown

_FEW = 16  # nodes: to go through them is cheaper than a column is to keep
_MEMORY = 16 << 20  # bytes of columns to keep


class ImageTable:
    """By image name: row to size in bytes. `version` changes with anything in it.

    An image of many nodes that somebody has asked for is a column as well.
    """

    def __init__(self) -> None:
        self._sizes: dict[str, dict[int, int]] = {}
        self._columns: OrderedDict[str, Ints] = OrderedDict()
        self.version = 0

    def replace(self, row: int, old: Node | None, new: Node | None) -> None:
        before = old.status.images if old is not None else ()
        after = new.status.images if new is not None else ()
        if before == after:
            return
        self.version += 1
        for image in before:
            for name in image.names:
                self._remove(name, row)
        for image in reversed(after):  # a name that a node gives twice means the first
            for name in image.names:
                self._sizes.setdefault(name, {})[row] = image.size_bytes
                if name in self._columns:
                    self._room_for(name, row + 1)[row] = image.size_bytes

    def sizes(self, name: str) -> dict[int, int]:
        """Row to size of the nodes that have the image."""
        return self._sizes.get(name, {})

    def sizes_on(self, name: str, rows: Rows, size: int) -> Ints:
        """The size of the image on each of these rows, which are below `size`; 0 where it is not."""
        sizes = self.sizes(name)
        if len(rows) <= _FEW:
            return np.fromiter((sizes.get(row, 0) for row in rows.tolist()), np.int64, len(rows))
        if len(sizes) <= _FEW:
            return _column(sizes, size)[rows]
        if name not in self._columns:
            self._columns[name] = _column(sizes, size)
            while len(self._columns) > max(8, _MEMORY // (8 * size)):
                self._columns.popitem(last=False)
        self._columns.move_to_end(name)
        return self._room_for(name, size)[rows]

    def _remove(self, name: str, row: int) -> None:
        sizes = self._sizes.get(name, {})
        if sizes.pop(row, None) is not None and name in self._columns:
            self._columns[name][row] = 0
        if not sizes:
            self._sizes.pop(name, None)
            self._columns.pop(name, None)

    def _room_for(self, name: str, size: int) -> Ints:
        column = self._columns[name]
        if column.size < size:
            column = self._columns[name] = grown(column, size + size // 2)
        return column


def _column(sizes: dict[int, int], size: int) -> Ints:
    column = np.zeros(size, np.int64)
    column[list(sizes)] = list(sizes.values())
    return column
