"""Jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.apps_shared import (
    WIDE_SELECTOR,
    WorkloadKind,
    default_into,
    selector_text,
    status_of,
    template_cells,
)
from nominee.apiserver.kinds.apps_templates import (
    changed_template_warnings,
    default_template,
    name_warnings,
    template_warnings,
)
from nominee.apiserver.kinds.batch_job_selector import generate_selector, validate_generated_selector
from nominee.apiserver.kinds.batch_job_spec import validate_job_spec, validate_selected
from nominee.apiserver.kinds.batch_job_status import validate_job_status
from nominee.apiserver.kinds.batch_job_update import validate_job_update
from nominee.apiserver.kinds.field_errors import invalid
from nominee.apiserver.kinds.table import AGE, NAME, age_of, human_duration
from nominee.apiserver.status import FieldError
from nominee.model.timestamps import parse_time
from nominee.store.ports import Stored

MOST = 2**31 - 1
# The first that holds names the state of a job.
STATES = (
    ("Complete", "Complete"),
    ("Failed", "Failed"),
    ("", "Terminating"),
    ("Suspended", "Suspended"),
    ("FailureTarget", "FailureTarget"),
    ("SuccessCriteriaMet", "SuccessCriteriaMet"),
)


def _default_labels(item: JsonObject) -> None:
    """A job without labels of its own has those of its pods: the same map, also once more are added to it."""
    labels = item["spec"]["template"]["metadata"].get("labels")
    if labels and not item["metadata"].get("labels"):
        item["metadata"]["labels"] = labels


@dataclass(frozen=True, slots=True)
class JobKind(WorkloadKind):
    """Rules of pkg/apis/batch and pkg/registry/batch/job, v1.37."""

    columns: tuple[Column, ...] = (
        NAME,
        Column("Status", description="Status of the job."),
        Column("Completions"),
        Column("Duration", description="Time required to complete the job."),
        AGE,
        *WIDE_SELECTOR,
    )
    field_labels: tuple[str, ...] = ("metadata.name", "metadata.namespace", "status.successful")

    def default(self, item: JsonObject) -> None:
        spec = item.setdefault("spec", {})
        default_job_spec(spec)
        _default_labels(item)

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        WorkloadKind.prepare_create(self, item, context)
        if item["spec"]["manualSelector"]:
            return
        labels = item["metadata"].get("labels") or None
        by_default = labels is (item["spec"]["template"]["metadata"].get("labels") or None)
        generate_selector(item)
        if by_default:
            item["metadata"]["labels"] = dict(item["spec"]["template"]["metadata"]["labels"])

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        spec = item["spec"]
        return [
            *validate_generated_selector(item),
            *validate_job_spec(spec, "spec"),
            *validate_selected(spec, "spec"),
            *_validate_host_names(item),
        ]

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        spec = item["spec"]
        return [
            *validate_job_spec(spec, "spec"),
            *validate_selected(spec, "spec"),
            *validate_job_update(item, old),
            *_validate_host_names(item),
        ]

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return validate_job_status(item, old)

    def warnings(self, item: JsonObject) -> Sequence[str]:
        return [*name_warnings(item), *template_warnings(item)]

    def update_warnings(self, item: JsonObject, old: JsonObject) -> Sequence[str]:
        return changed_template_warnings(item, old)

    def fields(self, item: JsonObject) -> Mapping[str, str]:
        metadata = item["metadata"]
        return {
            "metadata.name": metadata["name"],
            "metadata.namespace": metadata.get("namespace", ""),
            "status.successful": str(status_of(item).get("succeeded", 0)),
        }

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec, status = item["spec"], status_of(item)
        return [
            item["metadata"]["name"],
            _state(item),
            _completions(spec, status),
            _duration(status, now),
            age_of(item, now),
            *template_cells(spec["template"]),
            selector_text(spec.get("selector")),
        ]


def default_job_spec(spec: JsonObject) -> None:
    """SetDefaults_Job of pkg/apis/batch/v1/defaults.go, v1.37, but for the job's labels."""
    default_template(spec)
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = 1
    default_into(
        spec,
        parallelism=1,
        backoffLimit=6 if spec.get("backoffLimitPerIndex") is None else MOST,
        completionMode="NonIndexed",
        suspend=False,
        podReplacementPolicy="TerminatingOrFailed" if spec.get("podFailurePolicy") is None else "Failed",
        manualSelector=False,
    )
    for rule in (spec.get("podFailurePolicy") or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            default_into(pattern, status="True")


def _validate_host_names(item: JsonObject) -> list[FieldError]:
    """Pods of an indexed job bear their index in their host names."""
    spec, name = item["spec"], item["metadata"].get("name") or ""
    completions = spec.get("completions") or 0
    if spec["completionMode"] != "Indexed" or completions <= 0:
        return []
    longest = f"{name}-{completions - 1}"
    if not syntax.dns_label(longest):
        return []
    why = f"will not able to create pod with invalid DNS label: {longest}"
    return [invalid("metadata.name", name, why)]


def has_condition(status: JsonObject, kind: str) -> bool:
    """Whether a condition is true."""
    return any(
        item.get("type") == kind and item.get("status") == "True" for item in status.get("conditions") or ()
    )


def _state(item: JsonObject) -> str:
    status = status_of(item)
    for condition, state in STATES:
        if has_condition(status, condition) if condition else "deletionTimestamp" in item["metadata"]:
            return state
    return "Running"


def _completions(spec: JsonObject, status: JsonObject) -> str:
    succeeded, parallelism = status.get("succeeded", 0), spec.get("parallelism") or 0
    if spec.get("completions") is not None:
        return f"{succeeded}/{spec['completions']}"
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _duration(status: JsonObject, now: float) -> str:
    started = status.get("startTime")
    if not started:
        return ""
    done = status.get("completionTime")
    return human_duration((parse_time(done) if done else now) - parse_time(started))


JOBS = JobKind(
    Names("Job", "jobs", "job", group="batch", categories=("all",)),
    schema="io.k8s.api.batch.v1.Job",
    subresources=("status",),
    orphans=True,
)
