"""The page /metrics: the scheduler's metrics and those of the process around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from prometheus_client import ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector, CollectorRegistry

from nominee.driver.exposition import register
from nominee.live.endpoints import Answer, Asked

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric as Family

    from nominee.driver import Driver
    from nominee.driver.recorder import MetricsRecorder
    from nominee.live.leader import LeaderElector


class ProcessMetrics(Collector):
    """Read off when somebody asks."""

    def __init__(self, driver: Driver, elector: LeaderElector | None, lease: str) -> None:
        self._driver = driver
        self._elector = elector
        self._lease = lease.rpartition("/")[2]

    def describe(self) -> Iterable[Family]:
        """Nothing: what comes out is known when it is asked for."""
        return ()

    def collect(self) -> Iterator[Family]:
        if self._elector is not None:
            yield self._leads(self._elector)
        driver = self._driver
        yield _gauge(
            "nominee_effects_under_way", "Writes and plugin calls that have not ended.", driver.under_way
        )
        if driver.events is not None:
            events = driver.events
            yield CounterMetricFamily("nominee_events_written", "Events written.", events.written)
            dropped = CounterMetricFamily("nominee_events_dropped", "Events not written.", labels=["cause"])
            for cause, number in events.dropped.items():
                dropped.add_metric([cause], number)
            yield dropped

    def _leads(self, elector: LeaderElector) -> Family:
        text = "Whether this process holds the lease."
        family = GaugeMetricFamily("leader_election_master_status", text, labels=["name"])
        family.add_metric([self._lease], float(elector.is_leader))
        return family


def _gauge(name: str, text: str, value: float) -> Family:
    return GaugeMetricFamily(name, text, value)


class MetricsPage:
    """Everything that Prometheus may want to know."""

    def __init__(
        self, recorder: MetricsRecorder, driver: Driver, elector: LeaderElector | None, lease: str
    ) -> None:
        self._registry = CollectorRegistry()
        register(self._registry, recorder, lambda: driver.scheduler)
        self._registry.register(ProcessMetrics(driver, elector, lease))
        ProcessCollector(registry=self._registry)

    def __call__(self, asked: Asked) -> Answer:
        encode, content_type = choose_encoder(asked.accept)
        return Answer(encode(self._registry), content_type)
