"""Nominations: which pending pod expects which node, for nodes that do not exist (yet) too.

They live beside the columns, not in the queue, because filters must see nominated pods as if they
stood on their nodes. A nomination is a slot of a few arrays; slots are packed, so the arrays are as
long as there are nominations, whatever names these carry.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nominee.state.arrays import Ints, Rows, grown
from nominee.state.log import ChangeLog
from nominee.state.shapes import Pod

NO_ROW = -1


class Nominations:
    """By uid and by node name; `rows`, `priority`, `shape_ids` by slot, below `len(self)`."""

    def __init__(self, row_of_node: Callable[[str], int | None]) -> None:
        self._row_of_node = row_of_node
        self._slot_of: dict[str, int] = {}
        self._on_node: dict[str, dict[str, None]] = {}
        self.pods: list[Pod] = []
        self.names: list[str] = []
        self._rows: Rows = np.zeros(16, np.intp)
        self._priority: Ints = np.zeros(16, np.int64)
        self._shape_ids: Rows = np.zeros(16, np.intp)
        self.log = ChangeLog()  # rows of nodes that gained or lost a nomination

    def __len__(self) -> int:
        return len(self.pods)

    def __contains__(self, uid: object) -> bool:
        return uid in self._slot_of

    def node_of(self, uid: str) -> str:
        """The node a pod is nominated to, or ""."""
        slot = self._slot_of.get(uid)
        return self.names[slot] if slot is not None else ""

    def on_node(self, name: str) -> list[Pod]:
        """The pods nominated to a node, whether it exists or not."""
        return [self.pods[self._slot_of[uid]] for uid in self._on_node.get(name, ())]

    @property
    def rows(self) -> Rows:
        """By slot, the node's row, or NO_ROW while there is no such node."""
        return self._rows[: len(self.pods)]

    @property
    def priority(self) -> Ints:
        return self._priority[: len(self.pods)]

    @property
    def shape_ids(self) -> Rows:
        return self._shape_ids[: len(self.pods)]

    def add(self, pod: Pod, node_name: str) -> None:
        """Nominate, in place of any earlier nomination of the pod."""
        self.remove(pod.uid)
        slot = len(self.pods)
        if slot == self._rows.size:
            for name in ("_rows", "_priority", "_shape_ids"):
                setattr(self, name, grown(getattr(self, name), 2 * slot))
        self.pods.append(pod)
        self.names.append(node_name)
        self._slot_of[pod.uid] = slot
        self._on_node.setdefault(node_name, {})[pod.uid] = None
        row = self._row_of_node(node_name)
        self._rows[slot] = NO_ROW if row is None else row
        self._log(slot)
        self._priority[slot] = pod.priority
        self._shape_ids[slot] = pod.shape.id

    def remove(self, uid: str) -> bool:
        slot = self._slot_of.pop(uid, None)
        if slot is None:
            return False
        self._leave_node(self.names[slot], uid)
        self._log(slot)
        last_pod, last_name = self.pods.pop(), self.names.pop()
        last = len(self.pods)
        if slot != last:
            self.pods[slot], self.names[slot] = last_pod, last_name
            self._slot_of[last_pod.uid] = slot
            for array in (self._rows, self._priority, self._shape_ids):
                array[slot] = array[last]
        return True

    def node_changed(self, name: str) -> None:
        """A node of this name came or went."""
        row = self._row_of_node(name)
        for uid in self._on_node.get(name, ()):
            slot = self._slot_of[uid]
            self._log(slot)
            self._rows[slot] = NO_ROW if row is None else row
            self._log(slot)

    def weighty(self, priority: int, but_for: str) -> Rows:
        """The slots, on nodes that exist, of other pods with at least this priority."""
        if not self.pods:
            return _NONE
        own = self._slot_of.get(but_for)
        counts = (self.priority >= priority) & (self.rows != NO_ROW)
        if own is not None:
            counts[own] = False
        return np.flatnonzero(counts)

    def _log(self, slot: int) -> None:
        if self._rows[slot] != NO_ROW:
            self.log.append(int(self._rows[slot]))

    def _leave_node(self, name: str, uid: str) -> None:
        on_node = self._on_node[name]
        del on_node[uid]
        if not on_node:
            del self._on_node[name]


_NONE: Rows = np.zeros(0, np.intp)
