"""Which events may let a pod in that pod affinity kept out."""

from __future__ import annotations

from collections.abc import Iterable

from nominee.framework import (
    Action,
    AffinityTerm,
    ClusterView,
    EventHint,
    NodeObject,
    Pod,
    Resource,
)
from nominee.plugins.inter_pod_affinity.terms import OwnTerms, own_terms


def events() -> tuple[EventHint, ...]:
    """The events and how each is judged.

    Reproduces EventsToRegister (pkg/scheduler/framework/plugins/interpodaffinity/plugin.go, v1.37).
    """
    pods = Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE
    return (
        EventHint(Resource.ASSIGNED_POD, pods, after_assigned_pod_change),
        EventHint(Resource.TARGET_POD, Action.UPDATE_POD_LABEL),
        EventHint(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL, after_node_change),
    )


def after_assigned_pod_change(pod: Pod, old: Pod | None, new: Pod | None, cluster: ClusterView) -> bool:
    """Whether company came that the pod wants, or went that it does not want or that refused it.

    Reproduces isSchedulableAfterAssignedPodChange (plugin.go, v1.37) with one difference: namespace
    selectors are looked up as they are when filtering, where upstream takes every namespace for one
    without labels and leaves such pods to the periodic flush.
    """
    if any(one is not None and not (one.node_name or one.nominated_node_name) for one in (old, new)):
        return False
    own = own_terms(pod, cluster)
    if new is not None:
        came = _wanted(own, new) and not (old is not None and _wanted(own, old))
        went = old is not None and _unwanted(own, old) and not _unwanted(own, new)
        return came or went
    return old is not None and (_unwanted(own, old) or _refuses(old, pod, cluster))


def after_node_change(pod: Pod, old: NodeObject | None, new: NodeObject, cluster: ClusterView) -> bool:
    """Whether the node came or changed its domain in a way that may help.

    Reproduces isSchedulableAfterNodeChange (plugin.go, v1.37) with one difference: a pod that others'
    anti-affinity keeps out is woken as by its own, where upstream leaves it to the periodic flush.
    """
    terms, labels = pod.shape.terms, new.metadata.labels
    near = _keys(terms.required_affinity)
    far = _keys(terms.required_anti_affinity) | _keys(_refusing(pod, cluster))
    if old is None:
        return bool(far) or any(key in labels for key in near)
    before = old.metadata.labels
    joined = any(key in labels and labels[key] != before.get(key) for key in near)
    left = any(key in before and before[key] != labels.get(key) for key in far)
    return joined or left


def _refusing(pod: Pod, cluster: ClusterView) -> list[AffinityTerm]:
    """The anti-affinity of placed pods that is about this one."""
    labels = cluster.namespace_labels(pod.namespace)
    terms = cluster.placed_terms("required_anti_affinity")
    return [term for term in terms if term.selects(pod.namespace, pod.labels, labels)]


def _keys(terms: Iterable[AffinityTerm]) -> set[str]:
    return {term.topology_key for term in terms}


def _wanted(own: OwnTerms, other: Pod) -> bool:
    return own.near is not None and bool(own.near.of(other.shape))


def _unwanted(own: OwnTerms, other: Pod) -> bool:
    return any(tally.of(other.shape) for _, tally in own.far)


def _refuses(other: Pod, pod: Pod, cluster: ClusterView) -> bool:
    labels = cluster.namespace_labels(pod.namespace)
    terms = other.shape.terms.required_anti_affinity
    return any(term.selects(pod.namespace, pod.labels, labels) for term in terms)
