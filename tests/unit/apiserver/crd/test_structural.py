from typing import Any

from nominee.apiserver.crd.structural import default, prune

OPEN = {"x-kubernetes-preserve-unknown-fields": True}


def spec(schema: dict[str, Any], *, kind: str = "object") -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": kind, **schema}}}


def test_what_nobody_has_declared_goes() -> None:
    item = {"apiVersion": "v1", "kind": "X", "metadata": {"labels": {}}, "spec": {"a": 1, "b": 2}, "more": 3}
    unknown = prune(item, spec({"properties": {"a": {"type": "integer"}}}))
    assert item == {"apiVersion": "v1", "kind": "X", "metadata": {"labels": {}}, "spec": {"a": 1}}
    assert unknown == ["spec.b", "more"]


def test_in_lists_and_maps_too() -> None:
    element = {"type": "object", "properties": {"a": {"type": "integer"}}}
    schema = spec(
        {
            "properties": {
                "list": {"type": "array", "items": element},
                "map": {"type": "object", "additionalProperties": element},
            }
        }
    )
    item = {"spec": {"list": [{"a": 1, "b": 2}], "map": {"x": {"c": 3}}}}
    assert prune(item, schema) == ["spec.list[0].b", "spec.map.x.c"]
    assert item == {"spec": {"list": [{"a": 1}], "map": {"x": {}}}}


def test_unless_it_is_to_be_kept() -> None:
    item = {"spec": {"a": {"b": 1}}}
    assert prune(item, spec(OPEN)) == []
    embedded = {"spec": {"apiVersion": "v1", "kind": "Y", "metadata": {}, "z": 1}}
    assert prune(embedded, spec({"x-kubernetes-embedded-resource": True})) == ["spec.z"]


def test_defaults_come_where_nothing_is() -> None:
    schema = spec(
        {
            "properties": {
                "a": {"type": "integer", "default": 1},
                "b": {
                    "type": "object",
                    "default": {},
                    "properties": {"c": {"type": "string", "default": "d"}},
                },
                "e": {"type": "string", "nullable": True, "default": "f"},
                "g": {"type": "string", "default": "h"},
            }
        }
    )
    item: dict[str, Any] = {"spec": {"e": None, "g": None}}
    default(item, schema)
    assert item == {"spec": {"a": 1, "b": {"c": "d"}, "e": None, "g": "h"}}


def test_two_objects_do_not_share_a_default() -> None:
    schema = spec({"properties": {"a": {"type": "array", "default": []}}})
    first: dict[str, Any] = {"spec": {}}
    second: dict[str, Any] = {"spec": {}}
    default(first, schema)
    default(second, schema)
    first["spec"]["a"].append(1)
    assert second["spec"]["a"] == []
