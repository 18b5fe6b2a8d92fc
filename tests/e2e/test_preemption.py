"""Making room for a pod of higher priority: victims that take their time, budgets, and who may not."""

from __future__ import annotations

import pytest

from tests.e2e.harness.audit import AuditLog
from tests.e2e.harness.objects import budget, make, node, pod, priority_class, taint
from tests.e2e.harness.world import World, condition_of, node_of, nominated_of

pytestmark = pytest.mark.usefixtures("priorities", "scheduler")


async def test_a_graceful_victim_is_waited_for(world: World) -> None:
    await world.add(node("a", cpu="1"), pod("victim", cpu="1", on="a", grace=600))
    await world.running("victim")
    await world.add(pod("urgent", cpu="1", priority="high"))
    victim = await world.terminating("victim")
    preemptor = await world.nominated("urgent", on="a")
    assert node_of(preemptor) == ""
    assert victim["metadata"]["deletionGracePeriodSeconds"] == 600
    await world.finish("victim")
    await world.placed("urgent", on="a")
    assert nominated_of(await world.pod("urgent")) == ""


async def test_a_finalized_victim_is_waited_for(world: World) -> None:
    """It is there, and uses its node, until whoever holds it lets it go."""
    await world.add(node("a", cpu="1"))
    await world.add(pod("victim", cpu="1", on="a", finalizers=("example.com/backup",)))
    await world.running("victim")
    await world.add(pod("urgent", cpu="1", priority="high"))
    await world.terminating("victim")
    assert node_of(await world.nominated("urgent", on="a")) == ""
    await world.finish("victim")
    await world.placed("urgent", on="a")


async def test_everybody_is_told(world: World) -> None:
    await world.add(node("a", cpu="1"), pod("victim", cpu="1", on="a", grace=600))
    await world.running("victim")
    await world.add(pod("urgent", cpu="1", priority="high"))
    message = await world.unschedulable("urgent")
    assert message == (
        "0/1 nodes are available: 1 Insufficient cpu. preemption: "
        "found a potential placement for pod on node a, preempting 1 victims"
    )
    target = condition_of(await world.terminating("victim"), "DisruptionTarget")
    assert (target["status"], target["reason"]) == ("True", "PreemptionByScheduler")
    assert target["message"] == "default-scheduler: preempting to accommodate a higher priority pod"
    event = await world.event("victim", "Preempted")
    uid = (await world.pod("urgent"))["metadata"]["uid"]
    assert (event["type"], event["action"]) == ("Normal", "Preempting")
    assert event["note"] == f"Preempted by pod {uid} on node a"


async def test_a_victim_is_marked_before_it_is_deleted(world: World, audit: AuditLog) -> None:
    await world.add(node("a", cpu="1"), pod("victim", cpu="1", on="a", grace=600))
    await world.running("victim")
    await world.add(pod("urgent", cpu="1", priority="high"))
    await world.terminating("victim")
    await world.event("victim", "Preempted")
    calls = [(call.verb, call.resource) for call in await audit.settled(2, world.namespace, name="victim")]
    assert calls == [("patch", "pods/status"), ("delete", "pods")]


async def test_as_few_as_possible_must_go(world: World) -> None:
    """Of three, the most important one may stay, although all three would go to begin with."""
    await world.add(node("a", cpu="3"))
    await world.add(*(pod(f"low-{i}", cpu="1", on="a", priority=p) for i, p in enumerate(("mid", "", ""))))
    await world.running("low-0", "low-1", "low-2")
    await world.add(pod("urgent", cpu="2", priority="high"))
    await world.placed("urgent", on="a")
    assert set(await world.pods()) == {"low-0", "urgent"}


async def test_the_node_whose_victims_matter_least_is_chosen(world: World) -> None:
    await world.add(node("a", cpu="1"), node("b", cpu="1"))
    await world.add(pod("on-a", cpu="1", on="a", priority="mid"), pod("on-b", cpu="1", on="b"))
    await world.running("on-a", "on-b")
    await world.add(pod("urgent", cpu="1", priority="high"))
    await world.placed("urgent", on="b")
    assert set(await world.pods()) == {"on-a", "urgent"}


