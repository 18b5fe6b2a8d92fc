"""A dry run decides everything and touches nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from nominee.config.features import FeatureGates
from nominee.driver.driver import Driver
from nominee.framework import Api, Cycle, Node, Pod, PreFlight
from nominee.live.rehearsal import Rehearsal
from nominee.sim.assembly import make_scheduler
from nominee.testing import make_node, make_pod
from tests.virtual_time import VirtualClock

NODE = make_node("n").capacity(cpu="4", memory="8Gi", pods="32")


@dataclass(frozen=True, slots=True, kw_only=True)
class Meddler:
    """Would write, if it were let."""

    def pre_bind_pre_flight(self, pod: Pod, node: Node, cycle: Cycle) -> PreFlight:
        return PreFlight.WORK

    async def pre_bind(self, pod: Pod, node: Node, cycle: Cycle, api: Api) -> None:
        raise AssertionError("a dry run asks nobody to work")

    async def bind(self, pod: Pod, node: Node, cycle: Cycle, api: Api) -> None:
        raise AssertionError("a dry run asks nobody to bind")


@pytest.fixture
async def driver(caplog: pytest.LogCaptureFixture) -> AsyncIterator[Driver]:
    caplog.set_level("INFO")
    scheduler = make_scheduler(None, FeatureGates(), [Meddler], 0)
    driver = Driver(scheduler, VirtualClock(), Rehearsal)
    driver.seen(NODE.build())
    driver.start()
    yield driver
    await driver.stop()


async def told(driver: Driver, caplog: pytest.LogCaptureFixture, *pods: Any) -> list[str]:
    """What is said of these pods, a line each."""
    caplog.clear()
    for pod in pods:
        driver.seen(pod.build())
    await asyncio.sleep(0.1)
    fields = ((r.message, r.__dict__.get("pod", ""), r.__dict__.get("node", "")) for r in caplog.records)
    return [" ".join(filter(None, line)) for line in fields]


async def test_decisions_build_on_one_another(driver: Driver, caplog: pytest.LogCaptureFixture) -> None:
    first = await told(driver, caplog, make_pod("a").req(cpu="3"))
    assert first[-1] == "would bind default/a n"
    (second,) = await told(driver, caplog, make_pod("b").req(cpu="3"))
    assert second.startswith("can not place: 0/1 nodes are available: 1 Insufficient cpu.")
    assert driver.scheduler.cluster.is_assumed("default/a")


async def test_victims_are_named_and_stay(driver: Driver, caplog: pytest.LogCaptureFixture) -> None:
    await told(driver, caplog, make_pod("low").req(cpu="4").priority(1).node("n"))
    lines = await told(driver, caplog, make_pod("high").req(cpu="4").priority(9))
    assert "would nominate default/high n" in lines
    assert "would evict default/low n" in lines
    assert driver.scheduler.cluster.is_placed("default/low")
