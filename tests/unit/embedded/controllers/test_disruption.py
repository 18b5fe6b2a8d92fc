from __future__ import annotations

from typing import Any

import pytest

from nominee.embedded.controllers.deployment import DeploymentController
from nominee.embedded.controllers.disruption import DisruptionController
from nominee.embedded.controllers.replication import REPLICA_SETS, ReplicationController
from nominee.store.ports import JsonObject
from tests.unit.embedded.controllers.world import World, pod, set_condition, workload


@pytest.fixture
def world() -> World:
    return World(
        DisruptionController,
        DeploymentController,
        lambda access: ReplicationController(access, REPLICA_SETS),
    )


def budget(world: World, **spec: Any) -> None:
    spec.setdefault("selector", {"matchLabels": {"app": "web"}})
    world.create("poddisruptionbudgets.policy", {"metadata": {"name": "web"}, "spec": spec})


def status(world: World) -> JsonObject:
    found: JsonObject = world.get("poddisruptionbudgets.policy", "web")["status"]
    return found


def numbers(world: World) -> tuple[int, int, int, int]:
    said = status(world)
    names = ("expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed")
    return tuple(said[name] for name in names)


def test_a_number_of_pods_must_stay(world: World) -> None:
    for name in "abc":
        world.create("pods", pod(name, {"app": "web"}))
    world.make_ready(world.pods()[:2])
    budget(world, minAvailable=1)
    world.settle()
    assert numbers(world) == (3, 1, 2, 1)
    assert status(world)["observedGeneration"] == 1
    allowed = set_condition(world.get("poddisruptionbudgets.policy", "web"), "DisruptionAllowed")
    assert (allowed["status"], allowed["reason"]) == ("True", "SufficientPods")
    world.make_ready(world.pods())
    world.settle()
    assert numbers(world) == (3, 1, 3, 2)


def test_pods_that_go_count_no_more(world: World) -> None:
    for name in "ab":
        world.create("pods", pod(name, {"app": "web"}))
    world.make_ready()
    budget(world, minAvailable=1)
    world.settle()
    assert numbers(world) == (2, 1, 2, 1)
    world.delete("pods", "a", grace_period_seconds=0)
    world.settle()
    assert numbers(world) == (1, 1, 1, 0)


def test_a_share_is_one_of_the_size_of_the_deployment(world: World) -> None:
    world.create("deployments.apps", workload(replicas=4))
    world.live()
    budget(world, maxUnavailable="25%")
    world.settle()
    assert numbers(world) == (4, 3, 4, 1)
    world.change("deployments.apps", "web", replicas=8)
    world.live()
    assert numbers(world) == (8, 6, 8, 2)


def test_pods_without_a_controller_are_told_of(world: World) -> None:
    world.create("pods", pod("a", {"app": "web"}))
    budget(world, maxUnavailable=1)
    world.settle()
    assert status(world)["disruptionsAllowed"] == 0
    assert world.events("UnmanagedPods")[0].startswith("Pods selected by this PodDisruptionBudget")


def test_an_evicted_pod_counts_as_gone_for_two_minutes_at_most(world: World) -> None:
    for name in "ab":
        world.create("pods", pod(name, {"app": "web"}))
    world.make_ready()
    budget(world, minAvailable=1)
    world.settle()
    item = world.get("poddisruptionbudgets.policy", "web")
    noted = {**item["status"], "disruptedPods": {"a": world.access.timestamp()}}
    world.access.update_status("poddisruptionbudgets.policy", {**item, "status": noted})
    world.settle()
    assert numbers(world) == (2, 1, 1, 0)
    world.pass_time(121)
    assert numbers(world) == (2, 1, 2, 1)
    assert "disruptedPods" not in status(world)


def test_no_pods_allow_no_disruption(world: World) -> None:
    budget(world, maxUnavailable=1)
    world.settle()
    assert numbers(world) == (0, 0, 0, 0)
    assert world.events("NoPods") == ["No matching pods found"]
