"""Cron jobs, in virtual time: it is 02:40 when they begin."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.embedded.controllers.cron_job import SCHEDULED, CronJobController
from nominee.embedded.controllers.garbage import GarbageCollector
from nominee.embedded.controllers.job import JobController
from nominee.store.ports import JsonObject
from tests.unit.embedded.controllers.world import World, template

CRON_JOBS, JOBS = "cronjobs.batch", "jobs.batch"
MINUTE = 60.0


@pytest.fixture
def world() -> World:
    return World(CronJobController, JobController, GarbageCollector)


def create(world: World, schedule: str = "*/5 * * * *", **spec: Any) -> None:
    """A cron job, and a minute in which nothing is due."""
    job = {"spec": {"template": template(restartPolicy="Never")}}
    item = {"metadata": {"name": "tick"}, "spec": {"schedule": schedule, "jobTemplate": job, **spec}}
    world.create(CRON_JOBS, item)
    world.pass_time(MINUTE)


def names(world: World) -> list[str]:
    return sorted(job["metadata"]["name"] for job in world.all(JOBS))


def status(world: World) -> JsonObject:
    found: JsonObject = world.get(CRON_JOBS, "tick")["status"]
    return found


def end(world: World, phase: str = "Succeeded") -> None:
    """All pods that run come to their end."""
    for pod in world.active_pods():
        world.finish(pod, phase)
    world.settle()


def test_a_job_is_made_when_its_time_has_come(world: World) -> None:
    create(world)
    assert names(world) == []
    world.pass_time(5 * MINUTE)
    (job,) = world.all(JOBS)
    assert job["metadata"]["name"] == f"tick-{(1_770_000_000 + 300) // 60}"
    assert job["metadata"]["annotations"][SCHEDULED] == "2026-02-02T02:45:00Z"
    assert status(world)["lastScheduleTime"] == "2026-02-02T02:45:00Z"
    assert [each["name"] for each in status(world)["active"]] == names(world)
    assert world.events("SuccessfulCreate")[0] == f"Created job {job['metadata']['name']}"


def test_a_job_that_has_ended_is_active_no_longer(world: World) -> None:
    create(world)
    world.pass_time(5 * MINUTE)
    end(world)
    assert "active" not in status(world)
    assert status(world)["lastSuccessfulTime"] == world.access.timestamp()
    assert world.events("SawCompletedJob")[0].endswith("condition: Complete")


def test_as_many_that_have_ended_are_kept_as_is_asked_for(world: World) -> None:
    create(world, successfulJobsHistoryLimit=2)
    for _ in range(4):
        world.pass_time(5 * MINUTE)
        end(world)
    world.live()
    assert names(world) == [f"tick-{29_500_000 + minutes}" for minutes in (15, 20)]


def test_jobs_run_side_by_side_unless_that_is_forbidden(world: World) -> None:
    create(world)
    world.pass_time(10 * MINUTE)
    assert len(names(world)) == 2


def test_forbidden_to_run_side_by_side_the_next_waits_for_its_time(world: World) -> None:
    create(world, concurrencyPolicy="Forbid")
    world.pass_time(10 * MINUTE)
    assert len(names(world)) == 1
    assert len(world.events("JobAlreadyActive")) == 1
    end(world)
    world.pass_time(5 * MINUTE)
    assert len(names(world)) == 2


def test_the_next_may_replace_the_one_that_runs(world: World) -> None:
    create(world, concurrencyPolicy="Replace")
    world.pass_time(10 * MINUTE)
    world.live()
    assert names(world) == ["tick-29500010"]
    assert world.events("SuccessfulDelete")


def test_suspended_it_makes_none_and_goes_on_when_it_may(world: World) -> None:
    create(world, suspend=True)
    world.pass_time(10 * MINUTE)
    assert names(world) == []
    world.change(CRON_JOBS, "tick", suspend=False)
    world.settle()
    assert names(world) == ["tick-29500010"]


def test_a_time_that_was_missed_by_more_than_the_deadline_is_let_go(world: World) -> None:
    create(world, "*/30 * * * *", startingDeadlineSeconds=60, suspend=True)
    world.pass_time(25 * MINUTE)
    world.change(CRON_JOBS, "tick", suspend=False)
    world.settle()
    assert names(world) == []
    world.pass_time(30 * MINUTE)
    assert names(world) == ["tick-29500050"]


@pytest.mark.parametrize(("minutes", "warned"), [(50, False), (200, True)])
def test_of_the_times_that_were_missed_the_last_is_made_up_for(
    world: World, minutes: int, warned: bool
) -> None:
    create(world, "* * * * *", suspend=True)
    world.pass_time(minutes * MINUTE)
    world.change(CRON_JOBS, "tick", suspend=False)
    world.settle()
    assert names(world) == [f"tick-{29_500_000 + minutes + 1}"]
    assert bool(world.events("TooManyMissedTimes")) is warned


def test_a_time_zone_says_when_it_is_noon(world: World) -> None:
    create(world, "45 8 * * *", timeZone="Asia/Shanghai")
    world.pass_time(5 * MINUTE)
    assert names(world) == []
    world.pass_time(22 * 60 * MINUTE)
    (job,) = world.all(JOBS)
    assert job["metadata"]["annotations"][SCHEDULED] == "2026-02-03T08:45:00+08:00"


def test_a_job_that_somebody_else_deletes_is_missed(world: World) -> None:
    create(world)
    world.pass_time(5 * MINUTE)
    world.delete(JOBS, names(world)[0], propagation="Background")
    world.live()
    assert "active" not in status(world)
    assert world.events("MissingJob")


def test_a_job_whose_status_was_not_written_is_not_made_twice(world: World) -> None:
    create(world)
    world.pass_time(5 * MINUTE)
    item = world.get(CRON_JOBS, "tick")
    world.access.update_status(CRON_JOBS, {**item, "status": {}})
    world.settle()
    assert names(world) == ["tick-29500005"]
    assert [each["name"] for each in status(world)["active"]] == ["tick-29500005"]
