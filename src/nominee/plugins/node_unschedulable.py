"""NodeUnschedulable: cordoned nodes take only pods that tolerate it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nominee.framework import (
    ABSENT,
    NO_SCHEDULE,
    Action,
    ClusterView,
    Cycle,
    EventHint,
    NodeObject,
    NodeView,
    Pod,
    Rejection,
    Resource,
    Shape,
    Skip,
    Taint,
    Unschedulable,
    tolerates,
)

_CORDONED = Unschedulable()
_TAINT = Taint(key="node.kubernetes.io/unschedulable", effect=NO_SCHEDULE)


@dataclass(frozen=True, slots=True)
class NodeUnschedulable:
    """Reproduces pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go, v1.37."""

    node_local: ClassVar[bool] = True
    reads_pods: ClassVar[bool] = False

    def reads(self, pod: Pod) -> bool:
        return _tolerates_cordon(pod)

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Skip | None:
        return Skip.THIS_SHAPE if _tolerates_cordon(pod) else None

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Iterator[Rejection]:
        rejected = nodes.ids(_CORDONED) != ABSENT
        if rejected.any() and not _tolerates_cordon(pod):
            yield Rejection(rejected, "node(s) were unschedulable", unresolvable=True)

    def events_to_register(self) -> Sequence[EventHint]:
        return (
            EventHint(Resource.NODE, Action.ADD | Action.UPDATE_NODE_TAINT, self._after_node_change),
            EventHint(Resource.TARGET_POD, Action.UPDATE_POD_TOLERATION, self._after_toleration),
        )

    def _after_node_change(
        self, pod: Pod, old: NodeObject | None, new: NodeObject, cluster: ClusterView
    ) -> bool:
        """A node came that is schedulable, or became so."""
        return not new.spec.unschedulable and (old is None or old.spec.unschedulable)

    def _after_toleration(self, pod: Pod, old: Pod, new: Pod, cluster: ClusterView) -> bool:
        return _tolerates_cordon(new)


def _tolerates_cordon(pod: Pod) -> bool:
    return pod.memo(_compute_tolerates_cordon, _compute_tolerates_cordon)


def _compute_tolerates_cordon(shape: Shape) -> bool:
    # Operators Gt and Lt need no gate here: the taint has no value that could be compared.
    return any(tolerates(toleration, _TAINT) for toleration in shape.spec.tolerations)
