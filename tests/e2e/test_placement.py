"""Where pods go, what is said of those that go nowhere, and what a scheduler writes to say so."""

from __future__ import annotations

import pytest

from tests.e2e.harness.audit import AuditLog
from tests.e2e.harness.objects import (
    claim,
    claim_volume,
    node,
    pod,
    pod_terms,
    required_node,
    spread,
    taint,
)
from tests.e2e.harness.world import World, condition_of, nominated_of

pytestmark = pytest.mark.usefixtures("scheduler")


async def test_a_pod_goes_where_it_fits(world: World) -> None:
    await world.add(node("small", cpu="1"), node("large", cpu="8"), pod("web", cpu="4"))
    await world.placed("web", on="large")


async def test_a_bound_pod_says_so(world: World) -> None:
    await world.add(node("a"), pod("web"))
    await world.placed("web", on="a")
    assert condition_of(await world.pod("web"), "PodScheduled")["status"] == "True"
    event = await world.event("web", "Scheduled")
    assert event["note"] == f"Successfully assigned {world.namespace}/web to a"
    assert (event["type"], event["action"]) == ("Normal", "Binding")
    assert event["reportingController"] == "default-scheduler"


async def test_a_plain_pod_costs_a_binding_and_an_event(world: World, audit: AuditLog) -> None:
    await world.add(node("a"), pod("web"))
    await world.event("web", "Scheduled")
    calls = [(call.verb, call.resource) for call in await audit.settled(2, world.namespace)]
    assert calls == [("create", "pods/binding"), ("create", "events")]


async def test_a_pod_without_room_says_why(world: World) -> None:
    await world.add(node("a", cpu="2"), node("b", taints=[taint("key")]), pod("standing", cpu="1", on="a"))
    await world.add(pod("web", cpu="2"))
    message = await world.unschedulable("web")
    assert message == (
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). "
        "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, "
        "1 Preemption is not helpful for scheduling."
    )
    event = await world.event("web", "FailedScheduling")
    assert (event["type"], event["action"], event["note"]) == ("Warning", "Scheduling", message)


async def test_a_pod_whose_claim_is_not_there_says_so(world: World) -> None:
    """Nobody looks for victims then; the last two words are what kube-scheduler says instead."""
    await world.add(node("a"), pod("web", volumes=[claim_volume("data")]))
    message = '0/1 nodes are available: persistentvolumeclaim "data" not found. not found'
    assert await world.unschedulable("web") == message
    await world.add(claim("data", "none"))
    await world.unschedulable_with("web", "pod has unbound immediate PersistentVolumeClaims. not found")


async def test_a_reason_that_comes_again_is_counted(world: World) -> None:
    """Of three failures for the same reason at least two are one event, with a series."""
    await world.add(node("a", cpu="1"), *(pod(f"standing-{i}", cpu="100m", on="a") for i in range(2)))
    await world.add(pod("web", cpu="2"))
    await world.event("web", "FailedScheduling")

    async def told_again() -> list[int]:
        events = await world.events("web", "FailedScheduling")
        counts = [(event.get("series") or {"count": 1})["count"] for event in events]
        return counts if sum(counts) > 1 else []

    await world.finish("standing-0")
    await world.until(told_again, "the second failure is told")
    await world.finish("standing-1")

    async def counted() -> bool:
        return max(await told_again(), default=0) > 1

    await world.until(counted, "failures are counted")
    assert len({event["note"] for event in await world.events("web", "FailedScheduling")}) == 1


async def test_a_cluster_without_nodes_says_so(world: World) -> None:
    await world.add(pod("web"))
    assert await world.unschedulable("web") == "no nodes available to schedule pods"


async def test_the_condition_names_the_generation_it_judged(world: World) -> None:
    await world.add(node("a", cpu="1"), pod("web", cpu="2"))
    await world.unschedulable("web")
    condition = condition_of(await world.pod("web"), "PodScheduled")
    assert (condition["status"], condition["reason"]) == ("False", "Unschedulable")
    assert condition["observedGeneration"] == 1


async def test_room_that_appears_is_taken(world: World) -> None:
    await world.add(node("a", cpu="1"), pod("web", cpu="2"))
    await world.unschedulable("web")
    await world.add(node("b", cpu="4"))
    await world.placed("web", on="b")


async def test_a_taint_that_goes_lets_pods_in(world: World) -> None:
    await world.add(node("a", taints=[taint("key")]), pod("web"))
    await world.unschedulable("web")
    await world.api.patch("Node", "a", {"spec": {"taints": None}})
    await world.placed("web", on="a")


async def test_a_pod_that_ends_makes_room(world: World) -> None:
    await world.add(node("a", cpu="1"), pod("old", cpu="1", on="a"), pod("new", cpu="1"))
    await world.unschedulable("new")
    await world.finish("old")
    await world.placed("new", on="a")


async def test_gated_pods_wait_for_their_gates(world: World) -> None:
    await world.add(node("a"), pod("held", schedulingGates=[{"name": "example.com/quota"}]), pod("free"))
    await world.placed("free")
    assert condition_of(await world.pod("held"), "PodScheduled")["reason"] == "SchedulingGated"
    await world.api.patch("Pod", "held", {"spec": {"schedulingGates": None}}, namespace=world.namespace)
    await world.placed("held", on="a")


async def test_pods_of_other_schedulers_are_left_alone(world: World, audit: AuditLog) -> None:
    await world.add(node("a"), pod("theirs", schedulerName="other"), pod("ours"))
    await world.placed("ours")
    await world.event("ours", "Scheduled")
    assert not audit.calls(world.namespace, name="theirs")


async def test_constraints_hold_together(world: World) -> None:
    """Spread, affinity, anti-affinity and ports at once, over three zones of two nodes."""
    zones = [node(f"{zone}{i}", labels={"zone": zone}) for zone in "xyz" for i in range(2)]
    await world.add(*zones)
    web = {"app": "web"}
    apart = pod_terms("podAntiAffinity", web)
    even = [spread("zone", web)]
    await world.add_many(
        [pod(f"web-{i}", labels=web, affinity=apart, topologySpreadConstraints=even) for i in range(6)]
    )
    nodes = [await world.placed(f"web-{i}") for i in range(6)]
    assert sorted(nodes) == ["x0", "x1", "y0", "y1", "z0", "z1"]
    await world.add(pod("only-y", affinity=required_node("zone", "y")))
    assert (await world.placed("only-y")).startswith("y")
    await world.add(pod("web-6", labels=web, affinity=apart, topologySpreadConstraints=even))
    assert "didn't match pod anti-affinity rules" in await world.unschedulable("web-6")


async def test_a_bound_pod_has_no_nomination(world: World) -> None:
    await world.add(node("a"), pod("web"))
    await world.placed("web")
    assert not nominated_of(await world.pod("web"))
