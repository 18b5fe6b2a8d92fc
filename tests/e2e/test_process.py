"""The scheduler as a process: its lease, its endpoints, its end, and what a dry run leaves untouched."""

from __future__ import annotations

import signal
import urllib.request
from contextlib import suppress

import pytest

from tests.e2e.harness.audit import AuditLog
from tests.e2e.harness.leases import FAST_ELECTION, forget_leaders, holder, take_over
from tests.e2e.harness.objects import make, node, pod
from tests.e2e.harness.provisioner import with_slow_volume
from tests.e2e.harness.schedulers import Scheduler, Starter
from tests.e2e.harness.world import World, node_of


async def test_the_lease_is_released_at_the_end(world: World, start: Starter, kind: str) -> None:
    """A clean end leaves no holder, so that the next one need not wait for the lease to expire."""
    await forget_leaders(world)
    scheduler = start(kind, config={"leaderElection": FAST_ELECTION})
    await holder(world)
    scheduler.terminate()
    lease = await world.api.get("Lease", "kube-scheduler", "kube-system")
    assert not lease["spec"].get("holderIdentity")


async def test_a_lost_lease_ends_the_process(world: World, start: Starter, kind: str) -> None:
    await forget_leaders(world)
    scheduler = start(kind, config={"leaderElection": FAST_ELECTION})
    await holder(world)
    await take_over(world, "somebody-else")

    async def ended() -> bool:
        return not scheduler.alive

    await world.until(ended, "the scheduler ends")
    assert scheduler.exit_code == 1


async def test_a_frozen_leader_is_replaced(world: World, start: Starter, kind: str) -> None:
    """It cannot know that it was, until it thaws; then it ends and the other one stays."""
    await forget_leaders(world)
    leader = start(kind, config={"leaderElection": FAST_ELECTION})
    frozen = await holder(world)
    follower = start(kind, config={"leaderElection": FAST_ELECTION})
    leader.send(signal.SIGSTOP)
    try:
        await world.add(node("a"), pod("web"))
        await world.placed("web")
        assert await holder(world, other_than=frozen)
    finally:
        leader.send(signal.SIGCONT)

    async def ended() -> bool:
        return not leader.alive

    await world.until(ended, "the former leader ends")
    assert leader.exit_code == 1
    assert follower.alive


async def test_terminated_in_peace(world: World, start: Starter) -> None:
    scheduler = start("nominee")
    await world.add(node("a"), pod("web"))
    await world.placed("web")
    assert scheduler.terminate() == 0


async def test_a_dry_run_writes_nothing(world: World, start: Starter, audit: AuditLog) -> None:
    """Not for pods that fit, that do not, that would have others evicted, and that need a volume."""
    await world.add(make("PriorityClass", f"{world.namespace}-high", value=1000))
    await world.add(node("a"), node("full", cpu="1"), pod("standing", cpu="1", on="full"))
    await world.running("standing")
    scheduler = start("nominee", arguments=("--dry-run", "--leader-elect"))
    await world.add(pod("web"), pod("large", cpu="64"))
    on_full = {"kubernetes.io/hostname": "full"}
    await world.add(pod("urgent", cpu="1", priority=f"{world.namespace}-high", nodeSelector=on_full))
    await with_slow_volume(world)
    lines = {
        "would bind": "web",
        "can not place": "large",
        "would evict": "standing",
        "would nominate": "urgent",
    }

    async def decided() -> bool:
        log = scheduler.log().splitlines()
        told = (any(what in line and name in line for line in log) for what, name in lines.items())
        return all(told) and any("/db" in line for line in log)

    await world.until(decided, "the log tells of the decisions")
    assert scheduler.terminate() == 0
    assert not [name for name, item in (await world.pods()).items() if node_of(item) and name != "standing"]
    assert not audit.calls()


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz"])
async def test_it_says_that_it_is_well(world: World, start: Starter, path: str) -> None:
    scheduler = start("nominee")
    await world.until(lambda: answers(scheduler, path), f"{path} answers")


async def test_metrics_count_attempts(world: World, start: Starter) -> None:
    scheduler = start("nominee")
    await world.add(node("a"), pod("web"))
    await world.placed("web")
    line = 'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1'

    async def counted() -> bool:
        with suppress(OSError):
            return line in fetch(scheduler, "/metrics")
        return False

    await world.until(counted, "the attempt is counted")


async def answers(scheduler: Scheduler, path: str) -> bool:
    try:
        return fetch(scheduler, path).startswith("ok")
    except OSError:
        return False


def fetch(scheduler: Scheduler, path: str) -> str:
    url = f"http://127.0.0.1:{scheduler.port}{path}"
    with urllib.request.urlopen(url, timeout=20) as answer:
        text: str = answer.read().decode()
        return text
