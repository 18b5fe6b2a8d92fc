"""Claims and volumes that are being deleted stay for as long as they are in use.

Reproduces pkg/controller/volume/pvcprotection and pvprotection, v1.37. Admission gives objects the
finalizers that are taken off here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Keys, own_key
from nominee.embedded.storage.binder import CLAIMS, VOLUMES
from nominee.embedded.storage.claims_of import claim_keys
from nominee.store.ports import Change, JsonObject

PVC_FINALIZER, PV_FINALIZER = "kubernetes.io/pvc-protection", "kubernetes.io/pv-protection"


class ClaimProtection:
    """Keys are claims. Which pods use them is noted as pods come and go."""

    name = "pvc-protection"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._users: dict[str, set[str]] = {}

    @property
    def watches(self) -> Mapping[str, Keys]:
        """Claims, and the pods that use them."""
        return {CLAIMS: own_key, "pods": self._of_pod}

    def _of_pod(self, change: Change) -> Iterator[str]:
        pod = change.stored.object
        if not pod["spec"].get("volumes"):
            return
        for key in claim_keys(pod):
            users = self._users.setdefault(key, set())
            if change.type == "DELETED":
                users.discard(change.stored.key)
            elif pod["spec"].get("nodeName"):  # none that has no node yet will get its volumes
                users.add(change.stored.key)
            if not users:
                del self._users[key]
            yield key

    def reconcile(self, key: str) -> float | None:
        """Let a claim go that nobody uses any more."""
        claim = self._access.get(CLAIMS, key)
        if claim is not None and not self._users.get(key):
            _let_go(self._access, CLAIMS, claim, PVC_FINALIZER)
        return None


class VolumeProtection:
    """Keys are volumes."""

    name = "pv-protection"

    def __init__(self, access: Access) -> None:
        self._access = access

    @property
    def watches(self) -> Mapping[str, Keys]:
        """Volumes."""
        return {VOLUMES: own_key}

    def reconcile(self, key: str) -> float | None:
        """Let a volume go that is not bound any more."""
        volume = self._access.get(VOLUMES, key)
        if volume is not None and volume.get("status", {}).get("phase") != "Bound":
            _let_go(self._access, VOLUMES, volume, PV_FINALIZER)
        return None


def _let_go(access: Access, resource: str, item: JsonObject, finalizer: str) -> None:
    metadata = item["metadata"]
    finalizers = metadata.get("finalizers") or ()
    if "deletionTimestamp" in metadata and finalizer in finalizers:
        kept = [each for each in finalizers if each != finalizer]
        access.update(resource, {**item, "metadata": {**metadata, "finalizers": kept}})
