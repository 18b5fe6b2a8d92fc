"""NodeAffinity: the nodes a pod must have, and those it would like, by label and name."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from nominee.framework import (
    Action,
    ClusterView,
    Cycle,
    EventHint,
    Ints,
    Narrow,
    NodeObject,
    NodeTerm,
    NodeTerms,
    NodeView,
    Pod,
    PreferredSchedulingTerm,
    Reject,
    Rejection,
    Resource,
    Shape,
    Skip,
    node_selector,
    node_term,
    nodes_in_term,
    nodes_in_terms,
    nodes_required,
    required_node_affinity,
)
from nominee.framework import NodeAffinity as NodeAffinitySpec

_Weighted = tuple[tuple[int, NodeTerm], ...]


@dataclass(frozen=True, slots=True)
class NodeAffinity:
    """Reproduces pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go, v1.37.

    `added_affinity` is required and preferred besides what each pod says itself.
    """

    added_affinity: NodeAffinitySpec | None = None

    node_local: ClassVar[bool] = True
    reads_pods: ClassVar[bool] = False

    def reads(self, pod: Pod) -> Hashable:
        return required_node_affinity(pod), _preferred(pod.shape)

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Narrow | Skip | Reject | None:
        if required_node_affinity(pod).empty and _added_terms(self.added_affinity) is None:
            return Skip.THIS_SHAPE
        names = _required_names(pod.shape)
        if names is None:
            return None
        return Narrow(names) if names else Reject(("pod affinity terms conflict",), unresolvable=True)

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Iterator[Rejection]:
        matched = nodes_required(nodes, required_node_affinity(pod))
        added = _added_terms(self.added_affinity)
        if added is not None:
            enforced = nodes_in_terms(nodes, added)
            if not enforced.all():
                reason = "node(s) didn't match scheduler-enforced node affinity"
                yield Rejection(~enforced, reason, unresolvable=True)
            matched |= ~enforced  # upstream does not look at those any further
        if not matched.all():
            yield Rejection(~matched, "node(s) didn't match Pod's node affinity/selector", unresolvable=True)

    def pre_score(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Skip | None:
        return None if self._wishes(pod) else Skip.THIS_SHAPE

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Ints:
        """The weights of the preferred terms that match, added up."""
        scores = np.zeros(len(nodes), np.int64)
        for weight, term in self._wishes(pod):
            scores += weight * nodes_in_term(nodes, term)
        return scores

    def normalize(self, scores: Ints, lowest: int, highest: int, /) -> Ints:
        """DefaultNormalizeScore (plugins/helper/normalize_score.go, v1.37)."""
        return 100 * scores // max(highest, 1)

    def events_to_register(self) -> Sequence[EventHint]:
        return (EventHint(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL, self._after_node_change),)

    def _wishes(self, pod: Pod) -> _Weighted:
        own = pod.memo(_own_wishes, _own_wishes)
        return _added_wishes(self.added_affinity) + own

    def _after_node_change(
        self, pod: Pod, old: NodeObject | None, new: NodeObject, cluster: ClusterView
    ) -> bool:
        """A matching node came, or one came to match.

        Upstream forgets that a node may come to match the added affinity alone.
        """
        return self._admits(pod, new) and (old is None or not self._admits(pod, old))

    def _admits(self, pod: Pod, node: NodeObject) -> bool:
        added = _added_terms(self.added_affinity)
        if added is not None and not added.matches(node.metadata.labels, node.metadata.name):
            return False
        return required_node_affinity(pod).matches(node)


@lru_cache
def _added_terms(added: NodeAffinitySpec | None) -> NodeTerms | None:
    required = added and added.required_during_scheduling_ignored_during_execution
    return node_selector(required) if required else None


@lru_cache
def _added_wishes(added: NodeAffinitySpec | None) -> _Weighted:
    return _weighted(added.preferred_during_scheduling_ignored_during_execution) if added else ()


def _own_affinity(shape: Shape) -> NodeAffinitySpec | None:
    return shape.spec.affinity.node_affinity if shape.spec.affinity else None


def _preferred(shape: Shape) -> tuple[PreferredSchedulingTerm, ...]:
    affinity = _own_affinity(shape)
    return affinity.preferred_during_scheduling_ignored_during_execution if affinity else ()


def _own_wishes(shape: Shape) -> _Weighted:
    return _weighted(_preferred(shape))


def _weighted(preferred: Sequence[PreferredSchedulingTerm]) -> _Weighted:
    """The terms that count; a malformed one raises.

    Reproduces NewPreferredSchedulingTerms (k8s.io/component-helpers
    scheduling/corev1/nodeaffinity, v1.37).
    """
    terms = ((item.weight, node_term(item.preference)) for item in preferred if item.weight)
    return tuple((weight, term) for weight, term in terms if term is not None)


def _required_names(shape: Shape) -> frozenset[str] | None:
    """The only nodes that the required terms admit by name; None if one of them names none."""
    affinity = _own_affinity(shape)
    required = affinity and affinity.required_during_scheduling_ignored_during_execution
    if not required or not required.node_selector_terms:
        return None
    names: set[str] = set()
    for term in required.node_selector_terms:
        lists = [
            set(field.values)
            for field in term.match_fields
            if field.key == "metadata.name" and field.operator == "In"
        ]
        if not lists:
            return None
        names |= set.intersection(*lists)
    return frozenset(names)
