from typing import Any

import pytest

from nominee.config.field import InvalidConfigurationError
from nominee.config.load import load_config


def faults(known: set[str] | None = None, **body: Any) -> list[str]:
    with pytest.raises(InvalidConfigurationError) as caught:
        load_config(body, require_kind=False, known_plugins=known)
    return [str(error) for error in caught.value.errors]


def extender(**fields: Any) -> dict[str, Any]:
    return {"urlPrefix": "http://x", **fields}


def queue_sort(name: str) -> dict[str, Any]:
    return {"queueSort": {"enabled": [{"name": name}]}}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"parallelism": 0}, "parallelism: Invalid value: 0: should be an integer value greater than zero"),
        (
            {"percentageOfNodesToScore": 101},
            "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
        ),
        (
            {"podInitialBackoffSeconds": 0},
            "podInitialBackoffSeconds: Invalid value: 0: must be greater than 0",
        ),
        (
            {"podMaxBackoffSeconds": 0},
            (
                "podMaxBackoffSeconds: Invalid value: 0: "
                "must be greater than or equal to PodInitialBackoffSeconds"
            ),
        ),
        (
            {"clientConnection": {"burst": -1}},
            "clientConnection.burst: Invalid value: -1: must be non-negative",
        ),
        (
            {"leaderElection": {"retryPeriod": "-1s"}},
            'leaderElection.retryPeriod: Invalid value: "-1s": must be greater than zero',
        ),
        (
            {"leaderElection": {"leaseDuration": "1s"}},
            'leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`',
        ),
        (
            {"leaderElection": {"resourceLock": "endpoints"}},
            'leaderElection.resourceLock: Invalid value: "endpoints": resourceLock value must be "leases"',
        ),
        (
            {"profiles": [{"percentageOfNodesToScore": -1}]},
            "profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]",
        ),
        (
            {"profiles": [{"schedulerName": "a"}, {}]},
            "profiles[1].schedulerName: Required value",
        ),
        (
            {"profiles": [{"schedulerName": "a"}, {"schedulerName": "a"}]},
            "profiles[1].schedulerName: Duplicate value: profiles[0].schedulerName",
        ),
        (
            {"profiles": [{"pluginConfig": [{"name": "Rack"}, {"name": "Rack"}]}]},
            'profiles[0].pluginConfig[1]: Duplicate value: "Rack"',
        ),
        (
            {"profiles": [{"plugins": {"filter": {"enabled": [{"name": "EBSLimits"}]}}}]},
            (
                'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": '
                'was invalid in version "v1" '
                '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")'
            ),
        ),
        (
            {"profiles": [{"schedulerName": "a"}, {"schedulerName": "b", "plugins": queue_sort("Own")}]},
            (
                'profiles[1].plugins.queueSort: Invalid value: {"enabled":[{"name":"Own"}]}: '
                "must be the same for all profiles"
            ),
        ),
        (
            {"profiles": [{"plugins": {"queueSort": {"enabled": [{"name": "A"}, {"name": "B"}]}}}]},
            (
                "profiles[0].plugins.queueSort.Enabled: Invalid value: 2: "
                "only one queue sort plugin can be enabled"
            ),
        ),
        (
            {"extenders": [extender(prioritizeVerb="p")]},
            "extenders[0].weight: Invalid value: 0: must have a positive weight applied to it",
        ),
        (
            {"extenders": [extender(managedResources=[{"name": "cpu"}])]},
            (
                'extenders[0].managedResources[0].name: Invalid value: "cpu": '
                "is an invalid extended resource name"
            ),
        ),
        (
            {"extenders": [extender(managedResources=[{"name": "a.b/c"}, {"name": "a.b/c"}])]},
            (
                'extenders[0].managedResources[1].name: Invalid value: "a.b/c": '
                "duplicate extender managed resource name"
            ),
        ),
        (
            {"extenders": [extender(bindVerb="b"), extender(bindVerb="b")]},
            (
                'extenders: Invalid value: "found 2 extenders implementing bind": '
                "only one extender can implement bind"
            ),
        ),
    ],
)
def test_a_fault_reads_as_upstreams(body: dict[str, Any], expected: str) -> None:
    assert faults(**body) == [expected]


def test_leader_election_is_checked_only_where_it_takes_place() -> None:
    body = {"leaderElection": {"leaderElect": False, "leaseDuration": "-1s"}}
    assert not load_config(body, require_kind=False).leader_election.leader_elect


def test_several_faults_are_joined_as_go_joins_them() -> None:
    with pytest.raises(InvalidConfigurationError) as caught:
        load_config({"parallelism": 0, "percentageOfNodesToScore": 101}, require_kind=False, source="f")
    assert str(caught.value) == (
        "f: [parallelism: Invalid value: 0: should be an integer value greater than zero, "
        "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]]"
    )
    assert caught.value.exit_code == 2


def test_args_of_the_queue_sort_plugin_must_be_the_same_too() -> None:
    profiles = [
        {
            "schedulerName": name,
            "plugins": queue_sort("Own"),
            "pluginConfig": [{"name": "Own", "args": {"by": name}}],
        }
        for name in "ab"
    ]
    assert faults(profiles=profiles) == [
        (
            'profiles[1].pluginConfig.args: Invalid value: {"by":"b"}: '
            "queueSort must be the same for all profiles"
        )
    ]


def test_removed_plugins_may_not_be_given_args_either() -> None:
    fault = faults(profiles=[{"pluginConfig": [{"name": "CinderLimits", "args": {}}]}])[0]
    assert fault.startswith('profiles[0].pluginConfig[0]: Invalid value: "CinderLimits": was invalid')


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("NodeAfinity", 'did you mean "NodeAffinity"?'),
        ("Rack", "no such plugin is built in or installed"),
    ],
)
def test_unknown_plugins_are_found_at_the_place_in_the_file(name: str, detail: str) -> None:
    profile = {"plugins": {"multiPoint": {"enabled": [{"name": name}]}}}
    path = "profiles[0].plugins.multiPoint.enabled[0].name"
    assert faults({"NodeAffinity"}, profiles=[profile]) == [f'{path}: Not found: "{name}": {detail}']
    assert load_config({"profiles": [profile]}, require_kind=False).profiles
