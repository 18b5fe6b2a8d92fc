"""From options to a process's parts, and what is wrong with options in a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from nominee.errors import ConfigError
from nominee.live.setup import Options, Setup

KIND = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
PLUGIN = """
class Rack:
    def filter_node(self, pod, node, cycle):
        return None
"""


def configured(tmp_path: Path, **fields: Any) -> str:
    path = tmp_path / "scheduler.yaml"
    path.write_text(yaml.safe_dump(KIND | fields), encoding="utf-8")
    return str(path)


def test_the_command_line_overrules_the_configuration_on_election(tmp_path: Path) -> None:
    config = configured(tmp_path, leaderElection={"leaderElect": False, "resourceName": "mine"})
    assert Setup(Options()).elects
    assert not Setup(Options(config=config)).elects
    assert Setup(Options(config=config, leader_elect=True)).elects
    assert Setup(Options(config=config)).lease == "kube-system/mine"


def test_a_dry_run_takes_no_lease() -> None:
    assert not Setup(Options(dry_run=True, leader_elect=True)).elects


def test_configz_shows_what_the_command_line_says() -> None:
    shown = Setup(Options(leader_elect=False)).configz()["componentconfig"]
    assert shown["leaderElection"]["leaderElect"] is False


def test_terms_are_the_configurations(tmp_path: Path) -> None:
    election = {"leaseDuration": "3s", "renewDeadline": "2s", "retryPeriod": "500ms"}
    terms = Setup(Options(config=configured(tmp_path, leaderElection=election))).terms()
    assert (terms.lease_duration, terms.renew_deadline, terms.retry_period) == (3, 2, 0.5)


def test_requests_are_limited_only_if_the_file_says_so(tmp_path: Path) -> None:
    assert Setup(Options()).limit() is None
    assert Setup(Options(config=configured(tmp_path, clientConnection={"burst": 5}))).limit() is None
    assert Setup(Options(config=configured(tmp_path, clientConnection={"qps": 20}))).limit() is not None
    assert Setup(Options(config=configured(tmp_path, clientConnection={"qps": -1}))).limit() is None


def test_plugins_given_are_enabled_in_every_profile(tmp_path: Path) -> None:
    (tmp_path / "rack.py").write_text(PLUGIN, encoding="utf-8")
    profiles = [{"schedulerName": "a"}, {"schedulerName": "b"}]
    setup = Setup(
        Options(plugins=(str(tmp_path / "rack.py"),), config=configured(tmp_path, profiles=profiles))
    )
    assert all("Rack" in profile.plugins for profile in setup.profiles.values())


def test_plugins_given_may_be_named_in_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "rack.py").write_text(PLUGIN, encoding="utf-8")
    profiles = [{"plugins": {"filter": {"enabled": [{"name": "Rack"}]}}}]
    config = configured(tmp_path, profiles=profiles)
    setup = Setup(Options(plugins=(str(tmp_path / "rack.py"),), config=config))
    assert "Rack" in setup.profiles["default-scheduler"].plugins
    with pytest.raises(ConfigError, match="Rack"):
        Setup(Options(config=config))


def test_what_was_loaded_again_is_in_new_profiles(tmp_path: Path) -> None:
    path = tmp_path / "rack.py"
    path.write_text(PLUGIN, encoding="utf-8")
    setup = Setup(Options(plugins=(str(path),)))
    path.write_text(PLUGIN.replace("None", "'never'"), encoding="utf-8")
    before = setup.profiles["default-scheduler"].plugins["Rack"]
    after = setup.reloaded()["default-scheduler"].plugins["Rack"]
    assert (before.filter_node(0, 0, 0), after.filter_node(0, 0, 0)) == (None, "never")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"parallelism": "many"}, "parallelism"),
        ({"profiles": [{"plugins": {"filter": {"enabled": [{"name": "Nothing"}]}}}]}, "Nothing"),
        ({"percentageOfNodesToScore": 101}, "not in valid range [0-100]"),
    ],
)
def test_a_faulty_configuration_is_refused(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    config = configured(tmp_path, **fields)
    with pytest.raises(ConfigError) as raised:
        Setup(Options(config=config))
    assert message in str(raised.value)
    assert config in str(raised.value)


@pytest.mark.parametrize("watches", ['"Pod"', '("DeviceClass",)', "(int,)", "5"])
def test_a_plugin_that_looks_up_what_is_no_kind_is_refused(tmp_path: Path, watches: str) -> None:
    path = tmp_path / "rack.py"
    path.write_text(f"{PLUGIN}\n    watches = {watches}\n")
    with pytest.raises(ConfigError, match=r"plugin 'Rack' watches .*: expected a tuple of kinds"):
        Setup(Options(plugins=(str(path),)))


def test_an_address_that_is_none_is_refused_before_anybody_is_asked() -> None:
    with pytest.raises(ConfigError, match="--metrics-address 10259: expected HOST:PORT"):
        Setup(Options(metrics_address="10259"))


def test_an_unknown_gate_is_refused() -> None:
    with pytest.raises(ConfigError, match="unrecognized feature gate: Nonsense"):
        Setup(Options(feature_gates="Nonsense=true"))


def test_the_configuration_names_the_kubeconfig_that_the_command_line_does_not(tmp_path: Path) -> None:
    connection = {"kubeconfig": str(tmp_path / "nowhere")}
    setup = Setup(Options(config=configured(tmp_path, clientConnection=connection)))
    with pytest.raises(ConfigError, match="nowhere"):
        setup.access()
