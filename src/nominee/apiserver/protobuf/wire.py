"""The wire format of protobuf: keys and values, one after the other."""

from __future__ import annotations

import struct
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

Value = int | bytes
"""A varint or a fixed number as an integer without sign; everything else as bytes."""


class BrokenError(Exception):
    """The bytes are no message; the words are for the client."""


def fields(data: bytes) -> Iterator[tuple[int, int, Value]]:
    """Number, wire type and value of each field of a message, in the order in which they stand."""
    at, end = 0, len(data)
    while at < end:
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise BrokenError("proto: illegal tag 0")
        value, at = _value(data, at, kind)
        yield number, kind, value


def _value(data: bytes, at: int, kind: int) -> tuple[Value, int]:
    if kind == VARINT:
        return _varint(data, at)
    if kind == BYTES:
        length, at = _varint(data, at)
        return _slice(data, at, length), at + length
    if kind == FIXED64:
        return int.from_bytes(_slice(data, at, 8), "little"), at + 8
    if kind == FIXED32:
        return int.from_bytes(_slice(data, at, 4), "little"), at + 4
    raise BrokenError(f"proto: illegal wireType {kind}")


def _slice(data: bytes, at: int, length: int) -> bytes:
    if at + length > len(data):
        raise BrokenError("unexpected EOF")
    return data[at : at + length]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        if at >= len(data):
            raise BrokenError("unexpected EOF")
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            raise BrokenError("proto: integer overflow")


def signed(value: int, bits: int) -> int:
    """The number that a varint stands for."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def double(value: int) -> float:
    """The number that eight fixed bytes stand for."""
    number: float = struct.unpack("<d", value.to_bytes(8, "little"))[0]
    return number


def varints(data: bytes) -> Iterator[int]:
    """The numbers of a packed list."""
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


def text(data: bytes) -> str:
    """A string."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise BrokenError("string field contains invalid UTF-8") from None
