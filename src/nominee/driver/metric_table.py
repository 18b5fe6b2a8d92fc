"""The metrics there are: kube-scheduler's names, labels and buckets.

Reproduces the definitions of pkg/scheduler/metrics/metrics.go, v1.37, as far as Nominee has what they
measure; docs/metrics.md says what each one means here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

PREFIX = "scheduler_"


class Type(Enum):
    """What kind of figure it is."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric; `buckets` are upper bounds, without infinity."""

    name: str
    type: Type
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


def exponential(start: float, factor: float, count: int) -> tuple[float, ...]:
    """Bounds as prometheus.ExponentialBuckets computes them: by repeated multiplication."""
    bounds = []
    for _ in range(count):
        bounds.append(start)
        start *= factor
    return tuple(bounds)


def _counter(name: str, text: str, *labels: str) -> Metric:
    return Metric(name, Type.COUNTER, text, labels)


def _gauge(name: str, text: str, *labels: str) -> Metric:
    return Metric(name, Type.GAUGE, text, labels)


def _histogram(name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Metric:
    return Metric(name, Type.HISTOGRAM, text, labels, buckets)


_ATTEMPT = exponential(0.001, 2, 15)
_EVENT = exponential(0.0001, 2, 12)
_LONG = exponential(0.01, 2, 20)
_PREEMPTION = exponential(0.001, 2, 16)

_TABLE = (
    _counter("schedule_attempts_total", "Attempts to schedule a pod, by result.", "result", "profile"),
    _histogram(
        "scheduling_attempt_duration_seconds",
        "Seconds from the pop of a pod to its binding or failure.",
        _ATTEMPT,
        "result",
        "profile",
    ),
    _histogram(
        "scheduling_algorithm_duration_seconds", "Seconds from the pop of a pod to the choice.", _ATTEMPT
    ),
    _histogram(
        "framework_extension_point_duration_seconds",
        "Seconds that all plugins of an extension point took.",
        _EVENT,
        "extension_point",
        "status",
        "profile",
    ),
    _histogram(
        "plugin_execution_duration_seconds",
        "Seconds that one plugin took at one extension point, in a sample of the attempts.",
        exponential(0.00001, 1.5, 20),
        "plugin",
        "extension_point",
        "status",
    ),
    _histogram("permit_wait_duration_seconds", "Seconds that a pod waited on Permit.", _ATTEMPT, "result"),
    _histogram("pod_scheduling_attempts", "Attempts until a pod was bound.", exponential(1, 2, 5)),
    _histogram(
        "pod_scheduling_sli_duration_seconds",
        "Seconds from the first time in the active queue to the binding.",
        _LONG,
        "attempts",
    ),
    _counter("pod_scheduled_after_flush_total", "Pods bound that nothing but the flush had woken."),
    _counter("preemption_attempts_total", "Times that preemption was asked for help."),
    _histogram("preemption_victims", "Victims chosen at a time.", exponential(1, 2, 7)),
    _counter("preemption_pdb_violations_total", "Disruption budgets broken by victims.", "preemptor"),
    _histogram(
        "preemption_evaluation_duration_seconds",
        "Seconds that the choice of victims took.",
        _PREEMPTION,
        "preemptor",
        "result",
    ),
    _histogram(
        "preemption_execution_duration_seconds",
        "Seconds that the evictions of one preemption took.",
        _PREEMPTION,
        "preemptor",
        "result",
    ),
    _histogram(
        "goroutines_duration_seconds", "Seconds of work in the background.", _LONG, "operation", "result"
    ),
    _counter("goroutines_execution_total", "Pieces of work in the background.", "operation", "result"),
    _histogram(
        "preemption_goroutines_duration_seconds", "Seconds of preemption in the background.", _LONG, "result"
    ),
    _counter("preemption_goroutines_execution_total", "Preemptions in the background.", "result"),
    _counter("queue_incoming_pods_total", "Pods that came into a queue, by event.", "queue", "event"),
    _counter("queue_incoming_entities_total", "The same; what waits is a pod.", "queue", "event", "type"),
    _gauge("unschedulable_pods", "Pods in the queue that a plugin rejected.", "plugin", "profile"),
    _gauge("inflight_events", "Events remembered for attempts under way.", "event"),
    _gauge("pending_pods", "Pods that wait, by queue.", "queue"),
    _gauge("queued_entities", "The same; what waits is a pod.", "queue", "type"),
    _gauge("cache_size", "What the scheduler holds in memory.", "type"),
    _gauge("goroutines", "Work under way, by operation.", "operation"),
)

METRICS = MappingProxyType({metric.name: metric for metric in _TABLE})
"""Every metric by its name without the prefix."""
