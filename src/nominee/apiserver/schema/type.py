"""The types that fields of API objects have: scalars, lists, maps, structs, and whatever JSON there is.

A list or a map says how it merges (`atomic` as a whole, otherwise by element); a field says what
strategic merge patch does with it. Both are facts of the API (x-kubernetes-list-type and its kin).
`called` is what Go calls a type, as decoding errors show it: `v1.PodPhase`, `[]v1.Container`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

ListKind = Literal["atomic", "set", "map"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value without parts.

    name     string, bytes, bool, int32, int64, float64, time, microtime, quantity or int-or-string
    enum     the only values it has; empty where any will do
    """

    name: str
    called: str
    enum: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Free:
    """Any JSON: nobody but its reader knows its form. `object_only` where it has to be an object."""

    object_only: bool = False
    called: str = "interface {}"


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list. As a `map`, its elements are structs told apart by the values of `keys`."""

    element: Type
    called: str
    kind: ListKind = "atomic"
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object whose keys are data."""

    element: Type
    called: str
    atomic: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct.

    strategies   of strategic merge patch: `merge`, `replace`, `retainKeys`
    merge_key    tells the elements of a list apart when it is merged by strategic merge patch
    standing     Go has it in every object, though it may be empty: nobody adds or removes it
    omits_zero   a scalar that Go leaves out when it is zero: an empty text, 0 or false says nothing
    embedded     the Go structs that stand between the struct and the field, which only errors show
    default      what the server takes when the field is absent, where that is no zero value
    """

    name: str
    type: Type
    description: str = ""
    required: bool = False
    strategies: tuple[str, ...] = ()
    merge_key: str = ""
    standing: bool = False
    omits_zero: bool = False
    embedded: str = ""
    default: Any = None

    @property
    def vanishes(self) -> bool:
        """Whether Go leaves the field out when what is in it is empty or zero (omitempty)."""
        if isinstance(self.type, Scalar):
            return self.omits_zero
        return isinstance(self.type, (ListOf, MapOf)) and not (self.required or self.standing)


class Struct:
    """An object with known fields, which are worked out when somebody first asks for them.

    kind            (group, version, kind) if it is an object by itself
    atomic          merges as a whole
    open            keeps fields that nobody has declared
    conforms        a predicate that `schema.conforming` keeps here
    appears, fills  functions that `patches.managed_fields.appearance` keeps here
    """

    __slots__ = (
        "_fields",
        "_read",
        "_staying",
        "appears",
        "atomic",
        "called",
        "conforms",
        "description",
        "fills",
        "kind",
        "name",
        "open",
    )

    def __init__(
        self,
        name: str,
        read: Callable[[], Mapping[str, Field]],
        *,
        description: str = "",
        kind: tuple[str, str, str] | None = None,
        atomic: bool = False,
        open: bool = False,  # noqa: A002 — the word of this idea
    ) -> None:
        self.name = name
        self.called = ".".join(name.split(".")[-2:])
        self.description = description
        self.kind = kind
        self.atomic = atomic
        self.open = open
        self.conforms: Callable[[Any], bool] | None = None
        self.appears: Callable[[Any], Any] | None = None
        self.fills: Callable[[Any], Any] | None = None
        self._read = read
        self._fields: Mapping[str, Field] | None = None
        self._staying: Mapping[str, Scalar] | None = None

    @property
    def fields(self) -> Mapping[str, Field]:
        """By name as it stands in JSON."""
        if self._fields is None:
            self._fields = self._read()
        return self._fields

    @property
    def staying(self) -> Mapping[str, Scalar]:
        """The scalars that Go writes though nobody has set them."""
        if self._staying is None:
            self._staying = {
                field.name: field.type
                for field in self.fields.values()
                if field.standing and isinstance(field.type, Scalar)
            }
        return self._staying

    @property
    def short_name(self) -> str:
        """`Pod` of io.k8s.api.core.v1.Pod."""
        return self.name.rpartition(".")[2]

    def __repr__(self) -> str:
        return f"Struct({self.name!r})"


Type = Scalar | Free | ListOf | MapOf | Struct

ANY = Free()
STRING = Scalar("string", "string")


def list_of(element: Type, kind: ListKind = "atomic", keys: tuple[str, ...] = ()) -> ListOf:
    """A list that Go has no name of its own for."""
    return ListOf(element, f"[]{element.called}", kind, keys)


def map_of(element: Type, *, atomic: bool = False) -> MapOf:
    """A map that Go has no name of its own for."""
    return MapOf(element, f"map[string]{element.called}", atomic)
