"""What becomes of a new pod before it is validated.

Reproduces PrepareForCreate of pkg/registry/core/pod/strategy.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.pod.affinity import PREFERRED, REQUIRED
from nominee.apiserver.kinds.pod.pod_level import default_pod_level
from nominee.apiserver.kinds.pod.qos import qos_class

GATED = "Scheduling is blocked due to non-empty scheduling gates"


def prepare_new_pod(item: JsonObject, now: str) -> None:
    """Give a pod the status it begins with, and its selectors the values of its own labels."""
    spec = item.get("spec") or {}
    if "affinity" in spec or "topologySpreadConstraints" in spec:
        _widen_selectors(spec, item["metadata"].get("labels") or {})
    if "resources" in spec:
        default_pod_level(spec)
    status: JsonObject = {"phase": "Pending"}
    if spec.get("schedulingGates"):
        status["conditions"] = [
            {
                "type": "PodScheduled",
                "status": "False",
                "lastTransitionTime": now,
                "reason": "SchedulingGated",
                "message": GATED,
            }
        ]
    status["qosClass"] = qos_class(spec)
    item["status"] = status


def _widen_selectors(spec: JsonObject, labels: Mapping[str, str]) -> None:
    for term in _affinity_terms(spec.get("affinity") or {}):
        if (selector := term.get("labelSelector")) is not None:
            _widen(selector, term.get("matchLabelKeys") or (), "In", labels)
            _widen(selector, term.get("mismatchLabelKeys") or (), "NotIn", labels)
    for constraint in spec.get("topologySpreadConstraints") or ():
        if (selector := constraint.get("labelSelector")) is not None:
            _widen(selector, constraint.get("matchLabelKeys") or (), "In", labels)


def _affinity_terms(affinity: Mapping[str, Any]) -> Iterator[JsonObject]:
    for name in ("podAffinity", "podAntiAffinity"):
        one = affinity.get(name) or {}
        for weighted in one.get(PREFERRED) or ():
            yield weighted.get("podAffinityTerm") or {}
        yield from one.get(REQUIRED) or ()


def _widen(selector: JsonObject, keys: Sequence[str], operator: str, labels: Mapping[str, str]) -> None:
    added = [{"key": key, "operator": operator, "values": [labels[key]]} for key in keys if key in labels]
    if added:
        selector["matchExpressions"] = [*(selector.get("matchExpressions") or ()), *added]
