"""Values without parts: how the server writes them, and what is wrong with others.

`read` gives the value in canonical form (`0.5` of a quantity is `500m`, a time is in UTC), as a typed
object has it once it has been decoded, or raises `MalformedError` with the words of Go's decoder.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from nominee.apiserver.schema import go_time
from nominee.apiserver.schema.go_values import go_number, json_kind
from nominee.errors import InputError
from nominee.model.quantity import canonical_quantity

_INT32 = range(-(2**31), 2**31)
_INT64 = range(-(2**63), 2**63)
_QUANTITY_FORM = re.compile(r"([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)\Z")
_BAD_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


class MalformedError(Exception):
    """A value that is not of its type. Without `message` it is the wrong kind of JSON: `found`."""

    def __init__(self, message: str = "", found: str = "") -> None:
        super().__init__(message or found)
        self.message = message
        self.found = found


def _exactly(wanted: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is not wanted:
            raise MalformedError(found=json_kind(value))
        return value

    return read


def _integer(size: range) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is int and value in size:
            return value
        if type(value) in (int, float):
            raise MalformedError(found=f"number {go_number(value)}")
        raise MalformedError(found=json_kind(value))

    return read


def _float(value: Any) -> float:
    if type(value) not in (int, float):
        raise MalformedError(found=json_kind(value))
    number: float = value
    return number


def _bytes(value: Any) -> str:
    if not isinstance(value, str):
        raise MalformedError(found=json_kind(value))
    try:
        binascii.a2b_base64(value, strict_mode=True)
    except ValueError:
        raise MalformedError(f"illegal base64 data at input byte {_first_bad_byte(value)}") from None
    return value


def _first_bad_byte(text: str) -> int:
    match = re.match(r"(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]*", text)
    return match.end() if match else 0


def _plain(value: Any, wanted: str) -> MalformedError:
    """Types with a decoder of their own do not say where they are."""
    found = json_kind(value)
    if wanted == "int32" and found == "number":
        found = f"number {go_number(value)}"
    return MalformedError(f"json: cannot unmarshal {found} into Go value of type {wanted}")


def _time(layout: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise _plain(value, "string")
        moment = go_time.parse(value, layout)
        if isinstance(moment, str):
            raise MalformedError(moment)
        return go_time.write(moment, layout)

    return read


def _quantity(value: Any) -> str:
    if type(value) not in (str, int, float):
        raise MalformedError(_BAD_QUANTITY)
    try:
        return _canonical(str(value).strip())
    except InputError:
        well_formed = _QUANTITY_FORM.match(str(value).strip())
        raise MalformedError("unable to parse quantity's suffix" if well_formed else _BAD_QUANTITY) from None


@lru_cache(maxsize=16384)
def _canonical(text: str) -> str:
    return canonical_quantity(text)


def _int_or_string(value: Any) -> int | str:
    if type(value) is str or (type(value) is int and value in _INT32):
        either: int | str = value
        return either
    raise _plain(value, "int32")


READERS: Mapping[str, Callable[[Any], Any]] = {
    "string": _exactly(str),
    "bool": _exactly(bool),
    "bytes": _bytes,
    "int32": _integer(_INT32),
    "int64": _integer(_INT64),
    "float64": _float,
    "time": _time(go_time.SECONDS),
    "microtime": _time(go_time.MICROSECONDS),
    "quantity": _quantity,
    "int-or-string": _int_or_string,
}

ZEROS: Mapping[str, Any] = {
    "string": "",
    "bool": False,
    "bytes": "",
    "int32": 0,
    "int64": 0,
    "float64": 0,
    "time": None,
    "microtime": None,
    "quantity": "0",
    "int-or-string": 0,
}
"""What Go makes of a null that is an element of a list or the value of a key."""


def _is_integer(size: range) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and value in size


@lru_cache(maxsize=16384)
def _is_canonical_quantity(value: str) -> bool:
    try:
        return canonical_quantity(value) == value
    except InputError:
        return False


def _reads(name: str) -> Callable[[Any], bool]:
    """Whether a value is what the reader would make of it."""
    read = READERS[name]

    def conforms(value: Any) -> bool:
        try:
            return bool(read(value) == value)
        except MalformedError:
            return False

    return conforms


CHECKS: Mapping[str, type | Callable[[Any], bool]] = {
    "string": str,
    "bool": bool,
    "bytes": _reads("bytes"),
    "int32": _is_integer(_INT32),
    "int64": _is_integer(_INT64),
    "float64": lambda value: type(value) in (int, float),
    "time": lru_cache(maxsize=4096)(_reads("time")),
    "microtime": _reads("microtime"),
    "quantity": lambda value: type(value) is str and _is_canonical_quantity(value),
    "int-or-string": lambda value: type(value) is str or (type(value) is int and value in _INT32),
}
"""Whether a value is canonical: a Python type where that says it all, otherwise a predicate."""
