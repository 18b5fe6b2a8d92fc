from __future__ import annotations

from typing import Any

import pytest

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.batch_jobs import JOBS
from tests.unit.apiserver.kinds.workloads import CONTEXT, created, faults, template, update_faults

UID_LABEL = "batch.kubernetes.io/controller-uid"


def job(**spec: Any) -> JsonObject:
    spec.setdefault("template", template(restartPolicy="Never"))
    return {"metadata": {"name": "sum", "namespace": "default", "uid": "1234"}, "spec": spec}


def test_a_job_selects_its_pods_by_its_uid() -> None:
    spec = created(JOBS, job())["spec"]
    assert spec["selector"] == {"matchLabels": {UID_LABEL: "1234"}}
    labels = spec["template"]["metadata"]["labels"]
    assert (labels[UID_LABEL], labels["job-name"]) == ("1234", "sum")


@pytest.mark.parametrize("labels", [{}, {"app": "sum"}])
def test_a_job_without_labels_has_those_of_its_pods(labels: dict[str, str]) -> None:
    pods = template(restartPolicy="Never") | {"metadata": {"labels": labels}}
    made = created(JOBS, job(template=pods))
    assert UID_LABEL in made["metadata"]["labels"]
    assert made["metadata"]["labels"] == made["spec"]["template"]["metadata"]["labels"]


def test_a_job_keeps_labels_of_its_own() -> None:
    item = job()
    item["metadata"]["labels"] = {"team": "a"}
    assert created(JOBS, item)["metadata"]["labels"] == {"team": "a"}


def test_a_job_runs_one_pod_once_by_default() -> None:
    spec = created(JOBS, job())["spec"]
    assert (spec["completions"], spec["parallelism"], spec["backoffLimit"]) == (1, 1, 6)


def test_completions_stay_open_where_only_parallelism_is_given() -> None:
    assert "completions" not in created(JOBS, job(parallelism=3))["spec"]


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        (
            {"template": template()},
            'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
        ),
        (
            {"completionMode": "Indexed", "parallelism": 1},
            "spec.completions: Required value: when completion mode is Indexed",
        ),
        (
            {"backoffLimitPerIndex": 1},
            "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode",
        ),
        (
            {"selector": {"matchLabels": {"app": "web"}}},
            (
                f'spec.selector: Invalid value: {{"matchLabels":{{"app":"web","{UID_LABEL}":"1234"}}}}: '
                "`selector` not auto-generated"
            ),
        ),
        (
            {"podFailurePolicy": {"rules": [{"action": "Ignore"}]}},
            (
                "spec.podFailurePolicy.rules[0]: Invalid value: "
                "specifying one of OnExitCodes and OnPodConditions is required"
            ),
        ),
    ],
)
def test_faults_are_told_in_kubernetes_words(spec: dict[str, Any], fault: str) -> None:
    assert faults(JOBS, job(**spec)) == [fault]


def test_completions_are_immutable_unless_indexed() -> None:
    assert update_faults(JOBS, job(), completions=2) == [
        "spec.completions: Invalid value: 2: field is immutable"
    ]


def test_an_indexed_job_is_scaled_by_both_numbers_at_once() -> None:
    indexed = job(completionMode="Indexed", completions=2, parallelism=2)
    assert update_faults(JOBS, indexed, completions=3, parallelism=3) == []
    assert update_faults(JOBS, indexed, completions=3) == [
        "spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism"
    ]


def test_the_template_of_a_running_job_is_immutable() -> None:
    item = created(JOBS, job())
    pod = {**item["spec"]["template"]["spec"], "nodeSelector": {"a": "b"}}
    (fault,) = update_faults(JOBS, job(), template={**item["spec"]["template"], "spec": pod})
    assert fault.startswith("spec.template: Invalid value: ")
    assert fault.endswith(": field is immutable")


def test_a_suspended_job_may_be_steered_elsewhere() -> None:
    item = created(JOBS, job(suspend=True))
    pod = {**item["spec"]["template"]["spec"], "nodeSelector": {"a": "b"}}
    steered = {**item["spec"]["template"], "spec": pod}
    assert update_faults(JOBS, job(suspend=True), template=steered) == []


def condition(kind: str) -> JsonObject:
    return {"type": kind, "status": "True"}


def test_a_job_completes_by_way_of_its_success_criteria() -> None:
    old = created(JOBS, job()) | {"status": {"startTime": "2026-01-31T12:00:00Z"}}
    done = {
        "startTime": "2026-01-31T12:00:00Z",
        "completionTime": "2026-01-31T12:01:00Z",
        "conditions": [condition("Complete")],
    }
    (fault,) = JOBS.validate_status(old | {"status": done}, old, CONTEXT)
    assert fault.message == (
        "Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
    )
    done["conditions"] = [condition("SuccessCriteriaMet"), condition("Complete")]
    assert JOBS.validate_status(old | {"status": done}, old, CONTEXT) == []
