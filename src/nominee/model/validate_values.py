"""Checks of fields that take one of few values, for objects that people wrote.

pkg/apis/core/validation/validation.go, v1.37: what an API server would never have stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from nominee.errors import InputError
from nominee.model.affinity import Affinity, TopologySpreadConstraint
from nominee.model.container import Container
from nominee.model.node import Node, Taint
from nominee.model.pod import PodSpec, Toleration
from nominee.model.policy import PodDisruptionBudget

EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
OPERATORS: Final = ("Exists", "Equal", "Gt", "Lt")
ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")
POLICIES: Final = ("Honor", "Ignore")
_PERCENT: Final = re.compile(r"(?:100|[0-9]{1,2})%")
PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_HIGHEST_PORT: Final = 65535
PREEMPTION_POLICIES: Final = ("PreemptLowerPriority", "Never")


def check_node_values(node: Node) -> None:
    """Check the taints of a node; raises InputError naming the field."""
    for position, taint in enumerate(node.spec.taints):
        _check_taint(taint, f"spec.taints[{position}]")


def check_pod_values(spec: PodSpec) -> None:
    """Check priority, ports, tolerations, spreading and weights; raises InputError naming the field."""
    if spec.priority is not None:
        _check_int32(spec.priority, "spec.priority")
    _check_one_of(spec.preemption_policy or "", ("", *PREEMPTION_POLICIES), "spec.preemptionPolicy")
    _check_ports(spec.containers, "spec.containers")
    _check_ports(spec.init_containers, "spec.initContainers")
    for position, toleration in enumerate(spec.tolerations):
        _check_toleration(toleration, f"spec.tolerations[{position}]")
    for position, constraint in enumerate(spec.topology_spread_constraints):
        _check_constraint(constraint, f"spec.topologySpreadConstraints[{position}]")
    if spec.affinity is not None:
        _check_affinity(spec.affinity)


def check_budget_values(budget: PodDisruptionBudget) -> None:
    """Check what must stay or may go: numbers or percentages, not both of them."""
    amounts = {
        "spec.minAvailable": budget.spec.min_available,
        "spec.maxUnavailable": budget.spec.max_unavailable,
    }
    for field, amount in amounts.items():
        if isinstance(amount, str) and not _PERCENT.fullmatch(amount):
            raise InputError(f"{amount!r} is not supported: expected a number or 0% to 100%", field=field)
        if isinstance(amount, int) and amount < 0:
            raise InputError(f"{amount} must be greater than or equal to 0", field=field)
    if None not in amounts.values():
        raise InputError("minAvailable and maxUnavailable cannot be both set", field="spec")


def _check_int32(value: int, field: str) -> None:
    if not -(1 << 31) <= value < 1 << 31:
        raise InputError(f"{value} must be in the range {-(1 << 31)} to {(1 << 31) - 1}", field=field)


def _check_ports(containers: Iterable[Container], field: str) -> None:
    for position, container in enumerate(containers):
        for number, port in enumerate(container.ports):
            place = f"{field}[{position}].ports[{number}]"
            _check_one_of(port.protocol, ("", *PROTOCOLS), f"{place}.protocol")
            if not 0 <= port.host_port <= _HIGHEST_PORT:
                fault = f"{port.host_port} must be in the range 1-{_HIGHEST_PORT}, or 0 for none"
                raise InputError(fault, field=f"{place}.hostPort")


def _check_taint(taint: Taint, field: str) -> None:
    if not taint.key:
        raise InputError("can not be empty", field=f"{field}.key")
    _check_one_of(taint.effect, EFFECTS, f"{field}.effect")


def _check_toleration(toleration: Toleration, field: str) -> None:
    _check_one_of(toleration.operator, ("", *OPERATORS), f"{field}.operator")
    _check_one_of(toleration.effect, ("", *EFFECTS), f"{field}.effect")


def _check_constraint(constraint: TopologySpreadConstraint, field: str) -> None:
    _check_one_of(constraint.when_unsatisfiable, ACTIONS, f"{field}.whenUnsatisfiable")
    _check_one_of(constraint.node_affinity_policy or "", ("", *POLICIES), f"{field}.nodeAffinityPolicy")
    _check_one_of(constraint.node_taints_policy or "", ("", *POLICIES), f"{field}.nodeTaintsPolicy")
    if constraint.max_skew <= 0:
        raise InputError(f"{constraint.max_skew} must be greater than zero", field=f"{field}.maxSkew")
    if constraint.min_domains is not None and constraint.min_domains <= 0:
        raise InputError(f"{constraint.min_domains} must be greater than zero", field=f"{field}.minDomains")


def _check_affinity(affinity: Affinity) -> None:
    kinds = {
        "nodeAffinity": affinity.node_affinity,
        "podAffinity": affinity.pod_affinity,
        "podAntiAffinity": affinity.pod_anti_affinity,
    }
    for name, kind in kinds.items():
        if kind is not None:
            weights = (term.weight for term in kind.preferred_during_scheduling_ignored_during_execution)
            _check_weights(weights, f"spec.affinity.{name}.preferredDuringSchedulingIgnoredDuringExecution")


def _check_weights(weights: Iterable[int], field: str) -> None:
    for position, weight in enumerate(weights):
        if not 1 <= weight <= 100:
            raise InputError(f"{weight} must be in the range 1-100", field=f"{field}[{position}].weight")


def _check_one_of(value: str, allowed: tuple[str, ...], field: str) -> None:
    if value not in allowed:
        named = ", ".join(filter(None, allowed))
        raise InputError(f"{value!r} is not supported: expected one of {named}", field=field)
