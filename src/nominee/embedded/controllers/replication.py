"""Replica sets and replication controllers: as many pods as they say.

Reproduces pkg/controller/replicaset/{replica_set,replica_set_utils}.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.claims import Claimant, claim, keys_of_owners
from nominee.embedded.controllers.controller import Keys, own_key
from nominee.embedded.controllers.ownership import being_deleted, controller_of
from nominee.embedded.controllers.pod_control import NAMESPACE_TERMINATING, PodControl, caused_by
from nominee.embedded.controllers.pods import active, available, next_availability, ready, terminated
from nominee.embedded.controllers.selecting import labels_of
from nominee.embedded.controllers.victims import victims
from nominee.errors import ApiError
from nominee.store.ports import JsonObject

# Upstream's burst is 500, each in a goroutine of its own; here others wait meanwhile.
BURST = 100


@dataclass(frozen=True, slots=True)
class Flavour:
    """What differs between the two kinds."""

    claimant: Claimant
    component: str
    terminating: bool
    """Whether the status says how many pods are on their way out."""


REPLICA_SETS = Flavour(Claimant("replicasets.apps", "apps/v1", "ReplicaSet"), "replicaset-controller", True)
REPLICATION_CONTROLLERS = Flavour(
    Claimant("replicationcontrollers", "v1", "ReplicationController"), "replication-controller", False
)


class ReplicationController:
    """Keeps the number of pods."""

    def __init__(self, access: Access, flavour: Flavour) -> None:
        self.name = flavour.component
        self._access = access
        self._claimant = flavour.claimant
        self._terminating = flavour.terminating
        self._pods = PodControl(access, flavour.claimant, access.recorder(flavour.component))

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {
            self._claimant.resource: own_key,
            "pods": lambda change: keys_of_owners(self._access, self._claimant, change),
        }

    def reconcile(self, key: str) -> float | None:
        owner = self._access.get(self._claimant.resource, key)
        if owner is None:
            return None
        pods = claim(self._access, self._claimant, owner, "pods")
        failure = None
        if not being_deleted(owner):
            failure = self._manage(owner, [pod for pod in pods if active(pod)])
        pods = self._access.controlled("pods", owner)
        self._write_status(owner, pods, failure)
        if failure is not None:
            raise failure
        return self._next_check(owner, pods)

    def _manage(self, owner: JsonObject, pods: list[JsonObject]) -> ApiError | None:
        surplus = len(pods) - owner["spec"].get("replicas", 1)
        try:
            for _ in range(min(-surplus, BURST)):
                self._pods.create(owner, self._pods.from_template(owner))
            if surplus > 0:
                for pod in victims(pods, self._related(owner), min(surplus, BURST), self._access.now()):
                    self._pods.delete(owner, pod)
        except ApiError as error:
            return None if caused_by(error, NAMESPACE_TERMINATING) else error
        return None

    def _related(self, owner: JsonObject) -> list[JsonObject]:
        """The pods of all that have the same controller: those of the deployment."""
        reference = controller_of(owner)
        if reference is None:
            return self._access.controlled("pods", owner)
        siblings = self._access.owned.controlled(self._claimant.resource, reference["uid"])
        return [pod for sibling in siblings for pod in self._access.controlled("pods", sibling.object)]

    def _write_status(self, owner: JsonObject, pods: list[JsonObject], failure: ApiError | None) -> None:
        before = owner.get("status") or {}
        status = self._status(owner, pods)
        conditions = self._conditions(owner, before, status, failure)
        if conditions:
            status["conditions"] = conditions
        if status != before:
            self._access.update_status(self._claimant.resource, {**owner, "status": status})

    def _status(self, owner: JsonObject, pods: list[JsonObject]) -> JsonObject:
        wait, now = owner["spec"].get("minReadySeconds", 0), self._access.now()
        template = (owner["spec"]["template"].get("metadata") or {}).get("labels") or {}
        replicas = [pod for pod in pods if active(pod)]
        counts = {
            "fullyLabeledReplicas": sum(template.items() <= labels_of(pod).items() for pod in replicas),
            "readyReplicas": sum(ready(pod) for pod in replicas),
            "availableReplicas": sum(available(pod, wait, now) for pod in replicas),
            "observedGeneration": owner["metadata"].get("generation", 0),
        }
        status = {"replicas": len(replicas), **{name: count for name, count in counts.items() if count}}
        if self._terminating:
            status["terminatingReplicas"] = sum(being_deleted(pod) and not terminated(pod) for pod in pods)
        return status

    def _conditions(
        self, owner: JsonObject, before: JsonObject, status: JsonObject, failure: ApiError | None
    ) -> list[JsonObject]:
        conditions = [item for item in before.get("conditions") or () if item["type"] != "ReplicaFailure"]
        if failure is None:
            return conditions
        for item in before.get("conditions") or ():
            if item["type"] == "ReplicaFailure":
                return [*conditions, item]
        wanted = owner["spec"].get("replicas", 1)
        return [
            *conditions,
            {
                "type": "ReplicaFailure",
                "status": "True",
                "lastTransitionTime": self._access.timestamp(),
                "reason": "FailedCreate" if status["replicas"] < wanted else "FailedDelete",
                "message": failure.reason,
            },
        ]

    def _next_check(self, owner: JsonObject, pods: list[JsonObject]) -> float | None:
        wait = owner["spec"].get("minReadySeconds", 0)
        if not wait:
            return None
        replicas = (pod for pod in pods if active(pod))
        return next_availability(replicas, wait, self._access.now())
