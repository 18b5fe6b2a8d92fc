"""The deployment controller: one step at a time towards what a deployment asks for."""

from __future__ import annotations

from collections.abc import Mapping

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.claims import claim, keys_of_owners
from nominee.embedded.controllers.controller import Keys, own_key
from nominee.embedded.controllers.deployment import scaling
from nominee.embedded.controllers.deployment.replica_sets import size_annotations
from nominee.embedded.controllers.deployment.revisions import (
    CLAIMANT,
    REPLICA_SETS,
    SUBJECT,
    Revisions,
)
from nominee.embedded.controllers.deployment.rolling import grown, shrunk
from nominee.embedded.controllers.deployment.spec import (
    DESIRED_REPLICAS,
    annotated_number,
    annotations_of,
    counted,
    has_deadline,
    replicas,
    rolls,
)
from nominee.embedded.controllers.deployment.status import (
    PAUSED,
    PROGRESSING,
    RESUMED,
    TIMED_OUT,
    Situation,
    complete,
    condition,
    counts,
    deadline_of,
    new_condition,
    progress,
    with_condition,
)
from nominee.embedded.controllers.ownership import being_deleted, controller_of
from nominee.embedded.controllers.pods import terminated
from nominee.store.ports import Change, JsonObject


class DeploymentController:
    """Replaces replica sets by others."""

    name = "deployment-controller"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._events = access.recorder(self.name)
        self._revisions = Revisions(access, self._events)

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {
            CLAIMANT.resource: own_key,
            REPLICA_SETS: lambda change: keys_of_owners(self._access, CLAIMANT, change),
            "pods": self._keys_of_last_pod,
        }

    def _keys_of_last_pod(self, change: Change) -> tuple[str, ...]:
        """A deployment that recreates its pods waits until the last old one is gone."""
        reference = controller_of(change.stored.object) if change.type == "DELETED" else None
        if reference is None or reference.get("kind") != "ReplicaSet":
            return ()
        namespace = change.stored.object["metadata"]["namespace"]
        replica_set = self._access.get(REPLICA_SETS, f"{namespace}/{reference['name']}")
        owner = controller_of(replica_set) if replica_set is not None else None
        return () if owner is None else (f"{namespace}/{owner['name']}",)

    def reconcile(self, key: str) -> float | None:
        deployment = self._access.get(CLAIMANT.resource, key)
        if deployment is None:
            return None
        replica_sets = claim(self._access, CLAIMANT, deployment, REPLICA_SETS)
        if being_deleted(deployment):
            deployment, new, old = self._revisions.settle(deployment, replica_sets, create=False)
            self._write_counts(deployment, new, old)
            return None
        deployment = self._note_pause(deployment)
        if deployment["spec"].get("paused") or self._resized(deployment, replica_sets):
            self._resize(deployment, replica_sets)
            return None
        if rolls(deployment):
            return self._roll(deployment, replica_sets)
        return self._recreate(deployment, replica_sets)

    # -- another size -------------------------------------------------------------------------------

    def _resized(self, deployment: JsonObject, replica_sets: list[JsonObject]) -> bool:
        """Whether replica sets remember another size of the deployment than it has."""
        wanted = replicas(deployment)
        remembered = (annotated_number(item, DESIRED_REPLICAS) for item in scaling.active_ones(replica_sets))
        return any(number not in (None, wanted) for number in remembered)

    def _resize(self, deployment: JsonObject, replica_sets: list[JsonObject]) -> None:
        deployment, new, old = self._revisions.settle(deployment, replica_sets, create=False)
        for item, size in scaling.resized(deployment, new, old):
            self._scale(deployment, item, size)
        if deployment["spec"].get("paused"):
            self._revisions.clean_up(deployment, old)
        self._write_counts(deployment, *self._fresh(deployment, new, old))

    def _scale(self, deployment: JsonObject, replica_set: JsonObject, size: int) -> None:
        """Give a replica set a size, and tell it how large the deployment is."""
        before = replicas(replica_set)
        annotations = {**annotations_of(replica_set), **size_annotations(deployment)}
        if size == before and annotations == annotations_of(replica_set):
            return
        metadata = {**replica_set["metadata"], "annotations": annotations}
        spec = {**replica_set["spec"], "replicas": size}
        self._access.update(REPLICA_SETS, {**replica_set, "metadata": metadata, "spec": spec})
        if size != before:
            way = "up" if size > before else "down"
            message = f"Scaled {way} replica set {metadata['name']} from {before} to {size}"
            self._events.normal(SUBJECT, deployment, "ScalingReplicaSet", message)

    # -- another template ---------------------------------------------------------------------------

    def _roll(self, deployment: JsonObject, replica_sets: list[JsonObject]) -> float | None:
        deployment, new, old = self._revisions.settle(deployment, replica_sets, create=True)
        if new is None:
            return None
        sizes = grown(deployment, new, old) or shrunk(deployment, new, old)
        for item, size in sizes:
            self._scale(deployment, item, size)
        if not sizes and complete(deployment, deployment.get("status") or {}):
            self._revisions.clean_up(deployment, old)
        return self._write_progress(deployment, *self._fresh(deployment, new, old))

    def _recreate(self, deployment: JsonObject, replica_sets: list[JsonObject]) -> float | None:
        deployment, new, old = self._revisions.settle(deployment, replica_sets, create=False)
        active = scaling.active_ones(old)
        for item in active:
            self._scale(deployment, item, 0)
        if active or self._old_pods_run(old):
            return self._write_progress(deployment, *self._fresh(deployment, new, old))
        if new is None:
            deployment, new, old = self._revisions.settle(deployment, replica_sets, create=True)
        if new is not None:
            self._scale(deployment, new, replicas(deployment))
        if complete(deployment, deployment.get("status") or {}):
            self._revisions.clean_up(deployment, old)
        return self._write_progress(deployment, *self._fresh(deployment, new, old))

    def _old_pods_run(self, old: list[JsonObject]) -> bool:
        if any(counted(item, "replicas") for item in old):
            return True
        pods = (pod for item in old for pod in self._access.controlled("pods", item))
        return any(not terminated(pod) for pod in pods)

    # -- telling ------------------------------------------------------------------------------------

    def _fresh(
        self, deployment: JsonObject, new: JsonObject | None, old: list[JsonObject]
    ) -> tuple[JsonObject | None, list[JsonObject]]:
        """The replica sets as they are after what was written."""
        uid = None if new is None else new["metadata"]["uid"]
        current = self._access.controlled(REPLICA_SETS, deployment)
        known = {item["metadata"]["uid"] for item in old}
        return (
            next((item for item in current if item["metadata"]["uid"] == uid), None),
            [item for item in current if item["metadata"]["uid"] in known],
        )

    def _note_pause(self, deployment: JsonObject) -> JsonObject:
        """Progress is not measured while a deployment is paused."""
        status = deployment.get("status") or {}
        reason = (condition(status, PROGRESSING) or {}).get("reason")
        paused = bool(deployment["spec"].get("paused"))
        if not has_deadline(deployment) or reason == TIMED_OUT or paused == (reason == PAUSED):
            return deployment
        said = (PAUSED, "Deployment is paused") if paused else (RESUMED, "Deployment is resumed")
        wanted = new_condition(PROGRESSING, "Unknown", *said, self._access.now())
        noted = {**deployment, "status": with_condition(status, wanted)}
        return self._access.update_status(CLAIMANT.resource, noted)

    def _write_counts(self, deployment: JsonObject, new: JsonObject | None, old: list[JsonObject]) -> None:
        self._write(deployment, counts(Situation(deployment, new, old, self._access.now())))

    def _write_progress(
        self, deployment: JsonObject, new: JsonObject | None, old: list[JsonObject]
    ) -> float | None:
        now = self._access.now()
        situation = Situation(deployment, new, old, now)
        status = progress(situation, counts(situation))
        self._write(deployment, status)
        current = condition(status, PROGRESSING)
        if current is None or not has_deadline(deployment) or complete(deployment, status):
            return None
        if current.get("reason") == TIMED_OUT:
            return None
        return max(0.0, deadline_of(deployment, current) - now) + 1.0

    def _write(self, deployment: JsonObject, status: JsonObject) -> None:
        if status != (deployment.get("status") or {}):
            self._access.update_status(CLAIMANT.resource, {**deployment, "status": status})
