"""Devices by claim: allocated with the reservation, and published at once beside slow volumes."""

from __future__ import annotations

import pytest

from tests.e2e.harness.devices import device_claim, device_class, devices, user
from tests.e2e.harness.objects import claim, claim_volume, node, waiting_class
from tests.e2e.harness.provisioner import asked, provision
from tests.e2e.harness.schedulers import Starter
from tests.e2e.harness.world import World, node_of


async def allocation(world: World, claim_name: str) -> list[str]:
    """The claim's devices, once it has some."""

    async def look() -> list[str]:
        status = (await world.get("ResourceClaim", claim_name)).get("status", {})
        results = status.get("allocation", {}).get("devices", {}).get("results", [])
        return [f"{result['pool']}/{result['device']}" for result in results]

    found: list[str] = await world.until(look, f"claim {claim_name} is allocated")
    return found


@pytest.mark.usefixtures("scheduler")
async def test_a_pod_goes_where_its_device_is(world: World) -> None:
    await world.add(node("a"), node("b"), device_class(), devices("b", "gpu-0"))
    await world.add(device_claim("one"), user("train", "one"))
    await world.placed("train", on="b")
    assert await allocation(world, "one") == ["b/gpu-0"]
    status = (await world.get("ResourceClaim", "one"))["status"]
    assert [who["name"] for who in status["reservedFor"]] == ["train"]


@pytest.mark.usefixtures("scheduler")
async def test_two_pods_compete_for_the_last_device(world: World) -> None:
    await world.add(node("a"), device_class(), devices("a", "gpu-0"))
    for name in ("one", "two"):
        await world.add(device_claim(name), user(f"train-{name}", name))

    async def one_is_placed() -> bool:
        return any(node_of(pod) for pod in (await world.pods()).values())

    await world.until(one_is_placed, "one of two pods is bound")
    loser = next(name for name, pod in (await world.pods()).items() if not node_of(pod))
    assert "cannot allocate all claims" in await world.unschedulable(loser)


@pytest.mark.usefixtures("scheduler")
async def test_the_allocation_does_not_wait_for_a_slow_volume(world: World) -> None:
    """Claim and nomination are visible at once, so that others see the node as taken."""
    await slow_trainer(world)
    await asked(world, "data")
    assert await allocation(world, "one") == ["a/gpu-0"]
    assert node_of(await world.nominated("train", on="a")) == ""
    await world.add(device_claim("two"), user("late", "two"))
    assert "cannot allocate all claims" in await world.unschedulable("late")
    await provision(world, "data")
    await world.placed("train", on="a")


async def test_a_restart_in_the_middle_keeps_the_device(world: World, start: Starter, kind: str) -> None:
    first = start(kind)
    await slow_trainer(world)
    await asked(world, "data")
    await allocation(world, "one")
    await world.nominated("train", on="a")
    first.kill()
    await world.add(node("b", cpu="16"), devices("b", "gpu-1"))
    start(kind)
    await provision(world, "data")
    await world.placed("train", on="a")
    assert await allocation(world, "one") == ["a/gpu-0"]


async def slow_trainer(world: World) -> None:
    await world.add(node("a"), device_class(), devices("a", "gpu-0"))
    await world.add(waiting_class("slow"), claim("data", "slow"), device_claim("one"))
    await world.add(user("train", "one", volumes=[claim_volume("data")]))
