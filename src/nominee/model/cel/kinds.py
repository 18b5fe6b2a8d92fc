"""Kinds: what is known of a value before there is one, and which kinds go together.

Follows cel-go checker/types.go: `dyn`, which can be anything, goes with everything. So does what is not
known here, for not all functions are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nominee.model.cel.values import CelError


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind by name, and the kinds of what it holds. Objects have fields; one letter is a variable."""

    name: str
    of: tuple[Kind, ...] = ()
    fields: Mapping[str, Kind] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        if self.name == "unknown":
            return "dyn"
        return f"{self.name}({', '.join(map(str, self.of))})" if self.of else self.name

    @property
    def is_variable(self) -> bool:
        """Whether it stands for any kind, the same wherever it occurs in a signature."""
        return len(self.name) == 1


DYN, NULL, UNKNOWN = Kind("dyn"), Kind("null"), Kind("unknown")
BOOL, INT, UINT, DOUBLE = Kind("bool"), Kind("int"), Kind("uint"), Kind("double")
STRING, BYTES = Kind("string"), Kind("bytes")
QUANTITY = Kind("kubernetes.Quantity")
_ANYTHING = (DYN, UNKNOWN)
_NEVER_NULL = frozenset({"bool", "int", "uint", "double", "string", "bytes", "list", "map", "type"})


def list_of(item: Kind) -> Kind:
    """A list whose items are of one kind."""
    return Kind("list", (item,))


def map_of(key: Kind, value: Kind) -> Kind:
    """A map from one kind to another."""
    return Kind("map", (key, value))


def optional_of(held: Kind) -> Kind:
    """A value that may be missing."""
    return Kind("optional_type", (held,))


def joined(a: Kind, b: Kind) -> Kind | None:
    """The kind of what is one or the other; None if they do not go together."""
    if a in _ANYTHING or b in _ANYTHING:
        return UNKNOWN if UNKNOWN in (a, b) else DYN
    if NULL in (a, b):
        other = b if a == NULL else a
        return None if other.name in _NEVER_NULL else other
    if a.name != b.name or len(a.of) != len(b.of):
        return None
    held = [joined(x, y) for x, y in zip(a.of, b.of, strict=True)]
    if any(kind is None for kind in held):
        return None
    return Kind(a.name, tuple(kind for kind in held if kind is not None), a.fields)


def bound(formal: Kind, actual: Kind, known: dict[str, Kind]) -> bool:
    """Whether an argument fits a parameter; `known` is what variables stand for, and may grow."""
    if formal.is_variable:
        kind = joined(known[formal.name], actual) if formal.name in known else actual
        if kind is not None:
            known[formal.name] = kind
        return kind is not None
    if actual in _ANYTHING or formal == DYN:
        return True
    if actual == NULL:
        return formal.name not in _NEVER_NULL
    same = formal.name == actual.name and len(formal.of) == len(actual.of)
    return same and all(bound(f, a, known) for f, a in zip(formal.of, actual.of, strict=True))


def filled_in(formal: Kind, known: Mapping[str, Kind]) -> Kind:
    """The kind with its variables replaced; of those nothing is known of, by dyn."""
    if formal.is_variable:
        return known.get(formal.name, DYN)
    return Kind(formal.name, tuple(filled_in(kind, known) for kind in formal.of), formal.fields)


def held(kind: Kind) -> Kind:
    """What an optional holds."""
    if kind in (DYN, NULL, UNKNOWN):
        return UNKNOWN if kind == UNKNOWN else DYN
    if kind.name != "optional_type":
        raise CelError(f"expected type 'optional_type' but found '{kind}'")
    return kind.of[0]


def no_overload(name: str, arguments: Sequence[Kind]) -> CelError:
    """What to say of a function that takes no such arguments."""
    applied = ", ".join(map(str, arguments))
    return CelError(f"found no matching overload for '{name}' applied to '({applied})'")
