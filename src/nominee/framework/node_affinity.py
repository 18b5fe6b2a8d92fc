"""Node selectors over columns: each requirement is asked once per distinct value, not once per node.

Several plugins read what a pod requires of its node's labels and name, and none may import another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nominee.model.node import Node
from nominee.model.selectors import NodeTerm, NodeTerms, Requirement, Selector, map_selector, node_selector
from nominee.state.arrays import Mask, Rows
from nominee.state.facts import ABSENT, FactColumn, Label
from nominee.state.shapes import Pod, Shape
from nominee.state.view import NodeView

_FEW = 8  # rows: to ask each of them is cheaper than to look at every value there is


@dataclass(frozen=True, slots=True)
class RequiredNodeAffinity:
    """A pod's `nodeSelector` and required node affinity; `terms` is None where it has no affinity.

    Reproduces RequiredNodeAffinity (k8s.io/component-helpers scheduling/corev1/nodeaffinity,
    v1.37), which overlooks malformed terms.
    """

    selector: Selector
    terms: NodeTerms | None

    @property
    def empty(self) -> bool:
        """Whether every node will do."""
        return self.terms is None and self.selector.empty

    def matches(self, node: Node) -> bool:
        """Tell whether one node will do."""
        labels = node.metadata.labels
        if not self.selector.matches(labels):
            return False
        return self.terms is None or self.terms.matches(labels, node.metadata.name)


def required_node_affinity(pod: Pod) -> RequiredNodeAffinity:
    """What the pod requires of its node's labels and name, compiled once for all pods of its shape."""
    return pod.memo(_compile, _compile)


def _compile(shape: Shape) -> RequiredNodeAffinity:
    affinity = shape.spec.affinity and shape.spec.affinity.node_affinity
    required = affinity and affinity.required_during_scheduling_ignored_during_execution
    terms = node_selector(required, strict=False) if required else None
    return RequiredNodeAffinity(map_selector(shape.spec.node_selector), terms)


def nodes_required(nodes: NodeView, required: RequiredNodeAffinity) -> Mask:
    """The nodes that match both the selector and the terms."""
    chosen = nodes_selected(nodes, required.selector)
    if required.terms is not None:
        chosen &= nodes_in_terms(nodes, required.terms)
    return chosen


def nodes_in_terms(nodes: NodeView, terms: NodeTerms) -> Mask:
    """The nodes that match one of the terms."""
    chosen = np.zeros(len(nodes), np.bool_)
    for term in terms.terms:
        chosen |= nodes_in_term(nodes, term)
    return chosen


def nodes_in_term(nodes: NodeView, term: NodeTerm) -> Mask:
    """The nodes whose labels and name match all of the term."""
    chosen = nodes_selected(nodes, term.labels)
    for requirement in term.names:
        named = nodes.named(requirement.values)
        chosen &= named if requirement.operator == "In" else ~named
    return chosen


def nodes_selected(nodes: NodeView, selector: Selector) -> Mask:
    """The nodes whose labels match the selector."""
    if selector.nothing:
        return np.zeros(len(nodes), np.bool_)
    chosen = np.ones(len(nodes), np.bool_)
    for requirement in selector.requirements:
        chosen &= _fulfilling(nodes, requirement)
    return chosen


def _fulfilling(nodes: NodeView, requirement: Requirement) -> Mask:
    label = Label(requirement.key)
    column, ids = nodes.values(label), nodes.ids(label)
    if ids.size <= _FEW:
        return np.array([requirement.matches(column.values[i]) for i in ids.tolist()], np.bool_)
    match requirement.operator:
        case "Exists":
            fulfilling: Mask = ids != ABSENT
        case "DoesNotExist":
            fulfilling = ids == ABSENT
        case "In":
            fulfilling = _among(column, ids, requirement.values)
        case "NotIn":
            fulfilling = ~_among(column, ids, requirement.values)
        case _:
            fulfilling = column.where(requirement.matches)[ids]
    return fulfilling


def _among(column: FactColumn[str], ids: Rows, values: tuple[str, ...]) -> Mask:
    """Where the label has one of the values: found by id, for there may be as many values as nodes."""
    wanted = [value_id for value in values if (value_id := column.id_of(value)) is not None]
    if len(wanted) == 1:
        only: Mask = ids == wanted[0]
        return only
    by_id = np.zeros(len(column.values), np.bool_)
    by_id[wanted] = True
    return by_id[ids]
