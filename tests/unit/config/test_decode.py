from pathlib import Path
from typing import Any

import pytest

from nominee.config.decode import decode
from nominee.config.duration import Duration
from nominee.config.field import InvalidConfigurationError
from nominee.errors import ConfigError

HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def faults(body: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidConfigurationError) as caught:
        decode({**HEAD, **body})
    return [str(error) for error in caught.value.errors]


def in_profile(**profile: Any) -> dict[str, Any]:
    return {"profiles": [profile]}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"parallelism": "3"}, 'parallelism: Invalid value: "3": must be an integer'),
        ({"parallelism": True}, "parallelism: Invalid value: true: must be an integer"),
        ({"parallelism": 2**31}, "parallelism: Invalid value: 2147483648: must be an integer of 32 bits"),
        ({"enableProfiling": "no"}, 'enableProfiling: Invalid value: "no": must be true or false'),
        ({"leaderElection": []}, "leaderElection: Invalid value: []: must be an object"),
        (
            in_profile(pluginConfig=[{"name": "Rack", "args": 3}]),
            "profiles[0].pluginConfig[0].args: Invalid value: 3: must be an object",
        ),
        ({"profiles": {}}, "profiles: Invalid value: {}: must be a list"),
        ({"profiles": [None]}, "profiles[0]: Invalid value: null: must not be null"),
        (in_profile(schedulerName=""), "profiles[0].schedulerName: Required value"),
        ({"clientConnection": {"qps": "1"}}, 'clientConnection.qps: Invalid value: "1": must be a number'),
        (
            {"leaderElection": {"leaseDuration": 15}},
            'leaderElection.leaseDuration: Invalid value: 15: must be a duration such as "15s" or "1m30s"',
        ),
        (
            {"leaderElection": {"leaseDuration": "15"}},
            'leaderElection.leaseDuration: Invalid value: "15": time: missing unit in duration "15"',
        ),
        (
            {"extenders": [{"tlsConfig": {"caData": "?"}}]},
            'extenders[0].tlsConfig.caData: Invalid value: "?": must be base64 text',
        ),
        (
            {"clientConnection": {"qps": float("inf")}},
            "clientConnection.qps: Invalid value: Infinity: must be a number",
        ),
        ({"Parallelism": 1}, 'Parallelism: unknown field "Parallelism": did you mean "parallelism"?'),
        (
            in_profile(plugins={"score": {"enabled": [{"name": "A"}, {"name": "B", "weight": "2"}]}}),
            'profiles[0].plugins.score.enabled[1].weight: Invalid value: "2": must be an integer',
        ),
        (
            in_profile(plugins={"score": {"on": []}}),
            'profiles[0].plugins.score.on: unknown field "on": known fields: enabled, disabled',
        ),
        (
            in_profile(pluginConfig=[{"name": "VolumeBinding", "args": {"kind": "FooArgs"}}]),
            (
                'profiles[0].pluginConfig[0].args.kind: Unsupported value: "FooArgs": '
                'supported values: "VolumeBindingArgs"'
            ),
        ),
        (
            in_profile(pluginConfig=[{"name": "VolumeBinding", "args": []}]),
            "profiles[0].pluginConfig[0].args: Invalid value: []: has to match plugin args",
        ),
        (
            in_profile(pluginConfig=[{"name": "NodeResourcesAllocatable", "args": {"modes": "Most"}}]),
            'profiles[0].pluginConfig[0].args.modes: unknown field "modes": did you mean "mode"?',
        ),
    ],
)
def test_a_fault_names_field_value_and_what_is_allowed(body: dict[str, Any], expected: str) -> None:
    assert faults(body) == [expected]


def test_all_faults_are_reported_at_once() -> None:
    assert len(faults({"parallelism": "3", "foo": 1, **in_profile(schedulerName=1)})) == 3


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ({}, 'apiVersion: Required value: must be "kubescheduler.config.k8s.io/v1"'),
        (
            {"apiVersion": "kubescheduler.config.k8s.io/v1beta3"},
            (
                'apiVersion: Unsupported value: "kubescheduler.config.k8s.io/v1beta3": '
                'supported values: "kubescheduler.config.k8s.io/v1"'
            ),
        ),
    ],
)
def test_only_v1_is_served(head: dict[str, str], expected: str) -> None:
    with pytest.raises(InvalidConfigurationError) as caught:
        decode({"kind": "KubeSchedulerConfiguration", **head})
    assert str(caught.value) == expected


def test_kind_is_not_required_of_those_who_say_so() -> None:
    assert decode({"parallelism": 4}, require_kind=False).parallelism == 4


def test_null_means_not_given() -> None:
    assert decode({**HEAD, "parallelism": None, "profiles": None}) == decode(HEAD)


def test_args_of_other_plugins_stay_as_they_are() -> None:
    args = {"kind": "Anything", "depth": [1, {"x": None}]}
    profile = decode(HEAD | in_profile(pluginConfig=[{"name": "Rack", "args": args}])).profiles[0]
    assert profile.plugin_args == {"Rack": args}


def test_nested_structs_are_decoded() -> None:
    extender = {
        "urlPrefix": "http://x",
        "enableHTTPS": True,
        "httpTimeout": "1m",
        "tlsConfig": {"caData": "YQ=="},
    }
    decoded = decode(HEAD | {"extenders": [extender]}).extenders[0]
    assert decoded.enable_https
    assert decoded.http_timeout == Duration.of(60)
    assert decoded.tls_config is not None
    assert decoded.tls_config.ca_data == b"a"


def test_a_file_is_named_in_its_faults(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.yaml"
    file.write_text("kind: KubeSchedulerConfiguration\nparallelism: x\n")
    with pytest.raises(InvalidConfigurationError) as caught:
        decode(file)
    assert [line.partition(": ")[0] for line in caught.value.lines()] == [str(file)] * 2


def test_a_missing_file_is_the_users_fault(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file") as caught:
        decode(tmp_path / "none.yaml")
    assert caught.value.exit_code == 2
