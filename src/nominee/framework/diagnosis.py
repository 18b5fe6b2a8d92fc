"""Why a pod fits nowhere: every node's first failing plugin, as columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from nominee.framework.results import Narrow, Reject
from nominee.state.arrays import Ints, Mask, Rows
from nominee.state.cluster import ClusterState
from nominee.state.view import AllNodes, NodeView

PASSED = -1


@dataclass(frozen=True, slots=True)
class Status:
    """What a plugin said of one node."""

    plugin: str
    reasons: tuple[str, ...]
    unresolvable: bool

    @property
    def code(self) -> str:
        return "UnschedulableAndUnresolvable" if self.unresolvable else "Unschedulable"


Decode = Callable[[int, int], Status]
"""(index of the filter plugin, code it gave) -> status"""


@dataclass(slots=True)
class Verdicts:
    """By position of a view: the first plugin that rejected the node, and what it said.

    blame         (n,) int16: index of the plugin in the profile's order of filters, PASSED for none
    codes         (n,) int64: what that plugin said; `decode` reads it
    unresolvable  (n,) bool: evicting pods would not help
    """

    blame: Ints
    codes: Ints
    unresolvable: Mask
    decode: Decode

    @property
    def passed(self) -> Mask:
        passed: Mask = self.blame == PASSED
        return passed

    def status(self, position: int) -> Status | None:
        plugin = int(self.blame[position])
        return None if plugin == PASSED else self.decode(plugin, int(self.codes[position]))

    def groups(self, among: Mask) -> Iterator[tuple[Status, Rows]]:
        """The rejected positions among these, one group per distinct status."""
        for plugin in self.blamed(among):
            rows = np.flatnonzero(among & (self.blame == plugin))
            codes = self.codes[rows]
            if (codes == codes[0]).all():  # mostly all nodes have the same to say
                yield self.decode(plugin, int(codes[0])), rows
                continue
            for code in np.unique(codes).tolist():
                yield self.decode(plugin, code), rows[codes == code]

    def blamed(self, among: Mask) -> list[int]:
        """The indices of the plugins that rejected any of these positions."""
        return np.flatnonzero(np.bincount(self.blame[among] - PASSED)[1:]).tolist()


class Filters(Protocol):
    """Runs the filters of the cycle under way over any view: what-ifs too."""

    def verdicts(self, nodes: NodeView) -> Verdicts:
        """As the nodes stand in the view, with nominated pods taken into account."""
        ...

    @property
    def node_local(self) -> bool:
        """Whether all filters in force are: an unchanged node then gets the same verdict next time."""
        ...

    @property
    def watched(self) -> Hashable:
        """Differs once an object changed of a kind that a filter in force watches: forget its verdicts."""
        ...


@dataclass(slots=True)
class Diagnosis:
    """The outcome of the filters when no node passed.

    cluster     the state itself, to look at only: whoever writes is the scheduler
    verdicts    of all rows; None when a PreFilter plugin rejected the pod before any node
    rejection   that PreFilter plugin's name and what it said
    narrowed    the plugins that narrowed the search, and to which nodes
    unasked     the PreFilter plugins whose turn did not come, as one before them had ended the matter
    """

    cluster: ClusterState
    nodes: AllNodes
    verdicts: Verdicts | None
    filters: Filters
    rejection: tuple[str, Reject] | None = None
    narrowed: tuple[tuple[str, ...], Narrow] | None = None
    unschedulable_plugins: set[str] = field(default_factory=set)
    pending_plugins: set[str] = field(default_factory=set)
    unasked: frozenset[str] = frozenset()

    @property
    def considered(self) -> Mask:
        """The nodes that the filters were run on."""
        valid: Mask = self.nodes.valid
        if self.narrowed is None:
            return valid
        return valid & self.nodes.named(self.narrowed[1].names)

    @property
    def preemptable(self) -> Mask:
        """The nodes on which evicting pods might help."""
        valid: Mask = self.nodes.valid
        if self.verdicts is None:
            hopeless = self.rejection is not None and self.rejection[1].unresolvable
            return valid & (not hopeless)
        rejected: Mask = self.considered & ~self.verdicts.passed & ~self.verdicts.unresolvable
        return rejected

    def status(self, row: int) -> Status | None:
        """What is said of one node."""
        if self.verdicts is None:
            plugin, reject = self.rejection or ("", Reject(()))
            return Status(plugin, reject.reasons, reject.unresolvable)
        if not self.considered[row]:
            return Status("", (self._left_out,), unresolvable=True)
        return self.verdicts.status(row)

    @property
    def message(self) -> str:
        """The text users read, without what PostFilter adds.

        Reproduces FitError.Error (pkg/scheduler/framework/types.go, v1.37).
        """
        head = f"0/{int(self.nodes.valid.sum())} nodes are available:"
        if self.verdicts is None:
            text = self.rejection[1].message if self.rejection else ""
            return f"{head} {text}." if text else head
        counts: Counter[str] = Counter()
        considered = self.considered
        for status, positions in self.verdicts.groups(considered):
            counts.update(dict.fromkeys(status.reasons, positions.size))
        left_out = int((self.nodes.valid & ~considered).sum())
        if left_out:
            counts[self._left_out] += left_out
        return histogram(head, counts)

    @property
    def _left_out(self) -> str:
        plugins = self.narrowed[0] if self.narrowed else ()
        return f"node(s) didn't satisfy plugin(s) [{' '.join(plugins)}]"


def histogram(head: str, counts: Counter[str]) -> str:
    """The reasons with how many nodes have each, sorted as text."""
    parts = sorted(f"{count} {reason}" for reason, count in counts.items() if count)
    return f"{head} {', '.join(parts)}." if parts else head
