"""JSON patch as Kubernetes applies it."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.apiserver.patches.json_patch import json_patch
from nominee.errors import ApiError


def op(kind: str, path: str, **more: Any) -> dict[str, Any]:
    return {"op": kind, "path": path, **more}


@pytest.mark.parametrize(
    ("item", "patch", "result"),
    [
        ({"a": 1}, [op("add", "/b", value=2)], {"a": 1, "b": 2}),
        ({"a": [1, 3]}, [op("add", "/a/1", value=2)], {"a": [1, 2, 3]}),
        ({"a": [1]}, [op("add", "/a/-", value=2)], {"a": [1, 2]}),
        ({"a": [1, 2]}, [op("add", "/a/-1", value=9)], {"a": [1, 2, 9]}),
        ({"a": {"b": 1}}, [op("remove", "/a/b")], {"a": {}}),
        ({"a": [1, 2, 3]}, [op("remove", "/a/-1")], {"a": [1, 2]}),
        ({"a": 1}, [op("replace", "/a", value=2)], {"a": 2}),
        ({}, [op("replace", "/a", value=2)], {"a": 2}),
        ({"a": 1}, [op("replace", "", value={"b": 2})], {"b": 2}),
        ({"a": 1}, [op("move", "/b", **{"from": "/a"})], {"b": 1}),
        ({"a": {"x": 1}}, [op("copy", "/b", **{"from": "/a"})], {"a": {"x": 1}, "b": {"x": 1}}),
        ({"a/b": {"c~d": 1}}, [op("remove", "/a~1b/c~0d")], {"a/b": {}}),
        ({"a": 1}, [op("test", "/a", value=1), op("add", "/b", value=2)], {"a": 1, "b": 2}),
        ({"a": 1}, [op("test", "/b", value=None)], {"a": 1}),
    ],
)
def test_operations_change_the_document(
    item: dict[str, Any], patch: list[dict[str, Any]], result: dict[str, Any]
) -> None:
    assert json_patch(item, patch) == result


@pytest.mark.parametrize(
    ("patch", "cause"),
    [
        ([op("test", "/a", value="1")], "testing value /a failed: test failed"),
        ([op("test", "/a", value=True)], "testing value /a failed: test failed"),
        ([op("remove", "/x")], "Unable to remove nonexistent key: x: missing value"),
        ([op("add", "/x/y", value=1)], "add operation does not apply: doc is missing path: /x/y"),
        ([op("add", "/l/7", value=1)], "Unable to access invalid index: 7"),
        ([op("add", "/l/x", value=1)], "value was not a proper array index: 'x'"),
        ([op("remove", "/l/1_0")], 'strconv.Atoi: parsing "1_0": invalid syntax'),
        ([op("add", "")], "add operation does not apply"),
        ([op("replace", "", value=3)], "replace operation value must be object or array"),
        ([{"op": "add"}], "add operation failed to decode path"),
        ([{"op": "move", "path": "/a"}], "move operation failed to decode from"),
        ([{"op": "frob", "path": "/a"}], "Unexpected kind: frob"),
        ([{}], "Unexpected kind: unknown"),
        ([None], "Unexpected kind: unknown"),
    ],
)
def test_what_does_not_apply_is_unprocessable(patch: list[Any], cause: str) -> None:
    with pytest.raises(ApiError) as refused:
        json_patch({"a": 1, "l": [0]}, patch)
    assert refused.value.status == 422
    assert refused.value.reason == "the server rejected our request due to an error in our request"
    assert cause in str(refused.value.__cause__)


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({}, "object into Go value of type []handlers.jsonPatchOp"),
        ([3], "number into Go value of type handlers.jsonPatchOp"),
        ([{"op": ["add"], "path": "/a"}], "array into Go struct field jsonPatchOp.op of type string"),
        ([{"op": "add", "path": 5}], "number into Go struct field jsonPatchOp.path of type string"),
    ],
)
def test_what_is_no_patch_is_a_bad_request(patch: Any, message: str) -> None:
    with pytest.raises(ApiError) as refused:
        json_patch({}, patch)
    told = f"error decoding patch: json: cannot unmarshal {message}"
    assert (refused.value.status, refused.value.reason) == (400, told)


def test_null_is_a_patch_of_no_operations() -> None:
    assert json_patch({"a": 1}, None) == {"a": 1}


def test_too_many_operations_are_refused() -> None:
    with pytest.raises(ApiError) as refused:
        json_patch({}, [op("add", "/a", value=1)] * 10_001)
    assert refused.value.status == 413
    assert refused.value.reason == (
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
    )


def test_copies_of_copies_end_before_they_fill_the_memory() -> None:
    doubling = [op("copy", "/a/x", **{"from": "/a"}), op("copy", "/a/y", **{"from": "/a"})] * 40
    with pytest.raises(ApiError) as refused:
        json_patch({"a": {"name": "x" * 100}}, doubling)
    assert "Unable to complete the copy" in str(refused.value.__cause__)


def test_a_document_may_not_become_deeper_than_can_be_written() -> None:
    nesting = [op("add", "/a" * depth, value={}) for depth in range(1, 400)]
    with pytest.raises(ApiError) as refused:
        json_patch({}, nesting)
    assert refused.value.status == 422


def test_the_stored_object_stays_as_it_is_and_shares_what_does_not_change() -> None:
    item = {"a": {"b": [1]}, "c": {"d": 2}}
    patched = json_patch(item, [op("add", "/a/b/-", value=2)])
    assert item == {"a": {"b": [1]}, "c": {"d": 2}}
    assert patched["c"] is item["c"]
