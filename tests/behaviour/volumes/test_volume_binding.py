"""Volumes on the whole way: taken when the node is chosen, made slowly, bound before the pod is."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from nominee.model.dra import ResourceClaim
from nominee.model.storage import PersistentVolume, PersistentVolumeClaim
from nominee.sim import Simulation
from nominee.testing import make_claim, make_device_class, make_node, make_pod, make_slice
from tests.volume_objects import BOUND, DRIVER, SELECTED, claim, storage_class, volume

NODES = [make_node(name).capacity(cpu="4").label("zone", name) for name in ("a", "b")]
MADE = storage_class(provisioner=DRIVER)
TIMED_OUT = 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'


class Controller:
    """Makes volumes for claims that name a node, and binds claims to the volumes that name them."""

    def __init__(self, sim: Simulation, seconds: float) -> None:
        self.sim = sim
        self.seconds = seconds
        self.refuses: set[str] = set()  # nodes
        sim.world.listeners.append(self.changed)

    def changed(self, _: Any, item: Any) -> None:
        later = self.sim.agenda.after
        if isinstance(item, PersistentVolumeClaim) and not item.spec.volume_name:
            node_name = item.metadata.annotations.get(SELECTED)
            if node_name in self.refuses:
                later(self.seconds, self.refuse, item.key)
            elif node_name:
                later(self.seconds, self.make, item.key, node_name)
        elif isinstance(item, PersistentVolume) and item.spec.claim_ref is not None:
            later(self.seconds, self.bind, item.name, item.spec.claim_ref.name)

    def make(self, key: str, zone: str) -> None:
        made = f"for-{key.rpartition('/')[2]}"
        if self.sim.world.get(PersistentVolume, made) is None:
            self.sim.add(volume(made, zone=zone, claim=key.rpartition("/")[2], phase="Bound"))

    def bind(self, name: str, claim_name: str) -> None:
        item = self.sim.world.get(PersistentVolumeClaim, f"default/{claim_name}")
        if item is not None and not item.spec.volume_name:
            meta = replace(item.metadata, annotations={**item.metadata.annotations, **BOUND})
            self.sim.world.update(replace(item, metadata=meta, spec=replace(item.spec, volume_name=name)))

    def refuse(self, key: str) -> None:
        item = self.sim.world.get(PersistentVolumeClaim, key)
        assert item is not None
        kept = {name: text for name, text in item.metadata.annotations.items() if name != SELECTED}
        self.sim.world.update(replace(item, metadata=replace(item.metadata, annotations=kept)))


def simulation(*objects: Any, pods: list[Any], timeout: int = 600) -> Simulation:
    args = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "VolumeBindingArgs"}
    plugins = [{"name": "VolumeBinding", "args": {**args, "bindTimeoutSeconds": timeout}}]
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler", "pluginConfig": plugins}],
    }
    return Simulation(NODES, pods, objects, config=config)


def volume_of(sim: Simulation, claim_name: str) -> str:
    found = sim.world.get(PersistentVolumeClaim, f"default/{claim_name}")
    assert found is not None
    return found.spec.volume_name


def test_a_pod_is_expected_on_its_node_while_its_volume_is_made() -> None:
    sim = simulation(MADE, claim("c"), pods=[make_pod("p").pvc("c").node_selector(zone="a")])
    Controller(sim, seconds=15)
    sim.run(until=20)
    assert (sim.node_of("p"), sim.nomination_of("p")) == ("", "a")
    sim.run(until=40)
    assert (sim.node_of("p"), volume_of(sim, "c")) == ("a", "for-c")


def test_two_pods_never_get_the_same_volume() -> None:
    claims = [claim("c"), claim("d")]
    pods = [make_pod("p").pvc("c"), make_pod("q").pvc("d")]
    sim = simulation(storage_class(), *claims, volume("v"), volume("w", "20Gi"), pods=pods)
    Controller(sim, seconds=5)
    sim.run(until=60)
    assert sim.node_of("p")
    assert sim.node_of("q")
    assert {volume_of(sim, "c"), volume_of(sim, "d")} == {"v", "w"}


def test_a_pod_too_many_waits_for_a_volume_to_come() -> None:
    claims = [claim("c"), claim("d")]
    pods = [make_pod("p").pvc("c").created(0), make_pod("q").pvc("d").created(1)]
    sim = simulation(storage_class(), *claims, volume("v"), pods=pods)
    Controller(sim, seconds=1)
    sim.run(until=10)
    late = next(name for name in ("p", "q") if not sim.node_of(name))
    assert "2 node(s) didn't find available persistent volumes to bind" in sim.message_of(late)
    sim.create(volume("w"))
    sim.run(until=30)
    assert sim.node_of(late)


def test_waiting_for_a_volume_ends_and_begins_again() -> None:
    sim = simulation(MADE, claim("c"), pods=[make_pod("p").pvc("c").node_selector(zone="a")], timeout=5)
    sim.run(until=5.5)
    assert sim.message_of("p") == TIMED_OUT
    assert sim.nomination_of("p") == ""
    Controller(sim, seconds=1).make("default/c", "a")
    sim.run(until=60)
    assert sim.node_of("p") == "a"


def test_a_restarted_scheduler_goes_on_where_it_was() -> None:
    sim = simulation(MADE, claim("c"), pods=[make_pod("p").pvc("c")])
    Controller(sim, seconds=15)
    sim.run(until=3)
    chosen = sim.nomination_of("p")
    assert chosen
    sim.restart_scheduler()
    sim.run(until=40)
    assert (sim.node_of("p"), volume_of(sim, "c")) == (chosen, "for-c")


@pytest.mark.parametrize(("refused", "other"), ["ab", "ba"])
def test_a_node_that_the_provisioner_refuses_is_left_for_another(refused: str, other: str) -> None:
    sim = simulation(MADE, claim("c"), pods=[make_pod("p").pvc("c")])
    Controller(sim, seconds=1).refuses.add(refused)
    sim.run(until=120)
    assert sim.node_of("p") == other


@pytest.mark.parametrize(("refused", "other"), ["ab", "ba"])
def test_a_claim_for_a_device_does_not_tie_its_pod_to_a_node_that_the_provisioner_refuses(
    refused: str, other: str
) -> None:
    devices = [make_device_class(), make_slice("a", ["d"]), make_slice("b", ["d"]), make_claim("d")]
    sim = simulation(MADE, claim("c"), *devices, pods=[make_pod("p").pvc("c").claim("d")])
    Controller(sim, seconds=1).refuses.add(refused)
    sim.run(until=300)
    assert sim.node_of("p") == other
    held = sim.world.get(ResourceClaim, "default/d")
    assert held is not None
    assert held.status.allocation is not None
    assert [result.pool for result in held.status.allocation.devices.results] == [other]


def test_a_failed_write_gives_the_volume_back() -> None:
    sim = simulation(storage_class(), claim("c"), volume("v"), pods=[make_pod("p").pvc("c")])
    Controller(sim, seconds=1)
    sim.fail("update", times=1)
    sim.run(until=60)
    assert sim.node_of("p")
    assert volume_of(sim, "c") == "v"


def test_the_volume_of_a_pod_that_was_deleted_meanwhile_stays_its_claims() -> None:
    sim = simulation(storage_class(), claim("c"), claim("d"), volume("v"), pods=[make_pod("p").pvc("c")])
    sim.run(until=1.5)
    sim.delete("p", grace=0)
    sim.create(make_pod("other").pvc("d"))
    sim.run(until=10)
    assert not sim.scheduler.bindings
    Controller(sim, seconds=1).bind("v", "c")
    sim.create(make_pod("again").pvc("c"))
    sim.run(until=60)
    assert (bool(sim.node_of("again")), sim.node_of("other")) == (True, "")
