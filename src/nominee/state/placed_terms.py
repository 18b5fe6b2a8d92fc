"""Which affinity terms the placed pods bring with them."""

from __future__ import annotations

from collections import Counter, deque
from typing import Literal

from nominee.state.shapes import Shape
from nominee.state.terms import AffinityTerm

TermKind = Literal[
    "required_affinity", "required_anti_affinity", "preferred_affinity", "preferred_anti_affinity"
]
TERM_KINDS: tuple[TermKind, ...] = (
    "required_affinity",
    "required_anti_affinity",
    "preferred_affinity",
    "preferred_anti_affinity",
)


_MEMORY = 1024  # changes of the set of terms to remember


def terms_of(shape: Shape, kind: TermKind) -> tuple[tuple[AffinityTerm, int], ...]:
    """The terms of one kind with their weights; a required one weighs 1."""
    terms = getattr(shape.terms, kind)
    return terms if kind.startswith("preferred") else tuple((term, 1) for term in terms)


class PlacedTerms:
    """The distinct terms of each kind on placed pods; `version[kind]` changes with that set."""

    def __init__(self) -> None:
        self._pods: dict[TermKind, Counter[AffinityTerm]] = {kind: Counter() for kind in TERM_KINDS}
        self.clock = 0  # changes with any of the versions
        self.version: dict[TermKind, int] = dict.fromkeys(TERM_KINDS, 0)
        self._changes: dict[TermKind, deque[AffinityTerm]] = {
            kind: deque(maxlen=_MEMORY) for kind in TERM_KINDS
        }

    def count(self, shape: Shape, sign: int) -> None:
        for kind in TERM_KINDS:
            for term, _ in terms_of(shape, kind):
                pods = self._pods[kind]
                before = pods[term]
                pods[term] = before + sign
                if not before or not pods[term]:
                    self.clock += 1
                    self.version[kind] += 1
                    self._changes[kind].append(term)
                if not pods[term]:
                    del pods[term]

    def distinct(self, kind: TermKind) -> list[AffinityTerm]:
        return list(self._pods[kind])

    def changes_since(self, kind: TermKind, version: int) -> list[AffinityTerm] | None:
        """The terms that came or went (each as often as it did) since `version`; None: too long ago."""
        changes = self._changes[kind]
        behind = self.version[kind] - version
        if version < 0 or behind > len(changes):
            return None
        return [changes[i] for i in range(-behind, 0)]
