"""Writing claims at the API server: each is read anew, for it has fields that the scheduler does not know."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

from nominee.framework import Api, Conflict, NotFound, Pod

FINALIZER = "resource.kubernetes.io/delete-protection"
KIND = "ResourceClaim"
_TRIES = 5
_PAUSE = 0.01  # seconds


async def retried(act: Callable[[], Awaitable[dict[str, Any]]], api: Api) -> dict[str, Any]:
    """Do it again when somebody else wrote first; `act` reads what it writes."""
    for _ in range(_TRIES - 1):
        try:
            return await act()
        except Conflict:
            await api.sleep(_PAUSE)
    return await act()


async def drop_reservations(pod: Pod, keys: Iterable[str], api: Api) -> None:
    """Take the pod off the lists of those who may use the claims; a claim that is gone needs nothing."""
    for key in keys:
        await _if_there(partial(_without_pod, pod, key, api), api)


async def _without_pod(pod: Pod, key: str, api: Api) -> dict[str, Any]:
    return await _off(pod, await api.get(KIND, key), api)


async def _off(pod: Pod, item: dict[str, Any], api: Api) -> dict[str, Any]:
    """Take the pod off the claim that was just read, if it is on it."""
    consumers = item.get("status", {}).get("reservedFor", [])
    kept = [consumer for consumer in consumers if consumer.get("uid") != pod.uid]
    if len(kept) == len(consumers):
        return item
    item["status"]["reservedFor"] = kept
    return await api.update(KIND, item, subresource="status")


async def deallocate(key: str, pod: Pod, api: Api) -> None:
    """Take the pod off the claim, and the claim's devices away unless anybody else has come to use it."""
    await _if_there(partial(_deallocated, key, pod, api), api)


async def _deallocated(key: str, pod: Pod, api: Api) -> dict[str, Any]:
    item = await api.get(KIND, key)
    status = item.get("status", {})
    if any(consumer.get("uid") != pod.uid for consumer in status.get("reservedFor", [])):
        return await _off(pod, item, api)
    item["status"] = {k: v for k, v in status.items() if k not in ("reservedFor", "allocation", "devices")}
    return await api.update(KIND, item, subresource="status")


async def delete_claims(keys: Iterable[str], api: Api) -> None:
    """Delete claims of the scheduler's own; their finalizer would hold them, so it goes first."""
    for key in keys:
        await _if_there(partial(_without_finalizer, key, api), api)
        try:
            await api.delete(KIND, key)
        except NotFound:
            continue


async def _without_finalizer(key: str, api: Api) -> dict[str, Any]:
    item = await api.get(KIND, key)
    finalizers = item["metadata"].get("finalizers", [])
    if FINALIZER not in finalizers:
        return item
    item["metadata"]["finalizers"] = [name for name in finalizers if name != FINALIZER]
    return await api.update(KIND, item)


async def _if_there(act: Callable[[], Awaitable[dict[str, Any]]], api: Api) -> None:
    try:
        await retried(act, api)
    except NotFound:
        return
