"""Selectors as they stand in a URL: `labelSelector=a=b,c in (d,e)` and `fieldSelector=metadata.name=x`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Never

import msgspec

from nominee.errors import InputError
from nominee.model.selectors import EVERYTHING, Selector, requirement, selector_of

_TOKEN = re.compile(r"\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+|$)")
_COMPARISONS = {"=": "In", "==": "In", "!=": "NotIn", ">": "Gt", "<": "Lt"}
_SETS = {"in": "In", "notin": "NotIn"}
_SYMBOLS = frozenset("=!(),<>") | {"==", "!="}
_END = ""
_IN_A_SET = "',', ')' or identifier"
_BEHIND_A_WORD = "',' or ')'"

LabelTerm = tuple[str, str, list[str]]
"""Key, operator and values."""


def parse_label_selector(text: str) -> Selector:
    """Parse the query form of a label selector; an empty text selects everything.

    The grammar is that of Parse in apimachinery pkg/labels/selector.go, v1.37.
    """
    terms = parse_label_terms(text)
    return selector_of(requirement(*term) for term in terms) if terms else EVERYTHING


def parse_label_terms(text: str) -> list[LabelTerm]:
    """Key, operator and values of each condition, as they stand there: only the grammar is checked."""
    return _LabelParser(text).parse() if text.strip() else []


class _LabelParser:
    """Walks over the tokens of one selector."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)
        self._at = 0

    @property
    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else _END

    def _take(self) -> str:
        token = self._next
        self._at += 1
        return token

    def parse(self) -> list[LabelTerm]:
        terms = []
        while self._next != _END:
            if not self._begins_term():
                self._fail("!, identifier, or 'end of string'")
            terms.append(self._term())
            if self._next == _END:
                break
            if self._next != ",":
                self._fail("',' or 'end of string'")
            self._take()
            if not self._begins_term():
                self._fail("identifier after ','")
        return terms

    def _begins_term(self) -> bool:
        return self._next == "!" or _is_word(self._next)

    def _term(self) -> LabelTerm:
        if self._next == "!":
            self._take()
            return self._word("identifier"), "DoesNotExist", []
        key = self._take()
        operator = self._next
        if operator in (",", _END):
            return key, "Exists", []
        if operator in _SETS:
            self._take()
            return key, _SETS[operator], self._set()
        if operator in _COMPARISONS:
            self._take()
            return key, _COMPARISONS[operator], [self._exact_value()]
        return self._misfit(", expected: in, notin, =, ==, !=, gt, lt")

    def _exact_value(self) -> str:
        if self._next in (",", _END):
            return ""
        return self._word("identifier")

    def _set(self) -> list[str]:
        if self._next != "(":
            self._misfit(" expected: '('")
        self._take()
        values = []
        while True:
            word = _is_word(self._next)
            values.append(self._take() if word else "")
            match self._next:
                case ",":
                    self._take()
                case ")":
                    self._take()
                    return values
                case _:
                    self._misfit(f", expected: {_BEHIND_A_WORD if word else _IN_A_SET}")

    def _word(self, expected: str) -> str:
        if not _is_word(self._next):
            self._misfit(f", expected: {expected}")
        return self._take()

    def _fail(self, expected: str) -> Never:
        """Complain of what stands between terms."""
        raise InputError(f"found '{self._next}', expected: {expected}")

    def _misfit(self, why: str) -> Never:
        """Complain of what stands in one."""
        raise InputError(f"unable to parse requirement: found '{self._next}'{why}")


def _is_word(token: str) -> bool:
    return token != _END and token not in _SYMBOLS


class FieldRequirement(msgspec.Struct, frozen=True):
    """A field must have a value, or must not."""

    field: str
    value: str
    equal: bool = True

    def matches(self, fields: Mapping[str, str]) -> bool:
        """Tell whether an object with these fields fits; a field it lacks counts as empty."""
        return (fields.get(self.field, "") == self.value) == self.equal


class FieldSelector(msgspec.Struct, frozen=True):
    """Field requirements that must all hold."""

    requirements: tuple[FieldRequirement, ...] = ()

    def matches(self, fields: Mapping[str, str]) -> bool:
        """Tell whether an object with these fields is selected."""
        return all(requirement.matches(fields) for requirement in self.requirements)


_FIELD_TERM = re.compile(r"(?:[^\\,]|\\.?)+", re.DOTALL)
_FIELD_OPERATOR = re.compile(r"!=|==|=")
_ESCAPE = re.compile(r"\\(.?)|=", re.DOTALL)


def parse_field_selector(text: str) -> FieldSelector:
    """Parse a field selector such as `metadata.name=x,status.phase!=Succeeded`.

    The grammar is that of ParseSelector in apimachinery pkg/fields/selector.go, v1.37.
    """
    return FieldSelector(tuple(_field_requirement(term, text) for term in _FIELD_TERM.findall(text)))


def _field_requirement(term: str, text: str) -> FieldRequirement:
    operator = _FIELD_OPERATOR.search(term)
    if operator is None:
        raise InputError(f"invalid selector: '{text}'; can't understand '{term}'")
    value = _ESCAPE.sub(_unescape, term[operator.end() :])
    return FieldRequirement(term[: operator.start()], value, equal=operator[0] != "!=")


def _unescape(match: re.Match[str]) -> str:
    if match[0] == "=":
        raise InputError("invalid field selector: unescaped character in value: =")
    if match[1] not in ("\\", ",", "="):
        raise InputError(f"invalid field selector: invalid escape sequence: {match[0]}")
    return match[1]
