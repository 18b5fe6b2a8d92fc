"""What a client is told of a pod that is accepted all the same."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.apiserver.kinds.apps_deployments import DEPLOYMENTS
from nominee.apiserver.kinds.pod.warnings import claim_warnings, pod_warnings
from tests.unit.apiserver.kinds.workloads import created, template, workload

PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NOTHING = "a null labelSelector results in matching no pod"


def container(**more: Any) -> dict[str, Any]:
    return {"name": "c", "image": "i", **more}


def ports(*given: dict[str, Any]) -> dict[str, Any]:
    return {"containers": [container(ports=[{"protocol": "TCP", **port} for port in given])]}


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            {"nodeSelector": {"beta.kubernetes.io/os": "linux"}},
            (
                "spec.nodeSelector[beta.kubernetes.io/os]: "
                'deprecated since v1.14; use "kubernetes.io/os" instead'
            ),
        ),
        (
            {"topologySpreadConstraints": [{"topologyKey": "zone"}]},
            f"spec.topologySpreadConstraints[0].labelSelector: {NOTHING}",
        ),
        (
            {
                "affinity": {
                    "podAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": {"topologyKey": "z"}}]}
                }
            },
            f"spec.affinity.podAffinity.{PREFERRED}[0].podAffinityTerm.labelSelector: {NOTHING}",
        ),
        (
            {"containers": [container(resources={"limits": {"memory": "100m"}})]},
            (
                "spec.containers[0].resources.limits[memory]: "
                'fractional byte value "100m" is invalid, must be an integer'
            ),
        ),
        (
            {"containers": [container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}])]},
            (
                'spec.containers[0].env[1]: hides previous definition of "A", '
                "which may be dropped when using apply"
            ),
        ),
        (
            ports({"containerPort": 80}, {"containerPort": 80}),
            "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
        ),
        (
            ports({"containerPort": 80, "hostPort": 1}, {"containerPort": 80}),
            "spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]",
        ),
        (
            ports({"containerPort": 80, "hostIP": "1.2.3.4"}),
            (
                "spec.containers[0].ports[0]: hostIP set without hostPort: "
                "{Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.2.3.4}"
            ),
        ),
        ({"imagePullSecrets": [{}]}, 'spec.imagePullSecrets[0].name: invalid empty name ""'),
        (
            {"volumes": [{"name": "v", "gitRepo": {"repository": "r"}}]},
            "spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
        ),
    ],
)
def test_something_is_told(spec: dict[str, Any], told: str) -> None:
    assert pod_warnings(spec) == [told]


def test_a_variable_may_extend_itself() -> None:
    assert not pod_warnings({"containers": [container(env=[{"name": "A"}, {"name": "A", "value": "x$(A)"}])]})


def test_claims_ask_for_whole_bytes() -> None:
    requests = {"resources": {"requests": {"storage": "1500m"}}}
    assert list(claim_warnings(requests, "spec")) == [
        'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer'
    ]


def test_templates_are_looked_at_when_they_come_and_when_they_change() -> None:
    item = created(DEPLOYMENTS, workload(template=template(imagePullSecrets=[{}])))
    told = ['spec.template.spec.imagePullSecrets[0].name: invalid empty name ""']
    assert DEPLOYMENTS.warnings(item) == told
    assert not DEPLOYMENTS.update_warnings(item, item)
    changed = {**item, "metadata": {**item["metadata"], "generation": 2}}
    assert DEPLOYMENTS.update_warnings(changed, item) == told
