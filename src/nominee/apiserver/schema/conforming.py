"""Whether an object is already as decoding would leave it: nearly every object is, so this is quick.

Each struct gets, once, a table from field to what its value has to be: a Python type where that says
it all, a function otherwise. Only when the answer is no does anybody look for the reason (`decoding`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nominee.apiserver.schema.scalars import CHECKS
from nominee.apiserver.schema.type import Free, ListOf, MapOf, Scalar, Struct, Type

Check = Callable[[Any], bool]


def conforms(item: Any, struct: Struct) -> bool:
    """No unknown field, no null, nothing empty, no value of a wrong type or in an unusual notation."""
    return check_of(struct)(item)


def check_of(struct: Struct) -> Check:
    """The predicate of a struct."""
    if struct.conforms is None:
        struct.conforms = _struct_check(struct)
    return struct.conforms


class _Tables:
    """What the fields of a struct have to be; learned at the first use, as types refer to each other."""

    __slots__ = ("deep", "learned", "plain", "staying", "struct", "vanishing")

    def __init__(self, struct: Struct) -> None:
        self.struct = struct
        self.plain: dict[str, type] = {}
        self.deep: dict[str, Check] = {}
        self.vanishing: set[str] = set()
        self.staying: list[str] = []
        self.learned = False

    def learn(self) -> None:
        for field in self.struct.fields.values():
            check = _check(field.type)
            if field.vanishes and not isinstance(check, type):
                check = _filled(check)
            if isinstance(check, type):
                self.plain[field.name] = check
                if field.vanishes:
                    self.vanishing.add(field.name)
            else:
                self.deep[field.name] = check
        self.staying.extend(self.struct.staying)
        self.learned = True


def _struct_check(struct: Struct) -> Check:
    tables = _Tables(struct)
    plain, deep, undeclared = tables.plain, tables.deep, struct.open
    vanishing, staying = tables.vanishing, tables.staying

    def conforms(value: Any) -> bool:
        if type(value) is not dict:
            return False
        if not tables.learned:
            tables.learn()
        for name, item in value.items():
            if plain.get(name) is type(item):
                if item or name not in vanishing:
                    continue
                return False
            check = deep.get(name)
            if check is None:
                if undeclared and name not in plain:
                    continue
                return False
            if not check(item):
                return False
        return all(name in value for name in staying)

    return conforms


def _check(type_: Type) -> type | Check:
    if isinstance(type_, Scalar):
        return CHECKS[type_.name]
    if isinstance(type_, Struct):
        return check_of(type_)
    if isinstance(type_, ListOf):
        return _all_check(list, _check(type_.element), iter)
    if isinstance(type_, MapOf):
        return _all_check(dict, _check(type_.element), dict.values)
    assert isinstance(type_, Free)  # noqa: S101 — there is no further kind of type
    return lambda value: value is not None


def _filled(check: Check) -> Check:
    return lambda value: bool(value) and check(value)


def _all_check(container: type, check: type | Check, elements: Callable[[Any], Iterable[Any]]) -> Check:
    if isinstance(check, type):
        contains_only = {check}.issuperset
        return lambda value: type(value) is container and contains_only(map(type, elements(value)))
    return lambda value: type(value) is container and all(map(check, elements(value)))
