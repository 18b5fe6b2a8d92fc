"""Memory does not grow with the pods that came and went."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from tests.e2e.harness.api import Object
from tests.e2e.harness.ledger import Ledger
from tests.e2e.harness.objects import node, pod
from tests.e2e.harness.schedulers import Scheduler, Starter
from tests.e2e.harness.world import World

PODS = int(os.environ.get("NOMINEE_CHURN", "6000"))
WAVE = 500
WARM = 4000  # by then every table and pool has its size
KIB_PER_POD = 0.5  # a leaked pod would be ten times that
SLACK_KIB = 6 * 1024  # what an allocator may come to hold without being asked to


async def test_memory_does_not_grow_with_churn(world: World, start: Starter) -> None:
    await world.add_many([node(f"n-{i}", cpu="16") for i in range(50)])
    scheduler = start("nominee")
    warm = 0
    for first in range(0, PODS, WAVE):
        await wave(world, first)
        if first + WAVE == WARM:
            warm = await settled_kib(scheduler)
    grown = await settled_kib(scheduler) - warm
    allowed = SLACK_KIB + KIB_PER_POD * (PODS - WARM)
    print(f"{PODS} pods: {warm} KiB after {WARM}, {grown:+} KiB since")  # noqa: T201  (shown with -s)
    assert grown < allowed, f"{grown} KiB more after {PODS - WARM} pods, {allowed} are allowed"


async def wave(world: World, first: int) -> None:
    """Create pods, wait until all are bound, delete them."""
    async with Ledger.watching(world) as ledger:
        await world.add_many([job_pod(number) for number in range(first, first + WAVE)])
        await ledger.until_bound(WAVE, within=60)
    await world.api.delete_all("Pod", world.namespace)


def job_pod(number: int) -> Object:
    """As jobs make them: each has labels that no other has, and now and then a size of its own."""
    labels = {"job-name": f"job-{number}", "app": f"app-{number % 7}"}
    return pod(f"job-{number}", cpu=f"{10 + number % 50}m", labels=labels)


async def settled_kib(scheduler: Scheduler) -> int:
    """The process's resident memory once it no longer changes, or what it is after a while."""
    before = 0
    for _ in range(20):
        now = resident_kib(scheduler.pid)
        if now == before:
            break
        before = now
        await asyncio.sleep(1)
    return before


def resident_kib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1])
