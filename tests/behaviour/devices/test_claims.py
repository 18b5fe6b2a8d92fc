"""Claims from pending pod to bound pod, and back when something fails on the way."""

from __future__ import annotations

from typing import Any

from nominee.model.dra import AllocatedDeviceStatus, ResourceClaim
from nominee.model.meta import Condition
from nominee.sim import Simulation
from nominee.testing import (
    make_allocated_claim,
    make_claim,
    make_device,
    make_device_class,
    make_node,
    make_pod,
    make_slice,
)
from nominee.testing.devices import DRIVER

FINALIZER = "resource.kubernetes.io/delete-protection"
GPU = make_device_class()


def world(*objects: Any, nodes: tuple[str, ...] = ("n",)) -> Simulation:
    made = [make_node(n).capacity(cpu="4", memory="8Gi", pods="32") for n in nodes]
    return Simulation([*made, *objects])


def claim_in(sim: Simulation, name: str = "c") -> ResourceClaim:
    found = sim.world.get(ResourceClaim, f"default/{name}")
    assert found is not None
    return found


def test_a_claim_is_allocated_reserved_and_kept_from_deletion_before_its_pod_is_bound() -> None:
    sim = world(GPU, make_slice("n", ["d"]), make_claim("c"))
    sim.create(make_pod("p").claim("c"))
    sim.run_until_quiet()
    claim = claim_in(sim)
    assert sim.node_of("p") == "n"
    assert claim.metadata.finalizers == (FINALIZER,)
    assert claim.status.allocation is not None
    assert [r.device for r in claim.status.allocation.devices.results] == ["d"]
    assert [consumer.name for consumer in claim.status.reserved_for] == ["p"]


def test_two_pods_do_not_get_the_same_device_while_writes_are_under_way() -> None:
    sim = world(GPU, make_slice("n", ["d0", "d1"]), make_claim("c0"), make_claim("c1"), make_claim("c2"))
    sim.set_latency("update", 5)
    for i in range(3):
        sim.create(make_pod(f"p{i}").claim(f"c{i}"))
    sim.run_until_quiet()
    assert sorted(bool(sim.node_of(f"p{i}")) for i in range(3)) == [False, True, True]
    assert {d for i in range(3) for d in devices_of(sim, f"c{i}")} == {"d0", "d1"}


def devices_of(sim: Simulation, name: str) -> list[str]:
    allocation = claim_in(sim, name).status.allocation
    return [r.device for r in allocation.devices.results] if allocation is not None else []


def test_a_waiting_pod_gets_the_device_of_a_claim_that_was_deallocated() -> None:
    held = make_allocated_claim("x", ("n", "d"))
    sim = world(GPU, make_slice("n", ["d"]), make_claim("c"), held)
    sim.create(make_pod("p").claim("c"))
    sim.run_until_quiet()
    assert sim.node_of("p") == ""
    assert sim.message_of("p").startswith("0/1 nodes are available: 1 cannot allocate all claims.")
    sim.update(make_claim("x"))
    sim.run_until_quiet()
    assert sim.node_of("p") == "n"


def test_a_pod_waits_outside_until_its_claim_exists() -> None:
    sim = world(GPU, make_slice("n", ["d"]))
    sim.create(make_pod("p").claim("c"))
    sim.run_until_quiet()
    assert sim.node_of("p") == ""
    sim.create(make_claim("c"))
    sim.run_until_quiet()
    assert sim.node_of("p") == "n"


def test_a_failed_bind_gives_the_claim_up_and_the_next_attempt_allocates_it_again() -> None:
    sim = world(GPU, make_slice("n", ["d"]), make_claim("c"))
    sim.fail("bind")
    sim.create(make_pod("p").claim("c"))
    sim.run(until=0.5)
    assert claim_in(sim).status.allocation is None
    assert claim_in(sim).status.reserved_for == ()
    sim.run_until_quiet()
    assert sim.node_of("p") == "n"
    assert [consumer.name for consumer in claim_in(sim).status.reserved_for] == ["p"]


