"""What a pod asks for, compiled once per shape.

Reproduces pkg/scheduler/framework/plugins/podtopologyspread/common.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from nominee.framework import (
    EVERYTHING,
    FeatureGates,
    NodeTerms,
    Selector,
    Shape,
    Toleration,
    TopologySpreadConstraint,
    label_selector,
    map_selector,
    node_selector,
)

Action: TypeAlias = Literal["DoNotSchedule", "ScheduleAnyway"]
HARD: Action = "DoNotSchedule"
SOFT: Action = "ScheduleAnyway"
_HONOR = "Honor"


class Gates(NamedTuple):
    """The feature gates that constraints depend on, at their defaults where nobody says."""

    match_label_keys: bool = True
    comparison_operators: bool = False

    @classmethod
    def of(cls, features: FeatureGates | None) -> Gates:
        if features is None:
            return cls()
        return cls(
            features.enabled("MatchLabelKeysInPodTopologySpread"),
            features.enabled("TaintTolerationComparisonOperators"),
        )


@dataclass(frozen=True, slots=True)
class MatchingPods:
    """The tally of the pods that a constraint counts."""

    alive_only: ClassVar[bool] = True

    namespace: str
    selector: Selector

    def of(self, shape: Shape) -> int:
        return int(shape.namespace == self.namespace and self.selector.matches(shape.labels))


@dataclass(frozen=True, slots=True)
class Constraint:
    """One constraint.

    tally          the pods it counts
    counts_placed  an empty selector selects every pod of the namespace, yet of the placed ones none
                   is counted; only what-ifs move its counts
    own            1 if the pod itself is one of those it counts
    """

    topology_key: str
    max_skew: int
    min_domains: int
    honors_affinity: bool
    honors_taints: bool
    tally: MatchingPods
    counts_placed: bool
    own: int

    @property
    def selector(self) -> Selector:
        return self.tally.selector


@dataclass(frozen=True, slots=True)
class NodeRules:
    """All that decides which nodes count for which constraint; shapes with equal rules share the answer.

    keys         by constraint: topology key, whether node affinity and taints are honoured
    require_all  a node must have all the keys to count for any
    """

    keys: tuple[tuple[str, bool, bool], ...]
    require_all: bool
    selector: Selector
    required: NodeTerms | None
    tolerations: tuple[Toleration, ...]
    comparison_operators: bool
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts = (self.keys, self.require_all, self.selector, self.required, self.tolerations)
        object.__setattr__(self, "_hash", hash(parts))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True)
class Constraints:
    """The constraints of a pod that ask for the same action, and the rules for nodes."""

    each: tuple[Constraint, ...]
    rules: NodeRules


def own_constraints(shape: Shape, action: Action, gates: Gates) -> Constraints | None:
    """Those in the pod's spec that ask for this action; None if there are none."""
    each = tuple(
        _compiled(shape, given, _selector(shape, given, gates))
        for given in shape.spec.topology_spread_constraints
        if given.when_unsatisfiable == action
    )
    return Constraints(each, _rules(shape, each, gates, require_all=True)) if each else None


def given_constraints(
    shape: Shape,
    given: Iterable[TopologySpreadConstraint],
    selector: Selector,
    gates: Gates,
    *,
    require_all: bool,
) -> Constraints:
    """Constraints from elsewhere, which bring no selector of their own."""
    each = tuple(_compiled(shape, constraint, selector) for constraint in given)
    return Constraints(each, _rules(shape, each, gates, require_all=require_all))


def _compiled(shape: Shape, given: TopologySpreadConstraint, selector: Selector) -> Constraint:
    tally = MatchingPods(shape.namespace, selector)
    return Constraint(
        topology_key=given.topology_key,
        max_skew=given.max_skew,
        min_domains=1 if given.min_domains is None else given.min_domains,
        honors_affinity=given.node_affinity_policy in (None, _HONOR),
        honors_taints=given.node_taints_policy == _HONOR,
        tally=tally,
        counts_placed=not selector.empty,
        own=tally.of(shape),
    )


def _selector(shape: Shape, given: TopologySpreadConstraint, gates: Gates) -> Selector:
    selector = label_selector(given.label_selector)
    if not gates.match_label_keys:
        return selector
    labels = {key: shape.labels[key] for key in given.match_label_keys if key in shape.labels}
    return selector & map_selector(labels) if labels else selector


def _rules(shape: Shape, each: tuple[Constraint, ...], gates: Gates, *, require_all: bool) -> NodeRules:
    """What no constraint honours is left out, so that as many shapes as possible share the answer."""
    spec = shape.spec
    affinity = any(c.honors_affinity for c in each)
    taints = any(c.honors_taints for c in each)
    return NodeRules(
        keys=tuple((c.topology_key, c.honors_affinity, c.honors_taints) for c in each),
        require_all=require_all,
        selector=map_selector(spec.node_selector) if affinity else EVERYTHING,
        required=_required(shape) if affinity else None,
        tolerations=spec.tolerations if taints else (),
        comparison_operators=taints and gates.comparison_operators,
    )


def _required(shape: Shape) -> NodeTerms | None:
    affinity = shape.spec.affinity
    nodes = affinity.node_affinity if affinity is not None else None
    required = nodes.required_during_scheduling_ignored_during_execution if nodes is not None else None
    return node_selector(required, strict=False) if required is not None else None
