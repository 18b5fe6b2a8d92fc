"""What decoding makes of an object: unknown fields, nulls and what is empty go, values become canonical.

As sigs.k8s.io/json decodes into the types of k8s.io/api (v0.37), with its words for what is wrong. What
conforms already comes back as it is, and that is nearly every object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.schema.conforming import check_of
from nominee.apiserver.schema.go_values import json_kind
from nominee.apiserver.schema.scalars import READERS, ZEROS, MalformedError
from nominee.apiserver.schema.type import Free, ListOf, MapOf, Scalar, Struct, Type
from nominee.apiserver.status import bad_request
from nominee.errors import ApiError

_MOST_COMPLAINTS = 100


@dataclass(frozen=True, slots=True)
class Decoded:
    """An object of a type. `unknown` says which fields were none: `unknown field "spec.foo"`."""

    item: JsonObject
    unknown: tuple[str, ...] = ()


def decode(item: Any, struct: Struct) -> Decoded:
    """The object without what its type does not have; raises `MalformedError` for a value of a wrong type.

    The given object is not changed; the answer shares parts with it.
    """
    if check_of(struct)(item):
        return Decoded(item)
    reading = _Reading()
    read = reading.struct(item, struct)
    return Decoded(read, tuple(f'unknown field "{path}"' for path in reading.unknown))


def decode_or_refuse(item: JsonObject, struct: Struct) -> Decoded:
    """The same, with the answer that a client gets for a value of a wrong type."""
    try:
        return decode(item, struct)
    except MalformedError as error:
        raise bad_request(_told(item, struct, error.message)) from error


def strict_refusal(item: JsonObject, struct: Struct, complaints: tuple[str, ...]) -> ApiError:
    """What `fieldValidation=Strict` answers to unknown and duplicate fields."""
    return bad_request(_told(item, struct, f"strict decoding error: {', '.join(complaints)}"))


def _told(item: JsonObject, struct: Struct, why: str) -> str:
    """apiserver/pkg/endpoints/handlers/rest.go, transformDecodeError, v1.37."""
    kind, api_version = item.get("kind", struct.short_name), item.get("apiVersion", "v1")
    version = str(api_version).rpartition("/")[2]
    return f'{kind} in version "{version}" cannot be handled as a {struct.short_name}: {why}'


class _Reading:
    """One object on its way through its type, and where in it we are.

    Errors name the innermost struct and the fields down to the value; complaints about unknown
    fields name indices and keys as well.
    """

    def __init__(self) -> None:
        self.unknown: dict[str, None] = {}
        self._struct = ""
        self._fields: list[str] = []
        self._path: list[str] = []

    def value(self, value: Any, type_: Type) -> Any:
        if isinstance(type_, Scalar):
            return self._scalar(value, type_)
        if isinstance(type_, Struct):
            return self.struct(value, type_)
        if isinstance(type_, ListOf):
            return self._list(value, type_)
        if isinstance(type_, MapOf):
            return self._map(value, type_)
        return value

    def _scalar(self, value: Any, type_: Scalar) -> Any:
        try:
            return READERS[type_.name](value)
        except MalformedError as error:
            if error.message:
                raise
            raise self._wrong(error.found, type_.called) from None

    def _wrong(self, found: str, wanted: str) -> MalformedError:
        into = "value"
        if self._struct:
            into = f"struct field {self._struct}.{'.'.join(self._fields)}"
        return MalformedError(f"json: cannot unmarshal {found} into Go {into} of type {wanted}")

    def struct(self, value: Any, type_: Struct) -> JsonObject:
        if type(value) is not dict:
            raise self._wrong(json_kind(value), type_.called)
        outer = self._struct
        result: JsonObject = {}
        for name, item in value.items():
            field = type_.fields.get(name)
            if field is None:
                self._undeclared(name, item, result, type_)
            elif item is not None:
                self._struct = type_.short_name
                self._enter(name, field.embedded)
                read = self.value(item, field.type)
                self._leave(field.embedded)
                if read or not field.vanishes:
                    result[name] = read
        self._struct = outer
        for name, scalar in type_.staying.items():
            result.setdefault(name, ZEROS[scalar.name])
        return result

    def _undeclared(self, name: str, item: Any, result: JsonObject, type_: Struct) -> None:
        if type_.open:
            result[name] = item
        elif len(self.unknown) < _MOST_COMPLAINTS:
            self.unknown[".".join(["".join(self._path).lstrip("."), name]).lstrip(".")] = None

    def _enter(self, name: str, embedded: str) -> None:
        if embedded:
            self._fields.append(embedded)
        self._fields.append(name)
        self._path.append(f".{name}")

    def _leave(self, embedded: str) -> None:
        del self._fields[-2 if embedded else -1 :]
        self._path.pop()

    def _list(self, value: Any, type_: ListOf) -> list[Any]:
        if type(value) is not list:
            raise self._wrong(json_kind(value), type_.called)
        result = []
        for index, item in enumerate(value):
            self._path.append(f"[{index}]")
            result.append(_zero(type_.element) if item is None else self.value(item, type_.element))
            self._path.pop()
        return result

    def _map(self, value: Any, type_: MapOf) -> JsonObject:
        if type(value) is not dict:
            raise self._wrong(json_kind(value), type_.called)
        result = {}
        for key, item in value.items():
            self._path.append(f".{key}")
            result[key] = _zero(type_.element) if item is None else self.value(item, type_.element)
            self._path.pop()
        return result


def _zero(type_: Type) -> Any:
    if isinstance(type_, Scalar):
        return ZEROS[type_.name]
    if isinstance(type_, ListOf):
        return []
    return None if isinstance(type_, Free) else {}
