"""TaintToleration: taints keep pods off, or at a distance, unless they are tolerated."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nominee.framework import (
    PREFER_NO_SCHEDULE,
    Action,
    ClusterView,
    Cycle,
    EventHint,
    Ints,
    NodeObject,
    NodeView,
    Pod,
    Rejection,
    Resource,
    Shape,
    Taint,
    Taints,
    find_untolerated,
    tolerates,
)

_TAINTS = Taints()
_GATE = "TaintTolerationComparisonOperators"


@dataclass(frozen=True, slots=True)
class TaintToleration:
    """Reproduces pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go, v1.37."""

    node_local: ClassVar[bool] = True
    reads_pods: ClassVar[bool] = False

    def reads(self, pod: Pod) -> Hashable:
        return pod.memo(_tolerations, _tolerations)

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> None:
        """Nothing to prepare; upstream extends this point, so configurations may name it."""

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Iterator[Rejection]:
        comparison = cycle.features.enabled(_GATE)
        rejected = nodes.where(
            _TAINTS, lambda taints: taints is not None and not _tolerated(pod, taints, comparison=comparison)
        )
        if rejected.any():
            yield Rejection(rejected, "node(s) had untolerated taint(s)", unresolvable=True)

    def pre_score(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> None:
        """The same holds here. Never Skip: without any such taint every node gets 100."""

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Ints:
        """The taints that ask pods to stay away and that this pod does not tolerate."""
        comparison = cycle.features.enabled(_GATE)
        values = nodes.values(_TAINTS).values
        counts = [_intolerable(pod, taints, comparison=comparison) if taints else 0 for taints in values]
        return np.array(counts, np.int64)[nodes.ids(_TAINTS)]

    def normalize(self, scores: Ints, lowest: int, highest: int, /) -> Ints:
        """The fewer the better.

        DefaultNormalizeScore, reversed (plugins/helper/normalize_score.go, v1.37).
        """
        return 100 - 100 * scores // max(highest, 1)

    def events_to_register(self) -> Sequence[EventHint]:
        return (
            EventHint(Resource.NODE, Action.ADD | Action.UPDATE_NODE_TAINT, self._after_node_change),
            EventHint(Resource.TARGET_POD, Action.UPDATE_POD_TOLERATION),
        )

    def _after_node_change(
        self, pod: Pod, old: NodeObject | None, new: NodeObject, cluster: ClusterView
    ) -> bool:
        """A tolerable node came, or one became tolerable.

        A hint does not know the gate of the comparison operators. It takes them to count now and
        not to have counted before: at worst a pod is tried in vain.
        """
        if not _tolerated(pod, new.spec.taints, comparison=True):
            return False
        return old is None or not _tolerated(pod, old.spec.taints, comparison=False)


def _tolerations(shape: Shape) -> frozenset[tuple[str, str, str, str]]:
    """What counts of the tolerations: neither their order nor how long they last."""
    return frozenset((t.key, t.operator, t.value, t.effect) for t in shape.spec.tolerations)


def _tolerated(pod: Pod, taints: Sequence[Taint], *, comparison: bool) -> bool:
    return find_untolerated(taints, pod.tolerations, comparison_operators=comparison) is None


def _intolerable(pod: Pod, taints: Sequence[Taint], *, comparison: bool) -> int:
    return sum(
        taint.effect == PREFER_NO_SCHEDULE
        and not any(tolerates(t, taint, comparison_operators=comparison) for t in pod.tolerations)
        for taint in taints
    )
