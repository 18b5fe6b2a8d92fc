from __future__ import annotations

import pytest

from nominee.apiserver.kinds.apps_deployments import DEPLOYMENTS
from tests.unit.apiserver.kinds.workloads import CONTEXT, created, faults, template, update_faults, workload


def test_a_new_deployment_is_defaulted_and_has_no_status() -> None:
    spec = created(DEPLOYMENTS, workload())["spec"]
    assert spec["replicas"] == 1
    assert spec["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
    }
    assert (spec["revisionHistoryLimit"], spec["progressDeadlineSeconds"]) == (10, 600)
    assert spec["template"]["spec"]["restartPolicy"] == "Always"
    assert created(DEPLOYMENTS, workload() | {"status": {"replicas": 3}})["status"] == {}


def test_a_good_deployment_has_no_faults() -> None:
    assert faults(DEPLOYMENTS, workload()) == []


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ({"replicas": -1}, "spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
        ({"selector": {}}, "spec.selector: Invalid value: {}: empty selector is invalid for deployment"),
        (
            {"selector": {"matchLabels": {"app": "api"}}},
            (
                'spec.template.metadata.labels: Invalid value: {"app":"web"}: '
                "`selector` does not match template `labels`"
            ),
        ),
        (
            {"progressDeadlineSeconds": 5, "minReadySeconds": 5},
            "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds",
        ),
        (
            {"strategy": {"type": "Recreate", "rollingUpdate": {}}},
            "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
        ),
        (
            {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}}},
            (
                'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": '
                "may not be 0 when `maxSurge` is 0"
            ),
        ),
        (
            {"strategy": {"rollingUpdate": {"maxUnavailable": "101%"}}},
            (
                'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": '
                "must not be greater than 100%"
            ),
        ),
        (
            {"template": template(restartPolicy="Never")},
            'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        ),
        (
            {"template": template(activeDeadlineSeconds=3)},
            (
                "spec.template.spec.activeDeadlineSeconds: Forbidden: "
                "activeDeadlineSeconds in ReplicaSet is not Supported"
            ),
        ),
    ],
)
def test_faults_are_told_in_kubernetes_words(spec: dict[str, object], fault: str) -> None:
    assert faults(DEPLOYMENTS, workload(**spec)) == [fault]


def test_a_deployment_without_a_selector_lacks_it_and_matches_nothing() -> None:
    assert faults(DEPLOYMENTS, workload(selector=None)) == [
        "spec.selector: Required value",
        (
            'spec.template.metadata.labels: Invalid value: {"app":"web"}: '
            "`selector` does not match template `labels`"
        ),
    ]


def test_the_selector_is_immutable() -> None:
    selector = {"matchLabels": {"app": "web", "tier": "front"}}
    labelled = template() | {"metadata": {"labels": {"app": "web", "tier": "front"}}}
    assert update_faults(DEPLOYMENTS, workload(), selector=selector, template=labelled) == [
        'spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"front"}}: field is immutable'
    ]


def test_a_status_write_may_change_annotations_but_neither_spec_nor_labels() -> None:
    old = created(DEPLOYMENTS, workload())
    item = {
        "metadata": {**old["metadata"], "annotations": {"a": "b"}, "labels": {"c": "d"}},
        "spec": {},
        "status": {"replicas": 1},
    }
    DEPLOYMENTS.prepare_status(item, old, CONTEXT)
    assert item["spec"] is old["spec"]
    assert item["metadata"]["annotations"] == {"a": "b"}
    assert "labels" not in item["metadata"]


def test_a_status_can_not_have_more_ready_replicas_than_replicas() -> None:
    item = created(DEPLOYMENTS, workload()) | {"status": {"replicas": 1, "readyReplicas": 2}}
    told = [error.message for error in DEPLOYMENTS.validate_status(item, item, CONTEXT)]
    assert told == ["Invalid value: 2: cannot be greater than status.replicas"]


def test_more_pods_than_wanted_may_surge() -> None:
    rolling = {"maxSurge": "200%", "maxUnavailable": 0}
    assert faults(DEPLOYMENTS, workload(strategy={"type": "RollingUpdate", "rollingUpdate": rolling})) == []


def test_a_strategy_that_is_none_is_shown_by_the_names_of_go() -> None:
    strategy = {"type": "Slow", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 2}}
    assert faults(DEPLOYMENTS, workload(strategy=strategy)) == [
        (
            'spec.strategy: Unsupported value: {"Type":"Slow",'
            '"RollingUpdate":{"MaxUnavailable":2,"MaxSurge":1}}: '
            'supported values: "Recreate", "RollingUpdate"'
        )
    ]
