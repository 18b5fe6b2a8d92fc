"""The class of service of a pod.

Reproduces ComputePodQOS of pkg/apis/core/helper/qos/qos.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nominee.model.quantity import nano_value
from nominee.model.resource_names import is_pod_level_resource

BEST_EFFORT = "BestEffort"
BURSTABLE = "Burstable"
GUARANTEED = "Guaranteed"


def qos_class(spec: Mapping[str, Any]) -> str:
    """How well a pod is treated where its node runs short."""
    whole = spec.get("resources")
    if whole and _is_set(whole):
        return _class_of(whole)
    found = ""
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        one = _class_of(container.get("resources") or {})
        if one == BURSTABLE or (found and one != found):
            return BURSTABLE
        found = one
    return found or BEST_EFFORT


def _is_set(resources: Mapping[str, Any]) -> bool:
    names = (*(resources.get("requests") or ()), *(resources.get("limits") or ()))
    return any(is_pod_level_resource(name) for name in names)


def _class_of(resources: Mapping[str, Any]) -> str:
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    if not requests and not limits:
        return BEST_EFFORT
    cpu = _class_for(requests.get("cpu"), limits.get("cpu"))
    memory = _class_for(requests.get("memory"), limits.get("memory"))
    return cpu if cpu == memory else BURSTABLE


def _class_for(request: Any, limit: Any) -> str:
    requested = nano_value(request) if request is not None else 0
    if requested != (requested if request == limit else nano_value(limit) if limit is not None else 0):
        return BURSTABLE
    return GUARANTEED if requested else BEST_EFFORT
