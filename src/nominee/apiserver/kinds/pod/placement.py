"""Where a pod may stand: tolerations, spreading, gates, readiness gates.

The rules of ValidateTolerations, validateTopologySpreadConstraints and validateSchedulingGates of
pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import duplicate, invalid, not_supported, required
from nominee.apiserver.kinds.pod.affinity import validate_label_keys
from nominee.apiserver.kinds.selectors import validate_label_selector
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_POLICIES = ("Honor", "Ignore")
_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
NOT_POSITIVE = "must be greater than zero"


def validate_tolerations(tolerations: Sequence[Item], path: str) -> Iterator[FieldError]:
    """What is wrong with the tolerations of a pod."""
    for position, toleration in enumerate(tolerations):
        key, operator = toleration.get("key") or "", toleration.get("operator") or ""
        effect = toleration.get("effect") or ""
        at = f"{path}[{position}]"
        if key:
            for fault in syntax.label_key(key):
                yield invalid(f"{at}.key", key, fault)
        elif operator != "Exists":
            why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            yield invalid(f"{at}.operator", operator, why)
        if "tolerationSeconds" in toleration and effect != "NoExecute":
            yield invalid(
                f"{at}.effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"
            )
        if operator != "Exists" or toleration.get("value"):
            yield from _validate_operator(operator, toleration.get("value") or "", f"{at}.operator")
        if effect and effect not in _EFFECTS:
            yield not_supported(f"{at}.effect", effect, _EFFECTS)


def _validate_operator(operator: str, value: str, path: str) -> Iterator[FieldError]:
    if operator in ("", "Equal"):
        if faults := syntax.label_value(value):
            yield invalid(path, value, ";".join(faults))
    elif operator == "Exists":
        if value:
            yield invalid(path, value, "value must be empty when `operator` is 'Exists'")
    elif operator in ("Lt", "Gt"):
        yield not_supported(path, operator, ("Equal", "Exists", "Lt", "Gt"))
    else:
        yield not_supported(path, operator, ("Equal", "Exists"))


def validate_effect(effect: str, path: str) -> Iterator[FieldError]:
    """What is wrong with the effect of a taint."""
    if not effect:
        yield required(path)
    elif effect not in _EFFECTS:
        yield not_supported(path, effect, _EFFECTS)


def validate_gates(gates: Sequence[Item], path: str) -> Iterator[FieldError]:
    """What is wrong with the scheduling gates of a pod."""
    seen: set[str] = set()
    for position, gate in enumerate(gates):
        name, at = gate.get("name") or "", f"{path}[{position}]"
        for fault in syntax.label_key(name):
            yield invalid(at, name, fault)
        if name in seen:
            yield duplicate(at, name)
        seen.add(name)


def validate_readiness_gates(gates: Sequence[Item], path: str) -> Iterator[FieldError]:
    """What is wrong with the conditions on which a pod is ready."""
    for position, gate in enumerate(gates):
        name = gate.get("conditionType") or ""
        for fault in syntax.label_key(name):
            yield invalid(f"{path}[{position}].conditionType", name, fault)


def validate_spread(constraints: Sequence[Item], path: str) -> Iterator[FieldError]:
    """What is wrong with the constraints by which a pod is spread."""
    for position, constraint in enumerate(constraints):
        at = f"{path}[{position}]"
        skew, key = constraint.get("maxSkew") or 0, constraint.get("topologyKey") or ""
        action = constraint.get("whenUnsatisfiable") or ""
        if skew <= 0:
            yield invalid(f"{at}.maxSkew", skew, NOT_POSITIVE)
        if not key:
            yield required(f"{at}.topologyKey", "can not be empty")
        if action not in _ACTIONS:
            yield not_supported(f"{at}.whenUnsatisfiable", action, _ACTIONS)
        for other in constraints[position + 1 :]:
            if (other.get("topologyKey") or "", other.get("whenUnsatisfiable") or "") == (key, action):
                yield duplicate(f"{at}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {action}}}")
                break
        yield from _validate_spread_details(constraint, action, at)


def _validate_spread_details(constraint: Item, action: str, path: str) -> Iterator[FieldError]:
    domains = constraint.get("minDomains")
    if domains is not None and domains <= 0:
        yield invalid(f"{path}.minDomains", domains, NOT_POSITIVE)
    if domains is not None and action != "DoNotSchedule":
        why = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        yield invalid(f"{path}.minDomains", domains, why)
    for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        if constraint.get(name) not in (None, *_POLICIES):
            yield not_supported(f"{path}.{name}", constraint[name], _POLICIES)
    selector = constraint.get("labelSelector")
    if keys := constraint.get("matchLabelKeys"):
        yield from validate_label_keys(selector, keys, (), path)
    yield from validate_label_selector(selector, f"{path}.labelSelector")
