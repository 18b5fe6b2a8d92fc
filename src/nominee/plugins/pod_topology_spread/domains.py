"""Which nodes count for a constraint, and to which domain (value of the topology key) each belongs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from nominee.framework import (
    ABSENT,
    ClusterView,
    Floats,
    Ints,
    Label,
    Mask,
    NodeTerm,
    NodeView,
    Rows,
    Taints,
    find_untolerated,
)
from nominee.plugins.pod_topology_spread.constraints import NodeRules


@dataclass(frozen=True, slots=True, eq=False)
class Domains:
    """The domains of one topology key as one constraint sees them.

    fact        reads the domain's id of each node
    size        ids are below it
    counted     (n,) intp: the id of the domain a node counts for, `size` if it counts for none
    registered  the ids of the domains with at least one node that counts
    runs        the nodes that count, domain by domain, and where in that list each registered domain
                begins; None where domains are small, because then it is no faster
    present     the ids of all nodes that a score may be for, each once
    lacking     (n,) bool: nodes without the key; None if every node has it
    empty_id    the id of the value "", which means the same as no value where keys may be missing
    """

    fact: Label
    size: int
    counted: Rows
    registered: Rows
    runs: tuple[Rows, Rows] | None
    present: Rows
    lacking: Mask | None
    empty_id: int | None

    def sums(self, tally: Ints) -> Floats:
        """How many pods count in each domain; exact, as no cluster has 2^53 pods."""
        if self.runs is None:
            sums: Floats = np.asarray(np.bincount(self.counted, tally, self.size + 1), np.float64)
            sums[self.size] = 0
            return sums
        sums = np.zeros(self.size + 1)
        nodes, starts = self.runs
        sums[self.registered] = np.add.reduceat(tally[nodes], starts)
        return sums

    def number_of(self, present: Rows) -> int:
        """How many domains these ids stand for: no value and the empty value are one."""
        doubled = self.empty_id is not None and present[0] == ABSENT and self.empty_id in present
        return present.size - doubled


@dataclass(frozen=True, slots=True, eq=False)
class Census:
    """The domains of each constraint, and the nodes that have all the keys; None if every node has."""

    each: tuple[Domains, ...]
    complete: Mask | None
    node_count: int


def census(nodes: NodeView, cluster: ClusterView, rules: NodeRules) -> Census:
    """The domains over all nodes under these rules; found out anew only after a node has changed."""
    return cluster.memo_at(rules, cluster.nodes_version, partial(_take_census, nodes, rules))


def _take_census(nodes: NodeView, rules: NodeRules) -> Census:
    complete = nodes.valid.copy()
    for key, _, _ in rules.keys:
        complete &= nodes.ids(Label(key)) != ABSENT
    everybody = complete if rules.require_all else nodes.valid
    honoured = {
        (affinity, taints): everybody & _admitted(nodes, rules, affinity=affinity, taints=taints)
        for affinity, taints in {(affinity, taints) for _, affinity, taints in rules.keys}
    }
    each = tuple(
        _domains(nodes, Label(key), everybody, honoured[affinity, taints])
        for key, affinity, taints in rules.keys
    )
    all_complete = bool((complete == nodes.valid).all())
    return Census(each, None if all_complete else complete, int(np.count_nonzero(everybody)))


def _domains(nodes: NodeView, fact: Label, everybody: Mask, counting: Mask) -> Domains:
    ids, column = nodes.ids(fact), nodes.values(fact)
    size = len(column.values)
    empty_id = column.id_of("")
    lacking = nodes.valid & (ids == ABSENT)
    # A node without the key counts for the value "", if some node has that.
    counted = ids if empty_id is None else np.where(lacking, empty_id, ids)
    counted = np.where(counting & (counted != ABSENT), counted, size)
    registered = np.unique(counted[counted != size])
    return Domains(
        fact=fact,
        size=size,
        counted=counted,
        registered=registered,
        runs=_runs(counted, registered) if 0 < 8 * registered.size < len(nodes) else None,
        present=ids_among(ids[everybody], size),
        lacking=lacking if lacking.any() else None,
        empty_id=empty_id,
    )


def _runs(counted: Rows, registered: Rows) -> tuple[Rows, Rows]:
    nodes = np.argsort(counted, kind="stable")
    starts = np.searchsorted(counted[nodes], registered)
    end = np.searchsorted(counted[nodes], registered[-1], side="right")
    return nodes[:end], starts


def ids_among(ids: Rows, size: int) -> Rows:
    """The ids that occur, each once, in ascending order."""
    seen = np.zeros(size, np.bool_)
    seen[ids] = True
    return np.flatnonzero(seen)


def _admitted(nodes: NodeView, rules: NodeRules, *, affinity: bool, taints: bool) -> Mask:
    """The nodes that pass the inclusion policies.

    Reproduces matchNodeInclusionPolicies (podtopologyspread/common.go, v1.37).
    """
    admitted = nodes.valid.copy()
    if affinity:
        for requirement in rules.selector.requirements:
            admitted &= nodes.where(Label(requirement.key), requirement.matches)
        if rules.required is not None:
            fitting = np.zeros(len(nodes), np.bool_)
            for term in rules.required.terms:
                fitting |= _fitting(nodes, term)
            admitted &= fitting
    if taints:
        admitted &= nodes.where(
            Taints(),
            lambda taints: (
                taints is None
                or find_untolerated(
                    taints, rules.tolerations, comparison_operators=rules.comparison_operators
                )
                is None
            ),
        )
    return admitted


def _fitting(nodes: NodeView, term: NodeTerm) -> Mask:
    fitting = nodes.valid.copy()
    for requirement in term.labels.requirements:
        fitting &= nodes.where(Label(requirement.key), requirement.matches)
    for requirement in term.names:
        named = nodes.named(requirement.values)
        fitting &= named if requirement.operator == "In" else ~named
    return fitting
