"""What metrics and logs want to hear of the queue."""

from __future__ import annotations

from typing import Protocol

from nominee.errors import PluginError
from nominee.state.shapes import Pod

QUEUE, QUEUE_SKIP, ERROR = "Queue", "QueueSkip", "Error"
POD_POPPED = "PodPopped"


class QueueObserver(Protocol):
    """Told of everything that a metric of the queue counts (names as in upstream's metrics).

    Whoever wants to know how long hints and PreEnqueue plugins take wraps them: the queue has no clock.
    """

    def incoming(self, queue: str, event: str) -> None:
        """A pod came into `active`, `backoff` or `unschedulable` (queue_incoming_pods_total)."""
        ...

    def pending(self, queue: str, delta: int) -> None:
        """One more or less in `active`, `backoff`, `unschedulable` or `gated` (pending_pods)."""
        ...

    def in_flight_events(self, event: str, delta: int) -> None:
        """So many more or less are remembered (inflight_events); `PodPopped` counts the pods."""
        ...

    def hint_executed(self, plugin: str, event: str, hint: str) -> None:
        """A hint said `Queue` or `QueueSkip`, or raised (queueing_hint_execution_duration_seconds)."""
        ...

    def unschedulable_pods(self, plugin: str, profile: str, delta: int) -> None:
        """One more or less of the waiting pods was rejected by the plugin (unschedulable_pods)."""
        ...

    def plugin_failed(self, pod: Pod, error: PluginError) -> None:
        """A hint or a PreEnqueue plugin raised."""
        ...


class SilentObserver:
    """Nobody listens."""

    def incoming(self, queue: str, event: str) -> None: ...
    def pending(self, queue: str, delta: int) -> None: ...
    def in_flight_events(self, event: str, delta: int) -> None: ...
    def hint_executed(self, plugin: str, event: str, hint: str) -> None: ...
    def unschedulable_pods(self, plugin: str, profile: str, delta: int) -> None: ...
    def plugin_failed(self, pod: Pod, error: PluginError) -> None: ...
