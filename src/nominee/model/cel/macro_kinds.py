"""The kinds of macros: what looks like a call and binds variables. See macros.py for what they do.

A macro answers None when the call is not one of its forms; it is an ordinary call then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from nominee.model.cel.kinds import (
    BOOL,
    DYN,
    INT,
    UNKNOWN,
    Kind,
    held,
    joined,
    list_of,
    map_of,
    no_overload,
    optional_of,
)
from nominee.model.cel.signatures import METHODS, applied
from nominee.model.cel.syntax import Call, Expression, ListOf, MapOf, Name, Select
from nominee.model.cel.values import CelError

Names: TypeAlias = Mapping[str, Kind]
KindOf: TypeAlias = Callable[[Expression, Names], Kind]
Macro: TypeAlias = Callable[[Call, Names, KindOf], Kind | None]


def _has(node: Call, names: Names, kind_of: KindOf) -> Kind | None:
    if node.target is not None or len(node.arguments) != 1 or not isinstance(node.arguments[0], Select):
        return None
    kind_of(node.arguments[0], names)
    return BOOL


def _bind(node: Call, names: Names, kind_of: KindOf) -> Kind | None:
    if not (isinstance(node.target, Name) and node.target.name == "cel" and len(node.arguments) == 3):
        return None
    name, value, result = node.arguments
    return kind_of(result, _with(names, name, kind_of(value, names)))


def _with(names: Names, variable: Expression, kind: Kind) -> Names:
    return {**names, variable.name: kind} if isinstance(variable, Name) else names


def _within(node: Call, names: Names, variables: int, kind_of: KindOf) -> tuple[Names, list[Kind]]:
    """The names that a comprehension's steps know, and the kinds of these steps."""
    given = kind_of(node.target, names) if node.target is not None else DYN
    if given.name not in ("list", "map") and given not in (DYN, UNKNOWN):
        problem = "cannot be range of a comprehension (must be list, map, or dynamic)"
        raise CelError(f"expression of type '{given}' {problem}")
    of = given.of or (given, given)
    if variables == 1:
        kinds: tuple[Kind, ...] = (of[0],)
    else:
        kinds = (INT, of[0]) if given.name == "list" else of
    for variable, kind in zip(node.arguments, kinds, strict=False):
        names = _with(names, variable, kind)
    return names, [kind_of(step, names) for step in node.arguments[variables:]]


def _predicate(kind: Kind, operator: str = "_&&_") -> None:
    if joined(kind, BOOL) is None:
        raise no_overload(operator, (BOOL, kind))


def _quantified(node: Call, names: Names, kind_of: KindOf) -> Kind | None:
    if node.target is None or len(node.arguments) not in (2, 3):
        return None
    _, steps = _within(node, names, len(node.arguments) - 1, kind_of)
    _predicate(steps[0])
    return BOOL


def _filter(node: Call, names: Names, kind_of: KindOf) -> Kind | None:
    if node.target is None or len(node.arguments) != 2:
        return None
    inside, steps = _within(node, names, 1, kind_of)
    _predicate(steps[0], "_?_:_")
    return list_of(kind_of(node.arguments[0], inside))


def _transformed(variables: int, collected: Callable[[Kind, Kind], Kind]) -> Macro:
    """`collected` says what comes of all steps, by the kinds of the first variable and of one step."""

    def kind(node: Call, names: Names, kind_of: KindOf) -> Kind | None:
        if node.target is None or len(node.arguments) not in (variables + 1, variables + 2):
            return None
        inside, steps = _within(node, names, variables, kind_of)
        for step in steps[:-1]:
            _predicate(step, "_?_:_")
        return collected(kind_of(node.arguments[0], inside), steps[-1])

    return kind


def _opt_map(*, flat: bool) -> Macro:
    def kind(node: Call, names: Names, kind_of: KindOf) -> Kind | None:
        if node.target is None or len(node.arguments) != 2:
            return None
        inside = _with(names, node.arguments[0], held(kind_of(node.target, names)))
        made = kind_of(node.arguments[1], inside)
        return made if flat else optional_of(made)

    return kind


def _sort_by(node: Call, names: Names, kind_of: KindOf) -> Kind | None:
    if node.target is None or len(node.arguments) != 2:
        return None
    inside, _ = _within(node, names, 1, kind_of)
    return list_of(kind_of(node.arguments[0], inside))


def _format(node: Call, names: Names, kind_of: KindOf) -> Kind | None:
    """What is written into a text may be of many kinds, although it stands in one list."""
    if node.target is None or len(node.arguments) != 1 or not isinstance(node.arguments[0], ListOf):
        return None
    for item in _unmixed(node.arguments[0]):
        kind_of(item, names)
    return applied("format", METHODS["format"], [kind_of(node.target, names), list_of(DYN)])


def _unmixed(node: Expression) -> Iterator[Expression]:
    """What a list or map is made of, down to what is neither."""
    if isinstance(node, ListOf):
        for _, item in node.elements:
            yield from _unmixed(item)
    elif isinstance(node, MapOf):
        for _, key, value in node.entries:
            yield from _unmixed(key)
            yield from _unmixed(value)
    else:
        yield node


MACROS: Mapping[str, Macro] = {
    "format": _format,
    "has": _has,
    "bind": _bind,
    "all": _quantified,
    "exists": _quantified,
    "exists_one": _quantified,
    "existsOne": _quantified,
    "filter": _filter,
    "map": _transformed(1, lambda _, made: list_of(made)),
    "transformList": _transformed(2, lambda _, made: list_of(made)),
    "transformMap": _transformed(2, map_of),
    "transformMapEntry": _transformed(2, lambda _, made: made),
    "optMap": _opt_map(flat=False),
    "optFlatMap": _opt_map(flat=True),
    "sortBy": _sort_by,
}
