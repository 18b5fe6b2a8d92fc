"""What a failed attempt does to the pod, the queue and the nomination."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from nominee.framework import Pod, Reject
from nominee.model.meta import Condition
from nominee.queue.queued_pod import QueuedPod
from nominee.scheduler.surroundings import Surroundings

UNSCHEDULABLE: Final = "Unschedulable"
SCHEDULER_ERROR: Final = "SchedulerError"
KEEP = None
CLEAR = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt came to nothing.

    nomination  the node to expect from now on, CLEAR for none, KEEP for what it was
    """

    reason: Literal["Unschedulable", "SchedulerError"]
    message: str
    unschedulable_plugins: frozenset[str] = field(default_factory=frozenset)
    pending_plugins: frozenset[str] = field(default_factory=frozenset)
    nomination: str | None = CLEAR

    @property
    def is_rejection(self) -> bool:
        return self.reason == UNSCHEDULABLE


def rejection(plugin: str, reject: Reject) -> Failure:
    """A plugin's refusal of the one node that was chosen, in the words of a FitError over one node."""
    blamed, nobody = frozenset({plugin}), frozenset[str]()
    reasons = ", ".join(sorted(f"1 {reason}" for reason in reject.reasons))
    return Failure(
        UNSCHEDULABLE,
        f"0/1 nodes are available: {reasons}.",
        nobody if reject.pending else blamed,
        blamed if reject.pending else nobody,
    )


def refusal(message: str) -> Failure:
    """The pod was refused, and no plugin is to blame whose events could help: to be tried again soon."""
    return Failure(UNSCHEDULABLE, message)


def error(message: str, nomination: str | None = CLEAR) -> Failure:
    """Something went wrong that is nobody's verdict on the pod."""
    return Failure(SCHEDULER_ERROR, message, nomination=nomination)


class FailureHandler:
    """Requeues the pod, settles its nomination, and tells the world.

    Reproduces handleSchedulingFailure (pkg/scheduler/schedule_one.go, v1.37).
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._spare_foreign = around.features.enabled("NominatedNodeNameFromOthers")

    def __call__(self, queued: QueuedPod, failure: Failure, now: float) -> None:
        around, pod = self._around, queued.pod
        queued.blame(failure.unschedulable_plugins, failure.pending_plugins)
        current = around.pods.uid_named(pod.key)
        if current is not None and current != pod.uid:
            around.queue.done(pod.uid)
            return
        latest = around.pods.get(pod.uid)
        if latest is None:
            around.queue.done(pod.uid)
            around.outbox.record("Warning", "FailedScheduling", "Scheduling", failure.message, pod)
            return
        queued.pod = latest
        around.queue.return_after_failure(queued, now)
        nomination = self._settled(latest, failure.nomination)
        self._nominate(latest, nomination, now)
        around.outbox.record("Warning", "FailedScheduling", "Scheduling", failure.message, latest)
        around.pods.patch_status(latest, nomination, _condition(latest, failure))

    def _nominate(self, pod: Pod, nomination: str | None, now: float) -> None:
        """Let the nomination stand, change or fall; in the latter cases others may fit there now."""
        nominations = self._around.cluster.nominations
        before = nominations.node_of(pod.uid) or pod.nominated_node_name  # assuming the pod took the former
        self._around.queue.nominator.add(pod, nomination)
        if before and nominations.node_of(pod.uid) != before:
            self._around.promise_became_void(pod, before, now)

    def _settled(self, pod: Pod, nomination: str | None) -> str | None:
        """A foreign nomination outlives a failed attempt; only preemption puts another in its place."""
        if nomination == CLEAR and self._spare_foreign and self._around.pods.is_foreign(pod):
            return KEEP
        return nomination


def _condition(pod: Pod, failure: Failure) -> Condition:
    return Condition(
        type="PodScheduled",
        status="False",
        reason=failure.reason,
        message=failure.message,
        observed_generation=pod.generation,
    )
