from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from nominee.apiserver.kind import JsonObject, Kind
from nominee.apiserver.kinds.apps_controller_revisions import CONTROLLER_REVISIONS
from nominee.apiserver.kinds.apps_daemon_sets import DAEMON_SETS, TEMPLATE_GENERATION
from nominee.apiserver.kinds.apps_replica_sets import REPLICA_SETS
from nominee.apiserver.kinds.apps_shared import selector_text
from nominee.apiserver.kinds.apps_stateful_sets import STATEFUL_SETS
from nominee.apiserver.kinds.batch_cron_jobs import CRON_JOBS
from nominee.apiserver.kinds.policy_disruption_budgets import POD_DISRUPTION_BUDGETS
from nominee.apiserver.kinds.replication_controllers import REPLICATION_CONTROLLERS
from tests.unit.apiserver.kinds.workloads import (
    CONTEXT,
    SELECTOR,
    changed,
    created,
    faults,
    template,
    update_faults,
    workload,
)


@dataclass
class Version:
    """What the store would hand to a kind that is to be shown."""

    object: JsonObject
    resource: str = ""
    key: str = ""
    version: int = 1
    json: bytes = b""


def budget(**spec: Any) -> JsonObject:
    return {"metadata": {"name": "web", "namespace": "default"}, "spec": spec}


def cron_job(**spec: Any) -> JsonObject:
    job = {"template": template(restartPolicy="Never")}
    return {
        "metadata": {"name": "tidy", "namespace": "default"},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job}, **spec},
    }


@pytest.mark.parametrize(
    ("kind", "item"),
    [
        (REPLICA_SETS, workload()),
        (STATEFUL_SETS, workload(serviceName="web")),
        (DAEMON_SETS, workload()),
        (REPLICATION_CONTROLLERS, workload(selector={"app": "web"})),
        (POD_DISRUPTION_BUDGETS, budget(minAvailable="50%", selector=SELECTOR)),
        (CRON_JOBS, cron_job()),
        (CONTROLLER_REVISIONS, {"metadata": {"name": "web-1"}, "data": {}, "revision": 1}),
    ],
)
def test_a_good_one_has_no_faults_and_a_cell_for_each_column(kind: Kind, item: JsonObject) -> None:
    assert faults(kind, item) == []
    assert len(kind.cells(Version(item), 0.0)) == len(kind.columns)


@pytest.mark.parametrize("kind", [REPLICA_SETS, STATEFUL_SETS, DAEMON_SETS])
def test_selectors_are_immutable(kind: Kind) -> None:
    selector = {"matchExpressions": [{"key": "app", "operator": "Exists"}]}
    told = update_faults(kind, workload(), selector=selector)
    assert told == [
        (
            'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Exists"}]}: '
            "field is immutable"
        )
    ]


def test_a_replication_controller_takes_its_selector_from_its_template() -> None:
    item = created(REPLICATION_CONTROLLERS, workload(selector=None))
    assert item["spec"]["selector"] == {"app": "web"}
    assert item["metadata"]["labels"] == {"app": "web"}


def test_a_daemon_set_counts_its_templates_in_an_annotation() -> None:
    old = created(DAEMON_SETS, workload())
    assert old["metadata"]["annotations"] == {TEMPLATE_GENERATION: "1"}
    item = changed(old, template=template(hostNetwork=True))
    DAEMON_SETS.prepare_update(item, old, CONTEXT)
    assert item["metadata"]["annotations"] == {TEMPLATE_GENERATION: "2"}


def test_a_daemon_set_surges_or_does_without_but_not_both() -> None:
    strategy = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}
    assert faults(DAEMON_SETS, workload(updateStrategy=strategy)) == [
        (
            "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: "
            "may not be set when maxUnavailable is non-zero"
        )
    ]


def test_claims_of_a_stateful_set_are_complete_claims() -> None:
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    item = created(STATEFUL_SETS, workload(volumeClaimTemplates=[claim]))
    (made,) = item["spec"]["volumeClaimTemplates"]
    assert (made["kind"], made["spec"]["volumeMode"]) == ("PersistentVolumeClaim", "Filesystem")
    assert made["status"] == {"phase": "Pending"}


def test_what_a_stateful_set_is_made_of_is_immutable() -> None:
    assert update_faults(STATEFUL_SETS, workload(), serviceName="api") == [
        'spec.serviceName: Invalid value: "api": field is immutable'
    ]


def test_a_budget_says_one_of_two_numbers() -> None:
    told = faults(POD_DISRUPTION_BUDGETS, budget(minAvailable=1, maxUnavailable=1))
    assert told == [
        (
            'spec: Invalid value: {"maxUnavailable":1,"minAvailable":1}: '
            "minAvailable and maxUnavailable cannot be both set"
        )
    ]


def test_jobs_of_a_cron_job_are_not_defaulted_before_they_are_made() -> None:
    job = created(CRON_JOBS, cron_job())["spec"]["jobTemplate"]["spec"]
    assert set(job) == {"template"}


def test_a_cron_job_needs_a_schedule_that_can_be_read() -> None:
    assert faults(CRON_JOBS, cron_job(schedule="x")) == [
        'spec.schedule: Invalid value: "x": expected exactly 5 fields, found 1: [x]'
    ]


def test_selectors_are_shown_as_people_write_them() -> None:
    expressions = [
        {"key": "tier", "operator": "In", "values": ["b", "a"]},
        {"key": "old", "operator": "DoesNotExist"},
    ]
    selector = {"matchLabels": {"app": "web"}, "matchExpressions": expressions}
    assert selector_text(selector) == "app=web,!old,tier in (a,b)"
    assert selector_text({}) == "<none>"


def test_claims_of_a_new_stateful_set_are_looked_at() -> None:
    item = workload(volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": {"accessModes": ["Often"]}}])
    assert faults(STATEFUL_SETS, item) == [
        (
            'spec.volumeClaimTemplates[0].spec.accessModes: Unsupported value: "Often": '
            'supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'
        ),
        "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
    ]
