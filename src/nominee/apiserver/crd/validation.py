"""Whether an object is as its schema says, in the words of kube-openapi.

kube-openapi/pkg/validation/{validate,errors} and apiextensions-apiserver/pkg/apiserver/validation, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import orjson

from nominee.apiserver.crd.formats import FORMATS
from nominee.apiserver.kind import JsonObject
from nominee.apiserver.rest.go_text import go_text
from nominee.apiserver.status import FieldError
from nominee.model.cel.regex import Regex, compile_regex
from nominee.model.cel.values import CelError

INT_OR_STRING = "x-kubernetes-int-or-string"


def validate(value: Any, schema: JsonObject, path: str = "") -> Iterator[FieldError]:
    """Everything that is wrong with a value; `path` is where it stands."""
    if value is None and schema.get("nullable"):
        return
    wrong = _type_error(value, schema, path)
    if wrong is not None:
        yield wrong
        return
    yield from _values(value, schema, path)
    if isinstance(value, str):
        yield from _string(value, schema, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _number(value, schema, path)
    elif isinstance(value, list):
        yield from _list(value, schema, path)
    elif isinstance(value, dict):
        yield from _object(value, schema, path)
    yield from _combinations(value, schema, path)


def _invalid(path: str, value: Any, why: str) -> FieldError:
    return FieldError(path, "FieldValueInvalid", f"Invalid value: {_quoted(value)}: {why}")


def _quoted(value: Any) -> str:
    if isinstance(value, str):
        return orjson.dumps(value).decode()
    if isinstance(value, (dict, list)):
        return orjson.dumps(value).decode()
    return go_text(value)


def _in_body(path: str) -> str:
    return f"{path} in body" if path else "in body"


# -- types ------------------------------------------------------------------------------------------


def _type_error(value: Any, schema: JsonObject, path: str) -> FieldError | None:
    wanted = ["integer", "string"] if schema.get(INT_OR_STRING) else [schema.get("type")]
    found = _type_of(value)
    if wanted == [None] or found in wanted or (found == "integer" and "number" in wanted):
        return None
    told = ",".join(str(each) for each in wanted)
    why = f'{_in_body(path)} must be of type {told}: "{found}"'
    return FieldError(path, "FieldValueTypeInvalid", f'Invalid value: "{found}": {why}')


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    return {float: "number", str: "string", list: "array", dict: "object"}[type(value)]


# -- values -----------------------------------------------------------------------------------------


def _values(value: Any, schema: JsonObject, path: str) -> Iterator[FieldError]:
    allowed = schema.get("enum")
    if allowed is not None and value not in allowed:
        listed = ", ".join(f'"{each if isinstance(each, str) else _quoted(each)}"' for each in allowed)
        told = f"Unsupported value: {_quoted(value)}: supported values: {listed}"
        yield FieldError(path, "FieldValueNotSupported", told)


def _string(value: str, schema: JsonObject, path: str) -> Iterator[FieldError]:
    where = _in_body(path)
    most, least = schema.get("maxLength"), schema.get("minLength")
    if most is not None and len(value) > most:
        yield FieldError(path, "FieldValueTooLong", f"Too long: may not be more than {most} bytes")
    if least is not None and len(value) < least:
        yield _invalid(path, value, f"{where} should be at least {least} chars long")
    pattern = schema.get("pattern")
    if pattern and not _matches(pattern, value):
        yield _invalid(path, value, f"{where} should match '{pattern}'")
    check = FORMATS.get(schema.get("format", ""))
    if check is not None and not check(value):
        yield _invalid(path, value, f"{where} must be of type {schema['format']}: {_quoted(value)}")


def _matches(pattern: str, value: str) -> bool:
    compiled = _compiled(pattern)
    return compiled is None or compiled.search(value) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Regex | None:
    """None for what is no expression: nobody is refused for that. The engine's time is linear."""
    try:
        return compile_regex(pattern)
    except CelError:
        return None


