"""The terms of the pod to be placed, with their namespaces looked up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nominee.framework import AffinityTerm, ClusterView, Label, Namespace, Pod, Selector, Shape
from nominee.plugins.inter_pod_affinity.tallies import AllSelected, Selected, Weighed

_OWN_TERMS = "InterPodAffinity.own_terms"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which pods a term means; `namespaces` None stands for all of them."""

    namespaces: frozenset[str] | None
    selector: Selector

    def holds(self, shape: Shape) -> bool:
        """Whether pods of this shape are meant."""
        inside = self.namespaces is None or shape.namespace in self.namespaces
        return inside and self.selector.matches(shape.labels)


@dataclass(frozen=True, slots=True)
class OwnTerms:
    """What the pods of one shape ask for, as tallies of placed pods, one for each topology key.

    near          pods that match all terms of required affinity, counted over every one of `near_keys`
    near_to_self  whether the pod is itself such a pod
    far           pods that match terms of required anti-affinity
    preferred     by how much pods attract (or repel) through preferred terms
    """

    near: AllSelected | None
    near_keys: tuple[Label, ...]
    near_to_self: bool
    far: tuple[tuple[Label, Selected], ...]
    preferred: tuple[tuple[Label, Weighed], ...]


def own_terms(pod: Pod, cluster: ClusterView) -> OwnTerms:
    """The pod's terms; looked up again only when a Namespace changed."""
    return pod.memo_at(_OWN_TERMS, cluster.version(Namespace), lambda shape: _own_terms(shape, cluster))


def _own_terms(shape: Shape, cluster: ClusterView) -> OwnTerms:
    terms = shape.terms
    near = tuple(selection(term, cluster) for term in terms.required_affinity)
    return OwnTerms(
        AllSelected(near) if near else None,
        tuple(Label(key) for key in dict.fromkeys(term.topology_key for term in terms.required_affinity)),
        all(one.holds(shape) for one in near),
        tuple(
            (Label(key), Selected(tuple(selection(t, cluster) for t in of_key)))
            for key, of_key in by_key(terms.required_anti_affinity).items()
        ),
        _preferred(
            (*terms.preferred_affinity, *((term, -weight) for term, weight in terms.preferred_anti_affinity)),
            cluster,
        ),
    )


def _preferred(
    terms: tuple[tuple[AffinityTerm, int], ...], cluster: ClusterView
) -> tuple[tuple[Label, Weighed], ...]:
    of_key: dict[str, list[tuple[Selection, int]]] = {}
    for term, weight in terms:
        of_key.setdefault(term.topology_key, []).append((selection(term, cluster), weight))
    return tuple((Label(key), Weighed(tuple(weighed))) for key, weighed in of_key.items())


def selection(term: AffinityTerm, cluster: ClusterView) -> Selection:
    """The term with its namespace selector resolved to the names of the namespaces there are.

    Reproduces mergeAffinityTermNamespacesIfNotEmpty
    (pkg/scheduler/framework/plugins/interpodaffinity/plugin.go, v1.37).
    """
    chosen = term.namespace_selector
    if chosen is None:
        return Selection(term.namespaces, term.selector)
    if chosen.empty:
        return Selection(None, term.selector)
    names = (ns.metadata.name for ns in cluster.all(Namespace) if chosen.matches(ns.metadata.labels))
    return Selection(term.namespaces.union(names), term.selector)


def by_key(terms: Iterable[AffinityTerm]) -> dict[str, list[AffinityTerm]]:
    """The terms grouped by topology key."""
    groups: dict[str, list[AffinityTerm]] = {}
    for term in terms:
        groups.setdefault(term.topology_key, []).append(term)
    return groups
