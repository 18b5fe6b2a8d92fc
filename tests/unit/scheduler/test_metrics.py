from pathlib import Path
from typing import Any

import pytest

from nominee.framework import Allow, Reject, Wait
from nominee.scheduler.effects import Evict, RunBind
from nominee.scheduler.metrics import gauges
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench, plugin_class, raising
from tests.unit.scheduler.notebook import Notebook

PROFILE = "default-scheduler"


def bench(*pods: Any, plugins: tuple[type, ...] = (), **gates: bool) -> tuple[Bench, Notebook]:
    notes = Notebook()
    b = Bench([make_node("a")], pods, plugins=plugins, gates=gates, recorder=notes)
    b.run()
    return b, notes


def test_a_scheduled_pod() -> None:
    _, notes = bench(make_pod("p"))
    assert notes.counted("schedule_attempts_total", result="scheduled", profile=PROFILE) == 1
    duration = notes.observed("scheduling_attempt_duration_seconds", result="scheduled", profile=PROFILE)
    assert len(duration) == 1
    assert duration[0] > 0
    assert len(notes.observed("scheduling_algorithm_duration_seconds")) == 1
    assert notes.observed("pod_scheduling_attempts") == [1]
    assert notes.observed("pod_scheduling_sli_duration_seconds", attempts="1") == [0]


def points(notes: Notebook) -> set[tuple[str, str]]:
    """The extension points that were timed, with their status."""
    name = "framework_extension_point_duration_seconds"
    return {
        (dict(labels)["extension_point"], dict(labels)["status"]) for n, labels in notes.samples if n == name
    }


def test_what_a_pod_goes_through_is_timed_point_by_point() -> None:
    async def pre_bind(*_: Any) -> None:
        """Nothing."""

    _, notes = bench(make_pod("p"), plugins=(plugin_class("Slow", pre_bind=pre_bind),))
    names = {"PreFilter", "Filter", "Score", "PreBindPreFlight", "PreBind", "Bind"}
    assert {(name, "Success") for name in names} <= points(notes)


@pytest.mark.parametrize(
    ("methods", "point", "status"),
    [
        ({"pre_filter": lambda *_: Reject(("no",))}, "PreFilter", "Unschedulable"),
        ({"pre_filter": lambda *_: Reject(("no",), True)}, "PreFilter", "UnschedulableAndUnresolvable"),
        ({"filter": raising()}, "Filter", "Error"),
        ({"pre_filter": raising()}, "PreFilter", "Error"),
        ({"score_node": raising()}, "Score", "Error"),
        ({"pre_bind_pre_flight": raising(), "pre_bind": raising()}, "PreBindPreFlight", "Error"),
        ({"pre_bind": raising()}, "PreBind", "Error"),
    ],
)
def test_the_status_of_a_point(methods: dict[str, Any], point: str, status: str) -> None:
    _, notes = bench(make_pod("p"), plugins=(plugin_class("Bad", **methods),))
    assert (point, status) in points(notes)


def test_an_unschedulable_pod() -> None:
    b, notes = bench(make_pod("p").req(cpu="64"))
    assert notes.counted("schedule_attempts_total", result="unschedulable", profile=PROFILE) == 1
    assert notes.counted("unschedulable_pods", plugin="NodeResourcesFit", profile=PROFILE) == 1
    assert notes.counted("preemption_attempts_total") == 1
    b.delete("p")
    assert notes.counted("unschedulable_pods", plugin="NodeResourcesFit", profile=PROFILE) == 0


def test_an_error() -> None:
    _, notes = bench(make_pod("p"), plugins=(plugin_class("Bad", permit=raising()),))
    assert notes.counted("schedule_attempts_total", result="error", profile=PROFILE) == 1
    assert [failure.plugin for failure in notes.failures] == ["Bad"]


def test_where_pods_come_from() -> None:
    _, notes = bench(make_pod("p"), make_pod("big").req(cpu="64"))
    assert notes.counted("queue_incoming_pods_total", queue="active", event="UnscheduledPodAdd") == 2
    failure = notes.counted(
        "queue_incoming_pods_total", queue="unschedulable", event="ScheduleAttemptFailure"
    )
    assert failure == 1


@pytest.mark.parametrize("failed", [False, True])
def test_a_preemption_in_the_background(failed: bool) -> None:
    b, notes = bench(make_pod("victim").req(cpu="4").node("a"))
    b.put(make_pod("p").req(cpu="4").priority(5))
    b.hold(Evict)
    b.run()
    assert notes.observed("preemption_victims") == [1]
    b.answer(b.waiting_for(Evict)[0], "no" if failed else None)
    result = "error" if failed else "success"
    for prefix, labels in (("preemption_", {}), ("", {"operation": "preemption"})):
        assert notes.counted(f"{prefix}goroutines_execution_total", **labels, result=result) == 1
        (took,) = notes.observed(f"{prefix}goroutines_duration_seconds", **labels, result=result)
        assert took > 0
    assert notes.observed("preemption_execution_duration_seconds", preemptor="pod", result=result)


def test_a_synchronous_preemption_is_no_goroutine() -> None:
    b, notes = bench(make_pod("victim").req(cpu="4").node("a"), SchedulerAsyncPreemption=False)
    b.put(make_pod("p").req(cpu="4").priority(5))
    b.run()
    assert notes.observed("preemption_execution_duration_seconds", preemptor="pod", result="success")
    assert not [name for name, _ in notes.counts if "goroutines" in name]


def test_a_wait_on_permit() -> None:
    b, notes = bench(make_pod("p"), plugins=(plugin_class("Patient", permit=lambda *_: Wait(30)),))
    b.pass_time(30)
    assert notes.observed("permit_wait_duration_seconds", result="Unschedulable") == [30]
    labels = {"extension_point": "Permit", "status": "Wait", "profile": PROFILE}
    assert notes.observed("framework_extension_point_duration_seconds", **labels)


def test_plugins_are_timed_in_every_tenth_cycle_or_so() -> None:
    plugin = plugin_class("Quick", permit=lambda *_: Allow.ALLOW)
    _, notes = bench(*(make_pod(f"p{i}") for i in range(100)), plugins=(plugin,))
    labels = {"plugin": "Quick", "extension_point": "Permit", "status": "Success"}
    assert 3 <= len(notes.observed("plugin_execution_duration_seconds", **labels)) <= 20


def test_what_stands_where_right_now() -> None:
    b, _ = bench()
    b.hold(RunBind)
    b.put(make_pod("p"))
    b.put(make_pod("big").req(cpu="64"))
    b.run()
    now = {(name, dict(labels).popitem()[1]): value for name, labels, value in gauges(b.scheduler)}
    assert now["pending_pods", "unschedulable"] == 1
    assert (now["cache_size", "nodes"], now["cache_size", "assumed_pods"]) == (1, 1)
    assert now["goroutines", "binding"] == 1


def test_every_metric_is_listed_in_the_documentation() -> None:
    b, notes = bench(make_pod("victim").req(cpu="4").node("a"), make_pod("p").req(cpu="4").priority(5))
    b.pass_time(10)
    text = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text()
    names = {name for name, _ in (*notes.counts, *notes.samples)} | {name for name, *_ in gauges(b.scheduler)}
    assert {name for name in names if f"`scheduler_{name}`" not in text} == set()
