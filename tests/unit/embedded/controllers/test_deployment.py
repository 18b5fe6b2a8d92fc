from __future__ import annotations

from typing import Any

import pytest

from nominee.embedded.controllers.deployment import DeploymentController
from nominee.embedded.controllers.replication import REPLICA_SETS, ReplicationController
from nominee.store.ports import JsonObject
from tests.unit.embedded.controllers.world import World, set_condition, template, workload

REVISION = "deployment.kubernetes.io/revision"


@pytest.fixture
def world() -> World:
    return World(DeploymentController, lambda access: ReplicationController(access, REPLICA_SETS))


def image(name: str) -> JsonObject:
    made = template()
    made["spec"]["containers"][0]["image"] = name
    return made


def deployed(world: World, **spec: Any) -> JsonObject:
    world.create("deployments.apps", workload(**spec))
    world.live()
    return world.get("deployments.apps", "web")


def revisions(world: World) -> dict[str, int]:
    """Sizes by revision."""
    return {
        item["metadata"]["annotations"][REVISION]: item["spec"]["replicas"]
        for item in world.all("replicasets.apps")
    }


def test_a_new_deployment_makes_a_replica_set_with_all_pods(world: World) -> None:
    deployment = deployed(world, replicas=3)
    (replica_set,) = world.all("replicasets.apps")
    assert replica_set["metadata"]["name"].startswith("web-")
    word = replica_set["metadata"]["labels"]["pod-template-hash"]
    assert replica_set["spec"]["selector"]["matchLabels"] == {"app": "web", "pod-template-hash": word}
    assert all(pod["metadata"]["labels"]["pod-template-hash"] == word for pod in world.pods())
    assert deployment["metadata"]["annotations"] == {REVISION: "1"}
    assert world.events("ScalingReplicaSet") == [f"Scaled up replica set web-{word} from 0 to 3"]


def test_its_status_says_that_the_rollout_is_complete(world: World) -> None:
    status = deployed(world, replicas=2)["status"]
    numbers = {name: value for name, value in status.items() if name != "conditions"}
    assert numbers == {
        "observedGeneration": 1,
        "replicas": 2,
        "updatedReplicas": 2,
        "readyReplicas": 2,
        "availableReplicas": 2,
        "terminatingReplicas": 0,
    }
    progressing = set_condition(world.get("deployments.apps", "web"), "Progressing")
    assert (progressing["status"], progressing["reason"]) == ("True", "NewReplicaSetAvailable")
    assert progressing["message"].endswith("has successfully progressed.")
    available = set_condition(world.get("deployments.apps", "web"), "Available")
    assert (available["status"], available["message"]) == ("True", "Deployment has minimum availability.")


def test_another_template_rolls_out_within_surge_and_unavailability(world: World) -> None:
    deployed(world, replicas=4)
    world.change("deployments.apps", "web", template=image("nginx:1.28"))
    world.settle()
    assert revisions(world) == {"1": 3, "2": 2}  # 25 % of 4: one more, one fewer
    world.live()
    assert revisions(world) == {"1": 0, "2": 4}
    assert {pod["spec"]["containers"][0]["image"] for pod in world.pods()} == {"nginx:1.28"}


def test_never_are_fewer_available_than_allowed_nor_more_there(world: World) -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    deployed(world, replicas=3, strategy=rolling)
    world.change("deployments.apps", "web", template=image("nginx:1.28"))
    for _ in range(20):
        world.settle()
        status = world.get("deployments.apps", "web")["status"]
        assert status["availableReplicas"] >= 3
        assert len(world.active_pods()) <= 4
        world.make_ready(world.active_pods()[-1:])
        world.bury()
    world.live()
    assert revisions(world) == {"1": 0, "2": 3}


def test_a_rollout_stops_where_new_pods_do_not_become_ready(world: World) -> None:
    deployed(world, replicas=4, progressDeadlineSeconds=60)
    world.change("deployments.apps", "web", template=image("broken"))
    world.pass_time(30)
    assert revisions(world) == {"1": 3, "2": 2}
    assert set_condition(world.get("deployments.apps", "web"), "Progressing")["status"] == "True"
    world.pass_time(40)
    progressing = set_condition(world.get("deployments.apps", "web"), "Progressing")
    assert (progressing["status"], progressing["reason"]) == ("False", "ProgressDeadlineExceeded")
    assert progressing["message"].endswith("has timed out progressing.")


