"""JSON merge patch (RFC 7386), with the corners of github.com/evanphx/json-patch v4.13, as in Kubernetes."""

from __future__ import annotations

from typing import Any

from nominee.apiserver.patches.refusals import bad_request
from nominee.apiserver.schema.go_values import go_type, json_kind


def merge_patch(item: dict[str, Any], patch: Any) -> dict[str, Any]:
    """`item` with the patch merged into it; raises 400 for a patch that is no object."""
    if patch is None:
        raise bad_request("Invalid JSON Patch")
    if not isinstance(patch, dict):
        why = f"json: cannot unmarshal {json_kind(patch)} into Go value of type {go_type({})}"
        raise bad_request(f"error decoding patch: {why}")
    return _merge_objects(item, patch)


def _merge_objects(item: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    merged = dict(item)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        elif merged.get(key) is None:
            merged[key] = without_nulls(value)
        else:
            merged[key] = _merge(merged[key], value)
    return merged


def _merge(old: Any, patch: Any) -> Any:
    if not isinstance(old, dict):
        return without_nulls(patch)
    return _merge_objects(old, patch) if isinstance(patch, dict) else patch


def without_nulls(value: Any) -> Any:
    """Without the fields that are null; a null that is an element of a list stays."""
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value]
    return value
