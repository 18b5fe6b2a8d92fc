"""From a message to a tree, along the types of the catalogue.

What Go writes of a field that is not set (an empty text, a zero) is left out, as it is in JSON.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.protobuf.numbers import Message, Numbered, messages
from nominee.apiserver.protobuf.wire import (
    BYTES,
    FIXED64,
    VARINT,
    BrokenError,
    Value,
    double,
    fields,
    signed,
    text,
    varints,
)
from nominee.apiserver.schema.type import ANY, Free, ListOf, MapOf, Scalar, Struct, Type

_DEEPEST = 60
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ZEROS: tuple[Any, ...] = (None, "", 0, False)


def read_message(data: bytes, struct: Struct, depth: int = 0) -> JsonObject:
    """The tree of a message of this type; raises `BrokenError`."""
    tree: JsonObject = {}
    _read_into(tree, data, struct, messages()[struct.name], depth)
    return tree


def _read_into(tree: JsonObject, data: bytes, struct: Struct, message: Message, depth: int) -> None:
    if depth > _DEEPEST:
        raise BrokenError("exceeded max depth")
    for number, wire, value in fields(data):
        numbered = message.get(number)
        if numbered is None:
            continue
        if numbered.inline:
            _read_into(tree, _bytes(wire, value), struct, messages()[numbered.inline], depth + 1)
        else:
            field = struct.fields.get(numbered.name)
            _put(tree, numbered, field.type if field else ANY, (wire, value), depth + 1)


def _put(tree: JsonObject, numbered: Numbered, type_: Type, given: tuple[int, Value], depth: int) -> None:
    name = numbered.name
    if isinstance(type_, ListOf):
        tree.setdefault(name, []).extend(_elements(type_.element, given, depth))
    elif isinstance(type_, MapOf):
        key, value = _entry(type_.element, _bytes(*given), depth)
        tree.setdefault(name, {})[key] = value
    else:
        value = _read(type_, given, depth)
        if numbered.pointer or not any(value is zero or value == zero for zero in _ZEROS):
            tree[name] = value


def _elements(element: Type, given: tuple[int, Value], depth: int) -> list[Any]:
    wire, value = given
    packed = wire == BYTES and isinstance(element, Scalar) and element.name in ("int32", "int64", "bool")
    if packed and isinstance(value, bytes):
        return [_read(element, (VARINT, number), depth) for number in varints(value)]
    return [_read(element, given, depth)]


def _entry(element: Type, data: bytes, depth: int) -> tuple[str, Any]:
    key = ""
    found: tuple[int, Value] = (BYTES, b"")
    for number, wire, value in fields(data):
        if number == 1:
            key = text(_bytes(wire, value))
        elif number == 2:
            found = (wire, value)
    if isinstance(element, ListOf):
        items = fields(_bytes(*found))
        return key, [_read(element.element, (wire, value), depth) for _, wire, value in items]
    return key, _read(element, found, depth)


def _read(type_: Type, given: tuple[int, Value], depth: int) -> Any:
    wire, value = given
    if isinstance(type_, Struct):
        return read_message(_bytes(wire, value), type_, depth)
    if isinstance(type_, Free):
        return _free(_bytes(wire, value))
    if isinstance(type_, Scalar):
        return _scalar(type_.name, wire, value)
    raise BrokenError(f"{type_.called} is not expected here")


def _scalar(name: str, wire: int, value: Value) -> Any:
    match name:
        case "string":
            return text(_bytes(wire, value))
        case "bytes":
            return base64.b64encode(_bytes(wire, value)).decode()
        case "bool":
            return _number(wire, value) != 0
        case "int32":
            return signed(_number(wire, value), 32)
        case "int64":
            return signed(_number(wire, value), 64)
        case "float64":
            return double(_number(wire, value))
        case "time" | "microtime":
            return _time(_bytes(wire, value), micro=name == "microtime")
        case "quantity":
            return _part(_bytes(wire, value), 1)
    return _int_or_string(_bytes(wire, value))


def _bytes(wire: int, value: Value) -> bytes:
    if wire != BYTES or not isinstance(value, bytes):
        raise BrokenError(f"proto: wrong wireType = {wire}")
    return value


def _number(wire: int, value: Value) -> int:
    if wire not in (VARINT, FIXED64) or not isinstance(value, int):
        raise BrokenError(f"proto: wrong wireType = {wire}")
    return value


def _part(data: bytes, number: int) -> str:
    """A text in a message that has little else."""
    found = [_bytes(wire, value) for n, wire, value in fields(data) if n == number]
    return text(found[-1]) if found else ""


def _time(data: bytes, *, micro: bool) -> str | None:
    parts = {number: _number(wire, value) for number, wire, value in fields(data)}
    if not parts:
        return None
    try:
        moment = _EPOCH + timedelta(seconds=signed(parts.get(1, 0), 64), microseconds=parts.get(2, 0) // 1000)
    except OverflowError:
        raise BrokenError("a time is out of range") from None
    if moment.year == 1:
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if micro else "%Y-%m-%dT%H:%M:%SZ")


def _int_or_string(data: bytes) -> int | str:
    parts = {number: value for number, _, value in fields(data)}
    if parts.get(1):
        given = parts.get(3, b"")
        return text(given) if isinstance(given, bytes) else ""
    number = parts.get(2, 0)
    return signed(number, 32) if isinstance(number, int) else 0


def _free(data: bytes) -> Any:
    """JSON in a message around it (RawExtension, FieldsV1)."""
    found = [_bytes(wire, value) for number, wire, value in fields(data) if number == 1]
    try:
        return orjson.loads(found[-1]) if found and found[-1] else None
    except orjson.JSONDecodeError as error:
        raise BrokenError(f"json: {error}") from None
