"""What the API server does to objects before it stores them, as far as scheduling depends on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from nominee.errors import Forbidden
from nominee.model.meta import NamedObject
from nominee.model.node import Node
from nominee.model.pod import Pod
from nominee.model.policy import PriorityClass

Objects = Mapping[type[NamedObject], Mapping[str, Any]]

SYSTEM_CLASSES = {
    name: PriorityClass(metadata=replace(PriorityClass().metadata, name=name), value=value)
    for name, value in (("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000))
}


def admit_pod(pod: Pod, objects: Objects) -> Pod:
    """Resolve the priority, and name the scheduler of a pod that names none.

    Reproduces plugin/pkg/admission/priority/admission.go, v1.37.
    """
    chosen = _priority_class(pod, objects)
    value = chosen.value if chosen is not None else 0
    policy = (chosen.preemption_policy if chosen is not None else None) or "PreemptLowerPriority"
    named = bool(pod.spec.priority_class_name)
    given = pod.spec.priority
    if given is not None and given != value and (named or chosen is not None):
        message = (
            f"the integer value of priority ({given}) must not be provided in pod spec; "
            f"priority admission controller computed {value} from the given PriorityClass name"
        )
        raise Forbidden(403, message)
    fields: dict[str, Any] = {}
    if not pod.spec.scheduler_name:
        fields["scheduler_name"] = "default-scheduler"
    if given is None:
        fields["priority"] = value
    if pod.spec.preemption_policy is None and policy != "PreemptLowerPriority":
        fields["preemption_policy"] = policy
    if not named and chosen is not None:
        fields["priority_class_name"] = chosen.name
    return replace(pod, spec=replace(pod.spec, **fields)) if fields else pod


def _priority_class(pod: Pod, objects: Objects) -> PriorityClass | None:
    """The class a pod names, or the global default; a plain number without a class is taken as it is."""
    classes: Mapping[str, PriorityClass] = objects.get(PriorityClass, {})
    name = pod.spec.priority_class_name
    if name:
        found = classes.get(name) or SYSTEM_CLASSES.get(name)
        if found is None:
            raise Forbidden(403, f"no PriorityClass with name {name} was found")
        return found
    if pod.spec.priority is not None:
        return None
    return min((c for c in classes.values() if c.global_default), key=lambda c: c.value, default=None)


def admit_node(node: Node) -> Node:
    """Reproduces SetDefaults_NodeStatus (pkg/apis/core/v1/defaults.go, v1.37): allocatable is capacity."""
    if node.status.allocatable or not node.status.capacity:
        return node
    return replace(node, status=replace(node.status, allocatable=node.status.capacity))
