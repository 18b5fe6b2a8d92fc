from typing import Any

import pytest

from nominee.apiserver.crd.validation import validate


def wrong(value: Any, **schema: Any) -> list[str]:
    named = {
        name.replace("x_kubernetes", "x-kubernetes").replace("_", "-"): each for name, each in schema.items()
    }
    return [f"{error.field}: {error.message}" for error in validate(value, named, "spec.x")]


@pytest.mark.parametrize(
    ("value", "schema", "message"),
    [
        (5, {"type": "string"}, 'Invalid value: "integer": spec.x in body must be of type string: "integer"'),
        (None, {"type": "string"}, 'Invalid value: "null": spec.x in body must be of type string: "null"'),
        (
            1.5,
            {"type": "integer"},
            'Invalid value: "number": spec.x in body must be of type integer: "number"',
        ),
        (
            11,
            {"type": "integer", "maximum": 10},
            "Invalid value: 11: spec.x in body should be less than or equal to 10",
        ),
        (
            0,
            {"type": "integer", "minimum": 1},
            "Invalid value: 0: spec.x in body should be greater than or equal to 1",
        ),
        (
            3,
            {"type": "integer", "multipleOf": 2},
            "Invalid value: 3: spec.x in body should be a multiple of 2",
        ),
        (
            "b",
            {"type": "string", "pattern": "^a$"},
            "Invalid value: \"b\": spec.x in body should match '^a$'",
        ),
        ("b", {"enum": ["a", "c"]}, 'Unsupported value: "b": supported values: "a", "c"'),
        ("abc", {"type": "string", "maxLength": 2}, "Too long: may not be more than 2 bytes"),
        (
            "",
            {"type": "string", "minLength": 1},
            'Invalid value: "": spec.x in body should be at least 1 chars long',
        ),
        (
            "x",
            {"type": "string", "format": "ipv4"},
            'Invalid value: "x": spec.x in body must be of type ipv4: "x"',
        ),
        ([1, 2], {"type": "array", "maxItems": 1}, "Too many: 2: must have at most 1 items"),
        (
            [],
            {"type": "array", "minItems": 1},
            "Invalid value: 0: spec.x in body should have at least 1 items",
        ),
        (
            True,
            {"oneOf": [{"type": "string"}]},
            'Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found none valid',
        ),
        (
            True,
            {"anyOf": [{"type": "string"}]},
            'Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
        ),
        (
            True,
            {"not": {"type": "boolean"}},
            'Invalid value: "": "spec.x" must not validate the schema (not)',
        ),
    ],
)
def test_what_is_wrong_is_told_in_kubernetes_words(value: Any, schema: dict[str, Any], message: str) -> None:
    assert wrong(value, **schema) == [f"spec.x: {message}"]


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (5, {"type": "number"}),
        (5.0, {"type": "integer"}),
        (None, {"type": "string", "nullable": True}),
        ("25%", {"x-kubernetes-int-or-string": True}),
        (7, {"x-kubernetes-int-or-string": True}),
        ("2001-01-01T00:00:00Z", {"type": "string", "format": "date-time"}),
        ("anything", {"type": "string", "format": "of-our-own"}),
        ("x", {"type": "string", "pattern": "(?=unsupported)"}),
    ],
)
def test_what_is_right_is_not_told(value: Any, schema: dict[str, Any]) -> None:
    assert list(validate(value, schema)) == []


def test_what_is_required_and_what_is_below() -> None:
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {"b": {"type": "array", "items": {"type": "integer"}}},
    }
    found = [f"{e.field}: {e.message}" for e in validate({"b": [1, "x"]}, schema)]
    assert found == [
        "a: Required value",
        'b[1]: Invalid value: "string": b[1] in body must be of type integer: "string"',
    ]


def test_lists_that_are_maps_or_sets_have_no_twins() -> None:
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"], "type": "array"}
    errors = list(validate([{"n": 1}, {"n": 2}, {"n": 1, "v": 3}], keyed, "x"))
    assert [(error.field, error.message) for error in errors] == [("x[2]", 'Duplicate value: {"n":1}')]
    assert wrong(["a", "a"], type="array", x_kubernetes_list_type="set") == [
        'spec.x[1]: Duplicate value: "a"'
    ]


def test_a_pattern_that_would_take_for_ever_does_not() -> None:
    assert wrong("a" * 5000 + "!", type="string", pattern="^(a+)+$")
