"""Patches equal what a naive reading of their definition says, and never touch what they are given."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nominee.apiserver.patches.json_patch import json_patch
from nominee.apiserver.patches.merge_patch import merge_patch
from nominee.apiserver.patches.strategic_merge_patch import strategic_merge_patch
from nominee.apiserver.schema.type import STRING, Field, Struct, list_of

NAMES = st.sampled_from("abcd")
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(NAMES, JSON, max_size=4)

ROW = Struct("x.Row", lambda: {name: Field(name, STRING) for name in ("name", "x", "y")})
TABLE = Struct(
    "x.Table",
    lambda: {"rows": Field("rows", list_of(ROW), strategies=("merge",), merge_key="name")},
)


def rows() -> st.SearchStrategy[list[dict[str, str]]]:
    row = st.builds(
        lambda name, values: {"name": name, **values},
        NAMES,
        st.dictionaries(st.sampled_from("xy"), NAMES),
    )
    return st.lists(row, min_size=1, max_size=4, unique_by=lambda each: each["name"])


def merged(target: Any, patch: Any) -> Any:
    """RFC 7386, section 2, word for word; what is in the place of a null counts as absent."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def without_nulls_in_lists(value: Any) -> Any:
    """The RFC leaves nulls inside of lists alone, the library removes fields from objects in them."""
    if isinstance(value, list):
        return [without_nulls_in_lists(item) for item in value]
    if isinstance(value, dict):
        return {key: without_nulls_in_lists(item) for key, item in value.items() if item is not None}
    return value


@given(DOCUMENTS, DOCUMENTS)
def test_a_merge_patch_does_what_its_rfc_says(item: dict[str, Any], patch: dict[str, Any]) -> None:
    before = copy.deepcopy((item, patch))
    got = merge_patch(item, patch)
    assert without_nulls_in_lists(got) == without_nulls_in_lists(merged(item, patch))
    assert (item, patch) == before


def difference(old: Any, new: Any, path: str = "") -> list[dict[str, Any]]:
    """A JSON patch from one document to another."""
    if isinstance(old, dict) and isinstance(new, dict):
        gone = [{"op": "remove", "path": f"{path}/{key}"} for key in old.keys() - new.keys()]
        come = [{"op": "add", "path": f"{path}/{key}", "value": new[key]} for key in new.keys() - old.keys()]
        deep = [each for key in old.keys() & new for each in difference(old[key], new[key], f"{path}/{key}")]
        return gone + come + deep
    if isinstance(old, list) and isinstance(new, list):
        gone = [{"op": "remove", "path": f"{path}/{at}"} for at in reversed(range(len(old)))]
        return gone + [{"op": "add", "path": f"{path}/-", "value": value} for value in new]
    return [{"op": "replace", "path": path, "value": new}]


@given(DOCUMENTS, DOCUMENTS)
def test_a_json_patch_made_of_a_difference_leads_to_the_other_document(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    before = copy.deepcopy(old)
    patch = [each for each in difference(old, new) if each["path"]]
    assert json_patch(old, patch) == new
    assert old == before


@given(DOCUMENTS, DOCUMENTS, NAMES, NAMES)
def test_moving_there_and_back_changes_nothing(
    outer: dict[str, Any], inner: dict[str, Any], here: str, there: str
) -> None:
    item = {**outer, here: inner}
    item.pop(there, None)
    if here == there:
        item[here] = inner
    patch = [
        {"op": "move", "from": f"/{here}", "path": f"/{there}"},
        {"op": "move", "from": f"/{there}", "path": f"/{here}"},
    ]
    assert json_patch(item, patch) == item


@given(rows(), rows())
def test_a_strategic_patch_made_of_a_difference_leads_to_the_other_list(
    old: list[dict[str, str]], new: list[dict[str, str]]
) -> None:
    """As kubectl makes them: changed fields, nulls, deletions, and the order of all."""
    before = copy.deepcopy(old)
    by_name = {row["name"]: row for row in old}
    changes: list[dict[str, Any]] = [
        {**dict.fromkeys(by_name.get(row["name"], {}).keys() - row.keys()), **row} for row in new
    ]
    names = {row["name"] for row in new}
    gone = [{"name": row["name"], "$patch": "delete"} for row in old if row["name"] not in names]
    patch = {
        "rows": changes + gone,
        "$setElementOrder/rows": [{"name": row["name"]} for row in new],
    }
    assert strategic_merge_patch({"rows": old}, patch, TABLE) == {"rows": new}
    assert old == before


@given(rows(), rows())
def test_rows_that_a_patch_does_not_name_stay_in_their_order(
    old: list[dict[str, str]], patch: list[dict[str, str]]
) -> None:
    got = strategic_merge_patch({"rows": old}, {"rows": patch}, TABLE)["rows"]
    named = [row["name"] for row in patch]
    kept = [row for row in old if row["name"] not in named]
    assert [row for row in got if row["name"] not in named] == kept
    assert [row["name"] for row in got if row["name"] in named] == named
