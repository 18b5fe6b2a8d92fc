"""Makes the claims of generic ephemeral volumes, which go with their pods.

Reproduces pkg/controller/volume/ephemeral/controller.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Keys
from nominee.embedded.controllers.events import Subject
from nominee.embedded.controllers.ownership import controlled_by, owner_reference
from nominee.embedded.storage.binder import CLAIMS
from nominee.embedded.storage.claims_of import ephemeral_claim
from nominee.store.ports import Change, JsonObject

_POD = Subject("v1", "Pod")


class EphemeralVolumes:
    """Keys are pods."""

    name = "ephemeral-volume"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._recorder = access.recorder("ephemeral_volume")

    @property
    def watches(self) -> Mapping[str, Keys]:
        """Pods with such volumes."""
        return {"pods": _with_ephemeral}

    def reconcile(self, key: str) -> float | None:
        """Make the claims that are missing."""
        pod = self._access.get("pods", key)
        if pod is None or "deletionTimestamp" in pod["metadata"]:
            return None
        for volume in pod["spec"].get("volumes") or ():
            if "ephemeral" in volume:
                self._see_to(pod, volume)
        return None

    def _see_to(self, pod: JsonObject, volume: JsonObject) -> None:
        name, namespace = ephemeral_claim(pod, volume), pod["metadata"]["namespace"]
        there = self._access.get(CLAIMS, f"{namespace}/{name}")
        if there is None:
            self._access.create(CLAIMS, namespace, _claim(pod, name, volume["ephemeral"]))
        elif not controlled_by(there, pod["metadata"]["uid"]):
            text = f'PVC "{namespace}/{name}" was not created for pod "{namespace}/{pod["metadata"]["name"]}"'
            self._recorder.warning(_POD, pod, "EphemeralVolumeCreationFailed", f"{text} (pod is not owner)")


def _claim(pod: JsonObject, name: str, source: JsonObject) -> JsonObject:
    template = source["volumeClaimTemplate"]
    given = template.get("metadata") or {}
    metadata = {field: given[field] for field in ("labels", "annotations") if field in given}
    metadata |= {"name": name, "ownerReferences": [owner_reference(pod, "v1", "Pod")]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": template["spec"],
    }


def _with_ephemeral(change: Change) -> Iterator[str]:
    volumes = change.stored.object["spec"].get("volumes") or ()
    if change.type != "DELETED" and any("ephemeral" in volume for volume in volumes):
        yield change.stored.key
