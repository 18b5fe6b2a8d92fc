"""Metrics: cheap to write, and in Prometheus' form what kube-scheduler would show."""

from __future__ import annotations

import pytest
from prometheus_client import generate_latest
from prometheus_client.registry import CollectorRegistry

from nominee.driver.exposition import register
from nominee.driver.metric_table import METRICS, exponential
from nominee.driver.recorder import MetricsRecorder
from nominee.errors import PluginError
from nominee.state.cluster import ClusterState
from nominee.testing import make_node, make_pod
from tests.unit.driver.fake_cluster import World

POD = ClusterState().pod(make_pod("p").build())


def exposed(recorder: MetricsRecorder) -> list[str]:
    registry = CollectorRegistry()
    register(registry, recorder, lambda: None)
    return generate_latest(registry).decode().splitlines()


def test_a_counter_bears_its_labels_in_any_order() -> None:
    recorder = MetricsRecorder()
    recorder.count("schedule_attempts_total", (("profile", "p"), ("result", "error")), 2)
    recorder.count("schedule_attempts_total", (("profile", "p"), ("result", "error")))
    assert 'scheduler_schedule_attempts_total{profile="p",result="error"} 3.0' in exposed(recorder)


def test_a_sample_counts_in_its_bucket_and_all_above() -> None:
    recorder = MetricsRecorder()
    for value in (1, 2, 3, 100):
        recorder.observe("preemption_victims", value)
    lines = exposed(recorder)
    for bound, count in (("1", 1), ("2", 2), ("4", 3), ("64", 3), ("+Inf", 4)):
        assert f'scheduler_preemption_victims_bucket{{le="{bound}"}} {count}.0' in lines
    assert "scheduler_preemption_victims_sum 106.0" in lines
    assert "scheduler_preemption_victims_count 4.0" in lines


def test_what_never_happened_is_shown_as_zero_where_there_are_no_labels() -> None:
    lines = exposed(MetricsRecorder())
    assert "scheduler_preemption_attempts_total 0.0" in lines
    assert "scheduler_pod_scheduling_attempts_count 0.0" in lines


def test_buckets_are_upstreams() -> None:
    assert exponential(0.001, 2, 15)[-1] == 0.001 * 2**14
    assert len(METRICS["plugin_execution_duration_seconds"].buckets) == 20


async def test_gauges_are_read_off_the_scheduler() -> None:
    recorder = MetricsRecorder(lambda: 0.0)
    node = make_node("n").capacity(cpu="4", memory="8Gi", pods="32")
    world = World([node], [make_pod("p"), make_pod("large").req(cpu="8")], recorder=recorder)
    await world.quiet()
    registry = CollectorRegistry()
    register(registry, recorder, lambda: world.scheduler)
    lines = generate_latest(registry).decode().splitlines()
    assert 'scheduler_pending_pods{queue="unschedulable"} 1.0' in lines
    assert 'scheduler_cache_size{type="nodes"} 1.0' in lines
    assert 'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1.0' in lines
    assert 'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"} 1.0' in lines


async def test_the_core_names_no_metric_that_is_not_in_the_table() -> None:
    recorder = MetricsRecorder(lambda: 0.0)
    node = make_node("n").capacity(cpu="4", memory="8Gi", pods="32")
    low = make_pod("low").req(cpu="4").priority(1).node("n")
    world = World([node], [low, make_pod("high").req(cpu="4").priority(9)], recorder=recorder)
    await world.until(lambda: world.node_of("high") == "n")
    named = {metric for metric, _ in (*recorder.sums, *recorder.histograms)}
    assert named <= set(METRICS)
    assert "preemption_goroutines_execution_total" in named


def test_a_plugin_that_keeps_failing_is_shown_in_full_once(caplog: pytest.LogCaptureFixture) -> None:
    recorder = MetricsRecorder()
    for _ in range(3):
        error = PluginError("Rack", "filter")
        error.__cause__ = KeyError("rack")
        recorder.plugin_failed(POD, error)
    assert [bool(record.exc_info) for record in caplog.records] == [True, False, False]
    assert caplog.records[0].__dict__["plugin"] == "Rack"
    assert caplog.records[0].__dict__["pod"] == "default/p"
