"""Pods whose volume takes its time: the nomination is visible at once and good across restarts."""

from __future__ import annotations

import pytest

from tests.e2e.harness.audit import AuditLog
from tests.e2e.harness.control_plane import ControlPlane
from tests.e2e.harness.objects import node, pod, taint
from tests.e2e.harness.provisioner import asked, give_up, provision, selected_node, with_slow_volume
from tests.e2e.harness.schedulers import Starter
from tests.e2e.harness.world import World, node_of, nominated_of

EXPECTATION = "NominatedNodeNameForExpectation"
CLEARING = "ClearingNominatedNodeNameAfterBinding"


@pytest.mark.usefixtures("scheduler")
async def test_the_nomination_is_visible_while_a_volume_is_made(world: World, audit: AuditLog) -> None:
    await world.add(node("a"))
    await with_slow_volume(world)
    assert await asked(world, "data") == "a"
    assert node_of(await world.nominated("db", on="a")) == ""
    await provision(world, "data")
    await world.placed("db", on="a")
    writes = [call.resource for call in await audit.settled(3, world.namespace, besides="events")]
    assert writes == ["pods/status", "persistentvolumeclaims", "pods/binding"]
    assert nominated_of(await world.pod("db")) == ""


@pytest.mark.usefixtures("scheduler")
async def test_a_volume_that_cannot_be_made_sends_the_pod_elsewhere(world: World) -> None:
    await world.add(node("a"))
    await with_slow_volume(world)
    assert await asked(world, "data") == "a"
    await world.add(node("b"))
    await world.api.patch("Node", "a", {"spec": {"unschedulable": True}})
    await give_up(world, "data")

    async def other_node() -> bool:
        return selected_node(await world.get("PersistentVolumeClaim", "data")) == "b"

    await world.until(other_node, "the claim's selected node is b")
    await world.nominated("db", on="b")
    await provision(world, "data")
    await world.placed("db", on="b")


async def test_a_restart_in_the_middle_goes_on_where_it_was(world: World, start: Starter, kind: str) -> None:
    """The next scheduler would prefer another node, and another pod wants this one."""
    first = start(kind)
    await world.add(node("a", cpu="1"))
    await with_slow_volume(world)
    await asked(world, "data")
    await world.nominated("db", on="a")
    first.kill()
    await world.add(node("b", cpu="16"))
    start(kind)
    await provision(world, "data")
    await world.placed("db", on="a")


async def test_a_standing_nomination_holds_its_room_across_a_restart(
    world: World, start: Starter, kind: str
) -> None:
    first = start(kind)
    await world.add(node("preferred", pods=1))
    await with_slow_volume(world)
    await world.nominated("db", on="preferred")
    await asked(world, "data")
    first.kill()
    await world.add(node("other", taints=[taint("last-resort", "PreferNoSchedule")]), pod("web"))
    start(kind)
    await world.placed("web", on="other")
    await provision(world, "data")
    await world.placed("db", on="preferred")


async def test_the_gate_off_and_on_again_across_restarts(world: World, start: Starter, kind: str) -> None:
    await world.add(node("a"))
    await with_slow_volume(world)
    for expected in ("", "a"):
        scheduler = start(kind, gates={EXPECTATION: bool(expected)})
        await asked(world, "data")
        await world.nominated("db", on=expected)
        scheduler.kill()
    start(kind, gates={EXPECTATION: False})  # it honours what it would not have written
    await provision(world, "data")
    await world.placed("db", on="a")


async def test_a_server_that_does_not_clear_leaves_the_nomination(
    world: World, start: Starter, kind: str, control_plane: ControlPlane
) -> None:
    control_plane.restart_apiserver(gates={CLEARING: False})
    try:
        start(kind)
        await world.add(node("a"))
        await with_slow_volume(world)
        await asked(world, "data")
        await provision(world, "data")
        await world.placed("db", on="a")
        assert nominated_of(await world.pod("db")) == "a"
    finally:
        control_plane.restart_apiserver(gates={})
