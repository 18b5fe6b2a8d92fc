"""Counts per topology domain: summed over its nodes, and seen from each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nominee.framework import ABSENT, ClusterView, Ints, Label, NodeView, Tally


@dataclass(frozen=True, slots=True)
class DomainCounts:
    """What some tallies amount to in the domains of one topology key.

    sums  by id of the key's value; None where every node is a domain of its own, as with host
          names: then the tallies' columns are the answer
    """

    label: Label
    tallies: tuple[Tally, ...]
    sums: Ints | None

    def around(self, nodes: NodeView) -> Ints:
        """By position, the count in the node's domain; 0 without the key. Not to be written to."""
        if self.sums is None:
            return total(nodes, self.tallies)
        return self.sums[nodes.ids(self.label)]

    def everywhere(self, nodes: NodeView) -> int:
        """The sum over all domains; `nodes` is the view over all nodes."""
        return int(self._each(nodes).sum())

    def anywhere(self, nodes: NodeView) -> bool:
        """Whether any domain counts for anything; `nodes` is the view over all nodes."""
        return bool(self._each(nodes).any())

    def _each(self, nodes: NodeView) -> Ints:
        return total(nodes, self.tallies) if self.sums is None else self.sums


def total(nodes: NodeView, tallies: tuple[Tally, ...]) -> Ints:
    """By position, the sum of the tallies of the node alone. Not to be written to."""
    counts = nodes.tally(tallies[0])
    for tally in tallies[1:]:
        counts = counts + nodes.tally(tally)
    return counts


def domain_counts(
    label: Label, tallies: tuple[Tally, ...], nodes: NodeView, cluster: ClusterView
) -> DomainCounts:
    """Sum the tallies over the domains; `nodes` is the view over all nodes."""
    values = nodes.values(label)
    if values.distinct == cluster.node_count:  # as many values as nodes: each node has one, and alone
        return DomainCounts(label, tallies, None)
    sums = np.zeros(len(values.values), np.int64)
    np.add.at(sums, nodes.ids(label), total(nodes, tallies))
    sums[ABSENT] = 0
    return DomainCounts(label, tallies, sums)
