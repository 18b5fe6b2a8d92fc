"""Validation of the node affinity that NodeAffinityArgs adds to every pod.

staging/src/k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go and
staging/src/k8s.io/apimachinery/pkg/labels/selector.go, v1.37.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from nominee.config.field import FieldError, invalid, not_supported
from nominee.config.names import label_value_faults, qualified_name_faults
from nominee.model.affinity import NodeAffinity
from nominee.model.meta import NodeSelectorRequirement, NodeSelectorTerm

_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_FIELD_OPERATORS: Final = ("In", "NotIn")

Faults = Iterator[FieldError]


def validate_added_affinity(path: str, affinity: NodeAffinity | None) -> Faults:
    """Every term that could not be evaluated; empty terms and terms of weight 0 are not looked at."""
    if affinity is None:
        return
    wanted = affinity.required_during_scheduling_ignored_during_execution
    place = f"{path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
    for index, term in enumerate(wanted.node_selector_terms if wanted else ()):
        yield from _term(f"{place}[{index}]", term)
    place = f"{path}.preferredDuringSchedulingIgnoredDuringExecution"
    for index, preferred in enumerate(affinity.preferred_during_scheduling_ignored_during_execution):
        if preferred.weight:
            yield from _term(f"{place}[{index}]", preferred.preference)


def _term(path: str, term: NodeSelectorTerm) -> Faults:
    for index, requirement in enumerate(term.match_expressions):
        yield from _expression(f"{path}.matchExpressions[{index}]", requirement)
    for index, requirement in enumerate(term.match_fields):
        yield from _field(f"{path}.matchFields[{index}]", requirement)


def _field(path: str, requirement: NodeSelectorRequirement) -> Faults:
    if requirement.operator not in _FIELD_OPERATORS:
        yield not_supported(f"{path}.operator", requirement.operator, _FIELD_OPERATORS)
    elif len(requirement.values) != 1:
        yield invalid(f"{path}.values", requirement.values, "must have one element")


def _expression(path: str, requirement: NodeSelectorRequirement) -> Faults:
    if requirement.operator not in _OPERATORS:
        yield not_supported(f"{path}.operator", requirement.operator, _OPERATORS)
        return
    if faults := qualified_name_faults(requirement.key):
        yield invalid(f"{path}.key", requirement.key, "; ".join(faults))
    yield from _values(f"{path}.values", requirement)
    for index, value in enumerate(requirement.values):
        if faults := label_value_faults(value):
            yield invalid(f"{path}.values[{index}][{requirement.key}]", value, "; ".join(faults))


def _values(path: str, requirement: NodeSelectorRequirement) -> Faults:
    """How many values each operator takes, and of which form."""
    values = requirement.values
    match requirement.operator:
        case "In" | "NotIn":
            if not values:
                yield invalid(path, values, "for 'in', 'notin' operators, values set can't be empty")
        case "Exists" | "DoesNotExist":
            if values:
                yield invalid(path, values, "values set must be empty for exists and does not exist")
        case _:
            if len(values) != 1:
                yield invalid(path, values, "for 'Gt', 'Lt' operators, exactly one value is required")
            for index, value in enumerate(values):
                if not _is_integer(value):
                    rule = "for 'Gt', 'Lt' operators, the value must be an integer"
                    yield invalid(f"{path}[{index}]", value, rule)


def _is_integer(value: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]+", value) is not None and -(2**63) <= int(value) < 2**63
