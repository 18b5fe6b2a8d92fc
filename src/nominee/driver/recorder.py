"""Metrics and the log of one scheduler: cheap to write; `exposition` shows them when somebody asks."""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Callable

from nominee.driver.clock import SystemClock
from nominee.driver.metric_table import METRICS
from nominee.errors import PluginError
from nominee.framework import Pod
from nominee.scheduler.ports import Labels

log = logging.getLogger("nominee.scheduler")


class Histogram:
    """Samples in buckets."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def cumulated(self) -> list[tuple[str, float]]:
        """(upper bound, samples up to it), as the exposition wants them."""
        seen, buckets = 0, []
        for bound, count in zip((*map(_written, self.bounds), "+Inf"), self.counts, strict=True):
            seen += count
            buckets.append((bound, float(seen)))
        return buckets


def _written(bound: float) -> str:
    """As Go's client writes it, so that a query by `le` finds it: whole numbers without a fraction."""
    return repr(float(bound)).removesuffix(".0")


class MetricsRecorder:
    """A Recorder of metrics in this process's memory.

    An own store instead of prometheus_client's, because that one's children cost more per sample than
    the scheduler spends on a pod's whole cycle.
    """

    def __init__(self, stopwatch: Callable[[], float] = SystemClock.stopwatch) -> None:
        self.stopwatch = stopwatch
        self.sums: dict[tuple[str, Labels], float] = {}
        self.histograms: dict[tuple[str, Labels], Histogram] = {}
        self._failed_before: set[tuple[str, str, str]] = set()

    def count(self, metric: str, labels: Labels = (), by: float = 1) -> None:
        key = (metric, labels)
        try:
            self.sums[key] += by
        except KeyError:
            self.sums[key] = by

    def observe(self, metric: str, value: float, labels: Labels = ()) -> None:
        key = (metric, labels)
        histogram = self.histograms.get(key)
        if histogram is None:
            histogram = self.histograms[key] = Histogram(METRICS[metric].buckets)
        histogram.counts[bisect_left(histogram.bounds, value)] += 1
        histogram.total += value

    def plugin_failed(self, pod: Pod, error: PluginError) -> None:
        """The first time with a traceback, then with a line each."""
        kind = (error.plugin, error.extension_point, type(error.__cause__).__name__)
        first = kind not in self._failed_before
        self._failed_before.add(kind)
        fields = {"pod": pod.key, "plugin": error.plugin, "extension_point": error.extension_point}
        log.error("%s", error, extra=fields, exc_info=error.__cause__ if first else None)

    def warn(self, pod: Pod, message: str) -> None:
        log.warning("%s", message, extra={"pod": pod.key})
