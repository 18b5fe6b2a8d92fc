"""What the status of a job may say, and how it may change.

Rules of ValidateJobUpdateStatus in pkg/apis/batch/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.apps_shared import nonnegative, status_of
from nominee.apiserver.kinds.batch_indexes import IndexesError, count_indexes
from nominee.apiserver.kinds.field_errors import invalid, required
from nominee.apiserver.status import FieldError
from nominee.model.timestamps import parse_time

COUNTERS = ("active", "succeeded", "failed", "ready", "terminating")
# Conditions that can not both be true, where one of the first has changed.
EXCLUSIVE = (("Complete", "Failed"), ("Complete", "FailureTarget"))
NEVER_BOTH = (("SuccessCriteriaMet", "Failed"), ("SuccessCriteriaMet", "FailureTarget"))
LASTING = ("Failed", "Complete", "FailureTarget")


def validate_job_status(item: JsonObject, old: JsonObject) -> list[FieldError]:
    """What is wrong with a new status; what was wrong before and has not changed is let be."""
    status, before = status_of(item), status_of(old)
    return [
        *(error for counter in COUNTERS for error in nonnegative(status, counter, "status")),
        *_validate_conditions(status, before),
        *_validate_times(item, before),
        *_validate_finished(item, before),
        *_validate_indexes(item, before),
        *_validate_counts(item, before),
    ]


def true_conditions(status: JsonObject) -> frozenset[str]:
    """The conditions that hold."""
    return frozenset(
        condition["type"]
        for condition in status.get("conditions") or ()
        if condition.get("status") == "True" and condition.get("type")
    )


def _conditions(why: str) -> FieldError:
    return FieldError("status.conditions", "FieldValueInvalid", f"Invalid value: {why}")


def _validate_conditions(status: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    now, then = true_conditions(status), true_conditions(before)
    changed = now ^ then
    for one, other in EXCLUSIVE:
        if {one, other} <= now and {one, other} & changed:
            spelled = "Failed=true" if other == "Failed" else "FailureTarget=true"
            yield _conditions(f"cannot set {one}=True and {spelled} conditions")
    if "Failed" in now & changed and "FailureTarget" not in now:
        yield _conditions("cannot set Failed=True condition without the FailureTarget=true condition")
    if "Complete" in now & changed and "SuccessCriteriaMet" not in now:
        yield _conditions("cannot set Complete=True condition without the SuccessCriteriaMet=true condition")
    for one, other in NEVER_BOTH:
        if {one, other} <= now:
            yield _conditions(f"cannot set {one}=True and {other}=true conditions")
    for kind in LASTING:
        if kind in then - now:
            yield _conditions(f"cannot disable the terminal {kind}=True condition")
    if "SuccessCriteriaMet" in then - now:
        yield _conditions("cannot disable the SuccessCriteriaMet=True condition")


def _validate_times(item: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    status = status_of(item)
    started, done = status.get("startTime"), status.get("completionTime")
    complete = "Complete" in true_conditions(status)
    if done != before.get("completionTime") or complete != ("Complete" in true_conditions(before)):
        if done and not complete:
            why = "cannot set completionTime when there is no Complete=True condition"
            yield invalid("status.completionTime", done, why)
        if complete and not done:
            yield required("status.completionTime", "completionTime is required for Complete jobs")
        if done and started and parse_time(done) < parse_time(started):
            yield invalid("status.completionTime", done, "must be equal to or after `startTime`")
    if done and before.get("completionTime") and done != before["completionTime"]:
        yield invalid("status.completionTime", done, "field is immutable")
    resuming = "Suspended" in true_conditions(before) - true_conditions(status)
    restarted = before.get("startTime") and started != before["startTime"]
    if restarted and not item["spec"].get("suspend") and not resuming:
        yield invalid("status.startTime", started, "field is immutable for unsuspended job once set")


def _validate_finished(item: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    status = status_of(item)
    now, then = true_conditions(status), true_conditions(before)
    if not now & {"Complete", "Failed"}:
        return
    newly = not then & {"Complete", "Failed"}
    for name in ("active", "terminating"):
        count = status.get(name) or 0
        if count > 0 and (newly or count != before.get(name)):
            yield invalid(f"status.{name}", count, f"{name}>0 is invalid for finished job")
    nothing = item["spec"].get("suspend") and item["spec"].get("completions") == 0
    if newly and not status.get("startTime") and not nothing:
        yield required("status.startTime", "startTime is required for finished job")
    uncounted = status.get("uncountedTerminatedPods") or {}
    if newly and (uncounted.get("succeeded") or uncounted.get("failed")):
        yield invalid("status.uncountedTerminatedPods", uncounted, "must be empty for finished job")


def _validate_indexes(item: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    spec, status = item["spec"], status_of(item)
    completions = spec.get("completions")
    for name in ("completedIndexes", "failedIndexes"):
        text = status.get(name)
        if text is None or text == before.get(name) or completions is None:
            continue
        try:
            count_indexes(text, completions)
        except IndexesError as error:
            yield invalid(f"status.{name}", text, f"error parsing {name}: {error}")
    completed, failed = status.get("completedIndexes"), status.get("failedIndexes")
    if completed and completed != before.get("completedIndexes") and spec["completionMode"] != "Indexed":
        why = "cannot set non-empty completedIndexes when non-indexed completion mode"
        yield invalid("status.completedIndexes", completed, why)
    changed = failed is not None and failed != before.get("failedIndexes")
    if changed and spec.get("backoffLimitPerIndex") is None:
        why = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        yield invalid("status.failedIndexes", failed, why)


def _validate_counts(item: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    spec, status = item["spec"], status_of(item)
    ready, active = status.get("ready"), status.get("active") or 0
    if (
        ready is not None
        and ready > active
        and (ready, active) != (before.get("ready"), before.get("active"))
    ):
        yield invalid("status.ready", ready, "cannot set more ready pods than active")
    if (status.get("failed") or 0) < (before.get("failed") or 0):
        yield invalid("status.failed", status.get("failed") or 0, "cannot decrease the failed counter")
    elastic = spec["completionMode"] == "Indexed" and spec.get("completions") == spec["parallelism"]
    if not elastic and (status.get("succeeded") or 0) < (before.get("succeeded") or 0):
        count = status.get("succeeded") or 0
        yield invalid("status.succeeded", count, "cannot decrease the succeeded counter")