def test_going_back_takes_the_old_replica_set_up_as_a_new_revision(world: World) -> None:
    deployed(world, replicas=2)
    world.change("deployments.apps", "web", template=image("nginx:1.28"))
    world.live()
    world.change("deployments.apps", "web", template=image("nginx:1.27"))
    world.live()
    assert revisions(world) == {"3": 2, "2": 0}
    again = next(item for item in world.all("replicasets.apps") if item["spec"]["replicas"])
    assert again["metadata"]["annotations"]["deployment.kubernetes.io/revision-history"] == "1"
    assert world.get("deployments.apps", "web")["metadata"]["annotations"][REVISION] == "3"


def test_scaling_makes_no_revision(world: World) -> None:
    deployed(world, replicas=2)
    world.change("deployments.apps", "web", replicas=5)
    world.live()
    assert revisions(world) == {"1": 5}
    assert world.events("ScalingReplicaSet")[-1].endswith(" from 2 to 5")
    world.change("deployments.apps", "web", replicas=0)
    world.live()
    assert revisions(world) == {"1": 0}
    assert world.get("deployments.apps", "web")["status"].get("replicas") is None


def test_a_replica_set_that_comes_back_says_nothing_new(world: World) -> None:
    deployed(world, template=image("nginx:1"))
    for name in ("nginx:2", "nginx:1"):
        world.change("deployments.apps", "web", template=image(name))
        world.live()
    assert not any("minReadySeconds" in item["spec"] for item in world.all("replicasets.apps"))


def test_scaling_in_the_middle_of_a_rollout_is_in_proportion(world: World) -> None:
    deployed(world, replicas=10, strategy={"rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}})
    world.change("deployments.apps", "web", template=image("broken"))
    world.settle()
    assert revisions(world) == {"1": 8, "2": 5}
    world.change("deployments.apps", "web", replicas=15)
    world.settle()
    assert revisions(world) == {"1": 11, "2": 7}


def test_recreate_waits_until_the_last_old_pod_is_gone(world: World) -> None:
    deployed(world, replicas=2, strategy={"type": "Recreate"})
    world.change("deployments.apps", "web", template=image("nginx:1.28"))
    for pod in world.pods():
        world.rest.update(
            "pods",
            f"default/{pod['metadata']['name']}",
            {**pod, "metadata": {**pod["metadata"], "finalizers": ["example.com/wait"]}},
            world.rest.context("test"),
        )
    world.settle()
    assert revisions(world) == {"1": 0}
    for pod in world.pods():
        metadata = {**pod["metadata"], "finalizers": []}
        key = f"default/{pod['metadata']['name']}"
        world.rest.update("pods", key, {**pod, "metadata": metadata}, world.rest.context("test"))
    world.bury()
    world.live()
    assert revisions(world) == {"1": 0, "2": 2}


def test_a_paused_deployment_scales_but_does_not_roll(world: World) -> None:
    deployed(world, replicas=2)
    world.change("deployments.apps", "web", paused=True, template=image("nginx:1.28"), replicas=3)
    world.live()
    assert revisions(world) == {"1": 3}
    progressing = set_condition(world.get("deployments.apps", "web"), "Progressing")
    assert (progressing["status"], progressing["reason"]) == ("Unknown", "DeploymentPaused")
    world.change("deployments.apps", "web", paused=False)
    world.live()
    assert revisions(world) == {"1": 0, "2": 3}


def test_only_so_many_old_revisions_are_kept(world: World) -> None:
    deployed(world, revisionHistoryLimit=2)
    for version in range(5):
        world.change("deployments.apps", "web", template=image(f"nginx:2.{version}"))
        world.live()
    assert sorted(revisions(world)) == ["4", "5", "6"]


def test_annotations_of_the_deployment_reach_its_replica_set(world: World) -> None:
    item = deployed(world)
    annotations = {**item["metadata"]["annotations"], "kubernetes.io/change-cause": "try it"}
    changed = {**item, "metadata": {**item["metadata"], "annotations": annotations}}
    world.rest.update("deployments.apps", "default/web", changed, world.rest.context("test"))
    world.live()
    (replica_set,) = world.all("replicasets.apps")
    assert replica_set["metadata"]["annotations"]["kubernetes.io/change-cause"] == "try it"


def test_a_replica_set_of_the_same_name_makes_it_take_another(world: World) -> None:
    world.create("deployments.apps", workload())
    world.settle()
    name = world.all("replicasets.apps")[0]["metadata"]["name"]
    other = World(DeploymentController, lambda access: ReplicationController(access, REPLICA_SETS))
    other.create("replicasets.apps", workload("other") | {"metadata": {"name": name}})
    other.create("deployments.apps", workload())
    other.pass_time(1)
    assert other.get("deployments.apps", "web")["status"]["collisionCount"] == 1
    assert len(other.all("replicasets.apps")) == 2
