"""What a deployment says of how far it has come.

Reproduces calculateStatus of sync.go and syncRolloutStatus of progress.go in
pkg/controller/deployment, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nominee.embedded.controllers.deployment.scaling import total
from nominee.embedded.controllers.deployment.spec import (
    counted,
    has_deadline,
    max_unavailable,
    replicas,
)
from nominee.model.timestamps import format_time, parse_time
from nominee.store.ports import JsonObject

PROGRESSING = "Progressing"
AVAILABLE = "Available"
REPLICA_FAILURE = "ReplicaFailure"
COMPLETE = "NewReplicaSetAvailable"
TIMED_OUT = "ProgressDeadlineExceeded"
PAUSED = "DeploymentPaused"
RESUMED = "DeploymentResumed"


@dataclass(frozen=True, slots=True)
class Situation:
    """A deployment and its replica sets at one time."""

    deployment: JsonObject
    new: JsonObject | None
    old: list[JsonObject]
    now: float

    @property
    def everyone(self) -> list[JsonObject]:
        """All replica sets."""
        return [*self.old, *([self.new] if self.new else [])]


def condition(status: JsonObject, kind: str) -> JsonObject | None:
    """One of the conditions."""
    for item in status.get("conditions") or ():
        if item["type"] == kind:
            return item  # type: ignore[no-any-return]
    return None


def new_condition(kind: str, status: str, reason: str, message: str, now: float) -> JsonObject:
    """A condition that begins now."""
    moment = format_time(now)
    return {
        "type": kind,
        "status": status,
        "lastUpdateTime": moment,
        "lastTransitionTime": moment,
        "reason": reason,
        "message": message,
    }


def with_condition(status: JsonObject, wanted: JsonObject) -> JsonObject:
    """The status with a condition, unless it says the same for the same reason already."""
    current = condition(status, wanted["type"])
    if current is not None and current["status"] == wanted["status"]:
        if current.get("reason") == wanted["reason"]:
            return status
        wanted = {**wanted, "lastTransitionTime": current["lastTransitionTime"]}
    others = without_condition(status, wanted["type"])
    return {**others, "conditions": [*(others.get("conditions") or ()), wanted]}


def without_condition(status: JsonObject, kind: str) -> JsonObject:
    """The status without a condition."""
    kept = [item for item in status.get("conditions") or () if item["type"] != kind]
    others = {name: value for name, value in status.items() if name != "conditions"}
    return {**others, "conditions": kept} if kept else others


def counts(situation: Situation) -> JsonObject:
    """The numbers, and whether enough pods are available."""
    deployment, everyone = situation.deployment, situation.everyone
    available = sum(counted(item, "availableReplicas") for item in everyone)
    before = deployment.get("status") or {}
    numbers: dict[str, Any] = {
        "observedGeneration": deployment["metadata"].get("generation", 0),
        "replicas": sum(counted(item, "replicas") for item in everyone),
        "updatedReplicas": counted(situation.new, "replicas") if situation.new else 0,
        "readyReplicas": sum(counted(item, "readyReplicas") for item in everyone),
        "availableReplicas": available,
        "unavailableReplicas": max(0, total(everyone) - available),
    }
    status = {name: number for name, number in numbers.items() if number}
    status["terminatingReplicas"] = sum(counted(item, "terminatingReplicas") for item in everyone)
    for name in ("collisionCount", "conditions"):
        if before.get(name):
            status[name] = before[name]
    return with_condition(status, _availability(situation, available))


def _availability(situation: Situation, available: int) -> JsonObject:
    deployment = situation.deployment
    if available >= replicas(deployment) - max_unavailable(deployment):
        said = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    else:
        said = (
            "False",
            "MinimumReplicasUnavailable",
            "Deployment does not have minimum availability.",
        )
    return new_condition(AVAILABLE, *said, situation.now)


def complete(deployment: JsonObject, status: JsonObject) -> bool:
    """Whether all pods are new and available, and no old ones are left."""
    wanted = replicas(deployment)
    numbers = ("updatedReplicas", "replicas", "availableReplicas")
    seen = status.get("observedGeneration", 0) >= deployment["metadata"].get("generation", 0)
    return seen and all(status.get(name, 0) == wanted for name in numbers)


def progress(situation: Situation, status: JsonObject) -> JsonObject:
    """The status with what is to be said of progress and of failures."""
    deployment = situation.deployment
    if not has_deadline(deployment):
        status = without_condition(status, PROGRESSING)
    elif not _was_complete(deployment, status):
        status = _estimated(situation, status)
    failure = _failure(situation)
    if failure is None:
        return without_condition(status, REPLICA_FAILURE)
    return with_condition(status, failure)


def _was_complete(deployment: JsonObject, status: JsonObject) -> bool:
    current = condition(deployment.get("status") or {}, PROGRESSING)
    same = status.get("replicas", 0) == status.get("updatedReplicas", 0)
    return same and current is not None and current.get("reason") == COMPLETE


def _estimated(situation: Situation, status: JsonObject) -> JsonObject:
    deployment, now = situation.deployment, situation.now
    about = f'Deployment "{deployment["metadata"]["name"]}"'
    if situation.new is not None:
        about = f'ReplicaSet "{situation.new["metadata"]["name"]}"'
    if complete(deployment, status):
        message = f"{about} has successfully progressed."
        return with_condition(status, new_condition(PROGRESSING, "True", COMPLETE, message, now))
    if _progressing(deployment.get("status") or {}, status):
        message = f"{about} is progressing."
        wanted = new_condition(PROGRESSING, "True", "ReplicaSetUpdated", message, now)
        return _refreshed(deployment.get("status") or {}, status, wanted)
    if timed_out(deployment, status, now):
        message = f"{about} has timed out progressing."
        return with_condition(status, new_condition(PROGRESSING, "False", TIMED_OUT, message, now))
    return status


def _refreshed(before: JsonObject, status: JsonObject, wanted: JsonObject) -> JsonObject:
    """Progress for the same reason still counts as an update."""
    current = condition(before, PROGRESSING)
    if current is None:
        return with_condition(status, wanted)
    if current["status"] == "True":
        wanted = {**wanted, "lastTransitionTime": current["lastTransitionTime"]}
    return with_condition(without_condition(status, PROGRESSING), wanted)


def _progressing(before: JsonObject, status: JsonObject) -> bool:
    def old(of: JsonObject) -> int:
        return of.get("replicas", 0) - of.get("updatedReplicas", 0)  # type: ignore[no-any-return]

    grown = ("updatedReplicas", "readyReplicas", "availableReplicas")
    return old(status) < old(before) or any(status.get(name, 0) > before.get(name, 0) for name in grown)


def timed_out(deployment: JsonObject, status: JsonObject, now: float) -> bool:
    """Whether the deadline for some progress is over."""
    current = condition(status, PROGRESSING)
    if current is None or current.get("reason") == COMPLETE:
        return False
    return current.get("reason") == TIMED_OUT or deadline_of(deployment, current) < now


def deadline_of(deployment: JsonObject, current: JsonObject) -> float:
    """Until when there must be some progress."""
    seconds: int = deployment["spec"]["progressDeadlineSeconds"]
    return parse_time(current["lastUpdateTime"]) + seconds


def _failure(situation: Situation) -> JsonObject | None:
    """The failure of a replica set; that of the new one first."""
    first = [situation.new] if situation.new else []
    for item in [*first, *situation.old]:
        found = condition(item.get("status") or {}, REPLICA_FAILURE)
        if found is not None:
            return {**found, "lastUpdateTime": found["lastTransitionTime"]}
    return None
