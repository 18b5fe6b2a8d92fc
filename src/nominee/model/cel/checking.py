"""Refuses expressions that could never have a value: names, fields and arguments that do not go together.

Reproduces the rules of cel-go checker/checker.go for what signatures.py knows. What it can not tell it
lets pass: then evaluation says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from nominee.model.cel import functions
from nominee.model.cel.kinds import (
    BOOL,
    BYTES,
    DOUBLE,
    DYN,
    INT,
    NULL,
    STRING,
    UINT,
    UNKNOWN,
    Kind,
    bound,
    filled_in,
    joined,
    list_of,
    map_of,
    optional_of,
)
from nominee.model.cel.signatures import FUNCTIONS, METHODS, Signature
from nominee.model.cel.syntax import (
    Call,
    Choice,
    Expression,
    Index,
    ListOf,
    Literal,
    MapOf,
    Name,
    Select,
    parse,
)
from nominee.model.cel.values import CelError, UInt

Names = Mapping[str, Kind]


def kind_of(text: str, names: Names) -> Kind:
    """The kind of an expression over variables of these kinds; raises CelError if it can have none."""
    try:
        return _kind(parse(text), names)
    except RecursionError:
        raise CelError("expression is nested too deeply") from None


def _kind(node: Expression, names: Names) -> Kind:
    match node:
        case Literal(value):
            return _of_constant(value)
        case Name(name):
            return _of_name(name, names)
        case Select():
            return _of_field(node, names)
        case Index():
            return _of_element(node, names)
        case ListOf():
            return _of_list(node, names)
        case MapOf():
            return _of_map(node, names)
        case Choice():
            return _of_choice(node, names)
        case Call():
            return _of_call(node, names)


# -- values -----------------------------------------------------------------------------------------


def _of_constant(value: object) -> Kind:
    if value is None:
        return NULL
    kinds = ((bool, BOOL), (UInt, UINT), (int, INT), (float, DOUBLE), (str, STRING), (bytes, BYTES))
    return next((kind for python, kind in kinds if isinstance(value, python)), DYN)


_NAMED = {
    "list": list_of(DYN),
    "map": map_of(DYN, DYN),
    "optional_type": optional_of(DYN),
    "null_type": NULL,
    "type": DYN,
}
"""What types are called where that is not the name of their kind alone."""


def _of_name(name: str, names: Names) -> Kind:
    if name in names:
        return names[name]
    if name in functions.TYPES:
        return Kind("type", (_NAMED.get(name, Kind(name)),))
    raise CelError(f"undeclared reference to {name!r} (in container '')")


def _of_list(node: ListOf, names: Names) -> Kind:
    kinds = ((optional, _kind(item, names)) for optional, item in node.elements)
    return list_of(_common(_held(kind) if optional else kind for optional, kind in kinds))


def _of_map(node: MapOf, names: Names) -> Kind:
    entries = [(o, _kind(key, names), _kind(value, names)) for o, key, value in node.entries]
    values = (_held(value) if optional else value for optional, _, value in entries)
    return map_of(_common(key for _, key, _ in entries), _common(values))


def _common(kinds: Iterable[Kind]) -> Kind:
    """The kind that all items of a list have; Kubernetes wants no mixture there."""
    found: Kind | None = None
    for kind in kinds:
        both = kind if found is None else joined(found, kind)
        if both is None:
            raise CelError(f"expected type '{found}' but found '{kind}'")
        found = both
    return found or UNKNOWN


def _held(kind: Kind) -> Kind:
    """What an optional holds."""
    if kind in (DYN, NULL, UNKNOWN):
        return UNKNOWN if kind == UNKNOWN else DYN
    if kind.name != "optional_type":
        raise CelError(f"expected type 'optional_type' but found '{kind}'")
    return kind.of[0]


def _of_choice(node: Choice, names: Names) -> Kind:
    condition, yes, no = (_kind(each, names) for each in (node.condition, node.yes, node.no))
    both = joined(yes, no)
    if both is None or joined(condition, BOOL) is None:
        raise _no_overload("_?_:_", (condition, yes, no))
    return both


# -- parts ------------------------------------------------------------------------------------------


def _of_field(node: Select, names: Names) -> Kind:
    return _selected(_kind(node.operand, names), node.field, optional=node.optional)


def _selected(operand: Kind, field: str, *, optional: bool) -> Kind:
    if operand.name == "optional_type":
        return optional_of(_selected(operand.of[0], field, optional=False))
    if operand.fields:
        if field not in operand.fields:
            raise CelError(f"undefined field '{field}'")
        found = operand.fields[field]
    elif operand.name == "map":
        found = operand.of[1]
    elif operand in (DYN, UNKNOWN):
        found = operand
    else:
        raise CelError(f"type '{operand}' does not support field selection")
    return optional_of(found) if optional else found


def _of_element(node: Index, names: Names) -> Kind:
    operand, key = _kind(node.operand, names), _kind(node.key, names)
    inner = operand.of[0] if operand.name == "optional_type" else operand
    found = _element(inner, key)
    if found is None:
        raise _no_overload("_[?_]" if node.optional else "_[_]", (operand, key))
    if node.optional:
        return optional_of(found)
    if operand.name == "optional_type" and inner == DYN and key in (DYN, INT):
        return DYN  # an optional list or map: which of them is not known, nor what it gives
    return optional_of(found) if inner is not operand else found


def _element(operand: Kind, key: Kind) -> Kind | None:
    if operand in (DYN, NULL, UNKNOWN):
        return DYN if operand == NULL else operand
    if operand.name == "list":
        return operand.of[0] if joined(key, INT) else None
    if operand.name == "map":
        return operand.of[1] if joined(key, operand.of[0]) else None
    return None


# -- calls ------------------------------------------------------------------------------------------


def _of_call(node: Call, names: Names) -> Kind:
    macro = _MACROS.get(node.function)
    if macro is not None and (kind := macro(node, names)) is not None:
        return kind
    arguments = [_kind(argument, names) for argument in node.arguments]
    if node.target is None:
        return _applied(node.function, FUNCTIONS.get(node.function), arguments)
    qualified = f"{node.target.name}.{node.function}" if isinstance(node.target, Name) else ""
    if qualified in functions.FUNCTIONS:
        return _applied(qualified, FUNCTIONS.get(qualified), arguments)
    return _applied(node.function, METHODS.get(node.function), [_kind(node.target, names), *arguments])


def _applied(name: str, signatures: tuple[Signature, ...] | None, arguments: Sequence[Kind]) -> Kind:
    if signatures is None:
        return UNKNOWN
    gives: list[Kind] = []
    for signature in signatures:
        known: dict[str, Kind] = {}
        if len(signature.takes) == len(arguments) and all(
            bound(formal, actual, known) for formal, actual in zip(signature.takes, arguments, strict=True)
        ):
            gives.append(filled_in(signature.gives, known))
    if not gives:
        raise _no_overload(name, arguments)
    return gives[0] if all(kind == gives[0] for kind in gives) else DYN


def _no_overload(name: str, arguments: Sequence[Kind]) -> CelError:
    applied = ", ".join(map(str, arguments))
    return CelError(f"found no matching overload for '{name}' applied to '({applied})'")


# -- macros -----------------------------------------------------------------------------------------

Macro = Callable[[Call, Names], Kind | None]


def _has(node: Call, names: Names) -> Kind | None:
    if node.target is not None or len(node.arguments) != 1 or not isinstance(node.arguments[0], Select):
        return None
    _of_field(node.arguments[0], names)
    return BOOL


def _bind(node: Call, names: Names) -> Kind | None:
    if not (isinstance(node.target, Name) and node.target.name == "cel" and len(node.arguments) == 3):
        return None
    name, value, result = node.arguments
    return _kind(result, _with(names, name, _kind(value, names)))


def _with(names: Names, variable: Expression, kind: Kind) -> Names:
    return {**names, variable.name: kind} if isinstance(variable, Name) else names


def _within(node: Call, names: Names, variables: int) -> tuple[Names, list[Kind]]:
    """The names that a comprehension's steps know, and the kinds of these steps."""
    given = _kind(node.target, names) if node.target is not None else DYN
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
    return names, [_kind(step, names) for step in node.arguments[variables:]]


