"""Host ports in use, by port: few pods have any, and those that ask want one answer for all nodes."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import NamedTuple

import numpy as np

from nominee.state.arrays import Ints, Mask, Rows, grown
from nominee.state.shapes import Shape

ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - a value to compare with, nothing is bound


class HostPort(NamedTuple):
    """A port that a container wants on its node."""

    protocol: str
    address: str
    port: int

    def conflicts(self, other: HostPort) -> bool:
        """Reproduces HostPortInfo.CheckConflict (k8s.io/kube-scheduler/framework/types.go, v1.37)."""
        if (self.protocol, self.port) != (other.protocol, other.port):
            return False
        return self.address == other.address or ANY_ADDRESS in (self.address, other.address)


def host_ports(shape: Shape) -> tuple[HostPort, ...]:
    """The host ports of containers and sidecars.

    Reproduces GetHostPorts (pkg/scheduler/util/utils.go, v1.37).
    """
    spec = shape.spec
    containers = [*spec.containers, *(c for c in spec.init_containers if c.restartable)]
    return tuple(
        HostPort(p.protocol or "TCP", p.host_ip or ANY_ADDRESS, p.host_port)
        for container in containers
        for p in container.ports
        if p.host_port > 0
    )


_FEW = 16  # nodes: to go through them is cheaper than a column is to keep
_MOST = 8  # columns of one port: as many addresses as pods ask for at a time


class PortTable:
    """Which rows use a (protocol, port), and how many pods there use each address of it.

    What somebody has asked of a port that many rows use is a column as well: by row, how many uses
    conflict with that.
    """

    def __init__(self) -> None:
        self._users: dict[tuple[str, int], dict[int, Counter[HostPort]]] = {}
        self._columns: dict[tuple[str, int], OrderedDict[HostPort, Ints]] = {}

    def count(self, shape: Shape, row: int, sign: int) -> None:
        for wanted in shape.memo(host_ports, host_ports):
            key = (wanted.protocol, wanted.port)
            rows = self._users.setdefault(key, {})
            uses = rows.setdefault(row, Counter())
            uses[wanted] += sign
            if key in self._columns:
                self._count_in_columns(wanted, row, sign)
            if not uses[wanted]:
                del uses[wanted]
            if not uses:
                del rows[row]
            if not rows:
                del self._users[key]
                self._columns.pop(key, None)

    def conflicting(self, wanted: HostPort, size: int) -> Mask:
        """The rows below `size` where this port is taken."""
        users = self._users.get((wanted.protocol, wanted.port), {})
        if len(users) > _FEW:
            taken: Mask = self._column(wanted, size)[:size] > 0
            return taken
        taken = np.zeros(size, np.bool_)
        taken[[row for row, uses in users.items() if any(map(wanted.conflicts, uses))]] = True
        return taken

    def conflicting_on(self, wanted: HostPort, rows: Rows) -> Mask:
        """Whether the port is taken on each of a few rows."""
        users = self._users.get((wanted.protocol, wanted.port), {})
        taken = [any(map(wanted.conflicts, users.get(row, ()))) for row in rows.tolist()]
        return np.array(taken, np.bool_)

    def uses(self, wanted: HostPort, row: int) -> Counter[HostPort]:
        """The uses of this protocol and port on one row."""
        return self._users.get((wanted.protocol, wanted.port), {}).get(row, Counter())

    def _column(self, wanted: HostPort, size: int) -> Ints:
        columns = self._columns.setdefault((wanted.protocol, wanted.port), OrderedDict())
        column = columns.get(wanted)
        if column is None:
            column = np.zeros(size, np.int64)
            for row, uses in self._users[wanted.protocol, wanted.port].items():
                column[row] = sum(uses[used] for used in uses if wanted.conflicts(used))
        elif column.size < size:
            column = grown(column, size + size // 2)
        columns[wanted] = column
        columns.move_to_end(wanted)
        if len(columns) > _MOST:
            columns.popitem(last=False)
        return column

    def _count_in_columns(self, used: HostPort, row: int, sign: int) -> None:
        columns = self._columns[used.protocol, used.port]
        for wanted, column in columns.items():
            if wanted.conflicts(used):
                if row >= column.size:
                    column = columns[wanted] = grown(column, row + row // 2 + 1)  # noqa: PLW2901
                column[row] += sign
