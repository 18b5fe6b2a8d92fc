from itertools import pairwise

from nominee.model.timestamps import parse_time
from tests.unit.embedded.small_world import SmallWorld


def lease_times(world: SmallWorld, name: str) -> float:
    lease = world.rest.get("leases.coordination.k8s.io", f"kube-node-lease/{name}").object
    return parse_time(lease["spec"]["renewTime"])


def test_nodes_are_made_ready_in_zones_by_turns() -> None:
    world = SmallWorld().start()
    world.nodes.create(4)
    world.run(0)
    zones = [
        world.node(f"node-{n}")["metadata"]["labels"]["topology.kubernetes.io/zone"] for n in range(1, 5)
    ]
    assert zones == ["zone-a", "zone-b", "zone-c", "zone-a"]
    conditions = {each["type"]: each["status"] for each in world.node("node-1")["status"]["conditions"]}
    assert conditions["Ready"] == "True"


def test_nodes_that_are_there_already_stay_as_they_are() -> None:
    world = SmallWorld().start()
    world.nodes.create(2)
    world.run(0)
    before = world.node("node-1")["metadata"]["uid"]
    world.nodes.create(3)
    world.run(0)
    assert world.node("node-1")["metadata"]["uid"] == before
    assert len(world.nodes) == 3


def test_a_labelled_node_comes_up_with_what_it_says_of_itself() -> None:
    world = SmallWorld().start()
    world.create_node("mine", labels={"nominee.dev/simulated": "true"})
    world.run(0)
    node = world.node("mine")
    assert node["status"]["allocatable"]["pods"] == "110"
    assert {a["type"]: a["address"] for a in node["status"]["addresses"]}["Hostname"] == "mine"


def test_a_node_keeps_the_capacity_that_it_was_given() -> None:
    world = SmallWorld().start()
    world.create_node("big")
    metadata = {**world.node("big")["metadata"], "annotations": {"nominee.dev/simulated": "true"}}
    world.store.update("nodes", "big", {"metadata": metadata, "status": {"capacity": {"cpu": "96"}}})
    world.run(0)
    assert world.node("big")["status"]["allocatable"] == {"cpu": "96"}


def test_the_taint_of_a_node_that_is_not_ready_is_taken_off() -> None:
    world = SmallWorld().start()
    taints = [
        {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"},
        {"key": "mine", "effect": "NoSchedule"},
    ]
    node = {
        "metadata": {"name": "a", "labels": {"nominee.dev/simulated": "true"}},
        "spec": {"taints": taints},
    }
    world.rest.create("nodes", "", node, world.rest.context())
    world.run(0)
    assert [taint["key"] for taint in world.node("a")["spec"]["taints"]] == ["mine"]


def test_other_nodes_are_left_alone() -> None:
    world = SmallWorld().start()
    world.create_node("real", labels={"nominee.dev/simulated": "false"})
    world.run(60)
    assert "conditions" not in world.node("real").get("status", {})
    assert world.store.list("leases.coordination.k8s.io") == []


def test_leases_are_renewed_before_they_run_out() -> None:
    world = SmallWorld().start()
    world.nodes.create(3)
    times = []
    for _ in range(60):
        world.run(1)
        times.append(lease_times(world, "node-2"))
    renewals = sorted(set(times))
    assert len(renewals) >= 5
    assert all(later - earlier <= 11 for earlier, later in pairwise(renewals))


def test_thousands_of_nodes_renew_in_turns() -> None:
    world = SmallWorld().start()
    world.nodes.create(2_500)
    world.run(30)
    version = world.store.version
    world.run(1)
    assert world.store.version - version <= 320
    assert all(
        world.clock.now() - lease_times(world, f"node-{number}") < 40 for number in range(1, 2_501, 97)
    )


def test_a_node_that_is_deleted_renews_nothing() -> None:
    world = SmallWorld().start()
    world.nodes.create(1)
    world.run(20)
    world.store.delete("nodes", "node-1")
    before = lease_times(world, "node-1")
    world.run(60)
    assert lease_times(world, "node-1") == before
