"""The nominated node is tried first, whoever wrote it, and lost with a failed attempt."""

from __future__ import annotations

import pytest

from tests.e2e.harness.objects import node, pod
from tests.e2e.harness.world import World, nominated_of

pytestmark = pytest.mark.usefixtures("scheduler")

GATE = {"name": "example.com/later"}


async def nominate(world: World, name: str, on: str) -> None:
    """Another component's word on where the pod should go."""
    status = {"status": {"nominatedNodeName": on}}
    await world.api.patch("Pod", name, status, namespace=world.namespace, subresource="status")


async def release(world: World, name: str) -> None:
    await world.api.patch("Pod", name, {"spec": {"schedulingGates": None}}, namespace=world.namespace)


async def test_the_nominated_node_is_tried_first(world: World) -> None:
    """Every other node would score higher."""
    await world.add(*(node(f"better-{i}", cpu="16") for i in range(3)))
    await world.add(node("named", cpu="1"), pod("web", cpu="900m", schedulingGates=[GATE]))
    await nominate(world, "web", "named")
    await release(world, "web")
    await world.placed("web", on="named")
    assert nominated_of(await world.pod("web")) == ""


async def test_a_nominated_node_that_does_not_fit_is_passed_over(world: World) -> None:
    await world.add(node("full", cpu="1"), node("free", cpu="4"))
    await world.add(pod("web", cpu="2", schedulingGates=[GATE]))
    await nominate(world, "web", "full")
    await release(world, "web")
    await world.placed("web", on="free")


async def test_a_failed_attempt_costs_the_nomination(world: World) -> None:
    await world.add(node("a", cpu="1"), pod("web", cpu="2", schedulingGates=[GATE]))
    await nominate(world, "web", "a")
    await release(world, "web")
    await world.unschedulable("web")
    await world.nominated("web", on="")


async def test_a_node_to_come_may_be_nominated(world: World) -> None:
    """Nothing breaks over a nomination of nothing; the pod goes where there is room."""
    await world.add(pod("web", schedulingGates=[GATE]))
    await nominate(world, "web", "not-yet")
    await release(world, "web")
    await world.unschedulable("web")
    await world.add(node("other"))
    await world.placed("web", on="other")