async def test_budgets_decide_between_nodes(world: World) -> None:
    """A victim of higher priority is chosen rather than one whose budget allows no disruption."""
    await world.add(budget("guard", {"app": "db"}, min_available=1))
    await world.allow_disruptions("guard", 0)
    await world.add(node("a", cpu="1"), node("b", cpu="1"))
    await world.add(
        pod("db", cpu="1", on="a", labels={"app": "db"}), pod("web", cpu="1", on="b", priority="mid")
    )
    await world.running("db", "web")
    await world.add(pod("urgent", cpu="1", priority="high"))
    await world.placed("urgent", on="b")
    assert set(await world.pods()) == {"db", "urgent"}


async def test_a_budget_is_broken_if_nothing_else_helps(world: World) -> None:
    await world.add(budget("guard", {"app": "db"}, min_available=1))
    await world.allow_disruptions("guard", 0)
    await world.add(node("a", cpu="1"), pod("db", cpu="1", on="a", labels={"app": "db"}))
    await world.running("db")
    await world.add(pod("urgent", cpu="1", priority="high"))
    await world.placed("urgent", on="a")


async def test_who_may_not_preempt_waits(world: World) -> None:
    await world.add(node("a", cpu="1"), pod("standing", cpu="1", on="a"))
    await world.running("standing")
    await world.add(pod("polite", cpu="1", priority="high-polite"))
    assert await world.unschedulable("polite") == (
        "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never."
    )
    assert not nominated_of(await world.pod("polite"))
    assert not (await world.pod("standing"))["metadata"].get("deletionTimestamp")


async def test_a_nomination_holds_room_against_equals(world: World) -> None:
    """While the victim leaves, nobody of the same priority slips into what will be free."""
    await world.add(node("a", cpu="2"), pod("victim", cpu="2", on="a", grace=600))
    await world.running("victim")
    await world.add(pod("urgent", cpu="2", priority="high"))
    await world.nominated("urgent", on="a")
    await world.terminating("victim")
    await world.add(pod("late", cpu="1", priority="mid"))
    await world.unschedulable("late")
    await world.finish("victim")
    await world.placed("urgent", on="a")
    assert node_of(await world.pod("late")) == ""


async def test_a_higher_priority_takes_the_place_of_a_nominated_pod(world: World) -> None:
    await world.add(node("a", cpu="1"), pod("victim", cpu="1", on="a", grace=600))
    await world.running("victim")
    await world.add(pod("first", cpu="1", priority="mid"))
    await world.nominated("first", on="a")
    await world.add(pod("second", cpu="1", priority="high"))
    await world.unschedulable("second")
    await world.finish("victim")
    await world.placed("second", on="a")
    await world.nominated("first", on="")


async def test_a_nominated_node_that_goes_leaves_no_nomination(world: World) -> None:
    """The next attempt finds neither the node nor any other, and says so."""
    await world.add(node("a", cpu="1"))
    await world.add(pod("victim", cpu="1", on="a", grace=600))
    await world.running("victim")
    await world.add(pod("urgent", cpu="1", priority="high"))
    await world.nominated("urgent", on="a")
    # Until the eviction is over its pod is held back, and kube-scheduler forgets what would have woken it.
    await world.event("victim", "Preempted")
    await world.api.delete("Node", "a")
    await world.add(node("b", cpu="2", taints=[taint("key")]))
    await world.nominated("urgent", on="")


async def test_several_victims_go_and_the_preemptor_follows(world: World) -> None:
    await world.add(node("a", cpu="4"), *(pod(f"low-{i}", cpu="1", on="a") for i in range(4)))
    await world.running(*(f"low-{i}" for i in range(4)))
    await world.add(pod("urgent", cpu="4", priority="high"))
    await world.placed("urgent", on="a")
    assert set(await world.pods()) == {"urgent"}


@pytest.fixture
async def priorities(world: World) -> None:
    """Classes are the same for all tests, and stay."""
    known = {item["metadata"]["name"] for item in await world.api.all("PriorityClass")}
    for item in (
        priority_class("mid", 100),
        priority_class("high", 1000),
        make("PriorityClass", "high-polite", value=1000, preemptionPolicy="Never"),
    ):
        if item["metadata"]["name"] not in known:
            await world.add(item)
