import re
from pathlib import Path

import pytest

from nominee.config.features import GATES, FeatureGates
from nominee.config.field import InvalidConfigurationError
from nominee.config.load import load_config
from nominee.config.plugin_args import ARGS_OF_PLUGIN

DOCS = (Path(__file__).parents[3] / "docs" / "configuration.md").read_text()
EXAMPLES = re.findall(r"```yaml\n(apiVersion.*?)```", DOCS, re.DOTALL)


def test_no_origin_is_the_default_configuration() -> None:
    assert load_config().profiles[0].scheduler_name == "default-scheduler"


def test_origins_may_be_a_path_text_or_data(tmp_path: Path) -> None:
    text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 4\n"
    file = tmp_path / "scheduler.yaml"
    file.write_text(text)
    from_data = load_config({"parallelism": 4}, require_kind=False)
    assert load_config(file) == load_config(str(file)) == load_config(text.encode()) == from_data


def test_faults_name_their_file(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.yaml"
    file.write_text("parallelism: 0\n")
    with pytest.raises(InvalidConfigurationError) as caught:
        load_config(file, require_kind=False)
    assert caught.value.lines() == [
        f"{file}: parallelism: Invalid value: 0: should be an integer value greater than zero"
    ]


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_of_the_documentation_are_sound(text: str) -> None:
    configuration = load_config(text.encode())
    args = configuration.profiles[0].plugin_args
    assert all(isinstance(args[name], kind) for name, kind in ARGS_OF_PLUGIN.items() if name in args)


def test_the_documentation_has_an_example() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("name", list(ARGS_OF_PLUGIN))
def test_the_documentation_describes_all_args(name: str) -> None:
    assert f"### {name}Args" in DOCS


def test_the_documentation_lists_every_gate_with_stage_and_default() -> None:
    listed = set(re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \|", DOCS, re.MULTILINE))
    assert listed == {(g.name, g.stage.value, "on" if g.default else "off") for g in GATES.values()}


def test_gates_reach_defaults_and_validation() -> None:
    gates = FeatureGates.parse("StorageCapacityScoring=false")
    assert load_config(features=gates) != load_config()
