"""What a job says of its state."""

from __future__ import annotations

from nominee.store.ports import JsonObject

SUCCEEDED = ("CompletionsReached", "Reached expected number of succeeded pods")
TOO_MANY_FAILURES = ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
TOO_LATE = ("DeadlineExceeded", "Job was active longer than specified deadline")
TOO_MANY_FAILED_INDEXES = (
    "MaxFailedIndexesExceeded",
    "Job has exceeded the specified maximal number of failed indexes",
)
FAILED_INDEXES = ("FailedIndexes", "Job has failed indexes")


def find(status: JsonObject, kind: str) -> JsonObject | None:
    """One of the conditions."""
    for item in status.get("conditions") or ():
        if item["type"] == kind:
            return item  # type: ignore[no-any-return]
    return None


def holds(status: JsonObject, kind: str) -> bool:
    """Whether a condition is true."""
    found = find(status, kind)
    return found is not None and found.get("status") == "True"


def finished(job: JsonObject) -> bool:
    """Whether a job is over, one way or the other."""
    status = job.get("status") or {}
    return holds(status, "Complete") or holds(status, "Failed")


def finish_time(job: JsonObject) -> str:
    """When it was over."""
    status = job.get("status") or {}
    for kind in ("Complete", "Failed"):
        found = find(status, kind)
        if found is not None and found.get("status") == "True":
            return str(found["lastTransitionTime"])
    return ""


def condition(kind: str, status: str, said: tuple[str, str], moment: str) -> JsonObject:
    """A condition that begins now."""
    reason, message = said
    return {
        "type": kind,
        "status": status,
        "lastProbeTime": moment,
        "lastTransitionTime": moment,
        "reason": reason,
        "message": message,
    }


def with_condition(conditions: list[JsonObject], wanted: JsonObject) -> list[JsonObject]:
    """The conditions with this one, unless it holds already."""
    for item in conditions:
        if item["type"] == wanted["type"]:
            if item["status"] == wanted["status"]:
                return conditions
            return [wanted if other is item else other for other in conditions]
    return [*conditions, wanted]
