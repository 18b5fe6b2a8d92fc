"""Nodes as rows of columns. A row keeps its place until its node goes; then the next node takes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nominee.model.node import Node
from nominee.model.requests import node_allocatable
from nominee.state.arrays import Ids, Ints, Mask, grown
from nominee.state.facts import Fact, FactColumn
from nominee.state.intern import ResourceIndex
from nominee.state.log import ChangeLog

NO_POD = -1


class NodeTable:
    """The columns of all nodes; written by ClusterState alone.

    allocatable, requested, free  (resources, capacity) int64, free = allocatable - requested
    nonzero                       (2, capacity) int64: cpu and memory as scoring counts them
    valid                         (capacity,) bool: rows that are nodes now
    first_pod                     (capacity,) int32: where the node's chain of placed pods begins
    Rows at and above `size` have never been used.
    """

    def __init__(self, resources: ResourceIndex, capacity: int = 64) -> None:
        self.resources = resources
        self.capacity = capacity
        self.size = 0
        self.layout = 0  # changes when arrays were replaced by longer ones or `size` grew
        self.row_of: dict[str, int] = {}
        self.objects: list[Node | None] = []
        self._free_rows: list[int] = []
        rows = len(resources) + 4
        self.allocatable: Ints = np.zeros((rows, capacity), np.int64)
        self.requested: Ints = np.zeros((rows, capacity), np.int64)
        self.free: Ints = np.zeros((rows, capacity), np.int64)
        self.nonzero: Ints = np.zeros((2, capacity), np.int64)
        self.valid: Mask = np.zeros(capacity, np.bool_)
        self.first_pod: Ids = np.full(capacity, NO_POD, np.int32)
        self.facts: dict[Fact[Any], FactColumn[Any]] = {}
        self.object_log = ChangeLog()  # rows whose node object changed
        self.usage_log = ChangeLog()  # rows whose node object or pods changed

    def __len__(self) -> int:
        return len(self.row_of)

    def __iter__(self) -> Iterator[tuple[int, Node]]:
        return ((row, node) for row, node in enumerate(self.objects) if node is not None)

    def name(self, row: int) -> str:
        node = self.objects[row]
        return node.metadata.name if node is not None else ""

    def fact(self, fact: Fact[Any]) -> FactColumn[Any]:
        column = self.facts.get(fact)
        if column is None:
            column = self.facts[fact] = FactColumn(fact, self.capacity, self)
        return column

    def add(self, node: Node) -> int:
        """A row for a node that has none yet."""
        row = self._free_rows.pop() if self._free_rows else len(self.objects)
        if row == len(self.objects):
            self._append_row()
        self.row_of[node.metadata.name] = row
        self.valid[row] = True
        self.replace(row, node)
        return row

    def replace(self, row: int, node: Node) -> None:
        self.objects[row] = node
        self._write_allocatable(row, node)
        for column in self.facts.values():
            column.write(row, node)
        self.object_log.append(row)
        self.usage_log.append(row)

    def remove(self, row: int) -> None:
        del self.row_of[self.name(row)]
        self.objects[row] = None
        self.valid[row] = False
        self.allocatable[:, row] = self.free[:, row] = 0
        for column in self.facts.values():
            column.write(row, None)
        self._free_rows.append(row)
        self.object_log.append(row)
        self.usage_log.append(row)

    def _write_allocatable(self, row: int, node: Node) -> None:
        amounts = {self.resources.intern(name): amount for name, amount in node_allocatable(node).items()}
        self.widen()
        self.allocatable[:, row] = 0
        for column, amount in amounts.items():
            self.allocatable[column, row] = amount
        np.subtract(self.allocatable[:, row], self.requested[:, row], out=self.free[:, row])

    def widen(self) -> None:
        """Room for every resource interned so far."""
        if len(self.resources) <= len(self.allocatable):
            return
        for name in ("allocatable", "requested", "free"):
            narrow = getattr(self, name)
            wide = np.zeros((2 * len(self.resources), self.capacity), np.int64)
            wide[: len(narrow)] = narrow
            setattr(self, name, wide)
        self.layout += 1

    def _append_row(self) -> None:
        self.objects.append(None)
        self.size = len(self.objects)
        self.layout += 1
        if self.size <= self.capacity:
            return
        self.capacity = max(self.size, self.capacity + self.capacity // 2)
        for name in ("allocatable", "requested", "free", "nonzero", "valid", "first_pod"):
            setattr(self, name, grown(getattr(self, name), self.capacity))
        self.first_pod[self.size - 1 :] = NO_POD
        for column in self.facts.values():
            column.grow(self.capacity)
        self.object_log.resize(self.capacity)
        self.usage_log.resize(self.capacity)
