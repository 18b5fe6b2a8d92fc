"""Pods that controllers make from templates and take away again, with the events that tell of it.

Reproduces RealPodControl of pkg/controller/controller_utils.go, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nominee.embedded.controllers.access import Access, key_of
from nominee.embedded.controllers.claims import Claimant
from nominee.embedded.controllers.events import EventRecorder, Subject
from nominee.embedded.controllers.ownership import owner_reference
from nominee.errors import ApiError
from nominee.store.ports import JsonObject

NAMESPACE_TERMINATING = "NamespaceTerminating"


@dataclass(frozen=True, slots=True)
class PodControl:
    """Makes and deletes pods on behalf of a kind of controller."""

    access: Access
    claimant: Claimant
    events: EventRecorder

    def create(self, owner: JsonObject, pod: JsonObject) -> JsonObject:
        """Create a pod of which `owner` is in charge; raises what the server refuses it with."""
        namespace = owner["metadata"]["namespace"]
        try:
            made = self.access.create("pods", namespace, pod)
        except ApiError as error:
            if not caused_by(error, NAMESPACE_TERMINATING):
                self._warn(owner, "FailedCreate", f"Error creating: {error.reason}")
            raise
        self._tell(owner, "SuccessfulCreate", f"Created pod: {made['metadata']['name']}")
        return made

    def delete(self, owner: JsonObject, pod: JsonObject) -> None:
        """Delete a pod, gracefully; it does not matter if it has gone by itself."""
        name = pod["metadata"]["name"]
        try:
            gone = self.access.delete("pods", key_of(pod))
        except ApiError as error:
            self._warn(owner, "FailedDelete", f"Error deleting: {error.reason}")
            raise
        if gone is not None:
            self._tell(owner, "SuccessfulDelete", f"Deleted pod: {name}")

    def from_template(self, owner: JsonObject, template: JsonObject | None = None) -> JsonObject:
        """A pod as the template of `owner` has it, not created yet."""
        template = owner["spec"]["template"] if template is None else template
        metadata = (template.get("metadata") or {}).copy()
        made: dict[str, Any] = {
            name: metadata[name] for name in ("labels", "annotations", "finalizers") if metadata.get(name)
        }
        made["namespace"] = owner["metadata"]["namespace"]
        made["generateName"] = f"{owner['metadata']['name']}-"
        reference = owner_reference(owner, self.claimant.api_version, self.claimant.kind)
        made["ownerReferences"] = [reference]
        return {"apiVersion": "v1", "kind": "Pod", "metadata": made, "spec": template["spec"]}

    def _subject(self) -> Subject:
        return Subject(self.claimant.api_version, self.claimant.kind)

    def _tell(self, owner: JsonObject, reason: str, message: str) -> None:
        self.events.normal(self._subject(), owner, reason, message)

    def _warn(self, owner: JsonObject, reason: str, message: str) -> None:
        self.events.warning(self._subject(), owner, reason, message)


def caused_by(error: ApiError, reason: str) -> bool:
    """Whether a refusal names this cause."""
    causes = ((error.body or {}).get("details") or {}).get("causes") or ()
    return any(cause.get("reason") == reason for cause in causes)
