from typing import Any

import pytest

from nominee.config.features import FeatureGates
from nominee.config.field import InvalidConfigurationError
from nominee.config.load import load_config

ARGS = "profiles[0].pluginConfig[0].args"


def load(plugin: str, args: dict[str, Any], gates: str = "") -> None:
    profile = {"pluginConfig": [{"name": plugin, "args": args}]}
    load_config({"profiles": [profile]}, require_kind=False, features=FeatureGates.parse(gates))


def faults(plugin: str, args: dict[str, Any], gates: str = "") -> list[str]:
    with pytest.raises(InvalidConfigurationError) as caught:
        load(plugin, args, gates)
    return [str(error).removeprefix(f"{ARGS}.") for error in caught.value.errors]


def strategy(kind: str, **fields: Any) -> dict[str, Any]:
    return {"scoringStrategy": {"type": kind, **fields}}


def ratio(*points: tuple[int, int]) -> dict[str, Any]:
    shape = [{"utilization": utilization, "score": score} for utilization, score in points]
    return strategy("RequestedToCapacityRatio", requestedToCapacityRatio={"shape": shape})


def spread(**fields: Any) -> dict[str, Any]:
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", **fields}
    return {"defaultingType": "List", "defaultConstraints": [constraint]}


SHAPE = "scoringStrategy.requestedToCapacityRatio.shape"
SPREAD = "defaultConstraints[0]"


@pytest.mark.parametrize(
    ("plugin", "args", "expected"),
    [
        (
            "DefaultPreemption",
            {"minCandidateNodesPercentage": 101},
            "minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]",
        ),
        (
            "DefaultPreemption",
            {"minCandidateNodesAbsolute": -1},
            "minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)",
        ),
        (
            "InterPodAffinity",
            {"hardPodAffinityWeight": 101},
            "hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]",
        ),
        (
            "NodeResourcesFit",
            strategy(""),
            (
                'scoringStrategy.type: Unsupported value: "": supported values: '
                '"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"'
            ),
        ),
        (
            "NodeResourcesFit",
            strategy("MostAllocated", resources=[{"name": "cpu", "weight": 101}]),
            (
                "scoringStrategy.resources[0].weight: Invalid value: 101: "
                "resource weight of cpu not in valid range (0, 100]"
            ),
        ),
        (
            "NodeResourcesFit",
            strategy("MostAllocated", requestedToCapacityRatio={}),
            (
                "scoringStrategy.requestedToCapacityRatio: Forbidden: "
                "must be nil when type is not RequestedToCapacityRatio"
            ),
        ),
        (
            "NodeResourcesFit",
            strategy("RequestedToCapacityRatio"),
            (
                "scoringStrategy.requestedToCapacityRatio: Required value: "
                "must be specified when type is RequestedToCapacityRatio"
            ),
        ),
        ("NodeResourcesFit", ratio(), f"{SHAPE}: Required value: at least one point must be specified"),
        (
            "NodeResourcesFit",
            ratio((5, 0), (5, 1)),
            f"{SHAPE}[1].utilization: Invalid value: 5: values must be sorted in increasing order",
        ),
        (
            "NodeResourcesFit",
            ratio((0, 0), (101, 1)),
            f"{SHAPE}[1].utilization: Invalid value: 101: not in valid range [0, 100]",
        ),
        (
            "NodeResourcesFit",
            ratio((0, 11)),
            f"{SHAPE}[0].score: Invalid value: 11: not in valid range [0, 10]",
        ),
        (
            "NodeResourcesFit",
            {"ignoredResourceGroups": ["a.b/c"]},
            "ignoredResourceGroups[0]: Invalid value: \"a.b/c\": resource group name can't contain '/'",
        ),
        (
            "NodeResourcesFit",
            {"ignoredResources": ["-"]},
            (
                'ignoredResources[0]: Invalid value: "-": name part must consist of alphanumeric characters, '
                "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
                "'my.name',  or '123-abc', regex used for validation is "
                "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
            ),
        ),
        (
            "NodeResourcesBalancedAllocation",
            {"resources": [{"name": "cpu", "weight": 2}]},
            "resources[0].weight: Invalid value: 2: must be 1",
        ),
        (
            "NodeResourcesBalancedAllocation",
            {"resources": [{"name": "cpu"}, {"name": "cpu"}]},
            'resources[1].name: Duplicate value: "cpu"',
        ),
        (
            "NodeResourcesAllocatable",
            {"resources": [{"name": "cpu", "weight": 0}]},
            (
                "resources[0].weight: Invalid value: 0: "
                "resource weight of cpu should be a positive value, got :0"
            ),
        ),
        (
            "NodeResourcesAllocatable",
            {"mode": "Medium"},
            'mode: Invalid value: "Medium": invalid support ModeType',
        ),
        (
            "PodTopologySpread",
            spread() | {"defaultingType": "System"},
            'defaultingType: Invalid value: "System": when .defaultConstraints are not empty',
        ),
        (
            "PodTopologySpread",
            {"defaultingType": "Own"},
            'defaultingType: Unsupported value: "Own": supported values: "System", "List"',
        ),
        (
            "PodTopologySpread",
            spread(maxSkew=0),
            f"{SPREAD}.maxSkew: Invalid value: 0: not in valid range (0, inf)",
        ),
        (
            "PodTopologySpread",
            spread(topologyKey=""),
            f"{SPREAD}.topologyKey: Required value: can not be empty",
        ),
        (
            "PodTopologySpread",
            spread(whenUnsatisfiable="Wait"),
            (
                f'{SPREAD}.whenUnsatisfiable: Unsupported value: "Wait": '
                'supported values: "DoNotSchedule", "ScheduleAnyway"'
            ),
        ),
        (
            "PodTopologySpread",
            spread(labelSelector={"matchLabels": {"app": "x"}}),
            (
                f"{SPREAD}.labelSelector: Forbidden: "
                "constraint must not define a selector, as they deduced for each pod"
            ),
        ),
        (
            "PodTopologySpread",
            {"defaultingType": "List", "defaultConstraints": spread()["defaultConstraints"] * 2},
            'defaultConstraints[1]: Duplicate value: "{zone, DoNotSchedule}"',
        ),
        (
            "VolumeBinding",
            {"bindTimeoutSeconds": -1},
            (
                "bindTimeoutSeconds: Invalid value: -1: "
                "invalid BindTimeoutSeconds, should not be a negative value"
            ),
        ),
        (
            "DynamicResources",
            {"filterTimeout": "-1s"},
            'filterTimeout: Invalid value: "-1s": must be zero or positive',
        ),
        (
            "DynamicResources",
            {"bindingTimeout": "999ms"},
            'bindingTimeout: Invalid value: "999ms": must be at least 1 second',
        ),
    ],
)
def test_a_fault_reads_as_upstreams(plugin: str, args: dict[str, Any], expected: str) -> None:
    assert faults(plugin, args) == [expected]


