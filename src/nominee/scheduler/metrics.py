"""What is measured: the one place of the core that knows the names of metrics.

Names and labels are kube-scheduler's (pkg/scheduler/metrics/metrics.go, v1.37), without the prefix
`scheduler_`. docs/metrics.md lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from nominee.errors import PluginError
from nominee.framework import Pod
from nominee.profile.ask import ask
from nominee.scheduler.ports import Labels, Recorder, SilentRecorder

if TYPE_CHECKING:
    from nominee.queue.queued_pod import QueuedPod
    from nominee.scheduler.scheduler import Scheduler

T = TypeVar("T")
Lap = Callable[[str, str], None]
"""Hears that the plugins of an extension point have been asked, with the label and the status code."""
SUCCESS, UNSCHEDULABLE, ERROR, WAIT = "Success", "Unschedulable", "Error", "Wait"
UNRESOLVABLE = "UnschedulableAndUnresolvable"
SAMPLED_PERCENT = 10
_MANY_ATTEMPTS = 15
_MASK = (1 << 31) - 1
_LABELS = {"preFilter": "PreFilter", "filter": "Filter", "preScore": "PreScore", "score": "Score"}
_EXTENSION_POINT = "framework_extension_point_duration_seconds"


class Metrics:
    """Puts what happened into the recorder's words. `seed` decides which cycles are looked at closely."""

    def __init__(self, recorder: Recorder, seed: int = 0) -> None:
        self._recorder = recorder
        self._unheard = isinstance(recorder, SilentRecorder)
        self._random = seed & _MASK
        self._sampling = False
        self.stopwatch = recorder.stopwatch

    # -- attempts -------------------------------------------------------------------------------

    def begin_attempt(self) -> float:
        """A reading of the stopwatch; and the dice, whether plugins are timed one by one this time."""
        if self._unheard:
            return 0.0
        self._random = random = (self._random * 1103515245 + 12345) & _MASK
        self._sampling = (random >> 16) % 100 < SAMPLED_PERCENT
        return self.stopwatch()

    def algorithm(self, started: float) -> None:
        """A node was found."""
        if self._unheard:
            return
        self._recorder.observe("scheduling_algorithm_duration_seconds", self.stopwatch() - started)

    def failed(self, profile: str, started: float, *, rejected: bool) -> None:
        """An attempt came to nothing."""
        self._attempt("unschedulable" if rejected else "error", profile, started)

    def placed(self, queued: QueuedPod, profile: str, started: float, now: float) -> None:
        """A pod was bound."""
        if self._unheard:
            return
        self._attempt("scheduled", profile, started)
        recorder = self._recorder
        recorder.observe("pod_scheduling_attempts", queued.attempts)
        if queued.initial_attempt_timestamp is not None:
            attempts = str(queued.attempts) if queued.attempts < _MANY_ATTEMPTS else f"{_MANY_ATTEMPTS}+"
            waited = now - queued.initial_attempt_timestamp
            recorder.observe("pod_scheduling_sli_duration_seconds", waited, (("attempts", attempts),))
        if queued.was_flushed:
            recorder.count("pod_scheduled_after_flush_total")

    def _attempt(self, result: str, profile: str, started: float) -> None:
        labels = (("result", result), ("profile", profile))
        self._recorder.count("schedule_attempts_total", labels)
        self._recorder.observe("scheduling_attempt_duration_seconds", self.stopwatch() - started, labels)

    # -- plugins --------------------------------------------------------------------------------

    def laps(self, profile: str) -> Lap:
        """A stopwatch for what a cycle does one after the other: every call is the end of a point."""
        if self._unheard:
            return no_lap
        started = self.stopwatch()

        def lap(point: str, status: str) -> None:
            nonlocal started
            self.extension_point(point, status, profile, started)
            started = self.stopwatch()

        return lap

    def extension_point(self, point: str, status: str, profile: str, started: float) -> None:
        """All plugins of one point have been asked."""
        labels = (("extension_point", point), ("status", status), ("profile", profile))
        self._recorder.observe(_EXTENSION_POINT, self.stopwatch() - started, labels)

    def ask(self, plugin: str, point: str, method: Callable[..., T], *arguments: object) -> T:
        """Ask one plugin, and in a sampled cycle see how long it takes."""
        if not self._sampling:
            return ask(plugin, point, method, *arguments)
        started, status = self.stopwatch(), ERROR
        try:
            answer = ask(plugin, point, method, *arguments)
            status = SUCCESS
            return answer
        finally:
            label = point[0].upper() + point[1:]
            labels = (("plugin", plugin), ("extension_point", label), ("status", status))
            elapsed = self.stopwatch() - started
            self._recorder.observe("plugin_execution_duration_seconds", elapsed, labels)

    def permit_wait(self, result: str, seconds: float) -> None:
        """A pod waits on Permit no longer."""
        self._recorder.observe("permit_wait_duration_seconds", seconds, (("result", result),))

    # -- preemption -----------------------------------------------------------------------------

    def preemption_evaluated(self, result: str, started: float) -> None:
        """DefaultPreemption was asked."""
        self._recorder.count("preemption_attempts_total")
        labels = (_POD, ("result", result))
        self._recorder.observe("preemption_evaluation_duration_seconds", self.stopwatch() - started, labels)

    def victims(self, number: int, pdb_violations: int) -> None:
        """Victims were chosen."""
        self._recorder.observe("preemption_victims", number)
        if pdb_violations:
            self._recorder.count("preemption_pdb_violations_total", (_POD,), pdb_violations)

    def preempted(self, result: str, started: float, *, in_background: bool) -> None:
        """The evictions of one preemption are over."""
        recorder, elapsed, outcome = self._recorder, self.stopwatch() - started, ("result", result)
        recorder.observe("preemption_execution_duration_seconds", elapsed, (_POD, outcome))
        if not in_background:
            return
        operation = ("operation", "preemption")
        for prefix, labels in (("preemption_", (outcome,)), ("", (operation, outcome))):
            recorder.observe(f"{prefix}goroutines_duration_seconds", elapsed, labels)
            recorder.count(f"{prefix}goroutines_execution_total", labels)


