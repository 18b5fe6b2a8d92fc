"""Selectors compiled once and matched often, equal and hashable by what they select.

A `Requirement` can be asked about a single value, so that an engine holding labels in columns may
evaluate it once per distinct value instead of once per node.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

import msgspec

from nominee.errors import InputError
from nominee.model.label_syntax import LABEL_KEY_RULE, LABEL_VALUE_RULE, is_label_value, is_qualified_name
from nominee.model.meta import (
    LabelSelector,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
)
from nominee.model.quantity import MAX_INT64
from nominee.model.storage import TopologySelectorTerm

LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
NODE_OPERATORS = (*LABEL_OPERATORS, "Gt", "Lt")
FIELD_OPERATORS = ("In", "NotIn")
NODE_NAME_FIELD = "metadata.name"

ItemT = TypeVar("ItemT")

_INT64 = re.compile(r"[+-]?[0-9]{1,40}")


class Requirement(msgspec.Struct, frozen=True, cache_hash=True, order=True):
    """One condition on one label. Use `requirement` to make one: it checks and sorts the values."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, value: str | None) -> bool:
        """Tell whether a label with this value (None: no such label) fulfils the condition.

        Reproduces Requirement.Matches of apimachinery pkg/labels/selector.go, v1.37.
        """
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case _:
                return value is not None and self._compares(value)

    def _compares(self, value: str) -> bool:
        actual, bound = parse_int64(value), parse_int64(self.values[0])
        if actual is None or bound is None:
            return False
        return actual > bound if self.operator == "Gt" else actual < bound


class Selector(msgspec.Struct, frozen=True, cache_hash=True):
    """Requirements that must all hold; none of them matches everything, `nothing` matches nothing."""

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether an object with these labels is selected."""
        if self.nothing:
            return False
        return all(requirement.matches(labels.get(requirement.key)) for requirement in self.requirements)

    @property
    def empty(self) -> bool:
        """Whether every object is selected."""
        return not self.requirements and not self.nothing

    def __and__(self, other: Selector) -> Selector:
        """Return the selector of what both select."""
        if self.nothing or other.nothing:
            return NOTHING
        return selector_of((*self.requirements, *other.requirements))


class NodeTerm(msgspec.Struct, frozen=True, cache_hash=True):
    """One term of a node selector: labels and the node's name must both fit."""

    labels: Selector = Selector()
    names: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Tell whether a node with these labels and this name fits."""
        return self.labels.matches(labels) and all(requirement.matches(name) for requirement in self.names)


class NodeTerms(msgspec.Struct, frozen=True, cache_hash=True):
    """Terms of which one must fit; without any, no node does."""

    terms: tuple[NodeTerm, ...] = ()

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Tell whether a node with these labels and this name is selected."""
        return any(term.matches(labels, name) for term in self.terms)


EVERYTHING = Selector()
NOTHING = Selector(nothing=True)


def parse_int64(text: str) -> int | None:
    """Read an integer as Go's strconv.ParseInt(text, 10, 64) does; None where that fails."""
    if not _INT64.fullmatch(text):
        return None
    number = int(text)
    return number if -MAX_INT64 - 1 <= number <= MAX_INT64 else None


def selector_of(requirements: Iterable[Requirement]) -> Selector:
    """Return the selector that asks for all of these, however they are ordered or repeated."""
    return Selector(tuple(sorted(set(requirements))))


def requirement(
    key: str,
    operator: str,
    values: Iterable[str] = (),
    *,
    operators: tuple[str, ...] = NODE_OPERATORS,
    field: str | None = None,
) -> Requirement:
    """Check a condition and return it; `field` is where it stands, for the message.

    The rules are NewRequirement's of apimachinery pkg/labels/selector.go, v1.37.
    """
    given = tuple(values)
    _check_values(operator, given, operators, field)
    chosen = tuple(sorted(set(given)))
    if not is_qualified_name(key):
        raise _error(f"{key!r} is not a label key: expected {LABEL_KEY_RULE}", field, "key")
    for value in chosen:
        if not is_label_value(value):
            raise _error(f"{value!r} is not a label value: expected {LABEL_VALUE_RULE}", field, "values")
    return Requirement(key, operator, chosen)


