"""What CEL computes with: Python's own values, unsigned integers, optionals, quantities and versions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import total_ordering
from typing import Any

from nominee.errors import InputError

MIN_INT, MAX_INT, MAX_UINT = -(2**63), 2**63 - 1, 2**64 - 1


class CelError(InputError):
    """An expression is malformed, or fails on what it is asked about."""


class UInt(int):
    """An unsigned integer."""

    __slots__ = ()


class Optional:
    """A value that may be absent."""

    __slots__ = ("present", "value")

    def __init__(self, value: Any = None, *, present: bool = True) -> None:
        self.value = value
        self.present = present

    def __repr__(self) -> str:
        return f"optional.of({self.value!r})" if self.present else "optional.none()"


NONE = Optional(present=False)


class Ordered:
    """A value of a kind that has an order."""

    __slots__ = ()


@total_ordering
@dataclass(frozen=True, slots=True)
class Quantity(Ordered):
    """A Kubernetes quantity, in nanos."""

    nanos: int

    def __lt__(self, other: Quantity) -> bool:
        return self.nanos < other.nanos


_SEMVER = re.compile(
    r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)"
    r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
)


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Semver(Ordered):
    """A semantic version 2.0.0; what follows a plus plays no part in comparisons."""

    numbers: tuple[int, int, int]
    prerelease: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Semver:
        match = _SEMVER.fullmatch(text)
        identifiers = tuple((match[4] or "").split(".")) if match is not None and match[4] else ()
        if match is None or any(i.isdigit() and len(i) > 1 and i[0] == "0" for i in identifiers):
            raise CelError(f"{text[:80]!r} is not a semantic version")
        return cls((int(match[1]), int(match[2]), int(match[3])), identifiers)

    @property
    def _order(self) -> tuple[Any, ...]:
        """A release comes after its pre-releases, numbers before words, fewer identifiers before more."""
        ranks = tuple((0, int(i), "") if i.isdigit() else (1, 0, i) for i in self.prerelease)
        return self.numbers, not self.prerelease, ranks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and self._order == other._order

    def __hash__(self) -> int:
        return hash(self._order)

    def __lt__(self, other: Semver) -> bool:
        return bool(self._order < other._order)


def equal(a: Any, b: Any) -> bool:
    """CEL's equality: numbers by value whatever their kind, all else only within its kind."""
    kind, other = type(a), type(b)
    if kind is other and kind in (str, int, bool, bytes):
        return bool(a == b)
    if isinstance(a, bool) or isinstance(b, bool):
        return kind is other and bool(a == b)
    if isinstance(a, int | float) and isinstance(b, int | float):
        return bool(a == b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return len(a) == len(b) and all(k in b and equal(v, b[k]) for k, v in a.items())
    if isinstance(a, Optional) and isinstance(b, Optional):
        return a.present == b.present and (not a.present or equal(a.value, b.value))
    return kind is other and bool(a == b)


_ORDERED = (str, bytes, bool, Ordered)


def compare(a: Any, b: Any) -> int:
    """-1, 0 or 1; raises CelError where there is no order between the two."""
    numbers = is_number(a) and is_number(b)
    if not numbers and not (type(a) is type(b) and isinstance(a, _ORDERED)):
        raise no_overload()
    return int(a > b) - int(a < b)


def is_number(value: Any) -> bool:
    """Whether it is an int, a uint or a double; to CEL a bool is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def no_overload() -> CelError:
    """The error of an operator or a function that does not exist for such values."""
    return CelError("no such overload")


def in_range(number: int, *, unsigned: bool = False) -> int:
    """An integer as CEL holds it; raises CelError when 64 bits are too few."""
    if unsigned:
        if not 0 <= number <= MAX_UINT:
            raise CelError("unsigned integer overflow")
        return UInt(number)
    if not MIN_INT <= number <= MAX_INT:
        raise CelError("integer overflow")
    return number
