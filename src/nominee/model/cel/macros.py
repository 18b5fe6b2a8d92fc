"""Macros: what looks like a call and binds variables, or asks whether something is there.

A macro answers None when the call is not one of its forms; it is an ordinary call then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from nominee.model.cel.scope import Run, Scope
from nominee.model.cel.syntax import Call, Expression, Name, Select
from nominee.model.cel.values import CelError, Optional, equal, no_overload

Compile: TypeAlias = Callable[[Expression], Run]
Macro: TypeAlias = Callable[[Call, Compile], Run | None]


def _has(node: Call, compiled: Compile) -> Run | None:
    if node.target is not None or len(node.arguments) != 1:
        return None
    field = node.arguments[0]
    if not isinstance(field, Select):
        raise CelError("invalid argument to has() macro")
    operand, name = compiled(field.operand), field.field

    def run(scope: Scope) -> bool:
        value = operand(scope)
        if isinstance(value, Optional):
            value = value.value if value.present else {}
        if not isinstance(value, Mapping):
            raise no_overload()
        return name in value

    return run


def _bind(node: Call, compiled: Compile) -> Run | None:
    if not (isinstance(node.target, Name) and node.target.name == "cel" and len(node.arguments) == 3):
        return None
    name, value, result = _variable(node.arguments[0]), *map(compiled, node.arguments[1:])
    return lambda scope: result(scope.with_variables({name: value(scope)}))


def _variable(node: Expression) -> str:
    if not isinstance(node, Name):
        raise CelError("argument must be a simple name")
    return node.name


def _truth(value: Any) -> bool:
    if value is not True and value is not False:
        raise no_overload()
    return bool(value)


# -- comprehensions ---------------------------------------------------------------------------------


def _scopes(scope: Scope, items: Any, names: tuple[str, ...]) -> Iterable[Scope]:
    """A scope for each element: with one name it is the element or the key, with two also the value."""
    if isinstance(items, Mapping):
        pairs: Iterable[tuple[Any, Any]] = items.items()
        values: Iterable[Any] = items
    elif isinstance(items, tuple):
        pairs, values = enumerate(items), items
    else:
        raise no_overload()
    if len(names) == 1:
        return (scope.with_variables({names[0]: value}) for value in values)
    return (scope.with_variables(dict(zip(names, pair, strict=True))) for pair in pairs)


def _quantified(fold: Callable[[Iterable[Scope], Run], bool]) -> Macro:
    """all, exists, exists_one: a predicate over one or two variables."""

    def expand(node: Call, compiled: Compile) -> Run | None:
        if node.target is None or len(node.arguments) not in (2, 3):
            return None
        names = tuple(map(_variable, node.arguments[:-1]))
        items, predicate = compiled(node.target), compiled(node.arguments[-1])
        return lambda scope: fold(_scopes(scope, items(scope), names), predicate)

    return expand


def _decided(*, by: bool) -> Callable[[Iterable[Scope], Run], bool]:
    """Whether any element makes the predicate `by`; if one does, errors of others do not matter."""

    def fold(scopes: Iterable[Scope], predicate: Run) -> bool:
        failed: CelError | None = None
        for scope in scopes:
            try:
                if _truth(predicate(scope)) is by:
                    return by
            except CelError as error:
                failed = error
        if failed is not None:
            raise failed
        return not by

    return fold


def _exactly_one(scopes: Iterable[Scope], predicate: Run) -> bool:
    return sum(_truth(predicate(scope)) for scope in scopes) == 1


def _filter(node: Call, compiled: Compile) -> Run | None:
    if node.target is None or len(node.arguments) != 2:
        return None
    name, items, predicate = _variable(node.arguments[0]), compiled(node.target), compiled(node.arguments[1])
    return lambda scope: tuple(s[name] for s in _scopes(scope, items(scope), (name,)) if _truth(predicate(s)))


def _transformed(variables: int) -> Macro:
    """Map and transformList: with a predicate before the transformation, or without."""

    def expand(node: Call, compiled: Compile) -> Run | None:
        if node.target is None or len(node.arguments) not in (variables + 1, variables + 2):
            return None
        names = tuple(map(_variable, node.arguments[:variables]))
        items, *steps = compiled(node.target), *map(compiled, node.arguments[variables:])
        if len(steps) == 1:
            return lambda scope: tuple(steps[0](s) for s in _scopes(scope, items(scope), names))
        return lambda scope: tuple(
            steps[1](s) for s in _scopes(scope, items(scope), names) if _truth(steps[0](s))
        )

    return expand


def _transform_map(node: Call, compiled: Compile) -> Run | None:
    if node.target is None or len(node.arguments) not in (3, 4):
        return None
    names = tuple(map(_variable, node.arguments[:2]))
    items, *steps = compiled(node.target), *map(compiled, node.arguments[2:])

    def run(scope: Scope) -> Any:
        scopes = _scopes(scope, items(scope), names)
        return {s[names[0]]: steps[-1](s) for s in scopes if len(steps) == 1 or _truth(steps[0](s))}

    return run


def _transform_map_entry(node: Call, compiled: Compile) -> Run | None:
    """Like transformMap, but each step makes a map, whose entries are collected."""
    if node.target is None or len(node.arguments) not in (3, 4):
        return None
    names = tuple(map(_variable, node.arguments[:2]))
    items, *steps = compiled(node.target), *map(compiled, node.arguments[2:])

    def run(scope: Scope) -> Any:
        collected: dict[Any, Any] = {}
        for s in _scopes(scope, items(scope), names):
            if len(steps) == 2 and not _truth(steps[0](s)):
                continue
            for key, value in steps[-1](s).items():
                if key in collected:
                    raise CelError(f"insert failed: key {key!r} already exists")
                collected[key] = value
        return collected

    return run


# -- optionals --------------------------------------------------------------------------------------


def _opt_map(*, flat: bool) -> Macro:
    def expand(node: Call, compiled: Compile) -> Run | None:
        if node.target is None or len(node.arguments) != 2:
            return None
        name, target, then = _variable(node.arguments[0]), *map(compiled, (node.target, node.arguments[1]))

        def run(scope: Scope) -> Any:
            held = target(scope)
            if not isinstance(held, Optional):
                raise no_overload()
            if not held.present:
                return held
            value = then(scope.with_variables({name: held.value}))
            return value if flat else Optional(value)

        return run

    return expand


def _lazily(*, plain: bool) -> Macro:
    """OrValue and or: the alternative is evaluated only if there is nothing."""

    def expand(node: Call, compiled: Compile) -> Run | None:
        if node.target is None or len(node.arguments) != 1:
            return None
        target, other = compiled(node.target), compiled(node.arguments[0])

        def run(scope: Scope) -> Any:
            held = target(scope)
            if not isinstance(held, Optional):
                raise no_overload()
            if not held.present:
                return other(scope)
            return held.value if plain else held

        return run

    return expand


def _sort_by(node: Call, compiled: Compile) -> Run | None:
    if node.target is None or len(node.arguments) != 2:
        return None
    name, items, key = _variable(node.arguments[0]), compiled(node.target), compiled(node.arguments[1])

    def run(scope: Scope) -> Any:
        keyed = [(key(s), s[name]) for s in _scopes(scope, items(scope), (name,))]
        if any(type(k) is not type(keyed[0][0]) for k, _ in keyed):
            raise no_overload()
        return tuple(value for _, value in sorted(keyed, key=lambda pair: pair[0]))

    return run


def _in(node: Call, compiled: Compile) -> Run | None:
    """`x in [a, b, c]`, and in maps."""
    wanted, container = map(compiled, node.arguments)

    def run(scope: Scope) -> bool:
        value, items = wanted(scope), container(scope)
        if isinstance(items, Mapping):
            return value in items
        if not isinstance(items, tuple):
            raise no_overload()
        return any(equal(value, item) for item in items)

    return run


_ALL, _EXISTS = _quantified(_decided(by=False)), _quantified(_decided(by=True))
_ONE = _quantified(_exactly_one)
MACROS: Mapping[str, Macro] = {
    "has": _has,
    "bind": _bind,
    "all": _ALL,
    "exists": _EXISTS,
    "exists_one": _ONE,
    "existsOne": _ONE,
    "filter": _filter,
    "map": _transformed(1),
    "transformList": _transformed(2),
    "transformMap": _transform_map,
    "transformMapEntry": _transform_map_entry,
    "optMap": _opt_map(flat=False),
    "optFlatMap": _opt_map(flat=True),
    "orValue": _lazily(plain=True),
    "or": _lazily(plain=False),
    "sortBy": _sort_by,
    "_in_": _in,
}
