"""Schedulers in processes of their own, against the control plane of `nominee up`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import PROCESSES
from tests.e2e.harness.api import Api, Object
from tests.e2e.harness.capacity import assert_no_node_over_committed
from tests.e2e.harness.ledger import Ledger
from tests.e2e.harness.objects import make, node, pod, priority_class
from tests.e2e.harness.schedulers import Scheduler, Setup
from tests.e2e.harness.until import until
from tests.e2e.harness.world import World, node_of
from tests.integration.up.process import Up, up

LOW, HIGH = 300, 200
PER_NODE = 10
WITHIN = 120


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Up]:
    with up("--in-memory", "--no-scheduler", "--kubeconfig", tmp_path / "kubeconfig") as started:
        yield started


@pytest.fixture
async def crowd(running: Up, tmp_path: Path) -> AsyncIterator[World]:
    """The cluster as its user: nodes run their pods, and deployments get theirs, without the test."""
    authority = tmp_path / "ca.crt"
    authority.write_text(running.authority)
    async with Api.connect(running.server.geturl(), running.token, authority) as api:
        yield await World.create(api, "crowd")


@pytest.fixture
def scheduler_beside(
    request: pytest.FixtureRequest, running: Up, kind: str, tmp_path: Path
) -> Iterator[Scheduler]:
    """`nominee run` or kube-scheduler, as whoever has the kubeconfig would start it."""
    scheduler = Scheduler(Setup(kind, running.kubeconfig), tmp_path, kind)
    request.node.stash[PROCESSES] = [scheduler]
    scheduler.start()
    yield scheduler
    scheduler.stop()


def simulated(number: int) -> Object:
    return node(f"node-{number}", cpu=str(PER_NODE), labels={"nominee.dev/simulated": "true"})


def deployment(name: str, replicas: int) -> Object:
    template = pod("template", cpu="1", labels={"app": name}, grace=1)
    del template["metadata"]["name"], template["metadata"]["finalizers"]
    template["metadata"] = {"labels": {"app": name}}
    return make(
        "Deployment",
        name,
        spec={
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": template["metadata"], "spec": template["spec"]},
        },
    )


async def bound(world: World, prefix: str, count: int) -> None:
    """Wait until that many pods of this name have a node and are not about to go."""

    async def look() -> bool:
        pods = [pod for name, pod in (await world.pods()).items() if name.startswith(prefix)]
        return sum(bool(node_of(pod)) and "deletionTimestamp" not in pod["metadata"] for pod in pods) == count

    await until(look, f"{count} pods {prefix}… are bound", WITHIN)


@pytest.mark.usefixtures("scheduler_beside")
async def test_five_hundred_pods_find_their_places_with_preemption(crowd: World) -> None:
    """Low ones fill the cluster, high ones take the places of some, and all run once there is room."""
    await crowd.add_many([simulated(number) for number in range(LOW // PER_NODE)])
    await crowd.add(priority_class("high", 1000), deployment("low", LOW))
    await bound(crowd, "low", LOW)
    high = [f"high-{number}" for number in range(HIGH)]
    async with Ledger.watching(crowd) as ledger:
        await crowd.add_many([pod(name, cpu="1", priority="high") for name in high])
        await bound(crowd, "high", HIGH)
        await bound(crowd, "low", LOW - HIGH)
        await assert_no_node_over_committed(crowd.api)
        ledger.assert_bound_once(high)
        # A place that is free for a moment may be given to a low one, which has to go again.
        assert sum(name.startswith("low") for name in ledger.deleted) >= HIGH
    await crowd.add_many([simulated(LOW // PER_NODE + number) for number in range(HIGH // PER_NODE)])
    await bound(crowd, "low", LOW)
    await assert_no_node_over_committed(crowd.api)
    pods = await crowd.pods()
    assert len(pods) == LOW + HIGH
