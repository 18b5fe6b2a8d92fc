"""The page /metrics: the scheduler's figures, the lease, the events."""

from __future__ import annotations

from typing import Any, cast

from nominee.driver.recorder import MetricsRecorder
from nominee.live.endpoints import Asked
from nominee.live.metrics import MetricsPage


class FakeEvents:
    written = 3
    dropped = {"overflow": 2}  # noqa: RUF012


class FakeDriver:
    scheduler = None
    under_way = 5
    events = FakeEvents()


class FakeElector:
    is_leader = True


def shown(accept: str = "") -> tuple[str, list[str]]:
    recorder = MetricsRecorder()
    recorder.count("preemption_attempts_total")
    page = MetricsPage(recorder, cast("Any", FakeDriver()), cast("Any", FakeElector()), "kube-system/mine")
    answer = page(Asked("/metrics", "", accept))
    return answer.content_type, answer.body.decode().splitlines()


def test_everything_is_on_it() -> None:
    content_type, lines = shown()
    assert content_type.startswith("text/plain")
    assert {
        "scheduler_preemption_attempts_total 1.0",
        'leader_election_master_status{name="mine"} 1.0',
        "nominee_effects_under_way 5.0",
        "nominee_events_written_total 3.0",
        'nominee_events_dropped_total{cause="overflow"} 2.0',
    } <= set(lines)
    assert any(line.startswith("process_cpu_seconds_total") for line in lines)


def test_openmetrics_for_those_who_want_it() -> None:
    content_type, lines = shown("application/openmetrics-text")
    assert content_type.startswith("application/openmetrics-text")
    assert lines[-1] == "# EOF"
