"""What has become of a job's pods.

A pod is counted once: it bears a finalizer until it is. Its uid is written into the status first, then
the finalizer is removed, then the uid becomes one more in the numbers
(trackJobStatusAndRemoveFinalizers of pkg/controller/job/job_controller.go, v1.37).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from nominee.apiserver.kinds.batch_indexes import IndexesError, parse_indexes
from nominee.embedded.controllers.job.policies import ruling_on
from nominee.embedded.controllers.job.spec import index_of, indexed, tracked
from nominee.embedded.controllers.ownership import being_deleted
from nominee.embedded.controllers.pods import active, phase, ready, terminated
from nominee.store.ports import JsonObject


@dataclass(slots=True)
class Tally:
    """The pods of a job, sorted.

    uncounted   uids in the status by outcome, whose pods still bear the finalizer
    fresh       pods that are over and that the status does not know of, by outcome
    ignored     pods that have failed in a way that the job does not mind
    ruling      why the job fails at once, by the policy that it has for failures
    """

    job: JsonObject
    pods: list[JsonObject]
    active: list[JsonObject]
    succeeded: int = 0
    failed: int = 0
    uncounted: dict[str, list[str]] = field(default_factory=dict)
    fresh: dict[str, list[JsonObject]] = field(default_factory=dict)
    succeeded_indexes: frozenset[int] = frozenset()
    failed_indexes: frozenset[int] = frozenset()
    ignored: list[JsonObject] = field(default_factory=list)
    ruling: str = ""

    @property
    def all_succeeded(self) -> int:
        """Counted or not yet."""
        if indexed(self.job):
            return len(self.succeeded_indexes)
        return self.succeeded + len(self.uncounted["succeeded"]) + len(self.fresh["succeeded"])

    @property
    def all_failed(self) -> int:
        """Counted or not yet."""
        return self.failed + len(self.uncounted["failed"]) + len(self.fresh["failed"])

    @property
    def ready(self) -> int:
        """How many of the active pods are ready."""
        return sum(ready(pod) for pod in self.active)

    @property
    def terminating(self) -> int:
        """How many pods are on their way out and not over yet."""
        return sum(being_deleted(pod) and not terminated(pod) for pod in self.pods)


def tally(job: JsonObject, pods: list[JsonObject]) -> Tally:
    """Sort the pods of a job."""
    status = job.get("status") or {}
    made = Tally(job, pods, [pod for pod in pods if active(pod)])
    made.succeeded, made.failed = status.get("succeeded", 0), status.get("failed", 0)
    bearing = {pod["metadata"]["uid"] for pod in pods if tracked(pod)}
    noted = status.get("uncountedTerminatedPods") or {}
    for outcome in ("succeeded", "failed"):
        uids = noted.get(outcome) or []
        made.uncounted[outcome] = [uid for uid in uids if uid in bearing]
        counted = len(uids) - len(made.uncounted[outcome])
        if outcome == "succeeded":
            made.succeeded += counted
        else:
            made.failed += counted
    known = {*made.uncounted["succeeded"], *made.uncounted["failed"]}
    unknown = [pod for pod in pods if tracked(pod) and pod["metadata"]["uid"] not in known]
    made.fresh["succeeded"] = [pod for pod in unknown if phase(pod) == "Succeeded"]
    failures = [pod for pod in unknown if _failed(job, pod)]
    made.ignored = [pod for pod in failures if ruling_on(job, pod).ignores]
    made.fresh["failed"] = [pod for pod in failures if pod not in made.ignored]
    rulings = (ruling_on(job, pod).message for pod in pods if _failed(job, pod))
    made.ruling = next((message for message in rulings if message), "")
    if indexed(job):
        made.succeeded_indexes = _succeeded_indexes(job, pods)
        made.failed_indexes = _failed_indexes(job, pods)
    return made


def _failed(job: JsonObject, pod: JsonObject) -> bool:
    """Pods that are deleted count as failed, unless only those that have failed are replaced."""
    if phase(pod) == "Failed":
        return True
    if job["spec"].get("podReplacementPolicy") == "Failed":
        return False
    return being_deleted(pod) and phase(pod) != "Succeeded"


def _noted(job: JsonObject, name: str) -> set[int]:
    completions = job["spec"].get("completions") or 0
    try:
        intervals = parse_indexes((job.get("status") or {}).get(name) or "", completions)
    except IndexesError:  # the job was scaled down
        return set()
    return {index for first, last in intervals for index in range(first, last + 1)}


def _succeeded_indexes(job: JsonObject, pods: list[JsonObject]) -> frozenset[int]:
    completions = job["spec"].get("completions") or 0
    done = {index_of(pod) for pod in pods if phase(pod) == "Succeeded" and tracked(pod)}
    found = {index for index in done if index is not None and index < completions}
    return frozenset(_noted(job, "completedIndexes") | found)


def _failed_indexes(job: JsonObject, pods: list[JsonObject]) -> frozenset[int]:
    """Those that have failed more often than each may."""
    limit = job["spec"].get("backoffLimitPerIndex")
    if limit is None:
        return frozenset()
    failures = failures_by_index(job, pods)
    ended = {index_of(pod) for pod in pods if phase(pod) == "Failed" and ruling_on(job, pod).fails_index}
    over = {index for index, times in failures.items() if times > limit}
    return frozenset(_noted(job, "failedIndexes") | over | {index for index in ended if index is not None})


def failures_by_index(job: JsonObject, pods: list[JsonObject]) -> dict[int, int]:
    """How often each index has failed, as far as the pods are still there and the job minds."""
    failures: dict[int, int] = {}
    for pod in pods:
        index = index_of(pod)
        if index is not None and phase(pod) == "Failed" and not ruling_on(job, pod).ignores:
            failures[index] = failures.get(index, 0) + 1
    return failures
