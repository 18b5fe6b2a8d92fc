"""How much the pods around a node attract or repel the incoming pod."""

from __future__ import annotations

from functools import partial

import numpy as np

from nominee.framework import ClusterView, Ints, Label, NodeView, Pod, Shape, Skip, SkipWhile, Slot, Tally
from nominee.plugins.inter_pod_affinity.domains import DomainCounts, domain_counts
from nominee.plugins.inter_pod_affinity.matching import Kind, MatchingTerms
from nominee.plugins.inter_pod_affinity.tallies import Wishes
from nominee.plugins.inter_pod_affinity.terms import own_terms

COUNTS: Slot[tuple[DomainCounts, ...]] = Slot("InterPodAffinity.score")

_PREFERRED: tuple[Kind, ...] = ("preferred_affinity", "preferred_anti_affinity")
_WISHING_TERMS = "InterPodAffinity.wishing_terms"


def has_preferences(shape: Shape) -> bool:
    """Whether the pod has preferred terms of its own."""
    return bool(shape.terms.preferred_affinity or shape.terms.preferred_anti_affinity)


def attraction(pod: Pod, nodes: NodeView, cluster: ClusterView, hard_weight: int) -> tuple[DomainCounts, ...]:
    """By topology key, the weights of the pod's terms and of the placed pods' terms that mean it.

    Reproduces PreScore (pkg/scheduler/framework/plugins/interpodaffinity/scoring.go, v1.37).
    """
    wishing = pod.memo((_WISHING_TERMS, hard_weight), partial(_wishing_terms, hard_weight))
    wishes = wishing.tallies(pod.shape, cluster)
    preferring = has_preferences(pod.shape)
    if not wishes and not preferring:
        return ()
    tallies: dict[Label, tuple[Tally, ...]] = {label: (tally,) for label, tally in wishes}
    if preferring:
        for label, tally in own_terms(pod, cluster).preferred:
            tallies[label] = (*tallies.get(label, ()), tally)
    counted = (domain_counts(label, of_key, nodes, cluster) for label, of_key in tallies.items())
    return tuple(counts for counts in counted if counts.anywhere(nodes))


def skip(pod: Pod, cluster: ClusterView, hard_weight: int) -> Skip | SkipWhile:
    """How long a pod that nothing attracts can be left alone."""
    wishing = pod.memo((_WISHING_TERMS, hard_weight), partial(_wishing_terms, hard_weight))
    if has_preferences(pod.shape) or wishing.tallies(pod.shape, cluster):
        return Skip.THIS_CYCLE
    return wishing.while_unchanged(cluster)


def _wishing_terms(hard_weight: int, _: Shape) -> MatchingTerms:
    kinds: tuple[Kind, ...] = ("required_affinity", *_PREFERRED) if hard_weight else _PREFERRED
    return MatchingTerms(kinds, partial(Wishes, hard_weight=hard_weight))


def raw_scores(counted: tuple[DomainCounts, ...], nodes: NodeView) -> Ints:
    """By position, the sum over the topology keys of the node."""
    scores = counted[0].around(nodes).copy()  # it may be the column of a tally
    for counts in counted[1:]:
        scores += counts.around(nodes)
    return scores


def spread_out(scores: Ints, lowest: int, highest: int) -> Ints:
    """Scores from 0 to 100, in floating point and cut off as upstream does it.

    Reproduces NormalizeScore (pkg/scheduler/framework/plugins/interpodaffinity/scoring.go, v1.37).
    """
    if lowest == highest:
        return np.zeros_like(scores)
    normalized: Ints = (100.0 * ((scores - lowest) / (highest - lowest))).astype(np.int64)
    return normalized
