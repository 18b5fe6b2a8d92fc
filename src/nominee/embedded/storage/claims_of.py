"""Which claims a pod uses."""

from __future__ import annotations

from collections.abc import Iterator

from nominee.store.ports import JsonObject


def claim_keys(pod: JsonObject) -> Iterator[str]:
    """The keys of its claims, those made for it too."""
    metadata = pod["metadata"]
    for volume in pod["spec"].get("volumes") or ():
        named = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if named is None and "ephemeral" in volume:
            named = ephemeral_claim(pod, volume)
        if named is not None:
            yield f"{metadata['namespace']}/{named}"


def ephemeral_claim(pod: JsonObject, volume: JsonObject) -> str:
    """What the claim of a generic ephemeral volume is called."""
    return f"{pod['metadata']['name']}-{volume['name']}"
