"""Writes to the status of a pod.

The rules of podStatusStrategy of pkg/registry/core/pod/strategy.go and of ValidatePodStatusUpdate of
pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.addresses import validate_ip, version_of
from nominee.apiserver.kinds.field_errors import IMMUTABLE, duplicate, forbidden, invalid, required
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

_KEPT = (
    "qosClass", "resourceClaimStatuses", "extendedResourceClaimStatus",
    "nodeAllocatableResourceClaimStatuses", "observedGeneration",
)  # fmt: skip
_SYSTEM_CONDITIONS = ("PodScheduled", "Ready", "Initialized")
_NO_RETURN = "may not be transitioned to non-terminated state"


def default_pod_status(status: JsonObject) -> None:
    """The one address and the list of addresses say the same.

    Reproduces SetDefaults_PodStatus of pkg/apis/core/v1/defaults.go, v1.37.
    """
    address, addresses = status.get("podIP"), status.get("podIPs")
    if address and (not addresses or addresses[0].get("ip") != address):
        status["podIPs"] = [{"ip": address}]
    elif addresses and not address:
        status["podIP"] = addresses[0].get("ip", "")


def prepare_status(item: JsonObject, old: Item) -> None:
    """All but status, labels and annotations stays as it is, and of the status what only the server says."""
    item["spec"] = old.get("spec") or {}
    metadata, before = item["metadata"], old["metadata"]
    if "ownerReferences" in before:
        metadata["ownerReferences"] = before["ownerReferences"]
    else:
        metadata.pop("ownerReferences", None)
    status, was = item.setdefault("status", {}), old.get("status") or {}
    for name in _KEPT:
        if name in was and (status.get(name) in (None, 0, "")):
            status[name] = was[name]
    _keep_observed(status, was)


def _keep_observed(status: JsonObject, was: Item) -> None:
    seen: dict[str, list[int]] = {}
    for condition in was.get("conditions") or ():
        seen.setdefault(condition.get("type") or "", []).append(condition.get("observedGeneration") or 0)
    for condition in status.get("conditions") or ():
        before = seen.get(condition.get("type") or "")
        generation = before.pop(0) if before else 0
        if generation and not condition.get("observedGeneration"):
            condition["observedGeneration"] = generation


def validate_status(item: Item, old: Item, *, clears_nomination: bool) -> Iterator[FieldError]:
    """What is wrong with a new status; the gate is ClearingNominatedNodeNameAfterBinding."""
    status, was = item.get("status") or {}, old.get("status") or {}
    spec = old.get("spec") or {}
    yield from _validate_conditions(status.get("conditions") or ())
    node, before = status.get("nominatedNodeName") or "", was.get("nominatedNodeName") or ""
    if node and node != before:
        for fault in syntax.dns_subdomain(node):
            yield invalid("status.nominatedNodeName", node, fault)
        if clears_nomination and spec.get("nodeName"):
            why = "may not be set on pods that are already bound to a node"
            yield forbidden("status.nominatedNodeName", why)
    if (status.get("observedGeneration") or 0) < 0:
        generation = status["observedGeneration"]
        yield invalid("status.observedGeneration", generation, "must be a non-negative integer")
    if (status.get("qosClass") or "") != (was.get("qosClass") or ""):
        yield invalid("status.qosClass", status.get("qosClass") or "", IMMUTABLE)
    yield from _validate_container_states(status, was, spec)
    yield from _validate_claim_statuses(status, spec)
    yield from _validate_addresses(status, was)


def _validate_conditions(conditions: Sequence[Item]) -> Iterator[FieldError]:
    for position, condition in enumerate(conditions):
        path, kind = f"status.conditions[{position}]", condition.get("type") or ""
        if (condition.get("observedGeneration") or 0) < 0:
            generation = condition["observedGeneration"]
            yield invalid(f"{path}.observedGeneration", generation, "must be a non-negative integer")
        if kind not in _SYSTEM_CONDITIONS:
            for fault in syntax.label_key(kind):
                yield invalid(f"{path}.Type", kind, fault)


def _validate_container_states(status: Item, was: Item, spec: Item) -> Iterator[FieldError]:
    groups: list[tuple[str, Sequence[Item]]] = [("ephemeralContainerStatuses", ())]
    if not _all_may_restart(spec):
        groups.append(("containerStatuses", spec.get("containers") or ()))
        groups.append(("initContainerStatuses", spec.get("initContainers") or ()))
    for name, containers in groups:
        before = was.get(name)
        if not before:
            continue
        by_name = {one.get("name"): one for one in containers}
        for position, old in enumerate(before):
            exit_code = _exit_code(old)
            if exit_code is None or not _comes_back(old.get("name"), status.get(name) or ()):
                continue
            container = by_name.get(old.get("name"))
            if container is None or not _may_restart(container, spec, exit_code):
                yield forbidden(f"status.{name}[{position}].state", _NO_RETURN)


def _exit_code(status: Item) -> int | None:
    ended = (status.get("state") or {}).get("terminated")
    return None if ended is None else ended.get("exitCode") or 0


def _comes_back(name: str | None, statuses: Sequence[Item]) -> bool:
    for status in statuses:
        if status.get("name") == name:
            return _exit_code(status) is None
    return False


def _all_may_restart(spec: Item) -> bool:
    containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
    return any(
        rule.get("action") == "RestartAllContainers"
        for container in containers
        for rule in container.get("restartPolicyRules") or ()
    )


def _may_restart(container: Item, spec: Item, exit_code: int) -> bool:
    """Whether a container that has ended may run again.

    Reproduces ContainerShouldRestart of pkg/api/v1/pod/util.go, v1.37.
    """
    for rule in container.get("restartPolicyRules") or ():
        codes = rule.get("exitCodes") or {}
        inside = exit_code in (codes.get("values") or ())
        if inside == (codes.get("operator") == "In"):
            return bool(rule.get("action") == "Restart")
    policy = container.get("restartPolicy") or spec.get("restartPolicy")
    return policy == "Always" or (policy == "OnFailure" and exit_code != 0)


def _validate_claim_statuses(status: Item, spec: Item) -> Iterator[FieldError]:
    claims = {claim.get("name") for claim in spec.get("resourceClaims") or ()}
    seen: set[str] = set()
    for position, one in enumerate(status.get("resourceClaimStatuses") or ()):
        path, name = f"status.resourceClaimStatuses[{position}]", one.get("name") or ""
        if name not in claims:
            why = "must match the name of an entry in `spec.resourceClaims`"
            yield invalid(f"{path}.name", name, why)
        if name in seen:
            yield duplicate(f"{path}.name", name)
        seen.add(name)
        claim = one.get("resourceClaimName")
        for fault in syntax.dns_subdomain(claim) if claim is not None else ():
            yield invalid(f"{path}.resourceClaimName", claim, fault)
    extended = status.get("extendedResourceClaimStatus")
    if extended is not None:
        yield from _validate_extended(extended, spec, "status.extendedResourceClaimStatus")


def _validate_extended(extended: Item, spec: Item, path: str) -> Iterator[FieldError]:
    containers = (*(spec.get("initContainers") or ()), *(spec.get("containers") or ()))
    requests = {one.get("name"): (one.get("resources") or {}).get("requests") or {} for one in containers}
    if not extended.get("requestMappings"):
        yield required(f"{path}.requestMappings", "at least one request mapping is required")
    where = "spec.initContainers{0} or spec.containers{0}"
    for position, mapping in enumerate(extended.get("requestMappings") or ()):
        at, name = f"{path}.requestMappings[{position}]", mapping.get("containerName") or ""
        resource, request = mapping.get("resourceName") or "", mapping.get("requestName") or ""
        if name not in requests:
            why = f"must match the name of an entry in {where.format('.name')}"
            yield invalid(f"{at}.containerName", name, why)
        elif resource not in requests[name]:
            entry = where.format(".resources.requests")
            why = f"must match the extended resource name of an entry in {entry}"
            yield invalid(f"{at}.resourceName", resource, why)
        for fault in syntax.dns_label(request):
            yield invalid(f"{path}.requestName", request, fault)
    claim = extended.get("resourceClaimName") or ""
    if not claim:
        yield required(f"{path}.resourceClaimName")
    for fault in syntax.dns_subdomain(claim) if claim else ():
        yield invalid(f"{path}.resourceClaimName", claim, fault)


def _validate_addresses(status: Item, was: Item) -> Iterator[FieldError]:
    pod = status.get("podIPs") or ()
    if bool(status.get("podIP")) != bool(pod):
        yield invalid("status.podIPs", pod, "podIP and podIPs must either both be set or both be unset")
    if pod:
        yield from _validate_address_list(pod, was.get("podIPs") or (), "status.podIPs")
    host = status.get("hostIPs") or ()
    if host:
        if (status.get("hostIP") or "") != (host[0].get("ip") or ""):
            yield invalid("status.hostIPs[0].ip", host[0].get("ip") or "", "must be equal to `hostIP`")
        yield from _validate_address_list(host, was.get("hostIPs") or (), "status.hostIPs")


def _validate_address_list(addresses: Sequence[Item], was: Sequence[Item], path: str) -> Iterator[FieldError]:
    before = [one.get("ip") or "" for one in was]
    for position, address in enumerate(addresses):
        yield from validate_ip(address.get("ip") or "", f"{path}[{position}]", before)
    versions = [version_of(one.get("ip") or "") for one in addresses]
    if len(versions) > 2 or (len(versions) == 2 and versions[0] == versions[1]):
        yield invalid(path, addresses, "may specify no more than one IP for each IP family")
