"""Making, mending and deleting the pods of a stateful set, with their claims.

Reproduces pkg/controller/statefulset/stateful_pod_control.go, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass

from nominee.embedded.controllers.access import Access, key_of
from nominee.embedded.controllers.claims import Claimant
from nominee.embedded.controllers.events import EventRecorder, Subject
from nominee.embedded.controllers.ownership import being_deleted, owner_reference, with_owners
from nominee.embedded.controllers.pod_control import NAMESPACE_TERMINATING, PodControl, caused_by
from nominee.embedded.controllers.stateful_set.pods import (
    POD_INDEX,
    POD_NAME,
    claims_of,
    new_pod,
    ordinal,
)
from nominee.errors import ApiError
from nominee.store.ports import JsonObject

CLAIMANT = Claimant("statefulsets.apps", "apps/v1", "StatefulSet")
SUBJECT = Subject("apps/v1", "StatefulSet")
CLAIMS = "persistentvolumeclaims"


@dataclass(frozen=True, slots=True)
class StatefulPods:
    """What is done to the pods of stateful sets."""

    access: Access
    events: EventRecorder
    control: PodControl

    def create(self, owner: JsonObject, revision: JsonObject, number: int) -> None:
        """Create a pod, and its claims before it."""
        self.create_claims(owner, number)
        pod = new_pod(self.control, owner, revision, number)
        try:
            self.access.create("pods", owner["metadata"]["namespace"], pod)
        except ApiError as error:
            if not caused_by(error, NAMESPACE_TERMINATING):
                self._tell(owner, "create", pod, error)
            raise
        self._tell(owner, "create", pod)

    def create_claims(self, owner: JsonObject, number: int) -> None:
        """Create the claims of a pod that are not there yet."""
        for claim in claims_of(owner, number):
            if self.access.get(CLAIMS, key_of(claim)) is not None:
                continue
            item = {name: value for name, value in claim.items() if name != "status"}
            if self._retention(owner)["whenDeleted"] == "Delete":
                item = with_owners(item, [owner_reference(owner, CLAIMANT.api_version, CLAIMANT.kind)])
            self.access.create(CLAIMS, owner["metadata"]["namespace"], item)
            message = (
                f"Create Claim {claim['metadata']['name']} Pod {owner['metadata']['name']}-{number} "
                f"in StatefulSet {owner['metadata']['name']} success"
            )
            self.events.normal(SUBJECT, owner, "SuccessfulCreate", message)

    def delete(self, owner: JsonObject, pod: JsonObject) -> None:
        """Delete a pod, gracefully."""
        try:
            gone = self.access.delete("pods", key_of(pod))
        except ApiError as error:
            self._tell(owner, "delete", pod, error)
            raise
        if gone is not None:
            self._tell(owner, "delete", pod)

    def mend(self, owner: JsonObject, pod: JsonObject) -> None:
        """Give a pod the labels that say which one it is, should it have lost them."""
        name = pod["metadata"]["name"]
        wanted = {POD_NAME: name, POD_INDEX: str(ordinal(pod))}
        labels = pod["metadata"].get("labels") or {}
        if wanted.items() <= labels.items():
            return
        metadata = {**pod["metadata"], "labels": {**labels, **wanted}}
        self.access.update("pods", {**pod, "metadata": metadata})
        self._tell(owner, "update", pod)

    def release_claims(self, owner: JsonObject, pod: JsonObject) -> None:
        """Let the claims of a pod that is to go for good go with it, if the set wants that."""
        if self._retention(owner)["whenScaled"] != "Delete":
            return
        reference = {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": pod["metadata"]["name"],
            "uid": pod["metadata"]["uid"],
        }
        for wanted in claims_of(owner, ordinal(pod)):
            claim = self.access.get(CLAIMS, key_of(wanted))
            if claim is None or being_deleted(claim):
                continue
            references = claim["metadata"].get("ownerReferences") or []
            others = [item for item in references if item.get("kind") not in ("Pod", CLAIMANT.kind)]
            if [*others, reference] != references:
                self.access.update(CLAIMS, with_owners(claim, [*others, reference]))

    def _retention(self, owner: JsonObject) -> JsonObject:
        keep = {"whenDeleted": "Retain", "whenScaled": "Retain"}
        return {**keep, **(owner["spec"].get("persistentVolumeClaimRetentionPolicy") or {})}

    def _tell(self, owner: JsonObject, verb: str, pod: JsonObject, error: ApiError | None = None) -> None:
        about = f"{verb.title()} Pod {pod['metadata']['name']} in StatefulSet {owner['metadata']['name']}"
        if error is None:
            self.events.normal(SUBJECT, owner, f"Successful{verb.title()}", f"{about} successful")
        else:
            message = f"{about} failed error: {error.reason}"
            self.events.warning(SUBJECT, owner, f"Failed{verb.title()}", message)
