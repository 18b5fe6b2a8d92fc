from __future__ import annotations

from typing import Any

import pytest

from nominee.embedded.controllers.daemon_set import DaemonSetController
from nominee.embedded.controllers.daemon_set.fit import pinned_to
from nominee.store.ports import JsonObject
from tests.unit.embedded.controllers.world import World, template, workload


@pytest.fixture
def world() -> World:
    world = World(DaemonSetController)
    for name in "abc":
        node(world, name)
    return world


def node(world: World, name: str, **spec: Any) -> JsonObject:
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}
    made = world.create("nodes", {"metadata": metadata})
    return world.rest.update("nodes", name, {**made, "spec": spec}, world.rest.context("test")).object


def nodes_with_pods(world: World) -> list[str]:
    return sorted(pinned_to(pod) for pod in world.active_pods())


def image(name: str) -> JsonObject:
    made = template()
    made["spec"]["containers"][0]["image"] = name
    return made


def images(world: World) -> list[str]:
    return sorted(pod["spec"]["containers"][0]["image"] for pod in world.active_pods())


def taint(key: str, effect: str) -> JsonObject:
    return {"key": key, "effect": effect}


def test_there_is_a_pod_for_every_node(world: World) -> None:
    world.create("daemonsets.apps", workload())
    world.settle()
    assert nodes_with_pods(world) == ["a", "b", "c"]
    node(world, "d")
    world.settle()
    assert nodes_with_pods(world) == ["a", "b", "c", "d"]


def test_pods_can_only_go_to_their_node_and_put_up_with_trouble(world: World) -> None:
    world.create("daemonsets.apps", workload())
    world.settle()
    pod = next(pod for pod in world.pods() if pinned_to(pod) == "a")
    required = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert required["nodeSelectorTerms"] == [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}
    ]
    tolerated = {(item["key"], item["effect"]) for item in pod["spec"]["tolerations"]}
    assert ("node.kubernetes.io/unschedulable", "NoSchedule") in tolerated
    assert ("node.kubernetes.io/unreachable", "NoExecute") in tolerated
    labels = pod["metadata"]["labels"]
    assert labels["pod-template-generation"] == "1"
    assert labels["controller-revision-hash"]


def test_only_selected_nodes_have_one(world: World) -> None:
    chosen = template(nodeSelector={"kubernetes.io/hostname": "b"})
    world.create("daemonsets.apps", workload(template=chosen))
    world.settle()
    assert nodes_with_pods(world) == ["b"]


def test_a_taint_keeps_new_pods_off_and_drives_away_if_it_is_strict(world: World) -> None:
    node(world, "d", taints=[taint("example.com/gpu", "NoSchedule")])
    world.create("daemonsets.apps", workload())
    world.settle()
    assert nodes_with_pods(world) == ["a", "b", "c"]
    for name, effect in (("a", "NoSchedule"), ("b", "NoExecute")):
        item = world.get("nodes", name)
        tainted = {**item, "spec": {"taints": [taint("example.com/gpu", effect)]}}
        world.rest.update("nodes", name, tainted, world.rest.context("test"))
    world.settle()
    assert nodes_with_pods(world) == ["a", "c"]


def test_cordoned_nodes_keep_and_get_their_pods(world: World) -> None:
    unschedulable = taint("node.kubernetes.io/unschedulable", "NoSchedule")
    node(world, "d", unschedulable=True, taints=[unschedulable])
    world.create("daemonsets.apps", workload())
    world.settle()
    assert nodes_with_pods(world) == ["a", "b", "c", "d"]


def test_its_status_counts_nodes(world: World) -> None:
    world.create("daemonsets.apps", workload())
    world.live()
    assert world.get("daemonsets.apps", "web")["status"] == {
        "desiredNumberScheduled": 3,
        "currentNumberScheduled": 3,
        "numberMisscheduled": 0,
        "numberReady": 3,
        "numberAvailable": 3,
        "updatedNumberScheduled": 3,
        "observedGeneration": 1,
    }


def test_another_template_rolls_out_node_by_node(world: World) -> None:
    world.create("daemonsets.apps", workload())
    world.live()
    world.change("daemonsets.apps", "web", template=image("nginx:2"))
    world.settle()
    assert len(world.active_pods()) == 2
    world.live()
    assert images(world) == ["nginx:2"] * 3
    assert len(world.all("controllerrevisions.apps")) == 2


def test_with_surge_the_new_pod_comes_before_the_old_one_goes(world: World) -> None:
    strategy = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    world.create("daemonsets.apps", workload(updateStrategy=strategy))
    world.live()
    world.change("daemonsets.apps", "web", template=image("nginx:2"))
    world.settle()
    assert len(world.active_pods()) == 4
    world.live()
    assert images(world) == ["nginx:2"] * 3


def test_on_delete_waits_for_somebody_to_delete(world: World) -> None:
    world.create("daemonsets.apps", workload(updateStrategy={"type": "OnDelete"}))
    world.live()
    world.change("daemonsets.apps", "web", template=image("nginx:2"))
    world.live()
    assert images(world) == ["nginx:1.27"] * 3
    world.delete("pods", world.pods()[0]["metadata"]["name"], grace_period_seconds=0)
    world.live()
    assert images(world) == ["nginx:1.27", "nginx:1.27", "nginx:2"]


def test_a_failed_pod_is_replaced_later_each_time(world: World) -> None:
    world.create("daemonsets.apps", workload(template=template(nodeSelector={"kubernetes.io/hostname": "a"})))
    world.live()
    for _ in range(2):
        world.finish(world.active_pods()[0], "Failed")
        world.settle()
        world.bury()
        world.settle()
    assert world.active_pods() == []
    world.pass_time(1)
    world.bury()
    world.settle()
    assert len(world.active_pods()) == 1


def test_a_pod_for_a_node_that_is_gone_goes_too(world: World) -> None:
    world.create("daemonsets.apps", workload())
    world.settle()
    world.delete("nodes", "a")
    world.settle()
    assert nodes_with_pods(world) == ["b", "c"]
