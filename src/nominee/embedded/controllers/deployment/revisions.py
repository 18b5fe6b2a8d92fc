"""The new replica set of a deployment: found, or made, and written down as a revision.

Reproduces getNewReplicaSet and cleanupDeployment of pkg/controller/deployment/sync.go, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass

from nominee.embedded.controllers.access import Access, key_of
from nominee.embedded.controllers.claims import Claimant
from nominee.embedded.controllers.deployment import replica_sets as sets
from nominee.embedded.controllers.deployment.rolling import room_for_new
from nominee.embedded.controllers.deployment.spec import (
    NO_LIMIT,
    REVISION,
    TEMPLATE_HASH,
    annotations_of,
    by_age,
    counted,
    has_deadline,
    replicas,
    revision_of,
)
from nominee.embedded.controllers.deployment.status import (
    PROGRESSING,
    condition,
    new_condition,
    with_condition,
)
from nominee.embedded.controllers.events import EventRecorder, Subject
from nominee.embedded.controllers.ownership import being_deleted, controlled_by, owner_reference
from nominee.embedded.controllers.pod_control import NAMESPACE_TERMINATING, caused_by
from nominee.embedded.controllers.template_hash import template_hash
from nominee.errors import ApiError, Conflict
from nominee.store.ports import JsonObject

CLAIMANT = Claimant("deployments.apps", "apps/v1", "Deployment")
SUBJECT = Subject("apps/v1", "Deployment")
REPLICA_SETS = "replicasets.apps"


@dataclass(frozen=True, slots=True)
class Revisions:
    """Keeps the replica sets of deployments in order."""

    access: Access
    events: EventRecorder

    def settle(
        self, deployment: JsonObject, replica_sets: list[JsonObject], *, create: bool
    ) -> tuple[JsonObject, JsonObject | None, list[JsonObject]]:
        """The deployment as it is then, its new replica set if there is one, and the old ones."""
        new = sets.find_new(deployment, replica_sets)
        old = sets.without(replica_sets, new)
        revision = max((revision_of(item) for item in old), default=0) + 1
        if new is not None:
            return self._note_found(deployment, new, revision), self._annotate(deployment, new, revision), old
        if not create:
            return deployment, None, old
        return *self._create(deployment, old, revision), old

    def _annotate(self, deployment: JsonObject, new: JsonObject, revision: int) -> JsonObject:
        annotations = sets.annotated(deployment, new, revision, exists=True)
        wait = deployment["spec"].get("minReadySeconds", 0)
        if annotations == annotations_of(new) and wait == new["spec"].get("minReadySeconds", 0):
            return new
        metadata = {**new["metadata"], "annotations": annotations}
        spec = {name: value for name, value in new["spec"].items() if name != "minReadySeconds"}
        if wait:
            spec["minReadySeconds"] = wait
        return self.access.update(REPLICA_SETS, {**new, "metadata": metadata, "spec": spec})

    def _note_found(self, deployment: JsonObject, new: JsonObject, revision: int) -> JsonObject:
        said = None
        status = deployment.get("status") or {}
        if has_deadline(deployment) and condition(status, PROGRESSING) is None:
            said = ("FoundNewReplicaSet", f'Found new replica set "{new["metadata"]["name"]}"')
        return self._note(deployment, max(revision, revision_of(new)), said)

    def _note(self, deployment: JsonObject, revision: int, said: tuple[str, str] | None) -> JsonObject:
        """Write revision and progress into the deployment, if they are not there yet."""
        annotations = {**annotations_of(deployment), REVISION: str(revision)}
        status = deployment.get("status") or {}
        if said is not None:
            wanted = new_condition(PROGRESSING, "True", *said, self.access.now())
            status = with_condition(status, wanted)
        if annotations == annotations_of(deployment) and status == (deployment.get("status") or {}):
            return deployment
        metadata = {**deployment["metadata"], "annotations": annotations}
        noted = {**deployment, "metadata": metadata, "status": status}
        return self.access.update_status(CLAIMANT.resource, noted)

    def _create(
        self, deployment: JsonObject, old: list[JsonObject], revision: int
    ) -> tuple[JsonObject, JsonObject]:
        wanted = self._replica_set(deployment, old, revision)
        try:
            made = self.access.create(REPLICA_SETS, deployment["metadata"]["namespace"], wanted)
        except Conflict:
            return self._collided(deployment, wanted, revision)
        except ApiError as error:
            self._note_failure(deployment, wanted, error)
            raise
        name, size = made["metadata"]["name"], replicas(made)
        if size > 0:
            message = f"Scaled up replica set {name} from 0 to {size}"
            self.events.normal(SUBJECT, deployment, "ScalingReplicaSet", message)
        said = None
        if has_deadline(deployment):
            said = ("NewReplicaSetCreated", f'Created new replica set "{name}"')
        return self._note(deployment, revision, said), made

    def _replica_set(self, deployment: JsonObject, old: list[JsonObject], revision: int) -> JsonObject:
        template = deployment["spec"]["template"]
        word = template_hash(template, counted(deployment, "collisionCount"))
        metadata = template.get("metadata") or {}
        labels = {**(metadata.get("labels") or {}), TEMPLATE_HASH: word}
        selector = deployment["spec"]["selector"]
        matched = {**(selector.get("matchLabels") or {}), TEMPLATE_HASH: word}
        made: JsonObject = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": sets.name_for(deployment, word),
                "namespace": deployment["metadata"]["namespace"],
                "labels": labels,
                "ownerReferences": [owner_reference(deployment, CLAIMANT.api_version, CLAIMANT.kind)],
            },
            "spec": {
                "replicas": 0,
                "selector": {**selector, "matchLabels": matched},
                "template": {**template, "metadata": {**metadata, "labels": labels}},
            },
        }
        if deployment["spec"].get("minReadySeconds"):
            made["spec"]["minReadySeconds"] = deployment["spec"]["minReadySeconds"]
        made["spec"]["replicas"] = room_for_new(deployment, old, made)
        made["metadata"]["annotations"] = sets.annotated(deployment, made, revision, exists=False)
        return made

    def _collided(
        self, deployment: JsonObject, wanted: JsonObject, revision: int
    ) -> tuple[JsonObject, JsonObject]:
        """The name is taken: by ourselves, or by another template, which asks for another name."""
        there = self.access.get(REPLICA_SETS, key_of(wanted))
        if (
            there is not None
            and controlled_by(there, deployment["metadata"]["uid"])
            and sets.same_template(there["spec"]["template"], deployment["spec"]["template"])
        ):
            return self._note(deployment, revision, None), there
        status = deployment.get("status") or {}
        counted_again = {**status, "collisionCount": status.get("collisionCount", 0) + 1}
        self.access.update_status(CLAIMANT.resource, {**deployment, "status": counted_again})
        raise Conflict(409, f"another replica set has the name {wanted['metadata']['name']!r}")

    def _note_failure(self, deployment: JsonObject, wanted: JsonObject, error: ApiError) -> None:
        if caused_by(error, NAMESPACE_TERMINATING):
            return
        reason = "ReplicaSetCreateError"
        message = f'Failed to create new replica set "{wanted["metadata"]["name"]}": {error.reason}'
        if has_deadline(deployment):
            said = new_condition(PROGRESSING, "False", reason, message, self.access.now())
            status = with_condition(deployment.get("status") or {}, said)
            self.access.update_status(CLAIMANT.resource, {**deployment, "status": status})
        self.events.warning(SUBJECT, deployment, reason, message)

    def clean_up(self, deployment: JsonObject, old: list[JsonObject]) -> None:
        """Delete the oldest revisions beyond the limit, if nothing is left of them."""
        limit = deployment["spec"].get("revisionHistoryLimit", NO_LIMIT)
        if limit == NO_LIMIT:
            return
        kept = [item for item in old if not being_deleted(item)]
        kept.sort(key=lambda item: (revision_of(item), by_age(item)))
        for item in kept[: max(0, len(kept) - limit)]:
            seen = counted(item, "observedGeneration") >= item["metadata"].get("generation", 0)
            if seen and not replicas(item) and not counted(item, "replicas"):
                self.access.delete(REPLICA_SETS, key_of(item))
