"""Checks of objects that people wrote, so that a mistake is named with the field it is in.

Objects from an API server have passed its own validation and need none of this.
"""

from __future__ import annotations

from collections.abc import Iterable

from nominee.errors import InputError
from nominee.model.affinity import Affinity, PodAffinityTerm
from nominee.model.base import RawQuantity, ResourceList
from nominee.model.container import Container, ContainerStatus, ResourceRequirements
from nominee.model.meta import NamedObject
from nominee.model.node import Node
from nominee.model.pod import Pod, PodSpec
from nominee.model.policy import PodDisruptionBudget
from nominee.model.quantity import nano_value
from nominee.model.selectors import label_selector, node_selector, node_term, requirement
from nominee.model.storage import CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim
from nominee.model.timestamps import parse_time
from nominee.model.validate_values import check_budget_values, check_node_values, check_pod_values
from nominee.model.workload import ReplicaSet, StatefulSet

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def validate_object(item: NamedObject) -> None:
    """Check an object of any kind, as far as there is anything to check; raises InputError."""
    if not item.name:
        raise InputError("an object needs a name", field="metadata.name")
    _check_time(item.metadata.creation_timestamp, "metadata.creationTimestamp")
    _check_time(item.metadata.deletion_timestamp, "metadata.deletionTimestamp")
    match item:
        case Pod():
            validate_pod(item)
        case Node():
            validate_node(item)
        case PersistentVolume() | PersistentVolumeClaim() | CSIStorageCapacity():
            _validate_storage(item)
        case PodDisruptionBudget():
            check_budget_values(item)
            label_selector(item.spec.selector, field="spec.selector")
        case ReplicaSet() | StatefulSet():
            label_selector(item.spec.selector, field="spec.selector")


def validate_node(node: Node) -> None:
    """Check the quantities of a node; raises InputError naming the field."""
    _check_amounts(node.status.allocatable, "status.allocatable")
    _check_amounts(node.status.capacity, "status.capacity")
    check_node_values(node)


def validate_pod(pod: Pod) -> None:
    """Check quantities, selectors and times of a pod; raises InputError naming the field."""
    spec, status = pod.spec, pod.status
    _check_containers(spec.containers, "spec.containers")
    _check_containers(spec.init_containers, "spec.initContainers")
    _check_amounts(spec.overhead, "spec.overhead")
    _check_resources(spec.resources, "spec.resources")
    _check_selectors(spec)
    check_pod_values(spec)
    _check_statuses(status.container_statuses, "status.containerStatuses")
    _check_statuses(status.init_container_statuses, "status.initContainerStatuses")
    _check_resources(status.resources, "status.resources")
    _check_amounts(status.allocated_resources, "status.allocatedResources")
    _check_time(status.start_time, "status.startTime")


def _validate_storage(item: PersistentVolume | PersistentVolumeClaim | CSIStorageCapacity) -> None:
    match item:
        case PersistentVolume(spec=spec):
            _check_amounts(spec.capacity, "spec.capacity")
            if spec.node_affinity is not None and spec.node_affinity.required is not None:
                node_selector(spec.node_affinity.required, field="spec.nodeAffinity.required")
        case PersistentVolumeClaim(spec=claim):
            _check_amounts(claim.resources.requests, "spec.resources.requests")
            label_selector(claim.selector, field="spec.selector")
        case CSIStorageCapacity():
            _check_quantity(item.capacity, "capacity")
            _check_quantity(item.maximum_volume_size, "maximumVolumeSize")
            label_selector(item.node_topology, field="nodeTopology")


def _check_containers(containers: Iterable[Container], field: str) -> None:
    for position, container in enumerate(containers):
        _check_resources(container.resources, f"{field}[{position}].resources")


def _check_statuses(statuses: Iterable[ContainerStatus], field: str) -> None:
    for position, status in enumerate(statuses):
        _check_amounts(status.allocated_resources, f"{field}[{position}].allocatedResources")
        _check_resources(status.resources, f"{field}[{position}].resources")


def _check_resources(resources: ResourceRequirements | None, field: str) -> None:
    if resources is not None:
        _check_amounts(resources.requests, f"{field}.requests")
        _check_amounts(resources.limits, f"{field}.limits")


def _check_amounts(amounts: ResourceList, field: str) -> None:
    for name, quantity in amounts.items():
        _check_quantity(quantity, f"{field}[{name}]")


def _check_quantity(quantity: RawQuantity | None, field: str) -> None:
    if quantity is None:
        return
    try:
        negative = nano_value(quantity) < 0
    except InputError as error:
        raise error.at(field=field) from None
    if negative:
        raise InputError(f"{quantity!r} must be greater than or equal to 0", field=field)


def _check_time(text: str | None, field: str) -> None:
    if not text:
        return
    try:
        parse_time(text)
    except InputError as error:
        raise error.at(field=field) from None


def _check_selectors(spec: PodSpec) -> None:
    for key, value in spec.node_selector.items():
        requirement(key, "In", (value,), field="spec.nodeSelector")
    if spec.affinity is not None:
        _check_node_affinity(spec.affinity)
        _check_pod_affinity(spec.affinity)
    for position, constraint in enumerate(spec.topology_spread_constraints):
        field = f"spec.topologySpreadConstraints[{position}]"
        label_selector(constraint.label_selector, field=f"{field}.labelSelector")
        _check_topology_key(constraint.topology_key, field)


def _check_node_affinity(affinity: Affinity) -> None:
    if affinity.node_affinity is None:
        return
    required = affinity.node_affinity.required_during_scheduling_ignored_during_execution
    preferred = affinity.node_affinity.preferred_during_scheduling_ignored_during_execution
    if required is not None:
        node_selector(required, field=f"spec.affinity.nodeAffinity.{_REQUIRED}")
    for position, term in enumerate(preferred):
        node_term(term.preference, field=f"spec.affinity.nodeAffinity.{_PREFERRED}[{position}].preference")


def _check_pod_affinity(affinity: Affinity) -> None:
    kinds = {"podAffinity": affinity.pod_affinity, "podAntiAffinity": affinity.pod_anti_affinity}
    for name, terms in kinds.items():
        if terms is None:
            continue
        for position, term in enumerate(terms.required_during_scheduling_ignored_during_execution):
            _check_affinity_term(term, f"spec.affinity.{name}.{_REQUIRED}[{position}]")
        for position, weighted in enumerate(terms.preferred_during_scheduling_ignored_during_execution):
            field = f"spec.affinity.{name}.{_PREFERRED}[{position}].podAffinityTerm"
            _check_affinity_term(weighted.pod_affinity_term, field)


def _check_affinity_term(term: PodAffinityTerm, field: str) -> None:
    label_selector(term.label_selector, field=f"{field}.labelSelector")
    label_selector(term.namespace_selector, field=f"{field}.namespaceSelector")
    _check_topology_key(term.topology_key, field)


def _check_topology_key(key: str, field: str) -> None:
    if not key:
        raise InputError("can not be empty", field=f"{field}.topologyKey")
