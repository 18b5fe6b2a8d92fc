"""-v tells what happens to each pod, with its name and its node."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from nominee.config.features import FeatureGates
from nominee.driver.driver import Driver
from nominee.live.narrator import Narrator, listened_to
from nominee.live.rehearsal import Rehearsal
from nominee.sim.assembly import make_scheduler
from nominee.testing import make_node, make_pod
from tests.virtual_time import VirtualClock

NODE = make_node("n").capacity(cpu="4", memory="8Gi", pods="32").build()


async def told(caplog: pytest.LogCaptureFixture, *pods: Any) -> list[str]:
    """What is said, a line each."""
    caplog.set_level("DEBUG", "nominee.pods")
    scheduler = make_scheduler(None, FeatureGates(), [], 0)
    driver = Driver(scheduler, VirtualClock(), lambda answer: Narrator(Rehearsal(answer)))
    driver.seen(NODE)
    driver.start()
    for pod in pods:
        driver.seen(pod.build())
        await asyncio.sleep(0.1)
    await driver.stop()
    lines = [r for r in caplog.records if r.name == "nominee.pods"]
    return [" ".join([r.message, r.__dict__["pod"], r.__dict__.get("node", "")]).strip() for r in lines]


async def test_a_pod_that_is_placed(caplog: pytest.LogCaptureFixture) -> None:
    assert await told(caplog, make_pod("a")) == [
        "binding default/a n",
        "Scheduled: Successfully assigned default/a to n default/a",
    ]


async def test_a_pod_that_makes_room(caplog: pytest.LogCaptureFixture) -> None:
    low, high = make_pod("low").req(cpu="4").priority(1).node("n"), make_pod("high").req(cpu="4").priority(9)
    lines = await told(caplog, low, high)
    assert {"nominated default/high n", "evicting default/low n"} <= set(lines)
    assert any(line.startswith("FailedScheduling: 0/1 nodes are available") for line in lines)


def test_nobody_listens_by_default() -> None:
    assert not listened_to()
