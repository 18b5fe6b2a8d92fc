"""Which terms of placed pods mean the incoming pod, kept up to date term by term."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from nominee.framework import AffinityTerm, ClusterView, Label, Namespace, Shape, SkipWhile, Tally

Kind = Literal["required_affinity", "required_anti_affinity", "preferred_affinity", "preferred_anti_affinity"]
Tallies = tuple[tuple[Label, Tally], ...]
NEVER = -1


class MatchingTerms:
    """The terms of some kinds that mean pods of one shape, as one tally for each topology key.

    Kept in the shape's memo. A cluster may hold thousands of distinct terms and every placement may
    bring another, so only what changed since the last look is matched.
    """

    __slots__ = ("_kinds", "_matching", "_namespace_labels", "_namespaces", "_tallies", "_tally", "_versions")

    def __init__(self, kinds: tuple[Kind, ...], tally: Callable[[frozenset[AffinityTerm]], Tally]) -> None:
        self._kinds = kinds
        self._tally = tally
        self._versions = [NEVER] * len(kinds)
        self._namespaces = NEVER
        self._namespace_labels: dict[str, str] = {}
        self._matching: list[set[AffinityTerm]] = [set() for _ in kinds]
        self._tallies: Tallies = ()

    def tallies(self, shape: Shape, cluster: ClusterView) -> Tallies:
        """By topology key, what to count; `shape` is the one this belongs to."""
        current = self._namespaces == cluster.version(Namespace)
        if current:
            for i, kind in enumerate(self._kinds):
                if self._versions[i] != cluster.placed_terms_version(kind):
                    break
            else:
                return self._tallies
        else:
            self._read_namespace(shape, cluster)
        changed = [self._catch_up(i, kind, shape, cluster) for i, kind in enumerate(self._kinds)]
        if any(changed):
            self._tallies = self._grouped()
        return self._tallies

    def while_unchanged(self, cluster: ClusterView) -> SkipWhile:
        """As long as no term comes or goes and no namespace changes, the same terms mean the pods."""
        return SkipWhile(lambda: (cluster.placed_terms_clock, cluster.version(Namespace)))

    def _read_namespace(self, shape: Shape, cluster: ClusterView) -> None:
        """Forget everything if the labels of the pods' namespace are other than they were."""
        labels = dict(cluster.namespace_labels(shape.namespace))
        if labels != self._namespace_labels:
            self._namespace_labels = labels
            self._versions = [NEVER] * len(self._kinds)
        self._namespaces = cluster.version(Namespace)

    def _catch_up(self, i: int, kind: Kind, shape: Shape, cluster: ClusterView) -> bool:
        """Match what is new; tell whether anything that means the pods came or went."""
        version = self._versions[i]
        self._versions[i] = cluster.placed_terms_version(kind)
        changes = cluster.placed_terms_since(kind, version)
        if changes is None:
            before = self._matching[i]
            self._matching[i] = set(self._meaning(shape, cluster.placed_terms(kind)))
            return self._matching[i] != before
        meaning = self._meaning(shape, changes)
        for term in meaning:
            self._matching[i] ^= {term}  # a change is a term that came where it was not, or went
        return bool(meaning)

    def _meaning(self, shape: Shape, terms: list[AffinityTerm]) -> list[AffinityTerm]:
        namespace, labels, own = shape.namespace, shape.labels, self._namespace_labels
        return [term for term in terms if term.selects(namespace, labels, own)]

    def _grouped(self) -> Tallies:
        groups: dict[str, set[AffinityTerm]] = {}
        for terms in self._matching:
            for term in terms:
                groups.setdefault(term.topology_key, set()).add(term)
        return tuple((Label(key), self._tally(frozenset(terms))) for key, terms in groups.items())
