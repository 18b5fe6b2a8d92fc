"""What the core asks of its surroundings besides carrying out effects: somebody who takes notes."""

from __future__ import annotations

from typing import Protocol

from nominee.errors import PluginError
from nominee.state.shapes import Pod

Labels = tuple[tuple[str, str], ...]


class Recorder(Protocol):
    """Metrics and the log. Metric names are kube-scheduler's without the prefix `scheduler_`.

    `stopwatch` is the one place where the core learns how long something took: the driver owns the
    clock, and in virtual time everything takes no time at all.
    """

    def count(self, metric: str, labels: Labels = (), by: float = 1) -> None:
        """Add to a counter or a gauge."""
        ...

    def observe(self, metric: str, value: float, labels: Labels = ()) -> None:
        """Add a sample to a histogram."""
        ...

    def stopwatch(self) -> float:
        """A reading of the driver's stopwatch, in seconds."""
        ...

    def plugin_failed(self, pod: Pod, error: PluginError) -> None:
        """A plugin raised."""
        ...

    def warn(self, pod: Pod, message: str) -> None:
        """Something went wrong that the pod survives: a line for the log."""
        ...


class SilentRecorder:
    """Nobody listens."""

    def count(self, metric: str, labels: Labels = (), by: float = 1) -> None: ...
    def observe(self, metric: str, value: float, labels: Labels = ()) -> None: ...
    def stopwatch(self) -> float:
        """No time passes."""
        return 0.0

    def plugin_failed(self, pod: Pod, error: PluginError) -> None: ...
    def warn(self, pod: Pod, message: str) -> None: ...
