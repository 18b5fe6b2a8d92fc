"""Extended resources with devices behind them: the claim that the scheduler makes for a pod by itself.

On nodes that have none of such a resource, devices of the class behind it provide it. One claim
covers all of a pod; which of its resources it asks for differs from node to node.

Reproduces pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nominee.framework import (
    ClaimLedger,
    Container,
    ContainerExtendedResourceRequest,
    DeviceClass,
    DeviceRequest,
    ExactDeviceRequest,
    ObjectMeta,
    OwnerReference,
    Pod,
    ResourceClaim,
    may_be_devices,
    whole_value,
)

IN_MEMORY = "<extended-resources>"
"""The name of the claim until the API server has given it one; no claim can have it."""
ANNOTATION = "resource.kubernetes.io/extended-resource-claim"


def wanted_resources(pod: Pod) -> dict[str, int]:
    """The resources a pod requests that devices may provide."""
    return {name: amount for name, amount in pod.requests.items() if amount and may_be_devices(name)}


def special_claim(pod: Pod, ledger: ClaimLedger) -> ResourceClaim:
    """The claim of an earlier attempt, or a new one that exists in memory only."""
    for claim in ledger.claims():
        if claim.metadata.annotations.get(ANNOTATION) == "true" and _is_of(pod, claim):
            return claim
    owner = OwnerReference(api_version="v1", kind="Pod", name=pod.name, uid=pod.uid, controller=True)
    return ResourceClaim(
        metadata=ObjectMeta(
            name=IN_MEMORY,
            namespace=pod.namespace,
            uid=f"{pod.uid}{IN_MEMORY}",
            generate_name=f"{pod.name}-extended-resources-",
            owner_references=(owner,),
            annotations={ANNOTATION: "true"},
        )
    )


def _is_of(pod: Pod, claim: ResourceClaim) -> bool:
    owners = claim.metadata.owner_references
    return any(o.name == pod.name and o.controller and o.uid == pod.uid for o in owners)


@dataclass(frozen=True, slots=True)
class ExtendedRequests:
    """What the claim asks for, and which request serves which container's resource."""

    requests: tuple[DeviceRequest, ...]
    mappings: tuple[ContainerExtendedResourceRequest, ...]


def extended_requests(
    pod: Pod, resources: Iterable[str], classes: Mapping[str, DeviceClass]
) -> ExtendedRequests:
    """What devices have to be requested for these resources of the pod.

    Init containers use the devices of containers that start after them, as far as these go.
    """
    requests: list[DeviceRequest] = []
    mappings: list[ContainerExtendedResourceRequest] = []
    for resource in sorted(resources):
        if resource in classes:
            of_resource = _OfResource(pod, resource, classes[resource].name)
            requests += of_resource.requests
            mappings += of_resource.mappings
    return ExtendedRequests(tuple(sorted(requests, key=lambda r: r.name)), tuple(mappings))


class _OfResource:
    """Reproduces one round of createRequestsAndMappings."""

    def __init__(self, pod: Pod, resource: str, class_name: str) -> None:
        self._resource = resource
        self._class_name = class_name
        initial = len(pod.spec.init_containers)
        containers = (*pod.spec.init_containers, *pod.spec.containers)
        self._lasting: list[tuple[int, DeviceRequest]] = []
        self.mappings: list[ContainerExtendedResourceRequest] = []
        brief = [i for i, c in enumerate(containers) if i < initial and not c.restartable]
        for i, container in enumerate(containers):
            if i not in brief and (request := self._request(i, container, ())) is not None:
                self._lasting.append((i, request))
        self.requests = [request for _, request in self._lasting]
        self._serve_brief([(i, containers[i]) for i in brief])

    def _serve_brief(self, containers: Sequence[tuple[int, Container]]) -> None:
        """Init containers come and go: one request, the largest, serves all of them."""
        mark = len(self.mappings)
        extra: list[DeviceRequest] = []
        for i, container in containers:
            reusable = tuple(request for j, request in self._lasting if j >= i)
            request = self._request(i, container, reusable)
            if request is not None:
                extra.append(request)
        if not extra:
            return
        largest = max(extra, key=_count)  # the first of equals
        names = {request.name for request in extra}
        self.requests = [largest, *self.requests]
        for k in range(mark, len(self.mappings)):
            if self.mappings[k].request_name in names:
                self.mappings[k] = _mapping(self.mappings[k].container_name, self._resource, largest.name)

    def _request(
        self, index: int, container: Container, reusable: Sequence[DeviceRequest]
    ) -> DeviceRequest | None:
        """What the container needs beyond the devices of these requests."""
        wanted = container.resources.requests
        amount = whole_value(wanted[self._resource]) if self._resource in wanted else 0
        if not amount:
            return None
        covered = 0
        for request in reusable:
            covered += _count(request)
            self.mappings.append(_mapping(container.name, self._resource, request.name))
            if covered >= amount:
                return None
        name = f"container-{index}-request-{sorted(wanted).index(self._resource)}"
        self.mappings.append(_mapping(container.name, self._resource, name))
        exactly = ExactDeviceRequest(
            device_class_name=self._class_name, allocation_mode="ExactCount", count=amount - covered
        )
        return DeviceRequest(name=name, exactly=exactly)


def _count(request: DeviceRequest) -> int:
    return request.exactly.count if request.exactly is not None else 0


def _mapping(container: str, resource: str, request: str) -> ContainerExtendedResourceRequest:
    return ContainerExtendedResourceRequest(
        container_name=container, resource_name=resource, request_name=request
    )
