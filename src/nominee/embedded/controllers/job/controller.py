"""The job controller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nominee.apiserver.kinds.batch_indexes import format_indexes
from nominee.apiserver.rest import DeleteOptions
from nominee.embedded.controllers.access import Access, key_of
from nominee.embedded.controllers.claims import Claimant, claim, keys_of_owners
from nominee.embedded.controllers.controller import Keys
from nominee.embedded.controllers.events import Subject
from nominee.embedded.controllers.job import conditions
from nominee.embedded.controllers.job.backoff import Record
from nominee.embedded.controllers.job.pods import new_pod, pending_indexes, surplus, wanted_active
from nominee.embedded.controllers.job.policies import success_of
from nominee.embedded.controllers.job.spec import (
    indexed,
    ours,
    suspended,
    tracked,
    without_finalizer,
)
from nominee.embedded.controllers.job.tally import Tally, failures_by_index, tally
from nominee.embedded.controllers.ownership import being_deleted, controller_of
from nominee.embedded.controllers.pod_control import NAMESPACE_TERMINATING, PodControl, caused_by
from nominee.embedded.controllers.pods import restarts
from nominee.errors import ApiError
from nominee.model.timestamps import parse_time
from nominee.store.ports import Change, JsonObject

CLAIMANT = Claimant("jobs.batch", "batch/v1", "Job")
SUBJECT = Subject("batch/v1", "Job")
AT_ONCE = 100
ORPHAN = "pod "


class JobController:
    """Runs pods until enough have succeeded, or too many have failed."""

    name = "job-controller"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._events = access.recorder(self.name)
        self._control = PodControl(access, CLAIMANT, self._events)
        self._backoff: dict[str, Record] = {}

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {CLAIMANT.resource: self._own_keys, "pods": self._keys_of_pod}

    def _own_keys(self, change: Change) -> list[str]:
        keys = [change.stored.key]
        if change.type == "DELETED":
            uid = change.stored.object["metadata"]["uid"]
            pods = self._access.owned.controlled("pods", uid)
            keys += [f"{ORPHAN}{pod.key}" for pod in pods]
        return keys

    def _keys_of_pod(self, change: Change) -> Iterable[str]:
        keys = keys_of_owners(self._access, CLAIMANT, change)
        pod = change.stored.object
        if change.type != "DELETED" and tracked(pod) and self._orphaned(pod):
            return [*keys, f"{ORPHAN}{change.stored.key}"]
        return keys

    def _orphaned(self, pod: JsonObject) -> bool:
        """Whether nobody is going to count a pod."""
        reference = controller_of(pod)
        if reference is None or not CLAIMANT.named_in(reference):
            return True
        job = self._access.get(CLAIMANT.resource, f"{pod['metadata']['namespace']}/{reference['name']}")
        return job is None or job["metadata"]["uid"] != reference["uid"] or conditions.finished(job)

    def reconcile(self, key: str) -> float | None:
        if key.startswith(ORPHAN):
            self._release(key.removeprefix(ORPHAN))
            return None
        job = self._access.get(CLAIMANT.resource, key)
        if job is None or not ours(job):
            self._backoff.pop(key, None)
            return None
        if conditions.finished(job):
            self._backoff.pop(key, None)
            return self._expire(job)
        return self._sync(key, job)

    def _release(self, key: str) -> None:
        pod = self._access.get("pods", key)
        if pod is not None and tracked(pod) and self._orphaned(pod):
            self._access.update("pods", without_finalizer(pod))

    def _expire(self, job: JsonObject) -> float | None:
        """Delete a job so long after its end."""
        seconds = job["spec"].get("ttlSecondsAfterFinished")
        if seconds is None or being_deleted(job):
            return None
        wait = parse_time(conditions.finish_time(job)) + seconds - self._access.now()
        if wait > 0:
            return float(wait)
        options = DeleteOptions(propagation="Foreground", uid=job["metadata"]["uid"])
        self._access.delete(CLAIMANT.resource, key_of(job), options)
        return None

    # -- one round ----------------------------------------------------------------------------------

    def _sync(self, key: str, job: JsonObject) -> float | None:
        now = self._access.now()
        claim(self._access, CLAIMANT, job, "pods")
        before = self._tally(job)
        record = self._backoff.get(key, Record())
        record = record.after(before.fresh["succeeded"], before.fresh["failed"])
        self._backoff[key] = record
        verdict = self._failure(job, before)
        success = None if verdict else self._success(job, before)
        failure, waits = None, []
        if verdict is not None or success is not None:
            self._stop(job, before)
        elif not being_deleted(job):
            wait = record.wait(now)
            failure = self._manage(job, before, wait)
            waits = [wait] if wait else []
        current = self._tally(job)
        self._write(job, current, verdict, success)
        self._count(job, current)
        if failure is not None:
            raise failure
        deadline = self._deadline(job)
        if deadline is not None and verdict is None and success is None:
            waits.append(max(0.0, deadline - now))
        return min(waits, default=None)

    def _tally(self, job: JsonObject) -> Tally:
        return tally(job, self._access.controlled("pods", job))

    def _failure(self, job: JsonObject, current: Tally) -> tuple[str, str] | None:
        """Why a job has failed, if it has."""
        status, spec = job.get("status") or {}, job["spec"]
        target = conditions.find(status, "FailureTarget")
        if target is not None and target.get("status") == "True":
            return target["reason"], target["message"]
        if conditions.holds(status, "SuccessCriteriaMet"):
            return None
        if current.ruling:
            return "PodFailurePolicy", current.ruling
        limit = spec.get("backoffLimit", 6)
        if current.all_failed > limit or self._restarted_too_often(job, current, limit):
            return conditions.TOO_MANY_FAILURES
        deadline = self._deadline(job)
        if deadline is not None and deadline <= self._access.now():
            return conditions.TOO_LATE
        return None if self._success(job, current) else self._failed_indexes(job, current)

    def _success(self, job: JsonObject, current: Tally) -> tuple[str, str] | None:
        """Why a job has succeeded before all of it has, if it has."""
        said = conditions.find(job.get("status") or {}, "SuccessCriteriaMet")
        if said is not None and said.get("status") == "True" and said["reason"] == "SuccessPolicy":
            return said["reason"], said["message"]
        return success_of(job, current.succeeded_indexes)

    def _restarted_too_often(self, job: JsonObject, current: Tally, limit: int) -> bool:
        if job["spec"]["template"]["spec"].get("restartPolicy") != "OnFailure":
            return False
        count = sum(restarts(pod) for pod in current.active)
        return count > 0 if limit == 0 else count >= limit

    def _failed_indexes(self, job: JsonObject, current: Tally) -> tuple[str, str] | None:
        failed, spec = len(current.failed_indexes), job["spec"]
        if not failed:
            return None
        if spec.get("maxFailedIndexes") is not None and failed > spec["maxFailedIndexes"]:
            return conditions.TOO_MANY_FAILED_INDEXES
        if failed + len(current.succeeded_indexes) >= (spec.get("completions") or 0):
            return conditions.FAILED_INDEXES
        return None

    def _deadline(self, job: JsonObject) -> float | None:
        seconds = job["spec"].get("activeDeadlineSeconds")
        started = (job.get("status") or {}).get("startTime")
        if seconds is None or not started or suspended(job):
            return None
        return parse_time(started) + float(seconds)

    # -- pods ---------------------------------------------------------------------------------------

    def _stop(self, job: JsonObject, current: Tally) -> None:
        for pod in current.active:
            self._control.delete(job, pod)

    def _manage(self, job: JsonObject, current: Tally, wait: float) -> ApiError | None:
        """Make or delete pods; answers with what the server refused."""
        wanted, active = wanted_active(job, current), len(current.active)
        try:
            doomed = surplus(job, current, max(0, active - wanted))[:AT_ONCE]
            for pod in doomed:
                self._give_up(job, pod)
            if not doomed and not wait:
                self._create(job, current, wanted - active)
        except ApiError as error:
            return None if caused_by(error, NAMESPACE_TERMINATING) else error
        return None

    def _give_up(self, job: JsonObject, pod: JsonObject) -> None:
        """Delete a pod that is not wanted any more, and count it as nothing."""
        if tracked(pod):
            pod = self._access.update("pods", without_finalizer(pod))
        self._control.delete(job, pod)

    def _create(self, job: JsonObject, current: Tally, missing: int) -> None:
        if job["spec"].get("podReplacementPolicy") == "Failed":
            missing -= current.terminating
        missing = min(missing, AT_ONCE)
        if indexed(job):
            indexes: list[int | None] = [*pending_indexes(job, current, max(0, missing))]
        else:
            indexes = [None] * missing
        failures = failures_by_index(job, current.pods)
        for index in indexes:
            times = failures.get(index, 0) if index is not None else 0
            self._control.create(job, new_pod(self._control, job, index, times))

    def _count(self, job: JsonObject, current: Tally) -> None:
        """Take the finalizers from pods that the status knows of."""
        for pod in (*current.fresh["succeeded"], *current.fresh["failed"], *current.ignored):
            self._access.update("pods", without_finalizer(pod))
        known = {*current.uncounted["succeeded"], *current.uncounted["failed"]}
        for pod in current.pods:
            if pod["metadata"]["uid"] in known and tracked(pod):
                self._access.update("pods", without_finalizer(pod))

    # -- telling ------------------------------------------------------------------------------------

    def _write(
        self,
        job: JsonObject,
        current: Tally,
        verdict: tuple[str, str] | None,
        success: tuple[str, str] | None,
    ) -> None:
        before = job.get("status") or {}
        status = self._numbers(before, current)
        said = self._suspension(job, status)
        if verdict is not None:
            self._end(job, status, current, "FailureTarget", "Failed", verdict)
        elif success is not None or self._complete(job, current):
            said_of = success or conditions.SUCCEEDED
            self._end(job, status, current, "SuccessCriteriaMet", "Complete", said_of)
        if status == before:
            return
        written = self._access.update_status(CLAIMANT.resource, {**job, "status": status})
        for reason, message in said:
            self._events.normal(SUBJECT, written, reason, message)
        if conditions.holds(status, "Complete"):
            self._events.normal(SUBJECT, written, "Completed", "Job completed")
        elif conditions.holds(status, "Failed") and verdict is not None:
            self._events.warning(SUBJECT, written, *verdict)

    def _numbers(self, before: JsonObject, current: Tally) -> JsonObject:
        """The status with its numbers; uids of pods that are over come before the numbers do."""
        job = current.job
        kept = ("conditions", "startTime", "completionTime", "completedIndexes", "failedIndexes")
        status = {name: before[name] for name in kept if name in before}
        status["ready"] = current.ready
        status["terminating"] = current.terminating
        succeeded = len(current.succeeded_indexes) if indexed(job) else current.succeeded
        numbers = {"active": len(current.active), "succeeded": succeeded, "failed": current.failed}
        status.update({name: number for name, number in numbers.items() if number})
        uncounted = {}
        for outcome in ("succeeded", "failed"):
            uids = list(current.uncounted[outcome])
            if outcome == "failed" or not indexed(job):
                uids += [pod["metadata"]["uid"] for pod in current.fresh[outcome]]
            if uids:
                uncounted[outcome] = uids
        status["uncountedTerminatedPods"] = uncounted
        if current.succeeded_indexes:
            status["completedIndexes"] = format_indexes(current.succeeded_indexes)
        if job["spec"].get("backoffLimitPerIndex") is not None:
            status["failedIndexes"] = format_indexes(current.failed_indexes)
        if not status.get("startTime") and not suspended(job):
            status["startTime"] = self._access.timestamp()
        return status

    def _suspension(self, job: JsonObject, status: JsonObject) -> list[tuple[str, str]]:
        """Note that a job was suspended or resumed; answers with what to tell of it."""
        moment, before = self._access.timestamp(), status.get("conditions") or []
        if suspended(job):
            wanted = conditions.condition("Suspended", "True", ("JobSuspended", "Job suspended"), moment)
            said = ("Suspended", "Job suspended")
        elif conditions.find(status, "Suspended") is not None:
            wanted = conditions.condition("Suspended", "False", ("JobResumed", "Job resumed"), moment)
            said = ("Resumed", "Job resumed")
        else:
            return []
        after = conditions.with_condition(before, wanted)
        if after is before:
            return []
        status["conditions"] = after
        status.pop("startTime", None)
        if not suspended(job):
            status["startTime"] = moment
        return [said]

    def _complete(self, job: JsonObject, current: Tally) -> bool:
        if current.active:
            return False
        completions: int | None = job["spec"].get("completions")
        if completions is None:
            return current.all_succeeded > 0
        return current.all_succeeded >= completions

    def _end(
        self,
        job: JsonObject,
        status: JsonObject,
        current: Tally,
        target: str,
        end: str,
        said: tuple[str, str],
    ) -> None:
        """Say what a job comes to, and once all its pods are over and counted that it has."""
        moment, before = self._access.timestamp(), status.get("conditions") or []
        status["conditions"] = conditions.with_condition(
            before, conditions.condition(target, "True", said, moment)
        )
        if current.active or current.terminating or status["uncountedTerminatedPods"]:
            return
        status["conditions"] = conditions.with_condition(
            status["conditions"], conditions.condition(end, "True", said, moment)
        )
        status.setdefault("startTime", moment)
        if end == "Complete":
            status["completionTime"] = moment
