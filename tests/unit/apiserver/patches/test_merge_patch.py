"""JSON merge patch: the examples of RFC 7386, and Kubernetes' answers to what is no patch."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.apiserver.patches.merge_patch import merge_patch
from nominee.errors import ApiError

UNREADABLE = "error decoding patch: json: cannot unmarshal"
NO_MAP = "into Go value of type map[string]interface {}"


@pytest.mark.parametrize(
    ("item", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ({"a": [1]}, {"a": [None, {"b": None}]}, {"a": [None, {}]}),
    ],
)
def test_fields_merge_and_null_removes(
    item: dict[str, Any], patch: dict[str, Any], result: dict[str, Any]
) -> None:
    assert merge_patch(item, patch) == result


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (
            [],
            f"{UNREADABLE} array {NO_MAP}",
        ),
        (
            "x",
            f"{UNREADABLE} string {NO_MAP}",
        ),
        (None, "Invalid JSON Patch"),
    ],
)
def test_what_is_no_object_is_a_bad_request(patch: Any, message: str) -> None:
    with pytest.raises(ApiError) as refused:
        merge_patch({"a": 1}, patch)
    assert (refused.value.status, refused.value.reason) == (400, message)
