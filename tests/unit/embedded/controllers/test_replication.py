from __future__ import annotations

import pytest

from nominee.embedded.controllers.ownership import controller_of
from nominee.embedded.controllers.replication import (
    REPLICA_SETS,
    REPLICATION_CONTROLLERS,
    ReplicationController,
)
from tests.unit.embedded.controllers.world import World, pod, workload


@pytest.fixture
def world() -> World:
    return World(
        lambda access: ReplicationController(access, REPLICA_SETS),
        lambda access: ReplicationController(access, REPLICATION_CONTROLLERS),
    )


def test_it_makes_as_many_pods_as_it_is_asked_for(world: World) -> None:
    owner = world.create("replicasets.apps", workload(replicas=3))
    world.settle()
    pods = world.pods()
    assert len(pods) == 3
    for made in pods:
        assert made["metadata"]["name"].startswith("web-")
        reference = controller_of(made)
        assert reference is not None
        assert reference["uid"] == owner["metadata"]["uid"]
    assert world.events("SuccessfulCreate")[0].startswith("Created pod: web-")


def test_its_status_follows_its_pods(world: World) -> None:
    world.create("replicasets.apps", workload(replicas=2))
    world.settle()
    status = world.get("replicasets.apps", "web")["status"]
    assert status == {
        "replicas": 2,
        "fullyLabeledReplicas": 2,
        "observedGeneration": 1,
        "terminatingReplicas": 0,
    }
    world.make_ready()
    world.settle()
    status = world.get("replicasets.apps", "web")["status"]
    assert (status["readyReplicas"], status["availableReplicas"]) == (2, 2)


def test_pods_are_available_once_they_were_ready_for_long_enough(world: World) -> None:
    world.create("replicasets.apps", workload(minReadySeconds=10))
    world.settle()
    world.make_ready()
    world.pass_time(9)
    assert "availableReplicas" not in world.get("replicasets.apps", "web")["status"]
    world.pass_time(1)
    assert world.get("replicasets.apps", "web")["status"]["availableReplicas"] == 1


def test_a_deleted_pod_is_replaced(world: World) -> None:
    world.create("replicasets.apps", workload())
    world.settle()
    name = world.pods()[0]["metadata"]["name"]
    world.delete("pods", name, grace_period_seconds=0)
    world.settle()
    (left,) = world.active_pods()
    assert left["metadata"]["name"] != name


def test_a_failed_pod_is_replaced(world: World) -> None:
    world.create("replicasets.apps", workload())
    world.settle()
    world.finish(world.pods()[0], "Failed")
    world.settle()
    assert len(world.active_pods()) == 1
    assert len(world.pods()) == 2


def test_pods_that_are_not_ready_go_first(world: World) -> None:
    world.create("replicasets.apps", workload(replicas=3))
    world.settle()
    healthy = world.pods()[1:]
    world.make_ready(healthy)
    world.settle()
    world.change("replicasets.apps", "web", replicas=2)
    world.settle()
    kept = {item["metadata"]["name"] for item in world.active_pods()}
    assert kept == {item["metadata"]["name"] for item in healthy}
    assert len(world.events("SuccessfulDelete")) == 1


def test_the_cheapest_pod_goes_first_among_equals(world: World) -> None:
    for name, cost in (("a", "10"), ("b", "-5"), ("c", "0")):
        item = pod(name, {"app": "web"})
        item["metadata"]["annotations"] = {"controller.kubernetes.io/pod-deletion-cost": cost}
        world.create("pods", item)
    world.create("replicasets.apps", workload(replicas=2))
    world.settle()
    assert [item["metadata"]["name"] for item in world.active_pods()] == ["a", "c"]


def test_it_adopts_what_it_selects_and_lets_go_what_it_does_not(world: World) -> None:
    world.create("pods", pod("stray", {"app": "web"}))
    owner = world.create("replicasets.apps", workload())
    world.settle()
    (adopted,) = world.pods()
    reference = controller_of(adopted)
    assert reference is not None
    assert reference["uid"] == owner["metadata"]["uid"]
    renamed = {**adopted, "metadata": {**adopted["metadata"], "labels": {"app": "other"}}}
    world.rest.update("pods", "default/stray", renamed, world.rest.context("test"))
    world.settle()
    assert controller_of(world.get("pods", "stray")) is None
    assert len(world.pods()) == 2


def test_a_pod_that_comes_later_is_adopted_and_is_one_too_many(world: World) -> None:
    world.create("replicasets.apps", workload())
    world.settle()
    world.create("pods", pod("late", {"app": "web"}))
    world.settle()
    assert len(world.active_pods()) == 1


def test_a_refused_pod_is_told_of_and_tried_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from nominee.apiserver.status import forbidden  # noqa: PLC0415

    create = world.access.create

    def refuse(resource: str, namespace: str, item: dict[str, object]) -> dict[str, object]:
        if resource == "pods":
            raise forbidden("pods", "", "exceeded quota")
        return create(resource, namespace, item)

    monkeypatch.setattr(world.access, "create", refuse)
    world.create("replicasets.apps", workload())
    world.settle()
    (condition,) = world.get("replicasets.apps", "web")["status"]["conditions"]
    assert (condition["type"], condition["reason"]) == ("ReplicaFailure", "FailedCreate")
    assert world.events("FailedCreate") == ["Error creating: pods is forbidden: exceeded quota"]
    monkeypatch.undo()
    world.pass_time(1)
    assert len(world.pods()) == 1
    assert "conditions" not in world.get("replicasets.apps", "web")["status"]


def test_replication_controllers_do_the_same(world: World) -> None:
    world.create("replicationcontrollers", workload(replicas=2, selector={"app": "web"}))
    world.settle()
    assert len(world.pods()) == 2
    assert world.get("replicationcontrollers", "web")["status"] == {
        "replicas": 2,
        "fullyLabeledReplicas": 2,
        "observedGeneration": 1,
    }
