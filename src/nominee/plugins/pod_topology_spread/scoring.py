"""ScheduleAnyway: the fewer matching pods in a node's domains, the better.

Reproduces pkg/scheduler/framework/plugins/podtopologyspread/scoring.go, v1.37.
"""

from __future__ import annotations

import math

import numpy as np

from nominee.framework import ABSENT, ClusterView, Floats, Ints, Mask, NodeView, Rows
from nominee.plugins.pod_topology_spread.constraints import Constraint, Constraints
from nominee.plugins.pod_topology_spread.defaults import HOSTNAME
from nominee.plugins.pod_topology_spread.domains import Census, Domains, census, ids_among

_MAX_SCORE = 100
_NO_SCORE = np.iinfo(np.int64).max


class _Competition:
    """The nodes that are scored; often these are all that could be."""

    __slots__ = ("census", "count", "mask")

    def __init__(self, constraints: Constraints, census: Census, feasible: Mask) -> None:
        self.census = census
        # Constraints other than the system's ignore nodes that lack one of the keys.
        keep = census.complete if constraints.rules.require_all else None
        self.mask: Mask = feasible if keep is None else feasible & keep
        self.count = int(np.count_nonzero(self.mask))

    def present(self, domains: Domains, ids: Rows) -> Rows:
        """The ids that occur among the competitors."""
        if self.count == self.census.node_count:
            return domains.present
        return ids_among(ids[self.mask], domains.size)

    def among(self, scores: Ints) -> Ints:
        """The scores with 0 for whoever does not compete."""
        if self.count < len(scores):
            scores *= self.mask
        return scores


def spread_scores(constraints: Constraints, nodes: NodeView, cluster: ClusterView, feasible: Mask) -> Ints:
    """The final scores of all nodes: 0 for those that do not compete."""
    counted = census(nodes, cluster, constraints.rules)
    competition = _Competition(constraints, counted, feasible)
    if not competition.count:
        return np.zeros(len(nodes), np.int64)
    if len(constraints.each) == 1 and constraints.each[0].topology_key != HOSTNAME:
        return _scores_by_domain(constraints.each[0], counted.each[0], nodes, competition)
    raw: Floats | None = None
    for constraint, domains in zip(constraints.each, counted.each, strict=True):
        # Term by term in the order of the constraints: the sum of floats depends on it.
        term = _term(constraint, domains, nodes, competition)
        raw = term if raw is None else raw + term
    rounded = _rounded(np.zeros(len(nodes)) if raw is None else raw)
    competing = rounded if competition.count == len(nodes) else rounded[competition.mask]
    return competition.among(_normalized(rounded, competing))


def _scores_by_domain(
    constraint: Constraint, domains: Domains, nodes: NodeView, competition: _Competition
) -> Ints:
    """With a single constraint all nodes of a domain score alike."""
    ids = nodes.ids(domains.fact)
    present = competition.present(domains, ids)
    rounded = _rounded(_domain_term(constraint, domains, nodes, present))
    return competition.among(_normalized(rounded, rounded[present])[ids])


def _term(constraint: Constraint, domains: Domains, nodes: NodeView, competition: _Competition) -> Floats:
    """What one constraint contributes to each node; nothing where the node lacks the key."""
    if constraint.topology_key == HOSTNAME:
        return _node_term(constraint, domains, nodes, competition.count)
    ids = nodes.ids(domains.fact)
    return _domain_term(constraint, domains, nodes, competition.present(domains, ids))[ids]


def _domain_term(constraint: Constraint, domains: Domains, nodes: NodeView, present: Rows) -> Floats:
    if constraint.counts_placed:
        sums = domains.sums(nodes.tally(constraint.tally))
    else:
        sums = np.zeros(domains.size + 1)
    sums *= math.log(domains.number_of(present) + 2)
    sums += constraint.max_skew - 1
    sums[ABSENT] = 0
    return sums


def _node_term(constraint: Constraint, domains: Domains, nodes: NodeView, competitors: int) -> Floats:
    """By the hostname each node is a domain, and no policy leaves its pods out."""
    if constraint.counts_placed:
        term: Floats = nodes.tally(constraint.tally) * np.float64(math.log(competitors + 2))
        term += constraint.max_skew - 1
    else:
        term = np.full(len(nodes), float(constraint.max_skew - 1))
    if domains.lacking is not None:
        term[domains.lacking] = 0
    return term


def _rounded(raw: Floats) -> Ints:
    """Half away from zero, as Go's math.Round does.

    Adding a half is exact enough: it errs for the largest number below a half alone, and the smallest
    term that is not 0 is ln 2 (one pod, no domain) or 1 (the skew).
    """
    return (raw + 0.5).astype(np.int64)


def _normalized(raw: Ints, competing: Ints) -> Ints:
    """Mirrored at the middle of the competitors' extremes and brought into 0 to 100."""
    highest = int(competing.max(initial=0))
    if highest == 0:
        return np.full(len(raw), _MAX_SCORE, np.int64)
    lowest = int(competing.min(initial=_NO_SCORE))
    return _MAX_SCORE * (highest + lowest - raw) // highest
