"""Events: what is written, what is counted, what is dropped."""

from __future__ import annotations

import asyncio

import pytest

from nominee.driver.events import Events
from nominee.errors import ApiError, Forbidden, TransportError
from nominee.scheduler.effects import RecordEvent
from nominee.state.cluster import ClusterState
from nominee.testing import make_pod
from tests.unit.driver.fake_cluster import FakeCluster
from tests.virtual_time import VirtualClock

CORE = ClusterState()
POD = CORE.pod(make_pod("p").build())


def event(
    note: str = "0/1 nodes are available", reason: str = "FailedScheduling", name: str = "p"
) -> RecordEvent:
    pod = POD if name == "p" else CORE.pod(make_pod(name).build())
    return RecordEvent("Warning", reason, "Scheduling", note, pod)


def rig(**options: int) -> tuple[FakeCluster, Events]:
    cluster = FakeCluster()
    return cluster, Events(cluster, VirtualClock().wall, host="here", **options)


async def test_an_event_names_everything_that_people_look_for() -> None:
    cluster, events = rig()
    victim = CORE.pod(make_pod("victim", "other").build())
    preemptor = CORE.pod(make_pod("high").scheduler("mine").build())
    events.record(RecordEvent("Normal", "Preempted", "Preempting", "by high", victim, preemptor))
    await asyncio.sleep(1)
    (written,) = cluster.events.values()
    assert written.pop("metadata")["name"].startswith("victim.")
    assert written == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "eventTime": "2027-01-15T08:00:00.000000Z",
        "reportingController": "mine",
        "reportingInstance": "mine-here",
        "action": "Preempting",
        "reason": "Preempted",
        "regarding": {
            "kind": "Pod",
            "apiVersion": "v1",
            "namespace": "other",
            "name": "victim",
            "uid": "other/victim",
        },
        "related": {
            "kind": "Pod",
            "apiVersion": "v1",
            "namespace": "default",
            "name": "high",
            "uid": "default/high",
        },
        "note": "by high",
        "type": "Normal",
    }


async def test_the_second_occurrence_begins_a_series_and_later_ones_are_counted() -> None:
    cluster, events = rig()
    for _ in range(5):
        events.record(event())
        await asyncio.sleep(1)
    (written,) = cluster.events.values()
    assert written["series"]["count"] == 2
    await asyncio.sleep(500)
    (written,) = cluster.events.values()
    assert written["series"] == {"count": 5, "lastObservedTime": "2027-01-15T08:00:04.000000Z"}


async def test_occurrences_before_the_first_is_written_are_told_with_it() -> None:
    cluster, events = rig()
    events.record(event())
    events.record(event())
    await asyncio.sleep(1)
    (written,) = cluster.events.values()
    assert written["series"]["count"] == 2
    assert len(cluster.calls) == 1


async def test_another_note_and_a_series_that_is_over_make_another_event() -> None:
    cluster, events = rig()
    events.record(event())
    events.record(event("0/2 nodes are available"))
    await asyncio.sleep(400)
    events.record(event())
    await asyncio.sleep(1)
    assert [e["note"][:9] for e in cluster.events.values()] == ["0/1 nodes", "0/2 nodes", "0/1 nodes"]


async def test_a_series_whose_event_is_gone_is_created_anew() -> None:
    cluster, events = rig()
    events.record(event())
    await asyncio.sleep(1)
    cluster.events.clear()
    events.record(event())
    await asyncio.sleep(1)
    (written,) = cluster.events.values()
    assert written["series"]["count"] == 2


async def test_a_pod_that_was_scheduled_is_not_remembered() -> None:
    _, events = rig()
    events.record(event(reason="Scheduled"))
    assert len(events._series) == 0


async def test_errors_that_pass_are_waited_out() -> None:
    cluster, events = rig()
    cluster.fail("event", ApiError(500, "?"), TransportError("?"))
    events.record(event())
    await asyncio.sleep(60)
    assert len(cluster.events) == 1


async def test_an_answer_that_was_lost_makes_no_second_event() -> None:
    cluster, events = rig()
    cluster.late = True
    cluster.fail("event", TransportError("?"))
    events.record(event())
    await asyncio.sleep(60)
    assert len(cluster.events) == 1
    assert events.dropped == {}


async def test_what_the_server_refuses_is_dropped_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    cluster, events = rig()
    cluster.fail("event", *[Forbidden(403, "events is forbidden")] * 2)
    events.record(event())
    events.record(event(name="q"))
    await asyncio.sleep(1)
    assert events.dropped == {"rejected": 2}
    assert caplog.text.count("events are dropped") == 1


async def test_what_a_slow_server_leaves_no_room_for_is_dropped() -> None:
    cluster, events = rig(limit=3, workers=1)
    cluster.latency = 1.0
    for i in range(10):
        events.record(event(name=f"p{i}"))
    assert events.dropped == {"overflow": 7}
    await asyncio.sleep(10)
    assert len(cluster.events) == 3


async def test_closing_writes_what_is_in_line_as_far_as_there_is_time() -> None:
    cluster, events = rig(workers=1)
    cluster.latency = 1.0
    for i in range(10):
        events.record(event(name=f"p{i}"))
    await events.close(4.5)
    assert len(cluster.events) == 4
    assert events.dropped["unanswered"] == 5


async def test_names_are_never_longer_than_allowed() -> None:
    cluster, events = rig()
    events.record(event(name="x" * 253))
    await asyncio.sleep(1)
    (name,) = cluster.events
    assert len(name) == 253