def test_a_claim_that_another_pod_has_come_to_use_is_left_to_it_when_a_bind_fails() -> None:
    sim = world(GPU, make_slice("n", ["d"]), make_claim("c"))
    sim.fail("bind", pod="default/p")
    sim.hold("bind", pod="default/p")
    sim.create(make_pod("p").claim("c"))
    sim.run(until=1)
    sim.create(make_pod("q").claim("c"))
    sim.run(until=2)
    sim.release()
    sim.run(until=2.5)
    assert sim.node_of("q") == "n"
    assert [consumer.name for consumer in claim_in(sim).status.reserved_for] == ["q"]
    assert devices_of(sim, "c") == ["d"]
    sim.run_until_quiet()
    assert sim.node_of("p") == "n"


def test_a_pod_is_not_bound_with_a_claim_that_was_given_up_while_it_was_decided_about() -> None:
    sim = world(GPU, make_slice("n", ["d"]), make_claim("c"))
    sim.set_latency("watch", 8)  # the scheduler goes on seeing what it has written itself
    sim.fail("bind", 2)
    sim.create(make_pod("p").claim("c"))
    sim.run(until=300)
    assert sim.node_of("p") == "n"
    assert devices_of(sim, "c") == ["d"]
    assert [consumer.name for consumer in claim_in(sim).status.reserved_for] == ["p"]


def test_a_failed_write_gives_the_devices_back() -> None:
    sim = world(GPU, make_slice("n", ["d"]), make_claim("c"))
    sim.fail("update")
    sim.create(make_pod("p").claim("c"))
    sim.run_until_quiet()
    assert sim.node_of("p") == "n"


def test_a_claim_on_a_node_that_is_no_more_is_given_up_for_another() -> None:
    sim = world(GPU, make_slice("n", ["d"]), make_allocated_claim("c", ("gone", "d"), on="gone"))
    sim.create(make_pod("p").claim("c"))
    sim.run_until_quiet()
    assert sim.node_of("p") == "n"
    assert devices_of(sim, "c") == ["d"]


def test_a_pod_is_bound_once_its_devices_are_ready() -> None:
    late = make_device("d", binding_conditions=("Attached",), binds_to_node=True)
    sim = world(GPU, make_slice("n", [late]), make_claim("c"))
    sim.create(make_pod("p").claim("c"))
    sim.advance(20)
    assert sim.node_of("p") == ""
    sim.update(attached(claim_in(sim)))
    sim.advance(10)
    assert sim.node_of("p") == "n"


def attached(claim: ResourceClaim) -> ResourceClaim:
    ready = Condition(type="Attached", status="True")
    device = AllocatedDeviceStatus(driver=DRIVER, pool="n", device="d", conditions=(ready,))
    status = claim.status.__class__(
        allocation=claim.status.allocation, reserved_for=claim.status.reserved_for, devices=(device,)
    )
    return ResourceClaim(metadata=claim.metadata, spec=claim.spec, status=status)


def test_an_extended_resource_gets_devices_by_a_claim_of_the_schedulers_own() -> None:
    sim = world(make_device_class("gpu", resource="example.com/gpu"), make_slice("n", ["d0", "d1"]))
    sim.create(make_pod("p").req(cpu="1", **{"example.com/gpu": "2"}))
    sim.run_until_quiet()
    (claim,) = sim.world.all(ResourceClaim).values()
    assert sim.node_of("p") == "n"
    assert claim.name.startswith("p-extended-resources-")
    assert devices_of(sim, claim.name) == ["d0", "d1"]
    pod = sim.pod("p")
    assert pod is not None
    assert pod.status.extended_resource_claim_status is not None
    assert pod.status.extended_resource_claim_status.resource_claim_name == claim.name


def test_that_claim_is_deleted_when_its_pod_can_not_be_bound() -> None:
    sim = world(make_device_class("gpu", resource="example.com/gpu"), make_slice("n", ["d0", "d1"]))
    sim.fail("bind")
    sim.create(make_pod("p").req(cpu="1", **{"example.com/gpu": "2"}))
    sim.run_until_quiet()
    assert sim.node_of("p") == "n"
    assert len(sim.world.all(ResourceClaim)) == 1
