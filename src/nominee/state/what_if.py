"""What if other pods stood on these nodes? Nominated pods added, victims removed, all rows in one call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nominee.state.arrays import Ints, Mask, Rows
from nominee.state.facts import Fact
from nominee.state.ports import HostPort, host_ports
from nominee.state.shapes import Pod
from nominee.state.view import Node, NodeView, lazy

if TYPE_CHECKING:
    from nominee.state.shapes import Shape
    from nominee.state.tallies import Tally


class WhatIf(NodeView):
    """A view whose pods differ from what they are: each position is a world in which only its node differs.

    A host port is taken or it is not: when two pods were forced onto a node with the same port and one
    of them is supposed away, the port counts as free, as in upstream's HostPortInfo.

    `add` and `remove` change the supposition; columns and `moved` follow. A node may appear at
    several positions, and the base may itself be a what-if.
    """

    def __init__(self, base: NodeView) -> None:
        self._cluster = base._cluster
        self._base = base
        self.rows = base.rows
        self.valid = base.valid
        self.requested = base.requested.copy()
        self.free = base.free.copy()
        self.nonzero = base.nonzero.copy()
        self._moves: list[tuple[Rows, Rows, int]] = []
        self._moved: dict[Tally, Ints] = {}
        self._moved_shapes = set(base.moved_shapes())
        self._shapes_read = 0  # how many of the moves are in it
        self._port_moves = {position: dict(moves) for position, moves in base.port_moves().items()}

    def __len__(self) -> int:
        return len(self.rows)

    @lazy
    def allocatable(self) -> Ints:
        return self._base.allocatable

    def add(self, positions: Rows, shape_ids: Rows) -> None:
        """Suppose a pod of shape `shape_ids[i]` on `positions[i]`, for every i."""
        self._move(positions, shape_ids, 1)

    def remove(self, positions: Rows, shape_ids: Rows) -> None:
        """Suppose a pod of shape `shape_ids[i]` away from `positions[i]`, for every i."""
        self._move(positions, shape_ids, -1)

    def ids(self, fact: Fact[Any]) -> Rows:
        return self._base.ids(fact)

    def tally(self, tally: Tally) -> Ints:
        return self._base.tally(tally)

    def moved(self, tally: Tally) -> Ints | None:
        moved = self._moved.get(tally)
        if moved is None:
            before = self._base.moved(tally)
            moved = np.zeros(len(self), np.int64) if before is None else before.copy()
            self._moved[tally] = moved
            for positions, shape_ids, sign in self._moves:
                np.add.at(moved, positions, sign * self._worth(tally, shape_ids))
        return moved

    def moved_shapes(self) -> Iterable[Shape]:
        for _, shape_ids, _ in self._moves[self._shapes_read :]:
            self._moved_shapes.update(self._cluster.shapes[i] for i in np.unique(shape_ids).tolist())
        self._shapes_read = len(self._moves)
        return self._moved_shapes

    def port_conflicts(self, wanted: HostPort) -> Mask:
        taken = self._base.port_conflicts(wanted)
        for position, moves in self._port_moves.items():
            used = dict.fromkeys(self._cluster.ports.uses(wanted, int(self.rows[position])), True)
            used |= moves
            taken[position] = any(here and wanted.conflicts(port) for port, here in used.items())
        return taken

    def port_moves(self) -> Mapping[int, Mapping[HostPort, bool]]:
        return self._port_moves

    def shape_moves(self, position: int) -> Mapping[int, int]:
        moves = Counter(self._base.shape_moves(position))
        for positions, shape_ids, sign in self._moves:
            for shape_id in shape_ids[positions == position].tolist():
                moves[shape_id] += sign
        return moves

    def node(self, position: int) -> Node:
        return SupposedNode(self, position)

    def _move(self, positions: Rows, shape_ids: Rows, sign: int) -> None:
        shapes = self._cluster.shapes
        height = min(len(self.free), len(shapes.amounts))  # rows beyond either are nobody's resource
        alike = len(_distinct(shape_ids)) == 1
        worth = shape_ids[:1] if alike else shape_ids  # of one shape all: one column for all positions
        amounts = shapes.amounts[:height].take(worth, axis=1)
        one_each = positions.size == 1 or bool((positions[1:] > positions[:-1]).all())
        everywhere = one_each and positions.size == len(self)
        chosen: Rows | slice = slice(None) if everywhere else positions
        for column, change in (
            (self.requested, sign * amounts),
            (self.free, -sign * amounts),
            (self.nonzero, sign * shapes.nonzero.take(worth, axis=1)),
        ):
            changed = column[: len(change)]
            if one_each:
                changed[:, chosen] += change
            else:
                np.add.at(changed.T, positions, change.T)
        self._moves.append((positions, shape_ids, sign))
        for tally, moved in self._moved.items():
            np.add.at(moved, positions, sign * self._worth(tally, shape_ids))
        self._move_ports(positions, shape_ids, sign)

    def _move_ports(self, positions: Rows, shape_ids: Rows, sign: int) -> None:
        shapes = self._cluster.shapes
        with_ports = [i for i in _distinct(shape_ids) if shapes[i].has_host_ports]
        for i in np.flatnonzero(np.isin(shape_ids, with_ports)) if with_ports else ():
            moves = self._port_moves.setdefault(int(positions[i]), {})
            moves |= dict.fromkeys(host_ports(shapes[shape_ids[i]]), sign > 0)

    def _worth(self, tally: Tally, shape_ids: Rows) -> Ints:
        worth = np.zeros(self._cluster.shapes.priority.size, np.int64)
        for shape_id in _distinct(shape_ids):
            worth[shape_id] = tally.of(self._cluster.shapes[shape_id])
        return worth[shape_ids]


def _distinct(shape_ids: Rows) -> list[int]:
    """What np.unique gives, a good deal faster for small numbers many of which are equal."""
    if shape_ids.size < _FEW:
        return sorted(set(shape_ids.tolist()))
    distinct: list[int] = np.flatnonzero(np.bincount(shape_ids)).tolist()
    return distinct


_FEW = 64


class SupposedNode(Node):
    """One node of a what-if, for plugins that look at one node at a time.

    A what-if knows shapes, not pods: of equal pods it is open which have gone, and where no nominated
    pod accounts for one that came, it is the first ever seen of its shape.
    """

    __slots__ = ("_position", "_view")

    def __init__(self, view: WhatIf, position: int) -> None:
        super().__init__(view._cluster, int(view.rows[position]))
        self._view = view
        self._position = position

    @property
    def requested(self) -> dict[str, int]:
        return self._by_name(self._view.requested[:, self._position])

    @property
    def free(self) -> dict[str, int]:
        return self._by_name(self._view.free[:, self._position])

    @property
    def pods(self) -> list[Pod]:
        pods = self._cluster.pods_on(self.name)
        for shape_id, change in self._view.shape_moves(self._position).items():
            if change < 0:
                gone = [pod for pod in pods if pod.shape.id == shape_id][:-change]
                pods = [pod for pod in pods if pod not in gone]
            else:
                pods += self._more(shape_id, change)
        return pods

    def _more(self, shape_id: int, count: int) -> list[Pod]:
        shape = self._cluster.shapes[shape_id]
        nominated = [pod for pod in self._cluster.nominations.on_node(self.name) if pod.shape is shape]
        others = [Pod(shape.example, shape) for _ in range(count - len(nominated))]
        return [*nominated[:count], *others]
