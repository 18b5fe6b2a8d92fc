"""A recorder's metrics in Prometheus' form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector, CollectorRegistry

from nominee.driver.metric_table import METRICS, PREFIX, Metric, Type
from nominee.driver.recorder import Histogram, MetricsRecorder
from nominee.scheduler.metrics import gauges
from nominee.scheduler.ports import Labels

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric as Family

    from nominee.scheduler.scheduler import Scheduler


class SchedulerCollector(Collector):
    """What a recorder holds, and what can be read off the scheduler right now, for a registry."""

    def __init__(self, recorder: MetricsRecorder, scheduler: Callable[[], Scheduler | None]) -> None:
        self._recorder = recorder
        self._scheduler = scheduler

    def describe(self) -> Iterable[Family]:
        """Nothing: what comes out is known when it is asked for."""
        return ()

    def collect(self) -> Iterator[Family]:
        sums = dict(self._recorder.sums)
        if (scheduler := self._scheduler()) is not None:
            for name, labels, value in gauges(scheduler):
                sums[name, labels] = value
        for metric in METRICS.values():
            if metric.type is Type.HISTOGRAM:
                yield self._histogram(metric)
            else:
                yield _plain(metric, sums)

    def _histogram(self, metric: Metric) -> Family:
        family = HistogramMetricFamily(PREFIX + metric.name, metric.help, labels=metric.labels)
        held = {k[1]: h for k, h in self._recorder.histograms.items() if k[0] == metric.name}
        if not metric.labels:
            held.setdefault((), Histogram(metric.buckets))
        for labels, histogram in held.items():
            family.add_metric(_values(metric, labels), histogram.cumulated(), histogram.total)
        return family


def _plain(metric: Metric, sums: dict[tuple[str, Labels], float]) -> Family:
    kind = CounterMetricFamily if metric.type is Type.COUNTER else GaugeMetricFamily
    family = kind(PREFIX + metric.name, metric.help, labels=metric.labels)
    held = {labels: value for (name, labels), value in sums.items() if name == metric.name}
    if not metric.labels:
        held.setdefault((), 0.0)
    for labels, value in held.items():
        family.add_metric(_values(metric, labels), value)
    return family


def _values(metric: Metric, labels: Labels) -> list[str]:
    """The values in the order of the metric's label names."""
    given = dict(labels)
    return [given.get(name, "") for name in metric.labels]


def register(
    registry: CollectorRegistry, recorder: MetricsRecorder, scheduler: Callable[[], Scheduler | None]
) -> None:
    """Let a registry show the recorder's metrics."""
    registry.register(SchedulerCollector(recorder, scheduler))
