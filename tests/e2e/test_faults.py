"""Storms: servers die, watches end, requests fail, leaders are killed. Each pod is bound exactly once."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from tests.e2e.harness.audit import AuditLog
from tests.e2e.harness.capacity import assert_no_node_over_committed
from tests.e2e.harness.control_plane import ControlPlane
from tests.e2e.harness.faults import FaultProxy, Faults
from tests.e2e.harness.leases import FAST_ELECTION, forget_leaders, holder
from tests.e2e.harness.ledger import Ledger
from tests.e2e.harness.objects import node, pod
from tests.e2e.harness.schedulers import KINDS, Starter
from tests.e2e.harness.world import World

# Storms take long, and the first kind is the one that is tested: the measure need not go through them.
pytestmark = pytest.mark.parametrize("kind", KINDS[:1])


def pods(count: int) -> list[str]:
    return [f"p-{number}" for number in range(count)]


async def prepare(world: World, count: int) -> None:
    """Nodes that all pods together nearly fill: over-commitment would show."""
    await world.add_many([node(f"n-{i}", cpu="5", pods=100) for i in range(count // 48)])


async def create(world: World, names: list[str]) -> None:
    await world.add_many([pod(name, cpu="100m") for name in names])


async def assert_settled(world: World, ledger: Ledger, audit: AuditLog, names: list[str]) -> None:
    """By our own watch, by the server's own record, and by all objects as they are in the end."""
    ledger.assert_bound_once(names)
    calls = audit.calls(world.namespace, resource="pods/binding")
    bindings = Counter(call.name for call in calls if call.code == 201)
    twice = [name for name, count in bindings.items() if count > 1]
    assert not twice, twice[:5]
    await assert_no_node_over_committed(world.api)


async def test_the_api_server_is_killed_in_the_middle(
    world: World, start: Starter, kind: str, control_plane: ControlPlane, audit: AuditLog
) -> None:
    names = pods(2000)
    await prepare(world, len(names))
    await create(world, names)
    async with Ledger.watching(world) as ledger:
        scheduler = start(kind)
        await ledger.until_bound(300, within=60)
        control_plane.kill_apiserver()
        bound_before = ledger.bound
        await control_plane.revive_apiserver()
        await ledger.until_bound(len(names), within=120)
        assert bound_before < len(names), "all was done before the server died"
        assert scheduler.alive
    await assert_settled(world, ledger, audit, names)


async def test_watches_are_cut_every_second(
    world: World, start: Starter, kind: str, control_plane: ControlPlane, audit: AuditLog
) -> None:
    names = pods(1000)
    await prepare(world, len(names))
    faults = Faults(watch_seconds=1)
    async with FaultProxy.running(control_plane, faults) as proxy, Ledger.watching(world) as ledger:
        start(kind, server=proxy.url)
        for first in range(0, len(names), 100):
            await create(world, names[first : first + 100])
            await ledger.until_bound(first + 50, within=60)
        await ledger.until_bound(len(names), within=120)
        assert faults.counts["watch cut"] > 10
    await assert_settled(world, ledger, audit, names)


@pytest.mark.parametrize("seed", [1, 2])
async def test_one_request_in_twenty_fails(
    world: World, start: Starter, kind: str, control_plane: ControlPlane, audit: AuditLog, seed: int
) -> None:
    names = pods(1000)
    await prepare(world, len(names))
    await create(world, names)
    faults = Faults(share=0.05, watch_seconds=5, seed=seed)
    async with FaultProxy.running(control_plane, faults) as proxy, Ledger.watching(world) as ledger:
        scheduler = start(kind, server=proxy.url)
        await ledger.until_bound(len(names), within=180)
        assert scheduler.alive
    assert min(faults.counts[fault] for fault in proxy.kinds) > 0, faults.counts
    await assert_settled(world, ledger, audit, names)


async def test_a_killed_leader_is_followed(world: World, start: Starter, kind: str, audit: AuditLog) -> None:
    names = pods(1500)
    await prepare(world, len(names))
    await forget_leaders(world)
    leader = start(kind, config={"leaderElection": FAST_ELECTION})
    first = await holder(world)
    followers = [start(kind, config={"leaderElection": FAST_ELECTION}) for _ in range(2)]
    async with Ledger.watching(world) as ledger:
        creating = asyncio.create_task(create(world, names))
        await ledger.until_bound(200, within=60)
        leader.kill()
        await creating
        assert await holder(world, other_than=first)
        await ledger.until_bound(len(names), within=120)
        assert all(follower.alive for follower in followers)
    await assert_settled(world, ledger, audit, names)
