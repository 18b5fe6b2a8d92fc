from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from nominee.config.decode import decode
from nominee.config.default_plugins import IN_TREE_PLUGINS
from nominee.config.defaults import with_defaults
from nominee.config.duration import Duration
from nominee.config.encode import to_yaml
from nominee.config.features import FeatureGates
from nominee.config.load import load_config
from nominee.config.plugin_args import (
    DynamicResourcesArgs,
    NodeResourcesAllocatableArgs,
    NodeResourcesFitArgs,
    ResourceSpec,
    VolumeBindingArgs,
)
from nominee.config.types import Configuration


def load(gates: str = "", **body: Any) -> Configuration:
    return load_config(body, features=FeatureGates.parse(gates), require_kind=False)


def args(name: str, given_args: dict[str, Any], gates: str = "") -> Any:
    profile = {"pluginConfig": [{"name": name, "args": given_args}]}
    return load(gates, profiles=[profile]).profiles[0].plugin_args[name]


def test_nothing_given_is_kube_schedulers_default() -> None:
    configuration = load()
    assert [profile.scheduler_name for profile in configuration.profiles] == ["default-scheduler"]
    assert configuration.enable_contention_profiling is True
    assert str(configuration.leader_election.lease_duration) == "15s"


def test_zero_values_count_as_not_given() -> None:
    configuration = load(
        leaderElection={"resourceLock": "", "retryPeriod": "0s"},
        clientConnection={"qps": 0, "burst": 0},
        extenders=[{"urlPrefix": "http://x", "httpTimeout": "0s"}],
    )
    assert configuration == load(extenders=[{"urlPrefix": "http://x"}])
    assert configuration.extenders[0].http_timeout == Duration.of(5)


def test_without_profiling_there_is_no_contention_profiling() -> None:
    assert load(enableProfiling=False).enable_contention_profiling is False


def test_args_are_added_for_every_enabled_plugin_that_takes_some() -> None:
    plugins = {"multiPoint": {"enabled": [{"name": "NodeResourcesAllocatable"}, {"name": "Rack"}]}}
    found = load(profiles=[{"plugins": plugins}]).profiles[0].plugin_args
    assert found["NodeResourcesAllocatable"] == NodeResourcesAllocatableArgs(
        mode="Least", resources=(ResourceSpec("cpu", 1 << 20), ResourceSpec("memory", 1))
    )
    assert list(found) == sorted(found)
    assert "Rack" not in found


def test_no_args_are_added_for_disabled_plugins() -> None:
    plugins = {"multiPoint": {"disabled": [{"name": "NodeAffinity"}]}}
    assert "NodeAffinity" not in load(profiles=[{"plugins": plugins}]).profiles[0].plugin_args


def test_empty_lists_and_zero_weights_take_the_default() -> None:
    strategy = {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 0}]}
    assert args("NodeResourcesFit", {}) == NodeResourcesFitArgs()
    assert args("NodeResourcesFit", {"scoringStrategy": strategy}).scoring_strategy.resources == (
        ResourceSpec("cpu", 1),
    )
    assert args("NodeResourcesAllocatable", {"mode": "", "resources": []}) == NodeResourcesAllocatableArgs()


def test_some_defaults_depend_on_gates() -> None:
    ten_minutes = DynamicResourcesArgs(filter_timeout=Duration.of(10), binding_timeout=Duration.of(600))
    assert args("DynamicResources", {}) == ten_minutes
    gates = "DRASchedulerFilterTimeout=false,DRADeviceBindingConditions=false"
    assert args("DynamicResources", {}, gates) == DynamicResourcesArgs()
    assert [point.score for point in args("VolumeBinding", {}).shape] == [10, 0]
    assert args("VolumeBinding", {}, "StorageCapacityScoring=false") == VolumeBindingArgs()


plugin_names = st.sampled_from([*sorted(IN_TREE_PLUGINS), "Rack", "Zone"])
enabled_plugins = st.lists(
    st.fixed_dictionaries({"name": plugin_names}, optional={"weight": st.integers(0, 100)}),
    unique_by=lambda plugin: plugin["name"],
    max_size=4,
)
disabled_plugins = st.lists((plugin_names | st.just("*")).map(lambda name: {"name": name}), max_size=3)
plugin_sets = st.fixed_dictionaries({}, optional={"enabled": enabled_plugins, "disabled": disabled_plugins})
profiles = st.fixed_dictionaries(
    {"schedulerName": st.sampled_from("abc")},
    optional={
        "percentageOfNodesToScore": st.integers(0, 100),
        "plugins": st.dictionaries(st.sampled_from(["multiPoint", "score", "filter"]), plugin_sets),
    },
)
configurations = st.fixed_dictionaries(
    {},
    optional={
        "parallelism": st.integers(1, 99),
        "enableProfiling": st.booleans(),
        "leaderElection": st.fixed_dictionaries(
            {}, optional={"retryPeriod": st.sampled_from(["0s", "1ms", "3s"])}
        ),
        "profiles": st.lists(profiles, max_size=2, unique_by=lambda profile: profile["schedulerName"]),
    },
)


@given(configurations)
def test_defaulting_twice_changes_nothing(body: dict[str, Any]) -> None:
    once = with_defaults(decode(body, require_kind=False), FeatureGates())
    assert with_defaults(once, FeatureGates()) == once


@given(configurations)
def test_what_is_printed_means_the_same(body: dict[str, Any]) -> None:
    configuration = load(**body)
    printed = to_yaml(configuration)
    assert load_config(printed.encode()) == configuration
    assert yaml.safe_load(printed)["kind"] == "KubeSchedulerConfiguration"
