"""Pod affinity terms, compiled: who they select and over which topology key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nominee.model.selectors import Selector, label_selector

if TYPE_CHECKING:
    from nominee.model.affinity import Affinity, PodAffinityTerm, WeightedPodAffinityTerm


@dataclass(frozen=True, slots=True)
class AffinityTerm:
    """One term of pod (anti-)affinity; without namespaces it means its owner's."""

    topology_key: str
    selector: Selector
    namespaces: frozenset[str]
    namespace_selector: Selector | None
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        key = (self.topology_key, self.selector, self.namespaces, self.namespace_selector)
        object.__setattr__(self, "_hash", hash(key))

    def __hash__(self) -> int:
        return self._hash

    def selects(self, namespace: str, labels: Mapping[str, str], namespace_labels: Mapping[str, str]) -> bool:
        """Whether a pod of that namespace with these labels is meant."""
        inside = namespace in self.namespaces or (
            self.namespace_selector is not None and self.namespace_selector.matches(namespace_labels)
        )
        return inside and self.selector.matches(labels)


@dataclass(frozen=True, slots=True)
class AffinityTerms:
    """The terms of one pod: the required ones, and the preferred ones with their weights."""

    required_affinity: tuple[AffinityTerm, ...] = ()
    required_anti_affinity: tuple[AffinityTerm, ...] = ()
    preferred_affinity: tuple[tuple[AffinityTerm, int], ...] = ()
    preferred_anti_affinity: tuple[tuple[AffinityTerm, int], ...] = ()


NO_TERMS = AffinityTerms()


def compile_terms(affinity: Affinity | None, namespace: str) -> AffinityTerms:
    """The pod (anti-)affinity of a pod in `namespace`.

    Reproduces getAffinityTerms and newAffinityTerm (k8s.io/kube-scheduler/framework/types.go, v1.37).
    """
    if affinity is None or (affinity.pod_affinity is None and affinity.pod_anti_affinity is None):
        return NO_TERMS
    near, far = affinity.pod_affinity, affinity.pod_anti_affinity
    return AffinityTerms(
        _terms(near.required_during_scheduling_ignored_during_execution, namespace) if near else (),
        _terms(far.required_during_scheduling_ignored_during_execution, namespace) if far else (),
        _weighted(near.preferred_during_scheduling_ignored_during_execution, namespace) if near else (),
        _weighted(far.preferred_during_scheduling_ignored_during_execution, namespace) if far else (),
    )


def _term(term: PodAffinityTerm, namespace: str) -> AffinityTerm:
    own = not term.namespaces and term.namespace_selector is None
    return AffinityTerm(
        term.topology_key,
        label_selector(term.label_selector),
        frozenset((namespace,) if own else term.namespaces),
        None if term.namespace_selector is None else label_selector(term.namespace_selector),
    )


def _terms(terms: tuple[PodAffinityTerm, ...], namespace: str) -> tuple[AffinityTerm, ...]:
    return tuple(_term(term, namespace) for term in terms)


def _weighted(
    terms: tuple[WeightedPodAffinityTerm, ...], namespace: str
) -> tuple[tuple[AffinityTerm, int], ...]:
    return tuple((_term(t.pod_affinity_term, namespace), t.weight) for t in terms)