def test_preemption_needs_some_candidates() -> None:
    args = {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 0}
    assert faults("DefaultPreemption", args) == [
        (
            "minCandidateNodesPercentage: Invalid value: 0: "
            "cannot be zero at the same time as minCandidateNodesAbsolute"
        ),
        (
            "minCandidateNodesAbsolute: Invalid value: 0: "
            "cannot be zero at the same time as minCandidateNodesPercentage"
        ),
    ]


@pytest.mark.parametrize(
    ("plugin", "args", "gate", "expected"),
    [
        (
            "VolumeBinding",
            {"shape": [{"utilization": 0, "score": 0}]},
            "StorageCapacityScoring",
            (
                'shape: Invalid value: [{"utilization":0,"score":0}]: '
                "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"
            ),
        ),
        (
            "DynamicResources",
            {"filterTimeout": "1s"},
            "DRASchedulerFilterTimeout",
            "filterTimeout: Forbidden: DRASchedulingFilterTimeout feature gate is disabled",
        ),
        (
            "DynamicResources",
            {"bindingTimeout": "1s"},
            "DRADeviceBindingConditions",
            (
                "bindingTimeout: Forbidden: "
                "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled"
            ),
        ),
    ],
)
def test_what_a_gate_turns_off_may_not_be_set(
    plugin: str, args: dict[str, Any], gate: str, expected: str
) -> None:
    load(plugin, args)
    assert faults(plugin, args, f"{gate}=false") == [expected]
