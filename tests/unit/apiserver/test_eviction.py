"""pods/eviction: a pod goes within its disruption budget, and else is told why not."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.embedded.controllers.disruption import DisruptionController
from nominee.errors import ApiError, NotFound
from nominee.store.ports import JsonObject
from tests.unit.embedded.controllers.world import World, pod

BUDGETS = "poddisruptionbudgets.policy"
WEB = {"app": "web"}


@pytest.fixture
def world() -> World:
    return World(DisruptionController)


def running(world: World, *names: str, **condition: str) -> None:
    """Pods that run somewhere, ready unless told otherwise."""
    for name in names:
        made = world.create("pods", pod(name, WEB, nodeName="a"))
        world.status(made, phase="Running", conditions=[{"type": "Ready", "status": "True", **condition}])
    world.settle()


def budget(world: World, name: str = "web", **spec: Any) -> None:
    item = {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": WEB}, **spec}}
    world.create(BUDGETS, item)
    world.settle()


def evict(world: World, name: str, **options: Any) -> JsonObject:
    body = {"metadata": {"name": name}, "deleteOptions": options}
    return world.rest.connect("pods", f"default/{name}", "eviction", body, world.rest.context("test"))


def refused(world: World, name: str) -> tuple[int, str]:
    """The status, and the cause that is given."""
    with pytest.raises(ApiError) as caught:
        evict(world, name)
    assert caught.value.body is not None
    return caught.value.status, caught.value.body["details"]["causes"][0]["message"]


def test_without_a_budget_a_pod_goes_and_its_status_says_why(world: World) -> None:
    running(world, "a")
    assert evict(world, "a")["status"] == "Success"
    (leaving,) = world.pods()
    assert "deletionTimestamp" in leaving["metadata"]
    reasons = {item["type"]: item["reason"] for item in leaving["status"]["conditions"] if "reason" in item}
    assert reasons["DisruptionTarget"] == "EvictionByEvictionAPI"


def test_a_budget_is_spent_with_each_eviction(world: World) -> None:
    running(world, "a", "b", "c")
    budget(world, minAvailable=2)
    evict(world, "a")
    status = world.get(BUDGETS, "web")["status"]
    assert (status["disruptionsAllowed"], list(status["disruptedPods"])) == (0, ["a"])
    code, why = refused(world, "b")
    assert (code, why) == (429, "The disruption budget web does not allow evicting pods currently")


def test_who_is_needed_stays(world: World) -> None:
    running(world, "a", "b")
    budget(world, minAvailable=2)
    wanted = "The disruption budget web needs 2 healthy pods and has 2 currently"
    assert refused(world, "a") == (429, wanted)


def test_a_budget_that_nobody_has_looked_at_yet_lets_nobody_go(world: World) -> None:
    running(world, "a", "b")
    world.create(BUDGETS, {"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": WEB}}})
    assert refused(world, "a") == (429, "The disruption budget web is still being processed by the server.")


def test_two_budgets_for_a_pod_are_too_many(world: World) -> None:
    running(world, "a", "b")
    budget(world, "one", maxUnavailable=1)
    budget(world, "two", maxUnavailable=1)
    with pytest.raises(ApiError, match="more than one PodDisruptionBudget") as caught:
        evict(world, "a")
    assert caught.value.status == 500


def test_pods_that_do_not_run_cost_nothing(world: World) -> None:
    running(world, "a", "b")
    world.create("pods", pod("pending", WEB))
    budget(world, minAvailable=2)
    evict(world, "pending")
    assert world.find("pods", "pending") is None
    assert "disruptedPods" not in world.get(BUDGETS, "web")["status"]


def test_an_unhealthy_pod_goes_while_enough_are_healthy(world: World) -> None:
    running(world, "a", "b")
    running(world, "sick", status="False")
    budget(world, minAvailable=2)
    evict(world, "sick")
    assert "deletionTimestamp" in world.get("pods", "sick")["metadata"]


@pytest.mark.parametrize(("policy", "goes"), [("AlwaysAllow", True), ("IfHealthyBudget", False)])
def test_an_unhealthy_pod_may_always_go_if_the_budget_says_so(world: World, policy: str, goes: bool) -> None:
    running(world, "sick", status="False")
    budget(world, minAvailable=1, unhealthyPodEvictionPolicy=policy)
    if goes:
        evict(world, "sick")
    else:
        assert refused(world, "sick")[0] == 429
    assert ("deletionTimestamp" in world.get("pods", "sick")["metadata"]) is goes


def test_a_dry_run_changes_nothing(world: World) -> None:
    running(world, "a", "b")
    budget(world, minAvailable=1)
    evict(world, "a", dryRun=["All"])
    assert "deletionTimestamp" not in world.get("pods", "a")["metadata"]
    assert world.get(BUDGETS, "web")["status"]["disruptionsAllowed"] == 1


def test_only_the_pod_that_is_meant_goes(world: World) -> None:
    running(world, "a")
    with pytest.raises(ApiError) as caught:
        evict(world, "a", preconditions={"uid": "another"})
    assert caught.value.status == 409
    assert "deletionTimestamp" not in world.get("pods", "a")["metadata"]
    with pytest.raises(NotFound):
        evict(world, "nobody")