def _predicate(kind: Kind, operator: str = "_&&_") -> None:
    if joined(kind, BOOL) is None:
        raise _no_overload(operator, (BOOL, kind))


def _quantified(node: Call, names: Names) -> Kind | None:
    if node.target is None or len(node.arguments) not in (2, 3):
        return None
    _, steps = _within(node, names, len(node.arguments) - 1)
    _predicate(steps[0])
    return BOOL


def _filter(node: Call, names: Names) -> Kind | None:
    if node.target is None or len(node.arguments) != 2:
        return None
    inside, steps = _within(node, names, 1)
    _predicate(steps[0], "_?_:_")
    return list_of(_kind(node.arguments[0], inside))


def _transformed(variables: int, collected: Callable[[Names, Call, Kind], Kind]) -> Macro:
    def kind(node: Call, names: Names) -> Kind | None:
        if node.target is None or len(node.arguments) not in (variables + 1, variables + 2):
            return None
        inside, steps = _within(node, names, variables)
        for step in steps[:-1]:
            _predicate(step, "_?_:_")
        return collected(inside, node, steps[-1])

    return kind


def _opt_map(*, flat: bool) -> Macro:
    def kind(node: Call, names: Names) -> Kind | None:
        if node.target is None or len(node.arguments) != 2:
            return None
        held = _held(_kind(node.target, names))
        made = _kind(node.arguments[1], _with(names, node.arguments[0], held))
        return made if flat else optional_of(made)

    return kind


def _sort_by(node: Call, names: Names) -> Kind | None:
    if node.target is None or len(node.arguments) != 2:
        return None
    inside, _ = _within(node, names, 1)
    return list_of(_kind(node.arguments[0], inside))


def _format(node: Call, names: Names) -> Kind | None:
    """What is written into a text may be of many kinds, although it stands in one list."""
    if node.target is None or len(node.arguments) != 1 or not isinstance(node.arguments[0], ListOf):
        return None
    for item in _unmixed(node.arguments[0]):
        _kind(item, names)
    return _applied("format", METHODS["format"], [_kind(node.target, names), list_of(DYN)])


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


_MACROS: Mapping[str, Macro] = {
    "format": _format,
    "has": _has,
    "bind": _bind,
    "all": _quantified,
    "exists": _quantified,
    "exists_one": _quantified,
    "existsOne": _quantified,
    "filter": _filter,
    "map": _transformed(1, lambda _, __, made: list_of(made)),
    "transformList": _transformed(2, lambda _, __, made: list_of(made)),
    "transformMap": _transformed(2, lambda names, node, made: map_of(_kind(node.arguments[0], names), made)),
    "transformMapEntry": _transformed(2, lambda _, __, made: made),
    "optMap": _opt_map(flat=False),
    "optFlatMap": _opt_map(flat=True),
    "sortBy": _sort_by,
}
