"""A document of OpenAPI version 2 in protobuf: kubectl up to 1.28 reads no other before it does anything.

The messages and numbers are those of github.com/google/gnostic-models/openapiv2/OpenAPIv2.proto, as far
as our documents use them. Extensions are YAML there, and JSON is YAML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import orjson

Json = Mapping[str, Any]


def encode(document: Json) -> bytes:
    """The message `openapi.v2.Document`."""
    info = _text(1, document["info"]["title"]) + _text(2, document["info"]["version"])
    paths = _named(2, document["paths"], _path_item)
    definitions = _named(1, document["definitions"], _schema)
    return b"".join(
        [_text(1, document["swagger"]), _bytes(2, info), _bytes(8, paths), _bytes(9, definitions)]
    )


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _bytes(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _text(number: int, value: str) -> bytes:
    return _bytes(number, value.encode()) if value else b""


def _texts(number: int, values: Iterable[str]) -> bytes:
    return b"".join(_bytes(number, value.encode()) for value in values)


def _flag(number: int, value: object) -> bytes:
    return _varint(number << 3) + b"\x01" if value else b""


def _named(number: int, values: Json, encode_one: Callable[[Any], bytes]) -> bytes:
    """A map: messages of a name and a value."""
    return b"".join(
        _bytes(number, _text(1, name) + _bytes(2, encode_one(value))) for name, value in values.items()
    )


def _extensions(number: int, holder: Json) -> bytes:
    found = {name: value for name, value in holder.items() if name.startswith("x-")}
    return _named(number, found, lambda value: _text(2, orjson.dumps(value).decode() + "\n"))


def _schema(schema: Json) -> bytes:
    parts = [
        _text(1, schema.get("$ref", "")),
        _text(2, schema.get("format", "")),
        _text(4, schema.get("description", "")),
        _texts(19, schema.get("required", ())),
    ]
    parts += [_bytes(20, _text(2, orjson.dumps(value).decode())) for value in schema.get("enum", ())]
    if "additionalProperties" in schema:
        parts.append(_bytes(21, _bytes(1, _schema(schema["additionalProperties"]))))
    if "type" in schema:
        parts.append(_bytes(22, _text(1, schema["type"])))
    if "items" in schema:
        parts.append(_bytes(23, _bytes(1, _schema(schema["items"]))))
    if "properties" in schema:
        parts.append(_bytes(25, _named(1, schema["properties"], _schema)))
    parts.append(_extensions(31, schema))
    return b"".join(parts)


_METHODS: Mapping[str, int] = {"get": 2, "put": 3, "post": 4, "delete": 5, "patch": 8}


def _path_item(item: Json) -> bytes:
    operations = [_bytes(number, _operation(item[name])) for name, number in _METHODS.items() if name in item]
    return b"".join([*operations, _parameters(9, item)])


def _operation(operation: Json) -> bytes:
    responses = _named(1, operation["responses"], lambda response: _bytes(1, _response(response)))
    return b"".join(
        [
            _texts(1, operation.get("tags", ())),
            _text(5, operation["operationId"]),
            _texts(6, operation.get("produces", ())),
            _texts(7, operation.get("consumes", ())),
            _parameters(8, operation),
            _bytes(9, responses),
            _extensions(13, operation),
        ]
    )


def _response(response: Json) -> bytes:
    schema = response.get("schema")
    return _text(1, response["description"]) + (_bytes(2, _bytes(1, _schema(schema))) if schema else b"")


def _parameters(number: int, holder: Json) -> bytes:
    return b"".join(_bytes(number, _bytes(1, _parameter(each))) for each in holder.get("parameters", ()))


def _parameter(parameter: Json) -> bytes:
    place = parameter["in"]
    if place == "body":
        return _bytes(1, _body_parameter(parameter))
    shift = {"query": 0, "path": -1}[place]
    inner = b"".join(
        [
            _flag(1, parameter.get("required")),
            _text(2, place),
            _text(3, parameter.get("description", "")),
            _text(4, parameter["name"]),
            _text(6 + shift, parameter.get("type", "")),
            _flag(20 + 2 * shift, parameter.get("uniqueItems")),
        ]
    )
    return _bytes(2, _bytes(3 - shift, inner))


def _body_parameter(parameter: Json) -> bytes:
    return b"".join(
        [
            _text(2, parameter["name"]),
            _text(3, "body"),
            _flag(4, parameter.get("required")),
            _bytes(5, _schema(parameter["schema"])),
        ]
    )
