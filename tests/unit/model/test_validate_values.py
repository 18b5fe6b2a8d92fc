from typing import Any

import pytest

from nominee.errors import InputError
from nominee.model.codec import decode_object

PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
CONSTRAINT = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}


def fault(kind: str, spec: dict[str, Any]) -> str:
    version = "policy/v1" if kind == "PodDisruptionBudget" else "v1"
    with pytest.raises(InputError) as caught:
        decode_object({"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": spec})
    return str(caught.value)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"tolerations": [{"operator": "In"}]},
            "tolerations[0].operator: 'In' is not supported: expected one of Exists, Equal, Gt, Lt",
        ),
        (
            {"tolerations": [{"effect": "Never"}]},
            (
                "tolerations[0].effect: 'Never' is not supported: "
                "expected one of NoSchedule, PreferNoSchedule, NoExecute"
            ),
        ),
        (
            {"containers": [{"ports": [{"hostPort": 65536}]}]},
            "containers[0].ports[0].hostPort: 65536 must be in the range 1-65535, or 0 for none",
        ),
        (
            {"initContainers": [{}, {"ports": [{"hostPort": 80, "protocol": "tcp"}]}]},
            "initContainers[1].ports[0].protocol: 'tcp' is not supported: expected one of TCP, UDP, SCTP",
        ),
        (
            {"nodeSelector": {"disk": "s s d"}},
            (
                "nodeSelector.values: 's s d' is not a label value: expected at most 63 letters, digits, "
                "'-', '_' or '.', a letter or digit at both ends, or nothing"
            ),
        ),
        (
            {"preemptionPolicy": "Always"},
            "preemptionPolicy: 'Always' is not supported: expected one of PreemptLowerPriority, Never",
        ),
        (
            {"topologySpreadConstraints": [CONSTRAINT | {"whenUnsatisfiable": ""}]},
            (
                "topologySpreadConstraints[0].whenUnsatisfiable: '' is not supported: "
                "expected one of DoNotSchedule, ScheduleAnyway"
            ),
        ),
        (
            {"topologySpreadConstraints": [CONSTRAINT | {"nodeTaintsPolicy": "No"}]},
            (
                "topologySpreadConstraints[0].nodeTaintsPolicy: 'No' is not supported: "
                "expected one of Honor, Ignore"
            ),
        ),
        (
            {"topologySpreadConstraints": [CONSTRAINT | {"maxSkew": 0}]},
            "topologySpreadConstraints[0].maxSkew: 0 must be greater than zero",
        ),
        (
            {"topologySpreadConstraints": [CONSTRAINT | {"minDomains": 0}]},
            "topologySpreadConstraints[0].minDomains: 0 must be greater than zero",
        ),
        (
            {"affinity": {"nodeAffinity": {PREFERRED: [{"weight": 101}]}}},
            f"affinity.nodeAffinity.{PREFERRED}[0].weight: 101 must be in the range 1-100",
        ),
    ],
)
def test_a_pod_with_a_value_no_server_would_store(spec: dict[str, Any], expected: str) -> None:
    assert fault("Pod", spec) == f"spec.{expected}"


@pytest.mark.parametrize(
    ("taint", "expected"),
    [
        (
            {"key": "a", "effect": "No"},
            "effect: 'No' is not supported: expected one of NoSchedule, PreferNoSchedule, NoExecute",
        ),
        ({"effect": "NoSchedule"}, "key: can not be empty"),
    ],
)
def test_a_taint_no_server_would_store(taint: dict[str, str], expected: str) -> None:
    assert fault("Node", {"taints": [taint]}) == f"spec.taints[0].{expected}"


def test_a_disruption_budget_with_a_malformed_selector() -> None:
    selector = {"matchExpressions": [{"key": "a", "operator": "Is"}]}
    assert fault("PodDisruptionBudget", {"selector": selector}) == (
        "spec.selector.matchExpressions[0].operator: 'Is' is not an operator here: "
        "expected one of In, NotIn, Exists, DoesNotExist"
    )
