"""What the scheduler writes straight into the store is what would have come over HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from nominee.apiserver.assembly import rest_of
from nominee.apiserver.rest import Rest
from nominee.driver.series import SeriesTable
from nominee.embedded.bootstrap import bootstrap
from nominee.embedded.cluster import StoreCluster
from nominee.errors import Conflict, NotFound
from nominee.scheduler.effects import RecordEvent
from nominee.store.memory import MemoryStore
from nominee.testing import ManualClock, make_cluster, make_pod, pod_of

NOW = 1_800_000_000.0


@pytest.fixture
def rest() -> Rest:
    made = rest_of(MemoryStore(), clock=ManualClock(NOW))
    bootstrap(made)
    return made


def event_of(name: str = "web", namespace: str = "default") -> dict[str, Any]:
    pod = pod_of(make_cluster(), make_pod(name, namespace))
    effect = RecordEvent("Normal", "Scheduled", "Binding", f"Successfully assigned {pod.key} to a", pod)
    return SeriesTable().observe(effect, NOW).body("host")


def recorded(rest: Rest, namespace: str, event: dict[str, Any]) -> None:
    asyncio.run(StoreCluster(rest).create_event(namespace, event))


def test_a_recorded_event_is_what_the_server_would_have_made_of_it(rest: Rest) -> None:
    event = event_of()
    name = event["metadata"]["name"]
    recorded(rest, "default", event_of())
    straight = rest.get("events", f"default/{name}").object
    sent = {**event, "metadata": {"name": f"{name}-2"}}
    checked = rest.create("events", "default", sent, rest.context("nominee")).object
    own = ("name", "uid", "resourceVersion", "managedFields")
    assert {**straight, "metadata": None} == {**checked, "metadata": None}
    assert _without(straight["metadata"], own) == _without(checked["metadata"], own)


def test_an_event_that_is_there_already_is_a_conflict(rest: Rest) -> None:
    recorded(rest, "default", event_of())
    with pytest.raises(Conflict):
        recorded(rest, "default", event_of())


def test_no_event_is_recorded_in_a_namespace_that_is_gone(rest: Rest) -> None:
    with pytest.raises(NotFound):
        recorded(rest, "gone", event_of(namespace="gone"))


def _without(metadata: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key not in names}
