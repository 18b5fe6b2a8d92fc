from __future__ import annotations

import pytest

from nominee.embedded.controllers.deployment import DeploymentController
from nominee.embedded.controllers.garbage import GarbageCollector
from nominee.embedded.controllers.replication import REPLICA_SETS, ReplicationController
from nominee.store.ports import JsonObject
from tests.unit.embedded.controllers.world import World, workload


@pytest.fixture
def world() -> World:
    return World(
        GarbageCollector,
        DeploymentController,
        lambda access: ReplicationController(access, REPLICA_SETS),
    )


def config_map(world: World, name: str, *owners: JsonObject, **reference: bool) -> JsonObject:
    references = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            **reference,
        }
        for owner in owners
    ]
    return world.create("configmaps", {"metadata": {"name": name, "ownerReferences": references}})


def names(world: World) -> list[str]:
    return [item["metadata"]["name"] for item in world.all("configmaps")]


def test_what_is_owned_goes_with_its_owner(world: World) -> None:
    owner = config_map(world, "owner")
    child = config_map(world, "child", owner)
    config_map(world, "grandchild", child)
    world.settle()
    world.delete("configmaps", "owner")
    world.settle()
    assert names(world) == []


def test_what_has_another_owner_stays_and_forgets_the_lost_one(world: World) -> None:
    one, other = config_map(world, "one"), config_map(world, "other")
    config_map(world, "child", one, other)
    world.delete("configmaps", "one")
    world.settle()
    (reference,) = world.get("configmaps", "child")["metadata"]["ownerReferences"]
    assert reference["name"] == "other"


def test_an_owner_of_another_uid_is_no_owner(world: World) -> None:
    owner = config_map(world, "owner")
    impostor = {**owner, "metadata": {**owner["metadata"], "uid": "another"}}
    config_map(world, "child", impostor)
    world.settle()
    assert names(world) == ["owner"]


def test_an_owner_of_an_unknown_kind_is_let_be(world: World) -> None:
    reference = {"apiVersion": "example.com/v1", "kind": "Thing", "name": "a", "uid": "b"}
    world.create("configmaps", {"metadata": {"name": "child", "ownerReferences": [reference]}})
    world.settle()
    assert names(world) == ["child"]


def test_orphans_stay_and_have_no_owner(world: World) -> None:
    owner = config_map(world, "owner")
    config_map(world, "child", owner)
    world.delete("configmaps", "owner", propagation="Orphan")
    world.settle()
    assert names(world) == ["child"]
    assert not world.get("configmaps", "child")["metadata"].get("ownerReferences")


def test_in_the_foreground_the_owner_goes_last(world: World) -> None:
    owner = config_map(world, "owner")
    child = config_map(world, "child", owner, blockOwnerDeletion=True)
    held = {**child, "metadata": {**child["metadata"], "finalizers": ["example.com/wait"]}}
    world.rest.update("configmaps", "default/child", held, world.rest.context("test"))
    world.delete("configmaps", "owner", propagation="Foreground")
    world.settle()
    assert names(world) == ["child", "owner"]
    assert "deletionTimestamp" in world.get("configmaps", "child")["metadata"]
    item = world.get("configmaps", "child")
    freed = {**item, "metadata": {**item["metadata"], "finalizers": []}}
    world.rest.update("configmaps", "default/child", freed, world.rest.context("test"))
    world.settle()
    assert names(world) == []


def test_in_the_foreground_those_that_do_not_block_are_not_waited_for(world: World) -> None:
    owner = config_map(world, "owner")
    config_map(world, "child", owner)
    world.delete("configmaps", "owner", propagation="Foreground")
    world.settle()
    assert names(world) == []


@pytest.mark.parametrize("propagation", ["Background", "Foreground"])
def test_a_deployment_goes_with_replica_sets_and_pods(world: World, propagation: str) -> None:
    world.create("deployments.apps", workload(replicas=3))
    world.live()
    world.delete("deployments.apps", "web", propagation=propagation)
    world.live()
    assert world.all("deployments.apps") == []
    assert world.all("replicasets.apps") == []
    assert world.pods() == []


def test_orphaned_replica_sets_are_adopted_by_the_next_deployment(world: World) -> None:
    world.create("deployments.apps", workload(replicas=2))
    world.live()
    before = {item["metadata"]["uid"] for item in world.pods()}
    world.delete("deployments.apps", "web", propagation="Orphan")
    world.live()
    assert len(world.all("replicasets.apps")) == 1
    world.create("deployments.apps", workload(replicas=2))
    world.live()
    assert {item["metadata"]["uid"] for item in world.pods()} == before
    assert len(world.all("replicasets.apps")) == 1
