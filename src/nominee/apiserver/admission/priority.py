"""Priority: names of priority classes become numbers.

Reproduces plugin/pkg/admission/priority/admission.go, v1.37.
"""

from __future__ import annotations

from typing import Any

from nominee.apiserver.admission.plugin import Request

CLASSES = "priorityclasses.scheduling.k8s.io"
SYSTEM_CLASSES = ("system-node-critical", "system-cluster-critical")
_LOWER = "PreemptLowerPriority"


def set_priority(request: Request) -> None:
    """Write a pod's priority and preemption policy, which it may not choose itself."""
    spec = request.item.get("spec") or {}
    if request.old is not None:
        before = request.old.get("spec") or {}
        for field in ("priority", "preemptionPolicy"):
            if field in before:
                spec.setdefault(field, before[field])
        return
    name, priority, policy = _establish(request, spec.get("priorityClassName") or "")
    given = spec.get("priority")
    if given is not None and given != priority:
        raise request.forbidden(
            f"the integer value of priority ({given}) must not be provided in pod spec; "
            f"priority admission controller computed {priority} from the given PriorityClass name"
        )
    given = spec.get("preemptionPolicy")
    if policy and given is not None and given != policy:
        raise request.forbidden(
            f"the string value of PreemptionPolicy ({given}) must not be provided in pod spec; "
            f"priority admission controller computed {policy} from the given PriorityClass name"
        )
    _write(spec, name, priority)
    if policy:
        spec["preemptionPolicy"] = policy


def set_group_priority(request: Request) -> None:
    """Write the priority of a group of pods."""
    spec = request.item.setdefault("spec", {})
    name, priority, _ = _establish(request, spec.get("priorityClassName") or "")
    given = spec.get("priority")
    if given is not None and given != priority:
        raise request.forbidden(
            f"priority set in the pod group ({given}) must match the priority computed ({priority}) "
            "based on the priority class set in the spec"
        )
    _write(spec, name, priority)


def _write(spec: dict[str, Any], name: str, priority: int) -> None:
    if name:
        spec["priorityClassName"] = name
    spec["priority"] = priority


def admit_priority(request: Request) -> None:
    """There is one default class at most."""
    if not request.item.get("globalDefault"):
        return
    default = _default(request)
    if default and default["metadata"]["name"] != request.item["metadata"].get("name"):
        raise request.forbidden(
            f"PriorityClass {default['metadata']['name']} is already marked as default. "
            "Only one default can exist"
        )


def keep_system_class(request: Request) -> None:
    """Refuse to delete the classes that are always there; pkg/registry/scheduling/priorityclass, v1.37."""
    if request.item["metadata"]["name"] in SYSTEM_CLASSES:
        raise request.forbidden("this is a system priority class and cannot be deleted")


def _establish(request: Request, name: str) -> tuple[str, int, str]:
    """A class by its name, or the default one: its name, priority and preemption policy."""
    if not name:
        default = _default(request)
        if default is None:
            return "", 0, _LOWER
        return default["metadata"]["name"], default["value"], default.get("preemptionPolicy") or ""
    stored = request.rest.store.get(CLASSES, name)
    if stored is None:
        raise request.forbidden(f"no PriorityClass with name {name} was found")
    return name, stored.object.get("value") or 0, stored.object.get("preemptionPolicy") or ""


def _default(request: Request) -> dict[str, Any] | None:
    """The default class; of several, which a race can make, the one with the lowest value."""
    found: dict[str, Any] | None = None
    for stored in request.rest.store.list(CLASSES):
        item = stored.object
        if item.get("globalDefault") and (found is None or found["value"] > item["value"]):
            found = item
    return found