def no_lap(point: str, status: str) -> None:
    """Nobody wants to know."""


def label_of(point: str) -> str:
    """An extension point of the search, as metrics name it."""
    return _LABELS.get(point, "ScoreExtensionNormalize")


_POD = ("preemptor", "pod")
_TYPE = ("type", "pod")  # groups are not known here


class QueueMetrics:
    """A QueueObserver that tells the recorder."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def incoming(self, queue: str, event: str) -> None:
        labels = (("queue", queue), ("event", event))
        self._recorder.count("queue_incoming_pods_total", labels)
        self._recorder.count("queue_incoming_entities_total", (*labels, _TYPE))

    def pending(self, queue: str, delta: int) -> None:
        """Read off the queue when somebody asks (`gauges`)."""

    def in_flight_events(self, event: str, delta: int) -> None:
        self._recorder.count("inflight_events", (("event", event),), delta)

    def hint_executed(self, plugin: str, event: str, hint: str) -> None:
        """Not recorded: the metric is a duration, and the queue has no clock."""

    def unschedulable_pods(self, plugin: str, profile: str, delta: int) -> None:
        self._recorder.count("unschedulable_pods", (("plugin", plugin), ("profile", profile)), delta)

    def plugin_failed(self, pod: Pod, error: PluginError) -> None:
        self._recorder.plugin_failed(pod, error)


Gauge = tuple[str, Labels, int]


def gauges(scheduler: Scheduler) -> Iterator[Gauge]:
    """What stands somewhere right now, for whoever is asked for metrics: name, labels, value."""
    cluster, queue = scheduler.cluster, scheduler.around.queue
    for name, number in queue.counts().items():
        yield "pending_pods", (("queue", name),), number
        yield "queued_entities", (("queue", name), _TYPE), number
    sizes = {"nodes": len(cluster.nodes), "pods": len(cluster.pods), "assumed_pods": len(cluster.assumed)}
    for name, number in sizes.items():
        yield "cache_size", (("type", name),), number
    running = {"binding": len(scheduler.bindings), "preemption": len(scheduler.preemptions)}
    for name, number in running.items():
        yield "goroutines", (("operation", name),), number
