"""What a pod asks of a node.

All sums are made in nanos, exactly, and rounded up once at the end, as upstream does with its
quantities. The rules are PodRequests of component-helpers resource/helpers.go, v1.37, and
calculateResource of pkg/scheduler/framework/types.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from nominee.model.base import ResourceList
from nominee.model.container import Container, ContainerStatus
from nominee.model.node import Node
from nominee.model.pod import Pod
from nominee.model.quantity import MILLI, NANO, milli_value, nano_value, scale_up, value
from nominee.model.resource_names import (
    CPU,
    MEMORY,
    PODS,
    is_attachable_volume,
    is_counted,
    is_extended_resource_name,
    is_hugepage,
    is_pod_level_resource,
    is_prefixed_native,
    is_scalar_resource_name,
)

__all__ = [
    "COUNT_ALL",
    "DEFAULT_MEMORY_BYTES",
    "DEFAULT_MILLI_CPU",
    "Counting",
    "is_attachable_volume",
    "is_extended_resource_name",
    "is_hugepage",
    "is_prefixed_native",
    "is_scalar_resource_name",
    "node_allocatable",
    "nonzero_requests",
    "placed_pod_requests",
    "pod_requests",
]

DEFAULT_MILLI_CPU = 100
DEFAULT_MEMORY_BYTES = 200 * 1024 * 1024

_Nanos: TypeAlias = dict[str, int]
_ContainerRequests: TypeAlias = Callable[[Container], ResourceList]


@dataclass(frozen=True, slots=True)
class Counting:
    """Which of the requests made for pods as a whole count.

    pod_level         those of the spec; as the gate PodLevelResources
    pod_level_status  those of the status; as the gate InPlacePodLevelResourcesVerticalScaling
    """

    pod_level: bool = True
    pod_level_status: bool = True


COUNT_ALL = Counting()

_DEFAULTS: Mapping[str, int] = {CPU: DEFAULT_MILLI_CPU * MILLI, MEMORY: DEFAULT_MEMORY_BYTES * NANO}
_NO_DEFAULTS: Mapping[str, int] = {}


def pod_requests(pod: Pod, *, pod_level: bool = True) -> dict[str, int]:
    """Return what a pod's spec asks for: cpu in millis, all else in whole units, rounded up.

    This is what an incoming pod is filtered with. `pod_level=False` leaves requests of the pod as a
    whole out, as with the gate PodLevelResources off, and as the scorer of NodeResourcesFit does.
    """
    return _rounded(_spec_requests(pod, pod_level=pod_level, defaults=_NO_DEFAULTS))


def placed_pod_requests(pod: Pod, *, pod_level: bool = True, pod_level_status: bool = True) -> dict[str, int]:
    """Return what a pod on a node counts for: the largest of spec, allocated and actual requests.

    A resize in flight thereby holds both what the pod still has and what it is to get; one that is
    infeasible leaves the spec out. `pod_level_status` stands for the gate
    InPlacePodLevelResourcesVerticalScaling.
    """
    return _rounded(
        _status_requests(pod, pod_level=pod_level, pod_level_status=pod_level_status, defaults=_NO_DEFAULTS)
    )


def nonzero_requests(
    pod: Pod, *, pod_level: bool = True, placed: bool = False, pod_level_status: bool = True
) -> tuple[int, int]:
    """Return cpu (millis) and memory with a default for each container that names no request.

    An explicit 0 stays 0. With requests for the pod as a whole, a default counts only for a resource
    that neither the pod nor any of its containers names.
    """

    def requests(defaults: Mapping[str, int]) -> _Nanos:
        if not placed:
            return _spec_requests(pod, pod_level=pod_level, defaults=defaults)
        return _status_requests(
            pod, pod_level=pod_level, pod_level_status=pod_level_status, defaults=defaults
        )

    defaults = _DEFAULTS
    if pod_level and _has_pod_level_requests(pod):
        named = requests(_NO_DEFAULTS)
        defaults = {name: nanos for name, nanos in _DEFAULTS.items() if name not in named}
    nanos = requests(defaults)
    return scale_up(nanos.get(CPU, 0), MILLI), scale_up(nanos.get(MEMORY, 0), NANO)


def node_allocatable(node: Node) -> dict[str, int]:
    """Return what a node has for pods, in the units of `pod_requests`, and how many pods (`pods`).

    A node that says nothing of what is allocatable offers its capacity, as the API server defaults it.
    """
    offered = node.status.allocatable or node.status.capacity
    return {
        name: milli_value(amount) if name == CPU else value(amount)
        for name, amount in offered.items()
        if name == PODS or is_counted(name)
    }


def _rounded(nanos: _Nanos) -> dict[str, int]:
    return {
        name: scale_up(amount, MILLI if name == CPU else NANO)
        for name, amount in nanos.items()
        if is_counted(name)
    }


def _spec_requests(pod: Pod, *, pod_level: bool, defaults: Mapping[str, int]) -> _Nanos:
    total = _over_containers(pod, _requests_of_spec, defaults)
    if pod_level and pod.spec.resources is not None:
        _override_pod_level(total, _parse(pod.spec.resources.requests))
    _add(total, _parse(pod.spec.overhead))
    return total


def _status_requests(
    pod: Pod, *, pod_level: bool, pod_level_status: bool, defaults: Mapping[str, int]
) -> _Nanos:
    total = _placed_containers(pod, pod_level_status=pod_level_status, defaults=defaults)
    if pod_level and pod.spec.resources is not None and _has_pod_level_requests(pod):
        requests = _parse(pod.spec.resources.requests)
        if pod_level_status:
            requests = _placed_pod_level(pod, requests)
        _override_pod_level(total, requests)
    _add(total, _parse(pod.spec.overhead))
    return total


def _requests_of_spec(container: Container) -> ResourceList:
    return container.resources.requests


def _over_containers(pod: Pod, requests: _ContainerRequests, defaults: Mapping[str, int]) -> _Nanos:
    """Add up the containers; init containers run one by one, beside the sidecars started before them."""
    total: _Nanos = {}
    for container in pod.spec.containers:
        _add(total, _parse(requests(container), defaults))
    sidecars: _Nanos = {}
    initial: _Nanos = {}
    for container in pod.spec.init_containers:
        running = _parse(requests(container), defaults)
        if container.restartable:
            _add(total, running)
            _add(sidecars, running)
            running = sidecars
        else:
            _add(running, sidecars)
        _raise(initial, running)
    _raise(total, initial)
    return total


def _placed_containers(pod: Pod, *, pod_level_status: bool, defaults: Mapping[str, int]) -> _Nanos:
    """Take the largest of what containers ask for, were allocated and have."""
    infeasible = _resize_infeasible(pod)
    largest = {} if infeasible else _over_containers(pod, _requests_of_spec, defaults)
    resources, allocated = pod.status.resources, pod.status.allocated_resources
    if pod_level_status and allocated and resources is not None and resources.requests:
        _raise(largest, _parse(allocated))
        _raise(largest, _parse(resources.requests))
        return largest
    statuses = _statuses_by_name(pod)
    if not statuses:
        # Without any status all three are the spec, unless a resize is infeasible: then they are nothing.
        return largest if not infeasible else _over_containers(pod, lambda _: {}, defaults)

    def allocated_to(container: Container) -> ResourceList:
        status = statuses.get(container.name)
        if status is not None and status.allocated_resources:
            return status.allocated_resources
        return {} if infeasible else container.resources.requests

    def held_by(container: Container) -> ResourceList:
        status = statuses.get(container.name)
        if status is not None and status.resources is not None and status.resources.requests:
            return status.resources.requests
        return allocated_to(container)

    _raise(largest, _over_containers(pod, allocated_to, defaults))
    _raise(largest, _over_containers(pod, held_by, defaults))
    return largest


def _placed_pod_level(pod: Pod, spec: _Nanos) -> _Nanos:
    """The largest of the pod-level requests; without resources in the status the spec alone counts."""
    resources, allocated = pod.status.resources, pod.status.allocated_resources
    if resources is None:
        return spec
    largest = {} if _resize_infeasible(pod) else spec
    _raise(largest, _parse(resources.requests))
    _raise(largest, _parse(allocated))
    return largest


def _override_pod_level(total: _Nanos, requests: _Nanos) -> None:
    total.update({name: nanos for name, nanos in requests.items() if is_pod_level_resource(name)})


def _has_pod_level_requests(pod: Pod) -> bool:
    resources = pod.spec.resources
    return resources is not None and any(map(is_pod_level_resource, resources.requests))


def _resize_infeasible(pod: Pod) -> bool:
    for condition in pod.status.conditions:
        if condition.type == "PodResizePending":
            return condition.reason == "Infeasible"
    return False


def _statuses_by_name(pod: Pod) -> dict[str, ContainerStatus]:
    statuses: Iterable[ContainerStatus] = (
        *pod.status.init_container_statuses,
        *pod.status.container_statuses,
    )
    return {status.name: status for status in statuses}


def _parse(amounts: ResourceList, defaults: Mapping[str, int] = _NO_DEFAULTS) -> _Nanos:
    nanos = {name: nano_value(amount) for name, amount in amounts.items()}
    for name, default in defaults.items():
        nanos.setdefault(name, default)
    return nanos


def _add(total: _Nanos, more: _Nanos) -> None:
    for name, nanos in more.items():
        total[name] = total.get(name, 0) + nanos


def _raise(largest: _Nanos, other: _Nanos) -> None:
    for name, nanos in other.items():
        if name not in largest or nanos > largest[name]:
            largest[name] = nanos
