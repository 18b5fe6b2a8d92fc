"""PreBind: claims are written down at the API server, and devices given the time they need.

Reproduces PreBind and bindClaim
(pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, v1.37) and
createExtendedResourceClaimInAPI (…/extendeddynamicresources.go).
"""

from __future__ import annotations

from typing import Any

from msgspec import structs

from nominee.framework import (
    AllocationResult,
    Api,
    ApiError,
    ClaimLedger,
    Conflict,
    Cycle,
    DeviceClaim,
    Node,
    Pod,
    ResourceClaim,
    ResourceClaimSpec,
    ResourceClaimStatus,
    decode_object,
    encode_object,
    format_time,
)
from nominee.plugins.dynamic_resources.attempt import Attempt, Claim, binding_conditions_count
from nominee.plugins.dynamic_resources.claims import is_reserved_for
from nominee.plugins.dynamic_resources.readiness import has_timed_out, is_ready, waits_for_conditions
from nominee.plugins.dynamic_resources.writing import FINALIZER, KIND, retried

_INTERVAL = 5.0  # seconds between two looks at the conditions


class ClaimNotBound(Exception):  # noqa: N818 - its text is upstream's
    """A claim could not be written, or its devices did not become ready."""


async def bind_claims(
    attempt: Attempt, pod: Pod, node: Node, cycle: Cycle, api: Api, binding_timeout: float
) -> None:
    """Write all claims that the pod has not reserved yet, then wait for their devices."""
    for claim in attempt.claims:
        if is_reserved_for(pod, claim.source):
            await _make_certain(claim, pod, api)
        else:
            await _bind(claim, attempt, pod, cycle, api)
    if not binding_conditions_count(cycle):
        return
    if any(waits_for_conditions(claim.source) for claim in attempt.claims):
        note = f"waiting for binding conditions for device on node {node.name}"
        api.record("Normal", "BindingConditionsPending", "Scheduling", note, pod)
        await _wait(attempt, cycle, api, binding_timeout)


async def _make_certain(claim: Claim, pod: Pod, api: Api) -> None:
    """What an earlier attempt has written may have been given up while this one was deciding."""
    latest = _decoded(await api.get(KIND, claim.source.key))
    if latest.status.allocation is None or not is_reserved_for(pod, latest):
        raise _deallocated(claim)


def _deallocated(claim: Claim) -> ClaimNotBound:
    return ClaimNotBound(f"claim {claim.source.key} got deallocated elsewhere in the meantime")


async def _bind(claim: Claim, attempt: Attempt, pod: Pod, cycle: Cycle, api: Api) -> None:
    if claim.in_memory:
        if claim.allocation is None:
            return  # the node has the extended resources itself
        claim.source = await _create(claim, attempt, api)
    written = await retried(lambda: _write(claim, pod, cycle, api), api)
    claim.source = _decoded(written)
    ledger = ClaimLedger.of(cycle.cluster)
    ledger.assume(claim.source, pod.uid)
    ledger.release(claim.pending)
    claim.pending = ""
    if claim.special:
        await _tell_pod(claim, attempt, pod, api)


def _decoded(item: dict[str, Any]) -> ResourceClaim:
    claim = decode_object(item)
    if not isinstance(claim, ResourceClaim):
        raise ClaimNotBound(f"the API server answered with a {claim.KIND} for a claim")
    return claim


async def _create(claim: Claim, attempt: Attempt, api: Api) -> ResourceClaim:
    extended = attempt.chosen.variant.extended if attempt.chosen is not None else None
    requests = extended.requests if extended is not None else ()
    new = ResourceClaim(
        metadata=structs.replace(claim.source.metadata, name="", uid=""),
        spec=ResourceClaimSpec(devices=DeviceClaim(requests=requests)),
    )
    try:
        return _decoded(await api.create(KIND, encode_object(new)))
    except ApiError as error:
        title = f"{new.namespace}/"
        raise ClaimNotBound(f"create claim for extended resources {title}: {error.reason}") from error


