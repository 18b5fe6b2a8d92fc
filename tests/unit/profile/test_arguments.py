"""What a configuration file may say to a plugin of somebody else."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from nominee.errors import ConfigError
from nominee.profile.profile import instantiate


@dataclasses.dataclass(frozen=True)
class Rack:
    rack_label: str = "rack"
    slots: int = 1


class Plain:
    pass


@pytest.mark.parametrize("spelling", ["rackLabel", "rack_label"])
def test_fields_may_be_written_as_kubernetes_does_or_as_they_are(spelling: str) -> None:
    assert instantiate(Rack, {spelling: "r", "kind": "RackArgs"}) == Rack("r")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"rackLable": "r"}, "unknown field 'rackLable', allowed are: rackLabel, slots"),
        ({"rackLabel": "r", "rack_label": "r"}, "'rack_label' is given twice, in two spellings"),
        ({"slots": "many"}, "Expected `int`, got `str`"),
    ],
)
def test_what_is_wrong_is_named(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as refused:
        instantiate(Rack, arguments)
    assert refused.value.field == "pluginConfig[Rack].args"


def test_a_class_without_fields_takes_none() -> None:
    with pytest.raises(ConfigError, match="plugin 'Plain' takes no arguments"):
        instantiate(Plain, {"a": 1})
