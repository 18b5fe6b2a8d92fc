"""The plugin: what it answers at each extension point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nominee.framework import Cycle, EventHint, Ints, NodeView, Pod, Rejection, Skip, SkipWhile
from nominee.plugins.inter_pod_affinity import filtering, hints, scoring


@dataclass(frozen=True, slots=True, kw_only=True)
class InterPodAffinity:
    """Keeps pods near to, or away from, other pods in the same topology domain.

    hard_pod_affinity_weight  what a placed pod's required affinity to the incoming pod adds to a score
    ignore_preferred_terms_of_existing_pods  scores only pods that have preferred terms themselves

    Follows pkg/scheduler/framework/plugins/interpodaffinity, v1.37.
    """

    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False
    node_local: ClassVar[bool] = False

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Skip | SkipWhile | None:
        state = filtering.prepare(pod, nodes, cycle.cluster)
        if state is None:
            return filtering.skip(pod, cycle.cluster)
        cycle[filtering.STATE] = state
        return None

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Iterable[Rejection]:
        return filtering.rejections(cycle[filtering.STATE], nodes)

    def pre_score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Skip | SkipWhile | None:
        if self.ignore_preferred_terms_of_existing_pods and not scoring.has_preferences(pod.shape):
            return Skip.THIS_SHAPE
        counted = scoring.attraction(pod, nodes, cycle.cluster, self.hard_pod_affinity_weight)
        if not counted:
            return scoring.skip(pod, cycle.cluster, self.hard_pod_affinity_weight)
        cycle[scoring.COUNTS] = counted
        return None

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Ints:
        return scoring.raw_scores(cycle[scoring.COUNTS], nodes)

    def normalize(self, scores: Ints, lowest: int, highest: int) -> Ints:
        return scoring.spread_out(scores, lowest, highest)

    def events_to_register(self) -> Sequence[EventHint]:
        return hints.events()