def _check_values(
    operator: str, values: tuple[str, ...], operators: tuple[str, ...], field: str | None
) -> None:
    if operator not in operators:
        allowed = ", ".join(operators)
        raise _error(f"{operator!r} is not an operator here: expected one of {allowed}", field, "operator")
    if operator in ("In", "NotIn") and not values:
        raise _error(f"operator {operator!r} needs at least one value", field, "values")
    if operator in ("Exists", "DoesNotExist") and values:
        raise _error(f"operator {operator!r} takes no values, got {list(values)!r}", field, "values")
    if operator in ("Gt", "Lt") and (len(values) != 1 or parse_int64(values[0]) is None):
        raise _error(
            f"operator {operator!r} takes exactly one integer, got {list(values)!r}", field, "values"
        )


def _error(message: str, field: str | None, part: str) -> InputError:
    return InputError(message, field=f"{field}.{part}" if field else part)


def map_selector(labels: Mapping[str, str]) -> Selector:
    """Compile a plain map of labels; an empty one matches everything."""
    return selector_of(Requirement(key, "In", (value,)) for key, value in labels.items())


def label_selector(selector: LabelSelector | None, *, field: str | None = None) -> Selector:
    """Compile a label selector: none at all matches nothing, an empty one matches everything."""
    if selector is None:
        return NOTHING
    expressions = (
        requirement(item.key, item.operator, item.values, operators=LABEL_OPERATORS, field=place)
        for item, place in _placed(selector.match_expressions, field, "matchExpressions")
    )
    labels = (
        requirement(key, "In", (value,), field=_join(field, "matchLabels"))
        for key, value in selector.match_labels.items()
    )
    return selector_of((*labels, *expressions))


def node_selector(selector: NodeSelector, *, field: str | None = None, strict: bool = True) -> NodeTerms:
    """Compile a node selector; empty terms, which match nothing, are dropped.

    `strict=False` drops malformed terms too instead of raising, as the scheduler does with required
    terms (LazyErrorNodeSelector of component-helpers scheduling/corev1/nodeaffinity, v1.37).
    """
    terms = []
    for position, item in enumerate(selector.node_selector_terms):
        try:
            term = node_term(item, field=_join(field, f"nodeSelectorTerms[{position}]"))
        except InputError:
            if strict:
                raise
            continue
        if term is not None:
            terms.append(term)
    return NodeTerms(tuple(terms))


def node_term(term: NodeSelectorTerm, *, field: str | None = None) -> NodeTerm | None:
    """Compile a term; None for an empty one, which matches no node."""
    if not term.match_expressions and not term.match_fields:
        return None
    labels = selector_of(
        requirement(item.key, item.operator, item.values, field=place)
        for item, place in _placed(term.match_expressions, field, "matchExpressions")
    )
    names = tuple(
        _name_requirement(item, place) for item, place in _placed(term.match_fields, field, "matchFields")
    )
    return NodeTerm(labels, names)


def _name_requirement(item: NodeSelectorRequirement, field: str) -> Requirement:
    if item.key != NODE_NAME_FIELD:
        raise _error(f"{item.key!r} is not a field of nodes: expected {NODE_NAME_FIELD}", field, "key")
    _check_values(item.operator, item.values, FIELD_OPERATORS, field)
    if len(item.values) != 1:
        raise _error(f"must have one element, got {list(item.values)!r}", field, "values")
    return Requirement(item.key, item.operator, item.values)


def topology_terms(terms: Iterable[TopologySelectorTerm], *, field: str | None = None) -> NodeTerms:
    """Compile a storage class's allowed topologies: no terms at all match every node."""
    terms = tuple(terms)
    if not terms:
        return NodeTerms((NodeTerm(),))
    return NodeTerms(
        tuple(
            NodeTerm(
                selector_of(
                    requirement(item.key, "In", item.values, field=place)
                    for item, place in _placed(term.match_label_expressions, field, "matchLabelExpressions")
                )
            )
            for term in terms
            if term.match_label_expressions
        )
    )


def _placed(items: Iterable[ItemT], field: str | None, name: str) -> Iterator[tuple[ItemT, str]]:
    for position, item in enumerate(items):
        yield item, _join(field, f"{name}[{position}]")


def _join(field: str | None, part: str) -> str:
    return f"{field}.{part}" if field else part
