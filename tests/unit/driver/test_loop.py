"""The loop: news in, decisions out, and nothing that ends it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from nominee.framework import Allow, Cycle, Node, Pod, Wait
from nominee.testing import make_node, make_pod
from tests.unit.driver.fake_cluster import World
from tests.virtual_time import VirtualLoop

NODE = make_node("n").capacity(cpu="4", memory="8Gi", pods="32")


async def test_a_pod_is_bound() -> None:
    world = World([NODE], [make_pod("p").req(cpu="1")])
    await world.quiet()
    assert world.node_of("p") == "n"


async def test_a_pod_that_comes_later_wakes_the_loop() -> None:
    world = World([NODE])
    await asyncio.sleep(100)
    world.add(make_pod("p"))
    await world.quiet()
    assert world.node_of("p") == "n"


async def test_nothing_is_scheduled_before_the_start() -> None:
    world = World([NODE])
    world.driver.loop._hands = None
    world.add(make_pod("p"))
    await asyncio.sleep(10)
    assert world.cluster.calls == []
    world.driver.start()
    await world.quiet()
    assert world.node_of("p") == "n"


async def test_a_pod_that_backed_off_is_tried_again_by_the_clock() -> None:
    world = World([NODE], [make_pod("p").req(cpu="8")])
    await world.quiet()
    assert world.cluster.made("bind") == []
    world.driver.seen(make_node("large").capacity(cpu="16", memory="8Gi", pods="32").build())
    await world.until(lambda: world.node_of("p") == "large", seconds=5)


async def test_while_held_it_pops_no_pod() -> None:
    world = World([NODE])
    world.driver.loop.hold()
    world.add(make_pod("p"))
    await asyncio.sleep(10)
    assert world.node_of("p") == ""
    world.driver.loop.release()
    await world.quiet()
    assert world.node_of("p") == "n"


async def test_answers_are_heard_between_the_cycles_of_a_long_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nominee.driver.loop.SLICE", 0.0)
    world = World([NODE], [make_pod(f"p{i}") for i in range(20)])
    steps_at_first_bind = 0

    async def look() -> None:
        nonlocal steps_at_first_bind
        steps_at_first_bind = steps_at_first_bind or world.driver.loop.steps

    world.cluster.fail("bind", look)
    await world.quiet()
    assert 0 < steps_at_first_bind < 20


async def test_an_input_that_can_not_be_taken_in_costs_itself_only(caplog: pytest.LogCaptureFixture) -> None:
    world = World([NODE])
    world.driver.seen(None)  # type: ignore[arg-type]
    world.add(make_pod("p"))
    await world.quiet()
    assert world.node_of("p") == "n"
    assert "could not take in" in caplog.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    def permit(self, pod: Pod, node: Node, cycle: Cycle) -> Wait | Allow:
        return Wait(60) if pod.name == "waits" else Allow.ALLOW


async def test_a_pod_that_waits_in_vain_on_permit_is_rejected_by_the_clock() -> None:
    world = World([NODE], [make_pod("waits"), make_pod("p")], plugins=[Waits])
    await world.quiet()
    assert (world.node_of("waits"), world.node_of("p")) == ("", "n")
    await asyncio.sleep(61)
    await world.quiet()
    conditions = [c for p in world.cluster.patches for c in p["status"].get("conditions", ())]
    assert "timeout after waiting" in conditions[-1]["message"]


async def test_a_cycle_that_breaks_costs_its_pod_the_attempt(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world = World([NODE])
    run = world.scheduler._cycle.run
    broken = [True]

    def breaks_once(queued: Any, *arguments: Any) -> Any:
        if queued.pod.name == "unlucky" and broken:
            broken.clear()
            raise ZeroDivisionError("a bug")
        return run(queued, *arguments)

    monkeypatch.setattr(world.scheduler._cycle, "run", breaks_once)
    world.add(make_pod("unlucky"), make_pod("p"))
    await world.quiet()
    assert world.node_of("p") == "n"
    assert "an attempt broke" in caplog.text
    await world.until(lambda: world.node_of("unlucky") == "n", seconds=5)
    said = [c["message"] for patch in world.cluster.patches for c in patch["status"]["conditions"]]
    assert said == ["internal error: ZeroDivisionError('a bug')"]


async def test_a_timer_that_changes_nothing_does_not_make_the_loop_spin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World([NODE])
    monkeypatch.setattr(type(world.scheduler), "next_wakeup", lambda _: 0.0)
    world.driver.loop.wake()
    await asyncio.sleep(1)
    assert world.driver.loop.steps <= 110


async def test_a_stopped_loop_hears_nothing() -> None:
    world = World([NODE])
    assert await world.driver.stop() == 0
    world.add(make_pod("p"))
    await asyncio.sleep(10)
    assert world.node_of("p") == ""


def test_the_virtual_loop_tells_who_waits_for_ever() -> None:
    loop = VirtualLoop()
    with pytest.raises(AssertionError, match="nothing is left"):
        loop.run_until_complete(loop.create_future())
    loop.close()
