"""Resources of a pod as a whole: what they are unless said, and how they must agree with the containers'.

Reproduces DefaultPodLevelResources of pkg/api/pod/util.go and validatePodResourceConsistency of
pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.field_errors import forbidden, invalid
from nominee.apiserver.kinds.pod.resources import validate_pod_resources
from nominee.apiserver.kinds.quantities import add_up
from nominee.apiserver.status import FieldError
from nominee.model.quantity import format_quantity, nano_value
from nominee.model.resource_names import is_hugepage, is_pod_level_resource

Containers = Sequence[Mapping[str, Any]]


def default_pod_level(spec: JsonObject) -> None:
    """Fill in requests and limits of a pod that has some already."""
    resources = spec.get("resources")
    if not resources or not (resources.get("requests") or resources.get("limits")):
        return
    requests = dict(resources.get("requests") or {})
    limits = dict(resources.get("limits") or {})
    for name, amount in _aggregate(spec, "limits").items():
        if is_hugepage(name) and name not in requests:
            limits.setdefault(name, amount)
    for name, amount in _aggregate(spec, "requests").items():
        if name in ("cpu", "memory"):
            requests.setdefault(name, amount)
    for name, amount in limits.items():
        if is_pod_level_resource(name):
            requests.setdefault(name, amount)
    _default_limits(spec, requests, limits)
    filled = {"requests": requests, "limits": limits}
    spec["resources"] = {**resources, **{name: amounts for name, amounts in filled.items() if amounts}}


def _default_limits(spec: JsonObject, requests: Mapping[str, Any], limits: JsonObject) -> None:
    containers = _containers(spec)
    total = _aggregate(spec, "limits")
    for name, request in requests.items():
        if name in limits or not is_pod_level_resource(name) or name not in total:
            continue
        if all(name in ((one.get("resources") or {}).get("limits") or {}) for one in containers):
            limits[name] = request if nano_value(request) > nano_value(total[name]) else total[name]


def validate_pod_level(spec: Mapping[str, Any], claims: Sequence[str], path: str) -> Iterator[FieldError]:
    """What is wrong with what a pod asks for as a whole."""
    resources = spec.get("resources")
    if resources is None:
        return
    path = f"{path}.resources"
    if (spec.get("os") or {}).get("name") == "windows":
        yield forbidden(path, "may not be set for a windows pod")
        return
    if resources.get("claims") is not None:
        yield forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level")
    yield from validate_pod_resources(resources, claims, path)
    yield from _validate_consistency(spec, resources, path)


def _validate_consistency(
    spec: Mapping[str, Any], resources: Mapping[str, Any], path: str
) -> Iterator[FieldError]:
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    yield from _validate_sums(_aggregate(spec, "requests"), requests, f"{path}.requests", "requests")
    pages = {name: amount for name, amount in _aggregate(spec, "limits").items() if is_hugepage(name)}
    yield from _validate_sums(pages, limits, f"{path}.limits", "limits")
    for position, container in enumerate(spec.get("containers") or ()):
        own = (container.get("resources") or {}).get("limits") or {}
        for name, limit in own.items():
            if name in limits and nano_value(limit) > nano_value(limits[name]):
                at = f"{path}.containers[{position}][{name}].limits"
                yield invalid(at, str(limit), f"must be less than or equal to pod limits of {limits[name]}")


def _validate_sums(
    sums: Mapping[str, str], amounts: Mapping[str, Any], path: str, of: str
) -> Iterator[FieldError]:
    for name, total in sums.items():
        if name in amounts and nano_value(total) > nano_value(amounts[name]):
            why = f"must be greater than or equal to aggregate container {of} of {total}"
            yield invalid(f"{path}[{name}]", str(amounts[name]), why)


def _containers(spec: Mapping[str, Any]) -> Containers:
    return (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))


def _aggregate(spec: Mapping[str, Any], of: str) -> dict[str, str]:
    """What all containers have together, those of the beginning as far as they run side by side.

    Reproduces AggregateContainerRequests of component-helpers/resource/helpers.go, v1.37.
    """
    total = add_up(_amounts(container, of) for container in spec.get("containers") or ())
    beside: dict[str, int] = {}
    peak: dict[str, int] = {}
    for container in spec.get("initContainers") or ():
        amounts = add_up([_amounts(container, of)])
        if container.get("restartPolicy") == "Always":
            _add(total, amounts)
            _add(beside, amounts)
            amounts = beside
        else:
            _add(amounts, beside)
        for name, nanos in amounts.items():
            peak[name] = max(peak.get(name, 0), nanos)
    for name, nanos in peak.items():
        total[name] = max(total.get(name, 0), nanos)
    return {name: format_quantity(nanos, _notation(name)) for name, nanos in total.items()}


def _amounts(container: Mapping[str, Any], of: str) -> Mapping[str, Any]:
    return (container.get("resources") or {}).get(of) or {}


def _add(total: dict[str, int], amounts: Mapping[str, int]) -> None:
    for name, nanos in amounts.items():
        total[name] = total.get(name, 0) + nanos


def _notation(name: str) -> Any:
    return "binary" if name == "memory" or is_hugepage(name) else "decimal"
