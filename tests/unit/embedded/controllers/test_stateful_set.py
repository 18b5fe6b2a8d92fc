from __future__ import annotations

from typing import Any

import pytest

from nominee.embedded.controllers.garbage import GarbageCollector
from nominee.embedded.controllers.stateful_set import StatefulSetController
from nominee.embedded.storage.protection import ClaimProtection
from nominee.store.ports import JsonObject
from tests.unit.embedded.controllers.world import World, template, workload


@pytest.fixture
def world() -> World:
    return World(StatefulSetController, GarbageCollector, ClaimProtection)


def names(world: World) -> list[str]:
    return [item["metadata"]["name"] for item in world.active_pods()]


def stateful(**spec: Any) -> JsonObject:
    return workload(serviceName="web", **spec)


def image(name: str) -> JsonObject:
    made = template()
    made["spec"]["containers"][0]["image"] = name
    return made


def images(world: World) -> list[str]:
    return [item["spec"]["containers"][0]["image"] for item in world.active_pods()]


CLAIM = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}


def test_pods_come_one_after_the_other(world: World) -> None:
    world.create("statefulsets.apps", stateful(replicas=3))
    world.settle()
    assert names(world) == ["web-0"]
    world.settle()
    assert names(world) == ["web-0"]
    world.make_ready()
    world.settle()
    assert names(world) == ["web-0", "web-1"]
    world.live()
    assert names(world) == ["web-0", "web-1", "web-2"]


def test_in_parallel_they_come_at_once(world: World) -> None:
    world.create("statefulsets.apps", stateful(replicas=3, podManagementPolicy="Parallel"))
    world.settle()
    assert names(world) == ["web-0", "web-1", "web-2"]


def test_a_pod_has_a_name_a_host_name_and_a_revision(world: World) -> None:
    world.create("statefulsets.apps", stateful())
    world.settle()
    (pod,) = world.pods()
    status = world.get("statefulsets.apps", "web")["status"]
    assert pod["metadata"]["labels"] == {
        "app": "web",
        "statefulset.kubernetes.io/pod-name": "web-0",
        "apps.kubernetes.io/pod-index": "0",
        "controller-revision-hash": status["updateRevision"],
    }
    assert (pod["spec"]["hostname"], pod["spec"]["subdomain"]) == ("web-0", "web")
    assert world.events("SuccessfulCreate") == ["Create Pod web-0 in StatefulSet web successful"]
    assert pod["metadata"]["generateName"] == "web-"


def test_its_status_counts_current_and_updated_pods(world: World) -> None:
    world.create("statefulsets.apps", stateful(replicas=2))
    world.live()
    status = world.get("statefulsets.apps", "web")["status"]
    assert status.pop("currentRevision") == status.pop("updateRevision")
    assert status == {
        "replicas": 2,
        "readyReplicas": 2,
        "availableReplicas": 2,
        "currentReplicas": 2,
        "updatedReplicas": 2,
        "observedGeneration": 1,
        "collisionCount": 0,
    }


def test_the_last_pod_goes_first(world: World) -> None:
    world.create("statefulsets.apps", stateful(replicas=3))
    world.live()
    world.change("statefulsets.apps", "web", replicas=1)
    world.settle()
    assert names(world) == ["web-0", "web-1"]
    world.live()
    assert names(world) == ["web-0"]


def test_a_lost_pod_comes_back_under_its_name(world: World) -> None:
    world.create("statefulsets.apps", stateful(replicas=2))
    world.live()
    before = world.get("pods", "web-0")["metadata"]["uid"]
    world.delete("pods", "web-0", grace_period_seconds=0)
    world.live()
    assert names(world) == ["web-0", "web-1"]
    assert world.get("pods", "web-0")["metadata"]["uid"] != before


def test_a_failed_pod_is_made_anew(world: World) -> None:
    world.create("statefulsets.apps", stateful())
    world.live()
    world.finish(world.pods()[0], "Failed")
    world.live()
    assert names(world) == ["web-0"]


def test_another_template_rolls_out_from_the_last_to_the_first(world: World) -> None:
    world.create("statefulsets.apps", stateful(replicas=3))
    world.live()
    world.change("statefulsets.apps", "web", template=image("nginx:2"))
    world.settle()
    assert names(world) == ["web-0", "web-1"]
    world.bury()
    world.settle()
    world.make_ready()
    world.settle()
    assert names(world) == ["web-0", "web-2"]
    world.live()
    assert images(world) == ["nginx:2"] * 3
    status = world.get("statefulsets.apps", "web")["status"]
    assert status["currentRevision"] == status["updateRevision"]
    assert len(world.all("controllerrevisions.apps")) == 2


def test_pods_below_the_partition_stay(world: World) -> None:
    world.create("statefulsets.apps", stateful(replicas=3))
    world.live()
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    world.change("statefulsets.apps", "web", template=image("nginx:2"), updateStrategy=strategy)
    world.live()
    assert images(world) == ["nginx:1.27", "nginx:1.27", "nginx:2"]
    world.delete("pods", "web-0", grace_period_seconds=0)
    world.live()
    assert images(world) == ["nginx:1.27", "nginx:1.27", "nginx:2"]


def test_going_back_needs_no_new_revision(world: World) -> None:
    world.create("statefulsets.apps", stateful())
    world.live()
    for name in ("nginx:2", "nginx:1.27"):
        world.change("statefulsets.apps", "web", template=image(name))
        world.live()
    revisions = sorted(item["revision"] for item in world.all("controllerrevisions.apps"))
    assert revisions == [2, 3]
    assert images(world) == ["nginx:1.27"]


def test_each_pod_has_claims_of_its_own(world: World) -> None:
    world.create("statefulsets.apps", stateful(replicas=2, volumeClaimTemplates=[CLAIM]))
    world.live()
    claims = [item["metadata"]["name"] for item in world.all("persistentvolumeclaims")]
    assert claims == ["data-web-0", "data-web-1"]
    volume = world.get("pods", "web-1")["spec"]["volumes"][0]
    assert volume == {"name": "data", "persistentVolumeClaim": {"claimName": "data-web-1"}}
    world.change("statefulsets.apps", "web", replicas=1)
    world.live()
    assert len(world.all("persistentvolumeclaims")) == 2


def test_claims_go_with_pods_where_the_set_wants_that(world: World) -> None:
    policy = {"whenScaled": "Delete", "whenDeleted": "Delete"}
    spec = {"volumeClaimTemplates": [CLAIM], "persistentVolumeClaimRetentionPolicy": policy}
    world.create("statefulsets.apps", stateful(replicas=2, **spec))
    world.live()
    world.change("statefulsets.apps", "web", replicas=1)
    world.live()
    assert [item["metadata"]["name"] for item in world.all("persistentvolumeclaims")] == ["data-web-0"]
    world.delete("statefulsets.apps", "web", propagation="Background")
    world.live()
    assert world.all("persistentvolumeclaims") == []


def test_it_can_start_counting_elsewhere(world: World) -> None:
    world.create("statefulsets.apps", stateful(replicas=2, ordinals={"start": 5}))
    world.live()
    assert names(world) == ["web-5", "web-6"]
