"""Pods that leave tainted nodes, and those whose node is gone, in virtual time."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.embedded.controllers.pod_garbage import QUARANTINE_SECONDS, PodGarbageCollector
from nominee.embedded.controllers.taint_eviction import TaintEviction
from nominee.store.ports import JsonObject
from tests.unit.embedded.controllers.world import World, pod

GONE = {"key": "gone", "effect": "NoExecute"}
SLOW = {"key": "slow", "effect": "NoExecute"}


@pytest.fixture
def world() -> World:
    world = World(TaintEviction, PodGarbageCollector)
    world.create("nodes", {"metadata": {"name": "a"}, "spec": {}})
    world.settle()
    return world


def place(world: World, name: str, *tolerations: JsonObject) -> None:
    world.create("pods", pod(name, nodeName="a", tolerations=list(tolerations)))
    world.settle()


def taint(world: World, *taints: JsonObject) -> None:
    item = world.get("nodes", "a")
    changed = {**item, "spec": {**item["spec"], "taints": list(taints)}}
    world.rest.update("nodes", "a", changed, world.rest.context("test"))
    world.settle()


def left(world: World) -> list[str]:
    """Who is to go, and why."""
    leaving = [each for each in world.pods() if "deletionTimestamp" in each["metadata"]]
    for each in leaving:
        (condition,) = [c for c in each["status"]["conditions"] if c["type"] == "DisruptionTarget"]
        assert (condition["status"], condition["reason"]) == ("True", "DeletionByTaintManager")
    return sorted(each["metadata"]["name"] for each in leaving)


def tolerating(key: str, seconds: int | None = None) -> JsonObject:
    toleration: dict[str, Any] = {"key": key, "operator": "Exists", "effect": "NoExecute"}
    return toleration if seconds is None else {**toleration, "tolerationSeconds": seconds}


def test_who_does_not_tolerate_the_taint_goes_at_once(world: World) -> None:
    place(world, "frail")
    place(world, "tough", tolerating("gone"))
    taint(world, GONE)
    assert left(world) == ["frail"]
    assert world.events("TaintManagerEviction") == ["Marking for deletion Pod default/frail"]


def test_a_pod_that_comes_to_a_tainted_node_goes(world: World) -> None:
    taint(world, GONE)
    place(world, "late")
    assert left(world) == ["late"]


def test_other_effects_drive_nobody_away(world: World) -> None:
    place(world, "frail")
    taint(world, {"key": "full", "effect": "NoSchedule"})
    assert left(world) == []


def test_who_tolerates_it_for_a_time_goes_after_that(world: World) -> None:
    place(world, "patient", tolerating("gone", 60))
    taint(world, GONE)
    world.pass_time(59)
    assert left(world) == []
    world.pass_time(1)
    assert left(world) == ["patient"]


def test_the_shortest_of_several_times_counts_from_the_first_taint_on(world: World) -> None:
    place(world, "patient", tolerating("gone", 300), tolerating("slow", 60))
    taint(world, GONE)
    world.pass_time(30)
    taint(world, GONE, SLOW)
    world.pass_time(29)
    assert left(world) == []
    world.pass_time(1)
    assert left(world) == ["patient"]


def test_a_taint_that_goes_in_time_is_forgiven(world: World) -> None:
    place(world, "patient", tolerating("gone", 60))
    taint(world, GONE)
    world.pass_time(30)
    taint(world)
    assert world.events("TaintManagerEviction") == ["Cancelling deletion of Pod default/patient"]
    world.pass_time(600)
    assert left(world) == []


def test_pods_of_a_node_that_stays_away_are_collected(world: World) -> None:
    place(world, "orphan")
    world.delete("nodes", "a")
    world.pass_time(QUARANTINE_SECONDS - 1)
    assert len(world.pods()) == 1
    world.pass_time(1)
    assert world.pods() == []


def test_a_node_that_comes_back_in_time_keeps_its_pods(world: World) -> None:
    place(world, "orphan")
    world.delete("nodes", "a")
    world.pass_time(QUARANTINE_SECONDS / 2)
    world.create("nodes", {"metadata": {"name": "a"}, "spec": {}})
    world.pass_time(10 * QUARANTINE_SECONDS)
    assert len(world.pods()) == 1


def test_a_pod_that_has_ended_is_collected_as_it_is(world: World) -> None:
    place(world, "done")
    world.finish(world.get("pods", "done"))
    seen: list[str] = []
    world.store.listen(lambda change: seen.append(change.stored.object["status"]["phase"]), ["pods"])
    world.delete("nodes", "a")
    world.pass_time(QUARANTINE_SECONDS)
    assert (world.pods(), set(seen)) == ([], {"Succeeded"})
