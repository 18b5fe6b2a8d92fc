"""Cron jobs: jobs at their times.

Reproduces pkg/controller/cronjob/cronjob_controllerv2.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from nominee.apiserver.kinds.batch_schedule import Every, Schedule, ScheduleError, parse_schedule
from nominee.apiserver.rest import DeleteOptions
from nominee.embedded.controllers.access import Access, key_of
from nominee.embedded.controllers.claims import Claimant, keys_of_owners
from nominee.embedded.controllers.controller import Keys, own_key
from nominee.embedded.controllers.events import Subject
from nominee.embedded.controllers.job import conditions
from nominee.embedded.controllers.ownership import being_deleted, owner_reference
from nominee.errors import Conflict
from nominee.model.timestamps import format_time, parse_time
from nominee.store.ports import JsonObject

CLAIMANT = Claimant("cronjobs.batch", "batch/v1", "CronJob")
SUBJECT = Subject("batch/v1", "CronJob")
JOBS = "jobs.batch"
SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"
# From here on upstream warns that somebody's clock may be wrong.
MOST_MISSED = 100
TOO_MANY = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
SKEW = 0.1


class CronJobController:
    """Makes jobs when it is time, and forgets old ones."""

    name = "cronjob-controller"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._events = access.recorder(self.name)

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {
            CLAIMANT.resource: own_key,
            JOBS: lambda change: keys_of_owners(self._access, CLAIMANT, change),
        }

    def reconcile(self, key: str) -> float | None:
        cron_job = self._access.get(CLAIMANT.resource, key)
        if cron_job is None or being_deleted(cron_job):
            return None
        jobs = self._access.controlled(JOBS, cron_job)
        cron_job = self._settle(cron_job, jobs)
        if cron_job["spec"].get("suspend"):
            return None
        schedule = self._schedule(cron_job)
        return None if schedule is None else self._run(cron_job, schedule)

    # -- what has become of its jobs ----------------------------------------------------------------

    def _settle(self, cron_job: JsonObject, jobs: list[JsonObject]) -> JsonObject:
        self._clean_up(cron_job, jobs)
        status = cron_job.get("status") or {}
        there = {job["metadata"]["uid"]: job for job in jobs}
        active, ended = [], status.get("lastSuccessfulTime", "")
        for reference in status.get("active") or ():
            job = there.get(reference["uid"])
            if job is None:
                message = f"Active job went missing: {reference['name']}"
                self._events.normal(SUBJECT, cron_job, "MissingJob", message)
            elif conditions.finished(job):
                kind = "Complete" if conditions.holds(job["status"], "Complete") else "Failed"
                message = f"Saw completed job: {reference['name']}, condition: {kind}"
                self._events.normal(SUBJECT, cron_job, "SawCompletedJob", message)
                ended = max(ended, (job.get("status") or {}).get("completionTime", ""))
            else:
                active.append(reference)
        return self._write(cron_job, active=active, lastSuccessfulTime=ended)

    def _write(self, cron_job: JsonObject, **values: object) -> JsonObject:
        before = cron_job.get("status") or {}
        status = {name: value for name, value in {**before, **values}.items() if value}
        if status == before:
            return cron_job
        return self._access.update_status(CLAIMANT.resource, {**cron_job, "status": status})

    def _clean_up(self, cron_job: JsonObject, jobs: list[JsonObject]) -> None:
        """Delete the oldest of those that have ended, beyond the limits."""
        spec = cron_job["spec"]
        for kind, name in (("Complete", "successfulJobsHistoryLimit"), ("Failed", "failedJobsHistoryLimit")):
            ended = [job for job in jobs if conditions.holds(job.get("status") or {}, kind)]
            ended.sort(key=lambda job: ((job.get("status") or {}).get("startTime", ""), key_of(job)))
            limit = spec.get(name)
            for job in ended[: max(0, len(ended) - limit)] if limit is not None else ():
                self._delete(cron_job, job)

    def _delete(self, cron_job: JsonObject, job: JsonObject) -> None:
        self._access.delete(JOBS, key_of(job), DeleteOptions(propagation="Background"))
        message = f"Deleted job {job['metadata']['name']}"
        self._events.normal(SUBJECT, cron_job, "SuccessfulDelete", message)

    # -- the next one -------------------------------------------------------------------------------

    def _schedule(self, cron_job: JsonObject) -> Schedule | Every | None:
        try:
            return parse_schedule(cron_job["spec"]["schedule"])
        except ScheduleError as error:
            message = f'unparseable schedule: "{cron_job["spec"]["schedule"]}" : {error}'
            self._events.warning(SUBJECT, cron_job, "UnparseableSchedule", message)
            return None

    def _run(self, cron_job: JsonObject, schedule: Schedule | Every) -> float | None:
        now = self._access.now()
        due, following = self._times(cron_job, schedule, now)
        wait = None if following is None else max(0.0, following - now) + SKEW
        if due is None:
            return wait
        deadline = cron_job["spec"].get("startingDeadlineSeconds")
        if deadline is not None and due + deadline < now:
            moment = datetime.fromtimestamp(due, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
            message = f"Missed scheduled time to start a job: {moment}"
            self._events.warning(SUBJECT, cron_job, "MissSchedule", message)
            return wait
        if self._may_start(cron_job):
            self._start(cron_job, due)
        return wait

    def _times(
        self, cron_job: JsonObject, schedule: Schedule | Every, now: float
    ) -> tuple[float | None, float | None]:
        """The last time that has passed since the last job, and the next to come.

        Reproduces mostRecentScheduleTime (pkg/controller/cronjob/utils.go, v1.37): how many have been missed
        is reckoned from the first two, and only the last few of them are looked at one by one.
        """
        zone = ZoneInfo(cron_job["spec"].get("timeZone") or "UTC")

        def after(moment: float) -> float | None:
            following = schedule.after(datetime.fromtimestamp(moment, zone))
            return None if following is None else following.timestamp()

        first = after(self._earliest(cron_job, now))
        second = None if first is None else after(first)
        if first is None or first > now:
            return None, first
        if second is None or second > now:
            return first, second
        interval = max(1, round(second - first))
        missed = int(now - first) // interval + 1
        if missed > MOST_MISSED:
            self._events.warning(SUBJECT, cron_job, "TooManyMissedTimes", TOO_MANY)
        due, following = None, after(first + (missed - 2) * interval)
        while following is not None and following <= now:
            due, following = following, after(following)
        return due, following

    @staticmethod
    def _earliest(cron_job: JsonObject, now: float) -> float:
        """Nothing before this is made up for."""
        since = (cron_job.get("status") or {}).get("lastScheduleTime")
        earliest = parse_time(since or cron_job["metadata"]["creationTimestamp"])
        deadline = cron_job["spec"].get("startingDeadlineSeconds")
        return earliest if deadline is None else max(earliest, now - deadline)

    def _may_start(self, cron_job: JsonObject) -> bool:
        active = (cron_job.get("status") or {}).get("active") or ()
        match cron_job["spec"].get("concurrencyPolicy"):
            case "Forbid" if active:
                message = (
                    "Not starting job because prior execution is running and concurrency policy is Forbid"
                )
                self._events.normal(SUBJECT, cron_job, "JobAlreadyActive", message)
                return False
            case "Replace":
                for reference in active:
                    job = self._access.get(JOBS, f"{reference['namespace']}/{reference['name']}")
                    if job is not None:
                        self._delete(cron_job, job)
        return True

    def _start(self, cron_job: JsonObject, due: float) -> None:
        namespace = cron_job["metadata"]["namespace"]
        wanted = self._job(cron_job, due)
        try:
            job = self._access.create(JOBS, namespace, wanted)
        except Conflict:  # it was made before, and the status not written
            found = self._access.get(JOBS, f"{namespace}/{wanted['metadata']['name']}")
            if found is None:
                raise
            job = found
        else:
            message = f"Created job {job['metadata']['name']}"
            self._events.normal(SUBJECT, cron_job, "SuccessfulCreate", message)
        reference = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "name": job["metadata"]["name"],
            "namespace": namespace,
            "uid": job["metadata"]["uid"],
            "resourceVersion": job["metadata"]["resourceVersion"],
        }
        active = (cron_job.get("status") or {}).get("active") or []
        known = any(item["uid"] == reference["uid"] for item in active)
        self._write(
            cron_job,
            active=active if known else [*active, reference],
            lastScheduleTime=format_time(due),
        )

    def _job(self, cron_job: JsonObject, due: float) -> JsonObject:
        template = cron_job["spec"]["jobTemplate"]
        metadata = template.get("metadata") or {}
        zone = ZoneInfo(cron_job["spec"].get("timeZone") or "UTC")
        moment = datetime.fromtimestamp(due, zone).isoformat().replace("+00:00", "Z")
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "name": f"{cron_job['metadata']['name']}-{int(due) // 60}",
                "namespace": cron_job["metadata"]["namespace"],
                "labels": metadata.get("labels") or {},
                "annotations": {**(metadata.get("annotations") or {}), SCHEDULED: moment},
                "ownerReferences": [owner_reference(cron_job, CLAIMANT.api_version, CLAIMANT.kind)],
            },
            "spec": template["spec"],
        }
