"""JSON values as Go sees them: `1`, `1.0` and `true` are three things there, and one in Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def same(left: Any, right: Any) -> bool:
    """Equal in value and in type, all the way down."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def identity(value: Any) -> Any:
    """Something hashable that two values share exactly if they are the same."""
    if isinstance(value, dict):
        return (dict, tuple(sorted((key, identity(item)) for key, item in value.items())))
    if isinstance(value, list):
        return (list, tuple(map(identity, value)))
    return (type(value), value)


_GO_TYPES: Mapping[type, str] = {
    dict: "map[string]interface {}",
    list: "[]interface {}",
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    type(None): "<nil>",
}

_JSON_KINDS: Mapping[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
    type(None): "null",
}


def go_type(value: Any) -> str:
    """What Go calls the type of a decoded JSON value (`%T`)."""
    return _GO_TYPES[type(value)]


def json_kind(value: Any) -> str:
    """What encoding/json calls a value that it can not decode."""
    return _JSON_KINDS[type(value)]


def go_text(value: Any) -> str:
    """A value as Go prints it (`%v`): `map[image:nginx ports:[80 443]]`."""
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{go_text(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, list):
        return "[" + " ".join(map(go_text, value)) + "]"
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return go_number(value) if isinstance(value, float) else str(value)


def go_number(value: float) -> str:
    """A float as Go prints it: the shortest form, without `.0`."""
    text = repr(value)
    return text.removesuffix(".0")
