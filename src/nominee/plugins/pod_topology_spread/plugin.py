"""PodTopologySpread at its extension points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nominee.framework import (
    Action,
    ClusterView,
    Cycle,
    EventHint,
    FeatureGates,
    Ints,
    NodeObject,
    NodeView,
    Pod,
    Rejection,
    ReplicaSet,
    ReplicationController,
    Resource,
    Service,
    Shape,
    Skip,
    Slot,
    StatefulSet,
    TopologySpreadConstraint,
)
from nominee.plugins.pod_topology_spread import constraints as compiled
from nominee.plugins.pod_topology_spread.constraints import (
    HARD,
    SOFT,
    Constraints,
    Gates,
    given_constraints,
    own_constraints,
)
from nominee.plugins.pod_topology_spread.defaults import SYSTEM_DEFAULTS, default_selector, selectors_version
from nominee.plugins.pod_topology_spread.filtering import Balance, balances, rejections
from nominee.plugins.pod_topology_spread.hints import node_change_helps, pod_change_helps
from nominee.plugins.pod_topology_spread.scoring import spread_scores

_BALANCES: Slot[tuple[Balance, ...]] = Slot("PodTopologySpread balances")
_WISHES: Slot[tuple[Constraints, NodeView]] = Slot("PodTopologySpread wishes")


@dataclass(frozen=True, slots=True, kw_only=True)
class PodTopologySpread:
    """Spreads matching pods evenly over the values of node labels.

    default_constraints  for pods that have none, with defaulting type List
    defaulting_type      System spreads what a service or controller selects over nodes and zones

    Reproduces pkg/scheduler/framework/plugins/podtopologyspread, v1.37.
    """

    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    defaulting_type: str = "System"

    # Default constraints select what these do.
    watches: ClassVar = (Service, ReplicationController, ReplicaSet, StatefulSet)

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Skip | None:
        if not self._may_have(pod, HARD):
            return Skip.THIS_SHAPE
        constraints = self._constraints(pod, HARD, cycle.cluster, cycle.features)
        if constraints is None:
            return Skip.THIS_SHAPE
        cycle[_BALANCES] = balances(constraints, nodes, cycle.cluster)
        return None

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Iterable[Rejection]:
        each = cycle[_BALANCES]
        return rejections(each, nodes)

    def pre_score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Skip | None:
        if not self._may_have(pod, SOFT):
            return Skip.THIS_SHAPE
        constraints = self._constraints(pod, SOFT, cycle.cluster, cycle.features)
        if constraints is None:
            return Skip.THIS_SHAPE
        cycle[_WISHES] = constraints, nodes
        return None

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Ints:
        """Already normalised: that takes the feasible nodes of the whole cluster."""
        constraints, all_nodes = cycle[_WISHES]
        scores = spread_scores(constraints, all_nodes, cycle.cluster, cycle.feasible)
        return scores if nodes is all_nodes else scores[nodes.rows]

    def events_to_register(self) -> Sequence[EventHint]:
        placed = Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE
        own = Action.UPDATE_POD_LABEL | Action.UPDATE_POD_TOLERATION
        node = Action.ADD | Action.DELETE | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_TAINT
        return (
            EventHint(Resource.ASSIGNED_POD, placed, self._after_pod_change),
            EventHint(Resource.TARGET_POD, own, self._after_pod_change),
            EventHint(Resource.NODE, node, self._after_node_change),
        )

    def _after_pod_change(self, pod: Pod, old: Pod | None, new: Pod | None, cluster: ClusterView) -> bool:
        return pod_change_helps(pod, old, new, self._hard(pod, cluster))

    def _after_node_change(
        self, pod: Pod, old: NodeObject | None, new: NodeObject | None, cluster: ClusterView
    ) -> bool:
        return node_change_helps(old, new, self._hard(pod, cluster))

    def _hard(self, pod: Pod, cluster: ClusterView) -> tuple[compiled.Constraint, ...]:
        constraints = self._constraints(pod, HARD, cluster) if self._may_have(pod, HARD) else None
        return constraints.each if constraints is not None else ()

    @property
    def _is_system(self) -> bool:
        return self.defaulting_type == "System"

    def _defaults(self, action: compiled.Action) -> tuple[TopologySpreadConstraint, ...]:
        given = SYSTEM_DEFAULTS if self._is_system else self.default_constraints
        return tuple(c for c in given if c.when_unsatisfiable == action)

    def _may_have(self, pod: Pod, action: compiled.Action) -> bool:
        """Whether there can be constraints that ask for this, whatever the cluster looks like."""
        own = pod.spec.topology_spread_constraints
        if not own and self._is_system:
            return action == SOFT
        return any(c.when_unsatisfiable == action for c in own or self.default_constraints)

    def _constraints(
        self, pod: Pod, action: compiled.Action, cluster: ClusterView, features: FeatureGates | None = None
    ) -> Constraints | None:
        """The pod's own constraints; if it has none at all, the default ones.

        Gates are compared, which costs nothing as they are the same object each time; a hash of them would.
        """
        hinting = features is None
        if pod.spec.topology_spread_constraints:
            return pod.memo_at(
                (Constraints, action, hinting),
                (features,),
                lambda shape: own_constraints(shape, action, Gates.of(features)),
            )
        return pod.memo_at(
            (self, action, hinting),
            (selectors_version(cluster), features),
            lambda shape: self._default_constraints(shape, action, cluster, Gates.of(features)),
        )

    def _default_constraints(
        self, shape: Shape, action: compiled.Action, cluster: ClusterView, gates: Gates
    ) -> Constraints | None:
        """Reproduces buildDefaultConstraints (podtopologyspread/common.go, v1.37)."""
        selector = default_selector(shape, cluster)
        given = self._defaults(action)
        if selector.empty or not given:
            return None
        return given_constraints(shape, given, selector, gates, require_all=not self._is_system)
