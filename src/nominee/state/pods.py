"""Placed pods as rows of numbers, chained per node."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nominee.state.arrays import Floats, Ids, Mask, Rows, grown
from nominee.state.nodes import NO_POD
from nominee.state.shapes import Pod

NEVER = float("inf")  # the start time of a pod that has not started


class PodTable:
    """The columns of all placed pods; written by ClusterState alone.

    shape_id     int32, into the ShapeTable
    node_row     int32
    start_time   float64, NEVER without one
    terminating  bool
    next, previous  int32: the chain of pods on one node, in no particular order
    """

    def __init__(self, capacity: int = 256) -> None:
        self.row_of: dict[str, int] = {}  # by uid
        self.pods: list[Pod | None] = []
        self.shape_id: Ids = np.zeros(capacity, np.int32)
        self.node_row: Ids = np.zeros(capacity, np.int32)
        self.start_time: Floats = np.zeros(capacity, np.float64)
        self.terminating: Mask = np.zeros(capacity, np.bool_)
        self.next: Ids = np.zeros(capacity, np.int32)
        self.previous: Ids = np.zeros(capacity, np.int32)
        self._free_rows: list[int] = []

    def __len__(self) -> int:
        return len(self.row_of)

    def __getitem__(self, row: int) -> Pod:
        pod = self.pods[row]
        if pod is None:
            msg = f"no pod has row {row}"
            raise KeyError(msg)
        return pod

    def chain(self, first_pod: Ids, node_row: int) -> Iterator[int]:
        """The pod rows of one node."""
        row = int(first_pod[node_row])
        while row != NO_POD:
            yield row
            row = int(self.next[row])

    def add(self, pod: Pod, node_row: int, first_pod: Ids) -> int:
        row = self._free_rows.pop() if self._free_rows else len(self.pods)
        if row == len(self.pods):
            self.pods.append(None)
            if row >= self.shape_id.size:
                self._grow(2 * self.shape_id.size)
        self.pods[row] = pod
        self.row_of[pod.uid] = row
        self.shape_id[row] = pod.shape.id
        self.node_row[row] = node_row
        self.start_time[row] = NEVER if pod.start_time is None else pod.start_time
        self.terminating[row] = pod.terminating
        head = first_pod[node_row]
        self.next[row] = head
        self.previous[row] = NO_POD
        if head != NO_POD:
            self.previous[head] = row
        first_pod[node_row] = row
        return row

    def renew(self, row: int, pod: Pod) -> bool:
        """Take a newer form of the pod of that row; tells whether its start time is another one."""
        start = NEVER if pod.start_time is None else pod.start_time
        self.pods[row] = pod
        changed = bool(self.start_time[row] != start)
        self.start_time[row] = start
        return changed

    def remove(self, row: int, first_pod: Ids) -> Pod:
        pod = self[row]
        before, after = self.previous[row], self.next[row]
        if before == NO_POD:
            first_pod[self.node_row[row]] = after
        else:
            self.next[before] = after
        if after != NO_POD:
            self.previous[after] = before
        self.pods[row] = None
        del self.row_of[pod.uid]
        self._free_rows.append(row)
        return pod

    def rows(self) -> Rows:
        """Every row in use."""
        return np.fromiter(self.row_of.values(), np.intp, len(self.row_of))

    def _grow(self, capacity: int) -> None:
        for name in ("shape_id", "node_row", "start_time", "terminating", "next", "previous"):
            setattr(self, name, grown(getattr(self, name), capacity))
