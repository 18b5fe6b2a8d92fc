"""What is wrong with a scenario, where, and what is allowed there: msgspec's findings in our words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from nominee.errors import shown

_FOUND = re.compile(r"(?P<problem>.*) - at `(?P<key>key` in `)?\$\.?(?P<path>.*)`", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<field>.*)`")
_TYPES = re.compile(r"Expected `(?P<wanted>[^`]*)`, got `(?P<got>\w+)`")
_STEP = re.compile(r"\[[^\]]*\]|[^.\[]+")
_ANY: Final = "[...]"
_JSON_NAMES: Final = {str: "str", bool: "bool", int: "int", float: "float", list: "array", dict: "object"}


def complaint(message: str, data: Any, struct: type) -> tuple[str, str]:
    """Split what msgspec says about `data`, which should be a `struct`, into a problem and a field."""
    found = _FOUND.fullmatch(message)
    problem, path = (found["problem"], found["path"]) if found else (message, "")
    steps = _STEP.findall(path)
    if found is not None and found["key"]:
        return "keys must be texts: put it into quotation marks", _written(steps)
    if (unknown := _UNKNOWN.fullmatch(problem)) is not None:
        steps = _resolved(data, steps, lambda value: isinstance(value, dict) and unknown["field"] in value)
        allowed = ", ".join(_fields_of(_type_at(struct, steps)))
        return f"unknown field: allowed are {allowed}", _written([*steps, unknown["field"]])
    types = _TYPES.match(problem)
    steps = _resolved(data, steps, _is_what_was_got(types["got"] if types else ""))
    if "matching regex" in problem:
        problem = f"Expected {_described(_type_at(struct, steps))}"
    return f"{_in_our_words(problem)}{_remark(problem, steps, data, struct)}", _written(steps)


def _remark(problem: str, steps: list[str], data: Any, struct: type) -> str:
    """What is allowed, or what was found, where msgspec does not say so itself."""
    if problem.startswith("Invalid enum value"):
        return f": expected one of {', '.join(map(str, _values_of(_type_at(struct, steps))))}"
    if problem.startswith("Object missing required field"):
        return ""
    value = _at(data, steps)
    if value is None or isinstance(value, dict | list):
        return ""
    if _TYPES.match(problem):
        return f": {shown(value)}"
    return "" if ", got " in problem else f", got {shown(value)}"


def _in_our_words(problem: str) -> str:
    return (problem[:1].lower() + problem[1:]).replace("`", "'")


def _written(steps: list[str]) -> str:
    return "".join(step if step.startswith("[") else f".{step}" for step in steps).removeprefix(".")


# -- where in the data ------------------------------------------------------------------------------


def _is_what_was_got(got: str) -> Any:
    return lambda value: not got or _JSON_NAMES.get(type(value), "null" if value is None else "") == got


def _resolved(data: Any, steps: list[str], is_meant: Any) -> list[str]:
    """The steps with the keys of mappings, of which msgspec says only that there was one."""
    return next(_ways(data, steps, is_meant), steps)


def _ways(value: Any, steps: list[str], is_meant: Any) -> Iterator[list[str]]:
    if not steps:
        if is_meant(value):
            yield []
        return
    for step, below in _below(value, steps[0]):
        yield from ([step, *rest] for rest in _ways(below, steps[1:], is_meant))


def _below(value: Any, step: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        keys = list(value) if step == _ANY else [step]
        yield from ((str(key), value[key]) for key in keys if key in value)
    elif isinstance(value, list) and step.startswith("["):
        places = range(len(value)) if step == _ANY else [int(step[1:-1])]
        yield from ((f"[{place}]", value[place]) for place in places if place < len(value))


def _at(value: Any, steps: list[str]) -> Any:
    for step in steps:
        value = next((below for _, below in _below(value, step)), None)
    return value


# -- what is allowed there --------------------------------------------------------------------------


def _type_at(kind: Any, steps: list[str]) -> Any:
    for step in steps:
        kind = next((below for arm in _arms(kind) for below in _type_below(arm, step)), None)
    return kind


def _type_below(kind: Any, step: str) -> Iterator[Any]:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        names = dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
        if step in names:
            yield get_type_hints(kind, include_extras=True)[names[step]]
    elif get_origin(kind) in (list, dict):
        yield get_args(kind)[-1]


def _arms(kind: Any) -> list[Any]:
    """The alternatives of a union, or the type itself; bounds left out."""
    if get_origin(kind) is Annotated:
        return _arms(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return [arm for each in get_args(kind) for arm in _arms(each)]
    return [kind]


def _fields_of(kind: Any) -> tuple[str, ...]:
    for arm in _arms(kind):
        if isinstance(arm, type) and issubclass(arm, msgspec.Struct):
            return arm.__struct_encode_fields__
    return ()


def _described(kind: Any) -> str:
    """What the pattern of a text stands for."""
    return next((meta.description for meta in getattr(kind, "__metadata__", ()) if meta.description), "")


def _values_of(kind: Any) -> tuple[Any, ...]:
    return tuple(value for arm in _arms(kind) if get_origin(arm) is Literal for value in get_args(arm))
