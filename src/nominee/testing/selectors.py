"""Selectors in short: a mapping of labels, or expressions as tuples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from nominee.model.affinity import PodAffinityTerm
from nominee.model.meta import (
    LabelSelector,
    LabelSelectorRequirement,
    NodeSelectorRequirement,
    NodeSelectorTerm,
)

Expression: TypeAlias = tuple[str, str] | tuple[str, str, Iterable[str]]
"""(key, operator) or (key, operator, values): `("disk", "In", ["ssd"])`, `("gpu", "Exists")`."""

Selects: TypeAlias = LabelSelector | Mapping[str, str]
"""A label selector, or just the labels that must match."""

_NAME_FIELD = "metadata.name"


def selector(labels: Selects | None, expressions: Iterable[Expression] = ()) -> LabelSelector | None:
    """The label selector of these labels and expressions; None of either is no selector at all."""
    if isinstance(labels, LabelSelector):
        return labels
    wanted = tuple(
        LabelSelectorRequirement(key=k, operator=o, values=v) for k, o, v in map(_full, expressions)
    )
    if labels is None and not wanted:
        return None
    return LabelSelector(match_labels=dict(labels or {}), match_expressions=wanted)


def node_term(expressions: Iterable[Expression]) -> NodeSelectorTerm:
    """A term of a node selector; an expression on `metadata.name` is one on that field."""
    wanted = [NodeSelectorRequirement(key=k, operator=o, values=v) for k, o, v in map(_full, expressions)]
    return NodeSelectorTerm(
        match_expressions=tuple(r for r in wanted if r.key != _NAME_FIELD),
        match_fields=tuple(r for r in wanted if r.key == _NAME_FIELD),
    )


def pod_term(  # noqa: PLR0913 - the fields of the API's struct
    topology_key: str,
    labels: Selects | None = None,
    *,
    expressions: Iterable[Expression] = (),
    namespaces: Iterable[str] = (),
    namespace_selector: Selects | None = None,
    match_label_keys: Iterable[str] = (),
    mismatch_label_keys: Iterable[str] = (),
) -> PodAffinityTerm:
    """A term of pod affinity or anti-affinity."""
    return PodAffinityTerm(
        topology_key=topology_key,
        label_selector=selector(labels, expressions),
        namespaces=tuple(namespaces),
        namespace_selector=selector(namespace_selector),
        match_label_keys=tuple(match_label_keys),
        mismatch_label_keys=tuple(mismatch_label_keys),
    )


def _full(expression: Expression) -> tuple[str, str, tuple[str, ...]]:
    key, operator, *values = expression
    return key, operator, tuple(values[0]) if values else ()
