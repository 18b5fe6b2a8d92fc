"""Facts of nodes, interned: a label's value, the set of taints, declared features.

A rule about such a fact is evaluated once per distinct value and spread over the rows by id, however
many nodes there are. A column exists from the first time somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from msgspec.structs import replace

from nominee.model.node import Node, Taint
from nominee.state.arrays import Mask, Rows, grown

V_co = TypeVar("V_co", bound=Hashable, covariant=True)
W = TypeVar("W", bound=Hashable)

ABSENT = 0  # the id of "this node has no such fact"


class Fact(Hashable, Protocol[V_co]):
    """Reads one thing off a node object; None when the node lacks it."""

    def of(self, node: Node, /) -> V_co | None: ...


@dataclass(frozen=True, slots=True)
class Label:
    """The value of one label."""

    key: str

    def of(self, node: Node) -> str | None:
        return node.metadata.labels.get(self.key)


@dataclass(frozen=True, slots=True)
class Taints:
    """All taints of the node, in its order and without their times; None without any."""

    def of(self, node: Node) -> tuple[Taint, ...] | None:
        return tuple(replace(t, time_added=None) if t.time_added else t for t in node.spec.taints) or None


@dataclass(frozen=True, slots=True)
class Unschedulable:
    """True on a cordoned node, else None."""

    def of(self, node: Node) -> bool | None:
        return node.spec.unschedulable or None


@dataclass(frozen=True, slots=True)
class DeclaredFeatures:
    """The feature names a node declares, as a set."""

    def of(self, node: Node) -> frozenset[str] | None:
        return frozenset(node.status.declared_features) or None


class FactColumn(Generic[W]):
    """One fact of every row.

    ids     (capacity,) intp: an id per distinct value, ABSENT where the node lacks the fact
    values  by id; `values[ABSENT]` is None, and so are ids that are free for reuse
    """

    __slots__ = ("_fact", "_free", "_id_of", "_uses", "ids", "values")

    def __init__(self, fact: Fact[W], capacity: int, nodes: Iterable[tuple[int, Node]]) -> None:
        self._fact = fact
        self.ids: Rows = np.zeros(capacity, np.intp)
        self.values: list[W | None] = [None]
        self._uses: list[int] = [0]
        self._id_of: dict[W, int] = {}
        self._free: list[int] = []
        for row, node in nodes:
            self.write(row, node)

    @property
    def distinct(self) -> int:
        """How many distinct values the nodes have."""
        return len(self._id_of)

    def write(self, row: int, node: Node | None) -> None:
        value = self._fact.of(node) if node is not None else None
        old = int(self.ids[row])
        if value == self.values[old]:
            return
        self.ids[row] = self._take(value) if value is not None else ABSENT
        if old != ABSENT:
            self._release(old)

    def grow(self, capacity: int) -> None:
        self.ids = grown(self.ids, capacity)

    def id_of(self, value: W) -> int | None:
        """The id of a value that some node has, else None."""
        return self._id_of.get(value)

    def where(self, holds: Callable[[W | None], bool]) -> Mask:
        """By id, whether `holds` of the value: index it with `ids`."""
        return np.fromiter((holds(value) for value in self.values), np.bool_, len(self.values))

    def _take(self, value: W) -> int:
        known = self._id_of.get(value)
        if known is None:
            known = self._free.pop() if self._free else len(self.values)
            if known == len(self.values):
                self.values.append(None)
                self._uses.append(0)
            self._id_of[value], self.values[known] = known, value
        self._uses[known] += 1
        return known

    def _release(self, value_id: int) -> None:
        self._uses[value_id] -= 1
        if not self._uses[value_id]:
            value = self.values[value_id]
            if value is not None:
                del self._id_of[value]
            self.values[value_id] = None
            self._free.append(value_id)