def _number(value: float, schema: JsonObject, path: str) -> Iterator[FieldError]:
    where = _in_body(path)
    most, least, step = (schema.get(name) for name in ("maximum", "minimum", "multipleOf"))
    if most is not None and (value >= most if schema.get("exclusiveMaximum") else value > most):
        told = "less than" if schema.get("exclusiveMaximum") else "less than or equal to"
        yield _invalid(path, value, f"{where} should be {told} {go_text(most)}")
    if least is not None and (value <= least if schema.get("exclusiveMinimum") else value < least):
        told = "greater than" if schema.get("exclusiveMinimum") else "greater than or equal to"
        yield _invalid(path, value, f"{where} should be {told} {go_text(least)}")
    if step and (value / step) % 1:
        yield _invalid(path, value, f"{where} should be a multiple of {go_text(step)}")
    bits = {"int32": 31, "int64": 63}.get(schema.get("format", ""))
    if bits and isinstance(value, int) and not -(1 << bits) <= value < 1 << bits:
        yield _invalid(path, value, f"{where} must be of type {schema['format']}: {_quoted(str(value))}")


# -- parts ------------------------------------------------------------------------------------------


def _list(value: list[Any], schema: JsonObject, path: str) -> Iterator[FieldError]:
    most, least = schema.get("maxItems"), schema.get("minItems")
    if most is not None and len(value) > most:
        told = f"Too many: {len(value)}: must have at most {most} items"
        yield FieldError(path, "FieldValueTooMany", told)
    if least is not None and len(value) < least:
        yield _invalid(path, len(value), f"{_in_body(path)} should have at least {least} items")
    yield from _duplicates(value, schema, path)
    items = schema.get("items")
    if isinstance(items, dict):
        for row, each in enumerate(value):
            yield from validate(each, items, f"{path}[{row}]")


def _duplicates(value: list[Any], schema: JsonObject, path: str) -> Iterator[FieldError]:
    kind = schema.get("x-kubernetes-list-type")
    keys = schema.get("x-kubernetes-list-map-keys") or ()
    if kind not in ("set", "map") and not schema.get("uniqueItems"):
        return
    seen = set()
    for row, each in enumerate(value):
        shown = {key: each.get(key) for key in keys} if kind == "map" and isinstance(each, dict) else each
        mark = orjson.dumps(shown, option=orjson.OPT_SORT_KEYS)
        if mark in seen:
            told = f"Duplicate value: {_quoted(shown)}"
            yield FieldError(f"{path}[{row}]", "FieldValueDuplicate", told)
        seen.add(mark)


def _object(value: JsonObject, schema: JsonObject, path: str) -> Iterator[FieldError]:
    most, least = schema.get("maxProperties"), schema.get("minProperties")
    if most is not None and len(value) > most:
        told = f"Too many: {len(value)}: must have at most {most} items"
        yield FieldError(path, "FieldValueTooMany", told)
    if least is not None and len(value) < least:
        yield _invalid(path, value, f"{_in_body(path)} should have at least {least} properties")
    for name in schema.get("required") or ():
        if name not in value:
            yield FieldError(_below(path, name), "FieldValueRequired", "Required value")
    properties = schema.get("properties") or {}
    additional = schema.get("additionalProperties")
    for name, each in value.items():
        inner = properties.get(name, additional)
        if isinstance(inner, dict):
            yield from validate(each, inner, _below(path, name))


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _combinations(value: Any, schema: JsonObject, path: str) -> Iterator[FieldError]:
    """Of several schemas: all, at least one, exactly one, not this one."""
    for inner in schema.get("allOf") or ():
        yield from validate(value, inner, path)
    if schema.get("anyOf") and not any(_fits(value, inner, path) for inner in schema["anyOf"]):
        yield _invalid(path, "", f'"{path}" must validate at least one schema (anyOf)')
    if schema.get("oneOf"):
        fitting = sum(_fits(value, inner, path) for inner in schema["oneOf"])
        if fitting != 1:
            found = "Found none valid" if not fitting else f"Found {fitting} valid alternatives"
            yield _invalid(path, "", f'"{path}" must validate one and only one schema (oneOf). {found}')
    if schema.get("not") is not None and _fits(value, schema["not"], path):
        yield _invalid(path, "", f'"{path}" must not validate the schema (not)')


def _fits(value: Any, schema: JsonObject, path: str) -> bool:
    return next(validate(value, schema, path), None) is None
