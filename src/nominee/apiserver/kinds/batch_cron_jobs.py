"""Cron jobs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from nominee.apiserver.kind import Column, Context, JsonObject, Names
from nominee.apiserver.kinds.apps_shared import (
    WIDE_SELECTOR,
    WorkloadKind,
    default_into,
    nonnegative,
    selector_text,
    status_of,
    template_cells,
)
from nominee.apiserver.kinds.apps_templates import name_warnings
from nominee.apiserver.kinds.batch_job_spec import validate_job_spec
from nominee.apiserver.kinds.batch_jobs import default_job_spec
from nominee.apiserver.kinds.batch_schedule import ScheduleError, parse_schedule
from nominee.apiserver.kinds.field_errors import invalid, not_supported, required
from nominee.apiserver.kinds.pod.warnings import pod_warnings
from nominee.apiserver.kinds.table import AGE, NAME, NONE, UNSET, age, age_of
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

CONCURRENCY = ("Allow", "Forbid", "Replace")
NAME_LIMIT = 52
_ZONE_PART = re.compile(r"[A-Za-z.\-_0-9+]{1,14}")


@dataclass(frozen=True, slots=True)
class CronJobKind(WorkloadKind):
    """Rules of pkg/apis/batch, v1.37."""

    columns: tuple[Column, ...] = (
        NAME,
        Column("Schedule"),
        Column("Timezone"),
        Column("Suspend", "boolean"),
        Column("Active", "integer"),
        Column("Last Schedule"),
        AGE,
        *WIDE_SELECTOR,
    )

    def default(self, item: JsonObject) -> None:
        spec = item.setdefault("spec", {})
        default_into(
            spec,
            concurrencyPolicy="Allow",
            suspend=False,
            successfulJobsHistoryLimit=3,
            failedJobsHistoryLimit=1,
            jobTemplate={},
        )
        # Jobs inside are not defaulted as jobs are: only their pods' templates.
        template = spec["jobTemplate"]
        default_into(template, metadata={}, spec={})
        own = dict(template["spec"])
        default_job_spec(template["spec"])
        for name in set(template["spec"]) - set(own) - {"template"}:
            del template["spec"][name]

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        errors = [*_validate_spec(item["spec"]), *_validate_zone(item["spec"].get("timeZone"))]
        name = item["metadata"].get("name") or ""
        if len(name) > NAME_LIMIT:
            why = f"must be no more than {NAME_LIMIT} characters"
            errors.append(invalid("metadata.name", name, why))
        return errors

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        spec, before = item["spec"], old["spec"]
        errors = _validate_spec(spec)
        if spec.get("timeZone") != before.get("timeZone"):
            errors += _validate_zone(spec.get("timeZone"))
        return errors

    def warnings(self, item: JsonObject) -> Sequence[str]:
        return [*name_warnings(item), *_template_warnings(item)]

    def update_warnings(self, item: JsonObject, old: JsonObject) -> Sequence[str]:
        before, after = (one["metadata"].get("generation") for one in (old, item))
        return _template_warnings(item) if before != after else ()

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec, status = item["spec"], status_of(item)
        job = spec["jobTemplate"]["spec"]
        suspend = spec.get("suspend")
        return [
            item["metadata"]["name"],
            spec.get("schedule", ""),
            spec.get("timeZone") or NONE,
            UNSET if suspend is None else str(suspend),
            len(status.get("active") or ()),
            age(status["lastScheduleTime"], now) if status.get("lastScheduleTime") else NONE,
            age_of(item, now),
            *template_cells(job.get("template")),
            selector_text(job.get("selector")),
        ]


def _template_warnings(item: JsonObject) -> Sequence[str]:
    template = item["spec"]["jobTemplate"]["spec"]["template"]
    return pod_warnings(template["spec"], "spec.jobTemplate.spec.template.spec")


def _validate_spec(spec: JsonObject) -> list[FieldError]:
    errors = _validate_schedule(spec)
    errors += nonnegative(spec, "startingDeadlineSeconds", "spec")
    if spec["concurrencyPolicy"] not in CONCURRENCY:
        errors.append(not_supported("spec.concurrencyPolicy", spec["concurrencyPolicy"], CONCURRENCY))
    errors += _validate_job_template(spec["jobTemplate"]["spec"])
    errors += nonnegative(spec, "successfulJobsHistoryLimit", "spec")
    return errors + nonnegative(spec, "failedJobsHistoryLimit", "spec")


def _validate_schedule(spec: JsonObject) -> list[FieldError]:
    schedule, place = spec.get("schedule") or "", "spec.schedule"
    if not schedule:
        return [required(place)]
    errors = []
    try:
        parse_schedule(schedule)
    except ScheduleError as error:
        errors.append(invalid(place, schedule, str(error)))
    if "TZ" in schedule:
        why = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        errors.append(invalid(place, schedule, why))
    return errors


def _validate_zone(zone: str | None) -> list[FieldError]:
    place = "spec.timeZone"
    if zone is None:
        return []
    if not zone:
        return [invalid(place, zone, "timeZone must be nil or non-empty string")]
    parts = zone.split("/")
    if any(part in (".", "..") or part[:1] == "-" or not _ZONE_PART.fullmatch(part) for part in parts):
        return [invalid(place, zone, f"unknown time zone {zone}")]
    if zone.lower() == "local":
        why = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        return [invalid(place, zone, why)]
    try:
        ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        return [invalid(place, zone, f"unknown time zone {zone}")]
    return []


def _validate_job_template(job: JsonObject) -> list[FieldError]:
    path = "spec.jobTemplate.spec"
    complete = {**job, "template": job["template"]}
    default_job_spec(complete)
    errors = validate_job_spec(complete, path)
    if job.get("selector") is not None:
        errors.append(invalid(f"{path}.selector", job["selector"], "`selector` will be auto-generated"))
    if job.get("manualSelector"):
        errors.append(not_supported(f"{path}.manualSelector", job["manualSelector"], ("nil", "false")))
    return errors


CRON_JOBS = CronJobKind(
    Names("CronJob", "cronjobs", "cronjob", group="batch", short=("cj",), categories=("all",)),
    schema="io.k8s.api.batch.v1.CronJob",
    subresources=("status",),
)
