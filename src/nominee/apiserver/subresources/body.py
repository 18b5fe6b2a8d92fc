"""Bodies of requests that are no stored objects: read with care, since nobody has checked them before."""

from __future__ import annotations

from typing import Any

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.status import bad_request

_SHOWN = {str: "string", dict: "object", int: "number", list: "array", bool: "boolean"}


def part(body: JsonObject, name: str) -> JsonObject:
    """An object within; empty if it is left out."""
    return _typed(body, name, dict) or {}


def text(body: JsonObject, name: str) -> str:
    """A text within; empty if it is left out."""
    return _typed(body, name, str) or ""


def whole(body: JsonObject, name: str) -> int | None:
    """A whole number within."""
    found: int | None = _typed(body, name, int)
    return found


def truth(body: JsonObject, name: str) -> bool | None:
    """True, false or left out."""
    found: bool | None = _typed(body, name, bool)
    return found


def texts(body: JsonObject, name: str) -> list[str]:
    """A list of texts within."""
    found = _typed(body, name, list) or []
    if not all(isinstance(one, str) for one in found):
        raise bad_request(f"json: cannot unmarshal into Go struct field .{name} of type []string")
    return found


def pairs(body: JsonObject, name: str) -> dict[str, str]:
    """Labels or annotations within."""
    found = part(body, name)
    if not all(isinstance(one, str) for one in found.values()):
        raise bad_request(f"json: cannot unmarshal into Go struct field .{name} of type map[string]string")
    return found


def _typed(body: JsonObject, name: str, kind: type) -> Any:
    value = body.get(name)
    if value is None or (isinstance(value, kind) and not (kind is int and isinstance(value, bool))):
        return value
    raise bad_request(f"json: cannot unmarshal into Go struct field .{name} of type {_SHOWN[kind]}")
