from __future__ import annotations

from typing import Any

import pytest

from nominee.embedded.controllers.garbage import GarbageCollector
from nominee.embedded.controllers.job import JobController
from nominee.store.ports import JsonObject
from tests.unit.embedded.controllers.world import World, pod, set_condition, template

FINALIZER = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"


@pytest.fixture
def world() -> World:
    return World(JobController, GarbageCollector)


def job(name: str = "sum", **spec: Any) -> JsonObject:
    spec.setdefault("template", template(restartPolicy="Never"))
    return {"metadata": {"name": name}, "spec": spec}


def started(world: World, **spec: Any) -> list[JsonObject]:
    world.create("jobs.batch", job(**spec))
    world.settle()
    return world.active_pods()


def status(world: World) -> JsonObject:
    found: JsonObject = world.get("jobs.batch", "sum")["status"]
    return found


def test_a_job_runs_one_pod_and_completes_with_it(world: World) -> None:
    (made,) = started(world)
    assert made["metadata"]["finalizers"] == [FINALIZER]
    assert status(world)["active"] == 1
    world.finish(made)
    world.settle()
    said = status(world)
    conditions = {item["type"]: item["reason"] for item in said.pop("conditions")}
    assert conditions == {"SuccessCriteriaMet": "CompletionsReached", "Complete": "CompletionsReached"}
    assert said == {
        "succeeded": 1,
        "ready": 0,
        "terminating": 0,
        "uncountedTerminatedPods": {},
        "startTime": world.access.timestamp(),
        "completionTime": world.access.timestamp(),
    }
    assert "finalizers" not in world.pods()[0]["metadata"]
    assert world.events("Completed") == ["Job completed"]


def test_no_more_pods_run_than_parallelism_allows(world: World) -> None:
    assert len(started(world, completions=5, parallelism=2)) == 2
    for _ in range(5):
        active = world.active_pods()
        assert len(active) <= 2
        world.finish(active[0])
        world.settle()
    assert status(world)["succeeded"] == 5
    assert set_condition(world.get("jobs.batch", "sum"), "Complete")["status"] == "True"


def test_without_completions_one_success_ends_it(world: World) -> None:
    pods = started(world, parallelism=3)
    assert len(pods) == 3
    world.finish(pods[0])
    world.settle()
    assert len(world.active_pods()) == 2
    for item in pods[1:]:
        world.finish(item)
    world.settle()
    assert set_condition(world.get("jobs.batch", "sum"), "Complete")["status"] == "True"


def test_a_failed_pod_is_tried_again_later_each_time(world: World) -> None:
    (first,) = started(world)
    world.finish(first, "Failed")
    world.settle()
    assert world.active_pods() == []
    world.pass_time(10)
    (second,) = world.active_pods()
    world.finish(second, "Failed")
    world.pass_time(19)
    assert world.active_pods() == []
    world.pass_time(1)
    assert len(world.active_pods()) == 1
    assert status(world)["failed"] == 2


def test_too_many_failures_end_it(world: World) -> None:
    (first,) = started(world, backoffLimit=0)
    world.finish(first, "Failed")
    world.settle()
    failed = set_condition(world.get("jobs.batch", "sum"), "Failed")
    assert (failed["reason"], failed["message"]) == (
        "BackoffLimitExceeded",
        "Job has reached the specified backoff limit",
    )
    assert set_condition(world.get("jobs.batch", "sum"), "FailureTarget")["status"] == "True"
    assert status(world)["failed"] == 1
    assert world.events("BackoffLimitExceeded") == ["Job has reached the specified backoff limit"]


def test_the_deadline_ends_it_when_its_pods_are_gone(world: World) -> None:
    started(world, activeDeadlineSeconds=30)
    world.make_ready()
    world.pass_time(30)
    target = set_condition(world.get("jobs.batch", "sum"), "FailureTarget")
    assert target["reason"] == "DeadlineExceeded"
    world.bury()
    world.settle()
    world.bury()
    world.settle()
    assert set_condition(world.get("jobs.batch", "sum"), "Failed")["reason"] == "DeadlineExceeded"


def test_a_pod_that_somebody_deletes_counts_as_failed_and_is_replaced(world: World) -> None:
    (made,) = started(world)
    world.delete("pods", made["metadata"]["name"], grace_period_seconds=0)
    world.pass_time(10)
    assert status(world)["failed"] == 1
    assert len(world.active_pods()) == 1


def test_an_indexed_job_gives_each_pod_a_number(world: World) -> None:
    pods = started(world, completionMode="Indexed", completions=3, parallelism=3)
    indexes = {item["metadata"]["annotations"][INDEX] for item in pods}
    assert indexes == {"0", "1", "2"}
    assert {item["spec"]["hostname"] for item in pods} == {"sum-0", "sum-1", "sum-2"}
    (env,) = pods[0]["spec"]["containers"][0]["env"]
    assert env["name"] == "JOB_COMPLETION_INDEX"
    for item in pods:
        if item["metadata"]["annotations"][INDEX] != "1":
            world.finish(item)
    world.settle()
    assert status(world)["completedIndexes"] == "0,2"
    world.finish(world.active_pods()[0])
    world.settle()
    assert (status(world)["completedIndexes"], status(world)["succeeded"]) == ("0-2", 3)
    assert set_condition(world.get("jobs.batch", "sum"), "Complete")["status"] == "True"


def test_a_suspended_job_stops_its_pods_and_resumes(world: World) -> None:
    started(world)
    world.change("jobs.batch", "sum", suspend=True)
    world.settle()
    assert world.active_pods() == []
    assert set_condition(world.get("jobs.batch", "sum"), "Suspended")["status"] == "True"
    assert "startTime" not in status(world)
    world.change("jobs.batch", "sum", suspend=False)
    world.settle()
    world.bury()
    world.pass_time(10)
    assert len(world.active_pods()) == 1
    assert world.events("Resumed") == ["Job resumed"]


def test_a_finished_job_goes_after_its_time_with_its_pods(world: World) -> None:
    (made,) = started(world, ttlSecondsAfterFinished=60)
    world.finish(made)
    world.pass_time(59)
    assert world.find("jobs.batch", "sum") is not None
    world.pass_time(1)
    assert world.find("jobs.batch", "sum") is None
    assert world.pods() == []


def test_pods_of_a_job_that_is_gone_are_not_held_by_its_finalizer(world: World) -> None:
    started(world)
    world.delete("jobs.batch", "sum", propagation="Background")
    world.settle()
    world.bury()
    world.settle()
    assert world.pods() == []


def test_a_job_of_another_controller_is_let_be(world: World) -> None:
    assert started(world, managedBy="example.com/queue") == []


def test_a_stray_pod_is_none_of_its_business(world: World) -> None:
    world.create("pods", pod("stray"))
    started(world)
    assert len(world.pods()) == 2
