"""DoNotSchedule: no domain may have more matching pods than the emptiest one and the skew allow.

Reproduces pkg/scheduler/framework/plugins/podtopologyspread/filtering.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nominee.framework import ABSENT, ClusterView, Floats, Ints, Mask, NodeView, Rejection
from nominee.plugins.pod_topology_spread.constraints import Constraint, Constraints
from nominee.plugins.pod_topology_spread.domains import Domains, census

SKEWED_REASON = "node(s) didn't match pod topology spread constraints"
LACKING_REASON = SKEWED_REASON + " (missing required label)"

Said: TypeAlias = NDArray[np.int8]
_SKEWED, _LACKING = 1, 2  # 0: nothing against the node


class Balance:
    """One constraint as the pods stand now.

    sums         by domain id, how many pods count there
    lowest       the sum of the emptiest domain that counts
    verdicts     by domain id, what is said of its nodes as long as no pods are supposed to move
    some_skewed  whether anything but a missing key is said of any
    """

    __slots__ = ("constraint", "domains", "lowest", "some_skewed", "sums", "verdicts")

    def __init__(self, constraint: Constraint, domains: Domains, nodes: NodeView) -> None:
        self.constraint = constraint
        self.domains = domains
        if constraint.counts_placed:
            self.sums: Floats = domains.sums(nodes.tally(constraint.tally))
        else:
            self.sums = np.zeros(domains.size + 1)
        registered = domains.registered
        self.lowest = float(self.sums[registered].min()) if registered.size else np.inf
        allowed = constraint.max_skew + self._least() - constraint.own
        self.verdicts: Said = (self.sums > allowed).view(np.int8)
        self.some_skewed = bool(self.verdicts.any())
        self.verdicts[ABSENT] = _LACKING

    def said(self, nodes: NodeView) -> Said | None:
        """By position, what this constraint has against the node; None if it has nothing at all."""
        moved = nodes.moved(self.constraint.tally)
        if moved is not None and moved.any():
            return self._said_of_moved(nodes, moved)
        if not self.some_skewed and self.domains.lacking is None:
            return None
        return self.verdicts[nodes.ids(self.domains.fact)]

    def _said_of_moved(self, nodes: NodeView, moved: Ints) -> Said:
        """On each position only this node's pods differ, so only its own domain's sum does."""
        ids = nodes.ids(self.domains.fact)
        change = np.where(self.domains.counted[nodes.rows] != self.domains.size, moved, 0)
        sums = self.sums[ids]
        least: Floats | float = self._least()
        if self._has_enough_domains:
            others = np.where(sums == self.lowest, self._second_lowest(), self.lowest)
            least = np.where(change != 0, np.minimum(sums + change, others), least)
        said = (sums + change + self.constraint.own - least > self.constraint.max_skew).astype(np.int8)
        said[ids == ABSENT] = _LACKING
        return said

    @property
    def _has_enough_domains(self) -> bool:
        return self.domains.registered.size >= max(self.constraint.min_domains, 1)

    def _least(self) -> float:
        """What the sums are measured against: nothing while there are too few domains."""
        return self.lowest if self._has_enough_domains else 0

    def _second_lowest(self) -> float:
        """The lowest sum when one domain with the lowest is left out."""
        sums = self.sums[self.domains.registered]
        return float(np.partition(sums, 1)[1]) if sums.size > 1 else np.inf


def balances(constraints: Constraints, nodes: NodeView, cluster: ClusterView) -> tuple[Balance, ...]:
    """Each constraint over all nodes."""
    domains = census(nodes, cluster, constraints.rules).each
    return tuple(Balance(c, d, nodes) for c, d in zip(constraints.each, domains, strict=True))


def rejections(balances: Iterable[Balance], nodes: NodeView) -> Iterator[Rejection]:
    """The first constraint that has something against a node has the word."""
    said: Said | None = None
    for balance in balances:
        further = balance.said(nodes)
        if further is not None:
            said = further if said is None else np.where(said != 0, said, further)
    if said is None:
        return
    skewed: Mask = said == _SKEWED
    if skewed.any():
        yield Rejection(skewed, SKEWED_REASON)
    lacking: Mask = said == _LACKING
    if lacking.any():
        yield Rejection(lacking, LACKING_REASON, unresolvable=True)
