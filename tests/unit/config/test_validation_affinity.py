from typing import Any

import pytest

from nominee.config.validation_affinity import validate_added_affinity
from nominee.model.affinity import NodeAffinity, PreferredSchedulingTerm
from nominee.model.meta import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm


def faults(affinity: NodeAffinity) -> list[str]:
    return [str(fault) for fault in validate_added_affinity("added", affinity)]


def required(**term: Any) -> NodeAffinity:
    selector = NodeSelector(node_selector_terms=(NodeSelectorTerm(**term),))
    return NodeAffinity(required_during_scheduling_ignored_during_execution=selector)


def requirement(operator: str, *values: str, key: str = "disk") -> NodeSelectorRequirement:
    return NodeSelectorRequirement(key=key, operator=operator, values=values)


REQUIRED = "added.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (
            requirement("Has", "x"),
            (
                'operator: Unsupported value: "Has": '
                'supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"'
            ),
        ),
        (
            requirement("In"),
            "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            requirement("Exists", "x"),
            'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
        ),
        (
            requirement("Gt", "1", "2"),
            "values: Invalid value: [\"1\",\"2\"]: for 'Gt', 'Lt' operators, exactly one value is required",
        ),
        (
            requirement("Lt", "x"),
            "values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
        ),
        (requirement("Exists", key="a/"), 'key: Invalid value: "a/": name part must be non-empty'),
        (requirement("In", "a b"), 'values[0][disk]: Invalid value: "a b": a valid label must be'),
    ],
)
def test_expressions_must_be_such_that_they_can_match(
    expression: NodeSelectorRequirement, expected: str
) -> None:
    found = faults(required(match_expressions=(expression,)))
    assert len(found) == 1
    assert found[0].startswith(f"{REQUIRED}.matchExpressions[0].{expected}")


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (requirement("Exists"), 'operator: Unsupported value: "Exists": supported values: "In", "NotIn"'),
        (requirement("In", "a", "b"), 'values: Invalid value: ["a","b"]: must have one element'),
    ],
)
def test_fields_take_one_value(field: NodeSelectorRequirement, expected: str) -> None:
    assert faults(required(match_fields=(field,))) == [f"{REQUIRED}.matchFields[0].{expected}"]


@pytest.mark.parametrize(("weight", "count"), [(1, 1), (0, 0)])
def test_a_preference_without_weight_is_not_looked_at(weight: int, count: int) -> None:
    term = NodeSelectorTerm(match_expressions=(requirement("Has"),))
    preferred = (PreferredSchedulingTerm(weight=weight, preference=term),)
    affinity = NodeAffinity(preferred_during_scheduling_ignored_during_execution=preferred)
    assert len(faults(affinity)) == count


def test_sound_affinity_has_no_faults() -> None:
    terms = (requirement("In", "ssd", ""), requirement("Gt", "3", key="example.com/n"))
    assert faults(required(match_expressions=terms)) == []