async def _write(claim: Claim, pod: Pod, cycle: Cycle, api: Api) -> dict[str, Any]:
    """Finalizer, allocation and reservation, onto the claim as it is now."""
    title = claim.source.key
    item = await api.get(KIND, claim.source.key)
    if item["metadata"].get("deletionTimestamp"):
        raise ClaimNotBound(f"claim {title} got deleted in the meantime")
    allocating = claim.allocation is not None
    if claim.allocation is not None:
        if item.get("status", {}).get("allocation"):
            raise ClaimNotBound(f"claim {title} got allocated elsewhere in the meantime")
        if FINALIZER not in item["metadata"].get("finalizers", []):
            item["metadata"].setdefault("finalizers", []).append(FINALIZER)
            item = await _sent(api.update(KIND, item), f"add finalizer to claim {title}")
        item.setdefault("status", {})["allocation"] = _encoded(claim.allocation)
    elif claim.allocated and not item.get("status", {}).get("allocation"):
        raise _deallocated(claim)
    status = item.setdefault("status", {})
    status.setdefault("reservedFor", []).append({"resource": "pods", "name": pod.name, "uid": pod.uid})
    if binding_conditions_count(cycle):
        if not status.get("allocation"):
            raise _deallocated(claim)
        status["allocation"].setdefault("allocationTimestamp", format_time(cycle.now))
    doing = "add allocation and reservation" if allocating else "add reservation"
    return await _sent(api.update(KIND, item, subresource="status"), f"{doing} to claim {title}")


async def _sent(call: Any, doing: str) -> dict[str, Any]:
    """What the server makes of it; a conflict goes up as it is, to be tried again."""
    try:
        answer: dict[str, Any] = await call
    except Conflict:
        raise
    except ApiError as error:
        raise ClaimNotBound(f"{doing}: {error.reason}") from error
    return answer


def _encoded(allocation: AllocationResult) -> dict[str, Any]:
    status = ResourceClaimStatus(allocation=allocation)
    encoded: dict[str, Any] = encode_object(ResourceClaim(status=status))["status"]["allocation"]
    return encoded


async def _tell_pod(claim: Claim, attempt: Attempt, pod: Pod, api: Api) -> None:
    """The kubelet reads from the pod's status which request serves which container."""
    extended = attempt.chosen.variant.extended if attempt.chosen is not None else None
    mappings = extended.mappings if extended is not None else ()
    status = {
        "resourceClaimName": claim.source.name,
        "requestMappings": [
            {
                "containerName": m.container_name,
                "resourceName": m.resource_name,
                "requestName": m.request_name,
            }
            for m in mappings
        ],
    }
    try:
        await api.patch_status("Pod", pod.key, {"status": {"extendedResourceClaimStatus": status}})
    except ApiError as error:
        text = f"update pod {pod.key} ExtendedResourceClaimStatus: {error.reason}"
        raise ClaimNotBound(text) from error


async def _wait(attempt: Attempt, cycle: Cycle, api: Api, seconds: float) -> None:
    """Look at the claims every few seconds until all their devices are ready."""
    waited = 0.0
    while not _all_ready(attempt, cycle, cycle.now + waited, seconds):
        if waited >= seconds:
            raise ClaimNotBound("device binding timeout: context deadline exceeded")
        pause = min(_INTERVAL, seconds - waited)
        await api.sleep(pause)
        waited += pause


def _all_ready(attempt: Attempt, cycle: Cycle, now: float, seconds: float) -> bool:
    ledger = ClaimLedger.of(cycle.cluster)
    for claim in attempt.claims:
        if claim.in_memory:
            continue
        latest = ledger.claim(claim.source.key)
        if latest is None:
            raise ClaimNotBound(f'could not find ResourceClaim "{claim.source.key}"')
        claim.source = latest
        if is_ready(latest):
            continue
        if has_timed_out(latest, now, seconds):
            raise ClaimNotBound(f"device binding timeout: claim={latest.name}")
        return False
    return True
