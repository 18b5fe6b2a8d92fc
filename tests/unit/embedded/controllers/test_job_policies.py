"""Jobs that say which failures count, and which successes are enough."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.embedded.controllers.garbage import GarbageCollector
from nominee.embedded.controllers.job import JobController
from nominee.store.ports import JsonObject
from tests.unit.embedded.controllers.world import World, set_condition, template

INDEX = "batch.kubernetes.io/job-completion-index"


@pytest.fixture
def world() -> World:
    return World(JobController, GarbageCollector)


def started(world: World, **spec: Any) -> list[JsonObject]:
    spec.setdefault("template", template(restartPolicy="Never"))
    world.create("jobs.batch", {"metadata": {"name": "sum"}, "spec": spec})
    world.settle()
    return world.active_pods()


def failure_policy(action: str, **rule: Any) -> JsonObject:
    return {"rules": [{"action": action, **rule}]}


def fail(world: World, pod: JsonObject, code: int) -> None:
    ended = {"name": pod["spec"]["containers"][0]["name"], "state": {"terminated": {"exitCode": code}}}
    world.status(pod, phase="Failed", containerStatuses=[ended])
    world.settle()


def status(world: World) -> JsonObject:
    found: JsonObject = world.get("jobs.batch", "sum")["status"]
    return found


def test_an_exit_code_may_end_a_job_at_once(world: World) -> None:
    policy = failure_policy("FailJob", onExitCodes={"operator": "In", "values": [42]})
    (pod,) = started(world, podFailurePolicy=policy)
    fail(world, pod, 42)
    failed = set_condition(world.get("jobs.batch", "sum"), "Failed")
    name, container = pod["metadata"]["name"], pod["spec"]["containers"][0]["name"]
    assert failed["reason"] == "PodFailurePolicy"
    assert failed["message"] == (
        f"Container {container} for pod default/{name} failed with exit code 42 "
        "matching FailJob rule at index 0"
    )
    assert not world.active_pods()


def test_other_exit_codes_are_failures_as_ever(world: World) -> None:
    policy = failure_policy("FailJob", onExitCodes={"operator": "NotIn", "values": [1]})
    (pod,) = started(world, podFailurePolicy=policy)
    fail(world, pod, 1)
    world.pass_time(60)
    assert (status(world)["failed"], len(world.active_pods())) == (1, 1)


def test_failures_that_are_ignored_do_not_count(world: World) -> None:
    policy = failure_policy("Ignore", onPodConditions=[{"type": "DisruptionTarget", "status": "True"}])
    (pod,) = started(world, podFailurePolicy=policy, backoffLimit=0)
    world.status(pod, phase="Failed", conditions=[{"type": "DisruptionTarget", "status": "True"}])
    world.settle()
    assert "failed" not in status(world)
    assert len(world.active_pods()) == 1
    assert "finalizers" not in world.get("pods", pod["metadata"]["name"])["metadata"]


def test_an_index_may_be_given_up(world: World) -> None:
    policy = failure_policy("FailIndex", onExitCodes={"operator": "In", "values": [7]})
    pods = started(
        world,
        podFailurePolicy=policy,
        completionMode="Indexed",
        completions=2,
        parallelism=2,
        backoffLimitPerIndex=3,
    )
    first = next(pod for pod in pods if pod["metadata"]["annotations"][INDEX] == "0")
    fail(world, first, 7)
    assert status(world)["failedIndexes"] == "0"
    assert [pod["metadata"]["annotations"][INDEX] for pod in world.active_pods()] == ["1"]


@pytest.mark.parametrize("rule", [{"succeededCount": 1}, {"succeededIndexes": "1-2", "succeededCount": 1}])
def test_some_successes_may_be_enough(world: World, rule: JsonObject) -> None:
    pods = started(
        world,
        successPolicy={"rules": [{"succeededIndexes": "0"}, rule]},
        completionMode="Indexed",
        completions=3,
        parallelism=3,
    )
    world.finish(next(pod for pod in pods if pod["metadata"]["annotations"][INDEX] == "1"))
    world.settle()
    world.bury()
    world.settle()
    complete = set_condition(world.get("jobs.batch", "sum"), "Complete")
    assert (complete["reason"], complete["message"]) == ("SuccessPolicy", "Matched rules at index 1")
    assert status(world)["completedIndexes"] == "1"
    assert not world.active_pods()


def test_a_pod_knows_how_often_its_index_has_failed(world: World) -> None:
    (pod,) = started(world, completionMode="Indexed", completions=1, backoffLimitPerIndex=2)
    fail(world, pod, 1)
    world.pass_time(60)
    (again,) = world.active_pods()
    counts = [
        one["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"] for one in (pod, again)
    ]
    assert counts == ["0", "1"]


def test_pods_that_suspension_stops_have_not_failed(world: World) -> None:
    started(world, parallelism=2, completions=2)
    world.change("jobs.batch", "sum", suspend=True)
    world.settle()
    world.bury()
    world.settle()
    assert "failed" not in status(world)
