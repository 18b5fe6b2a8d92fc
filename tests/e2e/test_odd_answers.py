"""Servers, tokens and leases that fail in odd ways, one at a time, and what the scheduler makes of it."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from pathlib import Path

import pytest
import yaml

from tests.e2e.harness.audit import AuditLog
from tests.e2e.harness.capacity import assert_no_node_over_committed
from tests.e2e.harness.control_plane import SCHEDULER, ControlPlane
from tests.e2e.harness.faults import FaultProxy, Faults
from tests.e2e.harness.leases import FAST_ELECTION, forget_leaders, holder, take_over
from tests.e2e.harness.ledger import Ledger
from tests.e2e.harness.objects import node, pod
from tests.e2e.harness.schedulers import KINDS, Starter
from tests.e2e.harness.world import World, node_of

pytestmark = pytest.mark.parametrize("kind", KINDS[:1])

BINDING = re.compile("POST .*/binding$")


def error_event(code: int) -> bytes:
    """A watch's own way to say that it can not go on."""
    status = {"kind": "Status", "status": "Failure", "message": "no", "code": code}
    return json.dumps({"type": "ERROR", "object": status}).encode() + b"\n"


LAST_WORDS = (
    b"",
    b"<html>bad gateway</html>\n",
    b'{"type": "ADDED", "obj',
    error_event(410),
    error_event(500),
    b'{"type": "ADDED", "object": {"metadata": 7}}\n',
    b"\n\n",
)


async def test_watches_end_in_every_way(
    world: World, start: Starter, kind: str, control_plane: ControlPlane
) -> None:
    names = [f"p-{number}" for number in range(400)]
    await world.add_many([node(f"n-{i}", cpu="5") for i in range(10)])
    faults = Faults(watch_seconds=1, last_words=LAST_WORDS)
    async with FaultProxy.running(control_plane, faults) as proxy, Ledger.watching(world) as ledger:
        scheduler = start(kind, server=proxy.url)
        for first in range(0, len(names), 40):
            await world.add_many([pod(name) for name in names[first : first + 40]])
            await ledger.until_bound(first + 40, within=60)
        assert scheduler.alive
        assert "Traceback" not in scheduler.log()
    ledger.assert_bound_once(names)
    await assert_no_node_over_committed(world.api)


async def test_a_token_that_is_replaced(
    world: World, start: Starter, kind: str, control_plane: ControlPlane, tmp_path: Path
) -> None:
    """The old one is refused from one moment to the next, before anybody has looked at the file again."""
    faults, file = Faults(token="first"), tmp_path / "token"
    file.write_text("first", encoding="utf-8")
    await world.add(node("a"), pod("one"))
    async with FaultProxy.running(control_plane, faults) as proxy:
        config = with_token_file(control_plane.kubeconfig(SCHEDULER, server=proxy.url), file)
        scheduler = start(kind, server=proxy.url, arguments=(f"--kubeconfig={config}",))
        await world.placed("one")
        faults.token = "second"
        file.write_text("second", encoding="utf-8")
        await world.add(pod("two"))
        await world.placed("two")
        assert faults.counts["401"] > 0
        assert scheduler.alive


def with_token_file(kubeconfig: Path, file: Path) -> Path:
    config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    config["users"][0]["user"] = {"tokenFile": str(file)}
    path = file.parent / "kubeconfig"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


async def test_a_pod_that_becomes_another_one_while_it_is_bound(
    world: World, start: Starter, kind: str, control_plane: ControlPlane, audit: AuditLog
) -> None:
    """The binding is for the pod that was decided about, and the one that has its name is decided anew."""
    faults = Faults(held=BINDING)
    await world.add(node("a"), pod("web"))
    async with FaultProxy.running(control_plane, faults) as proxy:
        start(kind, server=proxy.url)
        await until_held(world, faults)
        await world.api.delete("Pod", "web", world.namespace, grace=0)
        await world.add(node("b"), pod("web", nodeSelector={"kubernetes.io/hostname": "b"}))
        faults.gate.set()
        await world.placed("web", on="b")
    calls = await audit.settled(2, world.namespace, resource="pods/binding")
    codes = [call.code for call in calls]
    assert codes == [409, 201]


async def test_a_pod_that_goes_while_it_is_bound(
    world: World, start: Starter, kind: str, control_plane: ControlPlane
) -> None:
    """Its room is free again at once."""
    faults = Faults(held=BINDING)
    await world.add(node("a", cpu="1"), pod("web", cpu="1"))
    async with FaultProxy.running(control_plane, faults) as proxy:
        start(kind, server=proxy.url)
        await until_held(world, faults)
        await world.api.delete("Pod", "web", world.namespace, grace=0)
        faults.gate.set()
        await world.add(pod("next", cpu="1"))
        await world.placed("next", on="a")


async def test_etcd_that_stands_still(
    world: World, start: Starter, kind: str, control_plane: ControlPlane
) -> None:
    names = [f"p-{number}" for number in range(300)]
    await world.add_many([node(f"n-{i}", cpu="5") for i in range(7)])
    await world.add_many([pod(name) for name in names])
    async with Ledger.watching(world) as ledger:
        scheduler = start(kind)
        await ledger.until_bound(20, within=30)
        control_plane.etcd.send(signal.SIGSTOP)
        try:
            await asyncio.sleep(10)
        finally:
            control_plane.etcd.send(signal.SIGCONT)
        await ledger.until_bound(len(names), within=60)
        assert scheduler.alive
    ledger.assert_bound_once(names)
    await assert_no_node_over_committed(world.api)


async def test_a_binding_under_way_is_waited_for_at_the_end(
    world: World, start: Starter, kind: str, control_plane: ControlPlane
) -> None:
    faults = Faults(held=BINDING)
    await world.add(node("a"), pod("web"))
    async with FaultProxy.running(control_plane, faults) as proxy:
        scheduler = start(kind, server=proxy.url)
        await until_held(world, faults)

        async def asked_to_end() -> bool:
            return "asked to end" in scheduler.log()

        scheduler.send(signal.SIGTERM)
        await world.until(asked_to_end, "it knows that it is to end")
        await world.add(pod("late"))
        faults.gate.set()
        assert await asyncio.to_thread(scheduler.terminate) == 0
        await world.event("web", "Scheduled")
    assert node_of(await world.pod("web")) == "a"
    assert node_of(await world.pod("late")) == ""


async def test_a_lease_that_is_lost_on_the_way_out(
    world: World, start: Starter, kind: str, control_plane: ControlPlane
) -> None:
    """Somebody else begins to lead while bindings under way are waited for: nothing is waited for then."""
    await forget_leaders(world)
    faults = Faults(held=BINDING)
    await world.add(node("a"), pod("web"))
    async with FaultProxy.running(control_plane, faults) as proxy:
        scheduler = start(kind, server=proxy.url, config={"leaderElection": FAST_ELECTION})
        await holder(world)
        await until_held(world, faults)
        scheduler.send(signal.SIGTERM)
        await take_over(world, "somebody-else")

        async def ended() -> bool:
            return not scheduler.alive

        await world.until(ended, "the scheduler ends")
        assert scheduler.exit_code == 1, "it waited to the end, and took no notice"
        faults.gate.set()


async def until_held(world: World, faults: Faults) -> None:
    async def held() -> bool:
        return faults.counts["held"] > 0

    await world.until(held, "a binding is on its way")
