"""Strategic merge patch: each directive, each kind of list, and the refusals."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.apiserver.patches.strategic_merge_patch import strategic_merge_patch
from nominee.apiserver.schema.type import STRING, Field, Struct, Type, list_of, map_of
from nominee.errors import ApiError


def struct(name: str, *fields: Field) -> Struct:
    return Struct(name, lambda: {field.name: field for field in fields})


def field(name: str, type_: Type, strategies: tuple[str, ...] = (), key: str = "") -> Field:
    return Field(name, type_, strategies=strategies, merge_key=key)


PORT = struct("x.Port", field("port", STRING), field("name", STRING))
BOX = struct(
    "x.Box",
    field("name", STRING),
    field("image", STRING),
    field("args", list_of(STRING)),
    field("ports", list_of(PORT), ("merge",), "port"),
)
VOLUME = struct("x.Volume", field("name", STRING), field("a", STRING), field("b", STRING))
THING = struct(
    "x.Thing",
    field("labels", map_of(STRING)),
    field("finalizers", list_of(STRING), ("merge",)),
    field("boxes", list_of(BOX), ("merge",), "name"),
    field("volumes", list_of(VOLUME), ("merge", "retainKeys"), "name"),
    field("whole", struct("x.Whole", field("x", STRING)), ("replace",)),
    field("volume", VOLUME, ("retainKeys",)),
    field("keyless", list_of(BOX), ("merge",)),
)


@pytest.mark.parametrize(
    ("item", "patch", "result"),
    [
        ({"labels": {"a": "1"}}, {"labels": {"b": "2", "a": None}}, {"labels": {"b": "2"}}),
        ({"labels": {"a": "1"}}, {"labels": {"$patch": "replace", "b": "2"}}, {"labels": {"b": "2"}}),
        ({"labels": {"a": "1"}}, {"labels": {"$patch": "delete"}}, {"labels": {}}),
        ({}, {"labels": {"$patch": "delete", "a": "1"}}, {}),
        ({}, {"labels": {"a": None, "b": "1"}}, {"labels": {"b": "1"}}),
        ({"whole": {"x": "1"}}, {"whole": {}}, {"whole": {}}),
        ({"finalizers": ["a", "b"]}, {"finalizers": ["c", "b"]}, {"finalizers": ["c", "a", "b"]}),
        ({"finalizers": ["a", "b"]}, {"$deleteFromPrimitiveList/finalizers": ["a"]}, {"finalizers": ["b"]}),
        ({}, {"$deleteFromPrimitiveList/finalizers": ["a"]}, {}),
        (
            {"finalizers": ["a", "b", "c"]},
            {"$setElementOrder/finalizers": ["c", "a"]},
            {"finalizers": ["b", "c", "a"]},
        ),
        (
            {"boxes": [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]},
            {"boxes": [{"name": "b", "image": "2"}]},
            {"boxes": [{"name": "a", "image": "1"}, {"name": "b", "image": "2"}]},
        ),
        (
            {"boxes": [{"name": "a"}, {"name": "b"}]},
            {"boxes": [{"name": "a", "$patch": "delete"}]},
            {"boxes": [{"name": "b"}]},
        ),
        (
            {"boxes": [{"name": "a"}, {"name": "b"}]},
            {"boxes": [{"$patch": "replace"}, {"name": "c"}]},
            {"boxes": [{"name": "c"}]},
        ),
        (
            {"boxes": [{"name": "a", "args": ["1", "2"]}]},
            {"boxes": [{"name": "a", "args": ["3"]}]},
            {"boxes": [{"name": "a", "args": ["3"]}]},
        ),
        (
            {"boxes": [{"name": "a"}, {"name": "b"}]},
            {
                "$setElementOrder/boxes": [{"name": "b"}, {"name": "c"}, {"name": "a"}],
                "boxes": [{"name": "c"}],
            },
            {"boxes": [{"name": "b"}, {"name": "c"}, {"name": "a"}]},
        ),
        (
            {"volumes": [{"name": "v", "a": "1"}]},
            {"volumes": [{"name": "v", "$retainKeys": ["name", "b"], "b": "2"}]},
            {"volumes": [{"name": "v", "b": "2"}]},
        ),
        ({"labels": {"a": "1"}}, {"$patch": "replace", "finalizers": ["x"]}, {"finalizers": ["x"]}),
        ({"boxes": [{"name": "a"}]}, {"boxes": None}, {}),
        ({"boxes": [{"name": "a"}]}, {"boxes": []}, {"boxes": [{"name": "a"}]}),
    ],
)
def test_a_patch_merges_by_the_rules_of_the_type(
    item: dict[str, Any], patch: dict[str, Any], result: dict[str, Any]
) -> None:
    assert strategic_merge_patch(item, patch, THING) == result


@pytest.mark.parametrize(
    ("patch", "status", "message"),
    [
        ([], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"),
        ({"$patch": "frob"}, 422, "unknown patch type: frob in map: map[$patch:frob]"),
        ({"boxes": [{"image": "x"}]}, 422, "map: map[image:x] does not contain declared merge key: name"),
        (
            {"boxes": [{"name": "a", "$patch": "merge"}]},
            422,
            "merging lists cannot yet be specified in the patch",
        ),
        ({"boxes": ["a"]}, 422, "list element types are not identical: [[map[name:a]] [a]]"),
        ({"keyless": [{"name": "b"}]}, 422, "cannot merge lists without merge key for struct"),
        ({"volume": {"$retainKeys": ["a"], "b": "1"}}, 400, "invalid patch format of retainKeys"),
        ({"$setElementOrder": []}, 400, "invalid patch format of setElementOrder list"),
        ({"$deleteFromPrimitiveListX": []}, 400, "invalid patch format of primitive list"),
        (
            {"$setElementOrder/boxes": {}},
            422,
            "expected a []interface {}, but received a map[string]interface {}",
        ),
        ({"nested": {"a": 1}}, 422, 'unable to find api field in struct Thing for the json field "nested"'),
        (
            {"$setElementOrder/boxes": [{"name": "b"}], "boxes": [{"name": "z"}]},
            422,
            "The order in patch list:\n[map[name:z]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
        ),
    ],
)
def test_a_patch_that_makes_no_sense_is_refused(patch: Any, status: int, message: str) -> None:
    item = {
        "boxes": [{"name": "a"}],
        "keyless": [{"name": "a"}],
        "volume": {"name": "v"},
        "nested": {},
    }
    with pytest.raises(ApiError) as refused:
        strategic_merge_patch(item, patch, THING)
    assert (refused.value.status, refused.value.reason) == (status, message)
