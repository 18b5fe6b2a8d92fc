"""What is counted of the pods on each node; equal tallies share a column, whoever asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from nominee.framework import AffinityTerm, Shape


class Selects(Protocol):
    """Which pods a term of the incoming pod means."""

    def holds(self, shape: Shape, /) -> bool: ...


@dataclass(frozen=True, slots=True)
class AllSelected:
    """Pods that every one of the selections means."""

    selections: tuple[Selects, ...]
    alive_only: ClassVar[bool] = False

    def of(self, shape: Shape) -> int:
        for one in self.selections:  # a loop: asked of every distinct shape, all() costs twice as much
            if not one.holds(shape):
                return 0
        return 1


@dataclass(frozen=True, slots=True)
class Selected:
    """Pods that the selections mean, once for each that does."""

    selections: tuple[Selects, ...]
    alive_only: ClassVar[bool] = False

    def of(self, shape: Shape) -> int:
        count = 0
        for one in self.selections:
            count += one.holds(shape)
        return count


@dataclass(frozen=True, slots=True)
class Weighed:
    """The weights of the selections that mean a pod."""

    selections: tuple[tuple[Selects, int], ...]
    alive_only: ClassVar[bool] = False

    def of(self, shape: Shape) -> int:
        return sum(weight for one, weight in self.selections if one.holds(shape))


@dataclass(frozen=True, slots=True)
class Refusals:
    """How many of these terms pods bring as required anti-affinity.

    Which terms mean the incoming pod is decided beforehand: pods that the same terms mean share a
    column, and a pod of a new shape needs none of its own.
    """

    terms: frozenset[AffinityTerm]
    alive_only: ClassVar[bool] = False

    def of(self, shape: Shape) -> int:
        return sum(term in self.terms for term in shape.terms.required_anti_affinity)


@dataclass(frozen=True, slots=True)
class Wishes:
    """How much pods like (or dislike) company through these terms; a required one weighs `hard_weight`."""

    terms: frozenset[AffinityTerm]
    hard_weight: int
    alive_only: ClassVar[bool] = False

    def of(self, shape: Shape) -> int:
        terms, known = shape.terms, self.terms
        hard = self.hard_weight * sum(term in known for term in terms.required_affinity)
        near = sum(weight for term, weight in terms.preferred_affinity if term in known)
        far = sum(weight for term, weight in terms.preferred_anti_affinity if term in known)
        return hard + near - far


@dataclass(frozen=True, slots=True)
class RefusalsOf:
    """How many terms of required anti-affinity over one topology key mean one incoming pod.

    For what-ifs only: pods supposed to be there may bring terms that no placed pod has. A what-if
    reads it off the few shapes it moves; as a column it would cost one for each incoming shape.
    """

    incoming: Shape
    topology_key: str
    namespace_labels: Mapping[str, str] = field(compare=False)
    alive_only: ClassVar[bool] = False

    def of(self, shape: Shape) -> int:
        labels, namespace = self.incoming.labels, self.incoming.namespace
        return sum(
            term.topology_key == self.topology_key and term.selects(namespace, labels, self.namespace_labels)
            for term in shape.terms.required_anti_affinity
        )
