"""Refuses expressions that could never have a value: names, fields and arguments that do not go together.

Reproduces the rules of cel-go checker/checker.go for what signatures.py knows. What it can not tell it
lets pass: then evaluation says so.
"""

from __future__ import annotations

from collections.abc import Iterable

from nominee.model.cel import functions
from nominee.model.cel.constants import check_constants
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
    held,
    joined,
    list_of,
    map_of,
    no_overload,
    optional_of,
)
from nominee.model.cel.macro_kinds import MACROS, Names
from nominee.model.cel.signatures import FUNCTIONS, METHODS, applied
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
    return list_of(_common(held(kind) if optional else kind for optional, kind in kinds))


def _of_map(node: MapOf, names: Names) -> Kind:
    entries = [(o, _kind(key, names), _kind(value, names)) for o, key, value in node.entries]
    values = (held(value) if optional else value for optional, _, value in entries)
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


def _of_choice(node: Choice, names: Names) -> Kind:
    condition, yes, no = (_kind(each, names) for each in (node.condition, node.yes, node.no))
    both = joined(yes, no)
    if both is None or joined(condition, BOOL) is None:
        raise no_overload("_?_:_", (condition, yes, no))
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
        raise no_overload("_[?_]" if node.optional else "_[_]", (operand, key))
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
    macro = MACROS.get(node.function)
    if macro is not None and (kind := macro(node, names, _kind)) is not None:
        return kind
    kind = _of_function(node, names)
    check_constants(node)
    return kind


def _of_function(node: Call, names: Names) -> Kind:
    arguments = [_kind(argument, names) for argument in node.arguments]
    if node.target is None:
        return applied(node.function, FUNCTIONS.get(node.function), arguments)
    qualified = f"{node.target.name}.{node.function}" if isinstance(node.target, Name) else ""
    if qualified in functions.FUNCTIONS:
        return applied(qualified, FUNCTIONS.get(qualified), arguments)
    return applied(node.function, METHODS.get(node.function), [_kind(node.target, names), *arguments])
