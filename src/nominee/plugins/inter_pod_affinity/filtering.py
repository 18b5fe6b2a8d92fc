"""Which nodes pod affinity and anti-affinity rule out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np

from nominee.framework import (
    ABSENT,
    ClusterView,
    Ints,
    Label,
    Mask,
    NodeView,
    Pod,
    Rejection,
    Shape,
    Skip,
    SkipWhile,
    Slot,
    Tally,
)
from nominee.plugins.inter_pod_affinity.domains import DomainCounts, domain_counts
from nominee.plugins.inter_pod_affinity.matching import MatchingTerms
from nominee.plugins.inter_pod_affinity.tallies import Refusals, RefusalsOf
from nominee.plugins.inter_pod_affinity.terms import OwnTerms, own_terms

NOT_NEAR = "node(s) didn't match pod affinity rules"
NOT_FAR = "node(s) didn't match pod anti-affinity rules"
REFUSED = "node(s) didn't satisfy existing pods anti-affinity rules"

_REFUSING_TERMS = "InterPodAffinity.refusing_terms"


@dataclass(frozen=True, slots=True)
class State:
    """What `filter` needs to know of the cluster as a whole.

    near     for each key of required affinity, the pods that match all its terms
    placed   how many of those stand on a node that has any of the keys
    far      for each key of required anti-affinity, the pods that match
    refused  for each key, the anti-affinity terms of placed pods that mean the pod
    """

    shape: Shape
    own: OwnTerms | None
    near: tuple[DomainCounts, ...]
    placed: int
    far: tuple[DomainCounts, ...]
    refused: tuple[DomainCounts, ...]
    cluster: ClusterView


STATE: Slot[State] = Slot("InterPodAffinity.filter")


def skip(pod: Pod, cluster: ClusterView) -> Skip | SkipWhile:
    """How long a pod for which there was nothing to prepare can be left alone."""
    refusing = pod.memo(_REFUSING_TERMS, _refusing_terms)
    return Skip.THIS_CYCLE if refusing.tallies(pod.shape, cluster) else refusing.while_unchanged(cluster)


def prepare(pod: Pod, nodes: NodeView, cluster: ClusterView) -> State | None:
    """Count what matters to the pod; None when it asks for nothing and nobody refuses it.

    Reproduces PreFilter (pkg/scheduler/framework/plugins/interpodaffinity/filtering.go, v1.37).
    """
    shape = pod.shape
    refusing = pod.memo(_REFUSING_TERMS, _refusing_terms).tallies(shape, cluster)
    demanding = shape.terms.required_affinity or shape.terms.required_anti_affinity
    if not refusing and not demanding:
        return None
    refused = tuple(domain_counts(label, (tally,), nodes, cluster) for label, tally in refusing)
    if not demanding:
        # Terms of pods on nodes without the key refuse nowhere, and then not in what-ifs either.
        some = any(counts.anywhere(nodes) for counts in refused)
        return State(shape, None, (), 0, (), refused, cluster) if some else None
    own = own_terms(pod, cluster)
    wanted = own.near
    near = () if wanted is None else tuple(domain_counts(k, (wanted,), nodes, cluster) for k in own.near_keys)
    return State(
        shape,
        own,
        near,
        _placed_near(own, near, nodes),
        tuple(domain_counts(label, (tally,), nodes, cluster) for label, tally in own.far),
        refused,
        cluster,
    )


def _refusing_terms(_: Shape) -> MatchingTerms:
    return MatchingTerms(("required_anti_affinity",), Refusals)


def _placed_near(own: OwnTerms, near: tuple[DomainCounts, ...], nodes: NodeView) -> int:
    """Only the first pod of a kind that wants its own company needs to know."""
    if own.near is None or not own.near_to_self:
        return 0
    if len(near) == 1:
        return near[0].everywhere(nodes)
    return int(nodes.tally(own.near)[_has_any(own.near_keys, nodes)].sum())


def rejections(state: State, nodes: NodeView) -> Iterator[Rejection]:
    """Each node's first failing rule.

    Reproduces Filter (pkg/scheduler/framework/plugins/interpodaffinity/filtering.go, v1.37).
    """
    before: Mask | None = None
    for reason, rule in ((NOT_NEAR, _not_near), (NOT_FAR, _not_far), (REFUSED, _refused)):
        rejected = rule(state, nodes)
        if rejected is None:
            continue
        if before is not None:
            rejected &= ~before
        if rejected.any():
            yield Rejection(rejected, reason, unresolvable=reason is NOT_NEAR)
            before = rejected if before is None else before | rejected


def _not_near(state: State, nodes: NodeView) -> Mask | None:
    own = state.own
    if own is None or own.near is None:
        return None
    lacking: Mask = np.logical_or.reduce([_here(counts, nodes, own.near) <= 0 for counts in state.near])
    if not lacking.any():
        return lacking  # a count above 0 implies that the node has the key
    if own.near_to_self:
        lacking &= ~_first_of_its_kind(state, own, nodes)
    without_key: Mask = ~_has_all(own.near_keys, nodes)
    return np.logical_or(lacking, without_key, out=lacking)


def _first_of_its_kind(state: State, own: OwnTerms, nodes: NodeView) -> Mask | np.bool_:
    """Where no pod that matches stands anywhere: in a what-if, each position is a world of its own."""
    moved = nodes.moved(own.near) if own.near is not None else None
    if moved is None:
        return np.bool_(state.placed == 0)
    first: Mask = state.placed + moved == 0  # nodes without the keys are out anyway
    return first


def _not_far(state: State, nodes: NodeView) -> Mask | None:
    found = [_here(counts, nodes, counts.tallies[0]) > 0 for counts in state.far]
    return reduce(np.logical_or, found) if found else None


def _refused(state: State, nodes: NodeView) -> Mask | None:
    """In a what-if, pods supposed to come may bring terms that no placed pod has."""
    keys = {t.topology_key for s in nodes.moved_shapes() for t in s.terms.required_anti_affinity}
    keys.difference_update(counts.label.key for counts in state.refused)
    known = [_here(counts, nodes, _refusals_of(state, counts.label.key)) > 0 for counts in state.refused]
    news = [_moved_here(Label(key), nodes, _refusals_of(state, key)) for key in keys]
    found = [*known, *(moved > 0 for moved in news if moved is not None)]
    return reduce(np.logical_or, found) if found else None


def _refusals_of(state: State, topology_key: str) -> RefusalsOf:
    labels = state.cluster.namespace_labels(state.shape.namespace)
    return RefusalsOf(state.shape, topology_key, labels)


def _here(counts: DomainCounts, nodes: NodeView, moving: Tally) -> Ints:
    """The count in each node's domain, what a what-if moves included."""
    around = counts.around(nodes)
    moved = _moved_here(counts.label, nodes, moving)
    return around if moved is None else around + moved


def _moved_here(label: Label, nodes: NodeView, tally: Tally) -> Ints | None:
    moved = nodes.moved(tally)
    return None if moved is None else moved * (nodes.ids(label) != ABSENT)


def _has_all(keys: tuple[Label, ...], nodes: NodeView) -> Mask:
    present: Mask = np.logical_and.reduce([nodes.ids(label) != ABSENT for label in keys])
    return present


def _has_any(keys: tuple[Label, ...], nodes: NodeView) -> Mask:
    present: Mask = np.logical_or.reduce([nodes.ids(label) != ABSENT for label in keys])
    return present
