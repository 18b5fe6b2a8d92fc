import pytest

from nominee.config.default_plugins import default_plugins, merge_plugin_set
from nominee.config.features import FeatureGates
from nominee.config.types import Plugin, PluginSet


def plugin_set(enabled: str, disabled: str = "") -> PluginSet:
    """``"A:2 B"`` is A of weight 2, then B."""
    return PluginSet(
        enabled=tuple(Plugin(name, int(weight or 0)) for name, _, weight in split(enabled)),
        disabled=tuple(Plugin(name) for name in disabled.split()),
    )


def split(names: str) -> list[tuple[str, str, str]]:
    return [entry.partition(":") for entry in names.split()]


@pytest.mark.parametrize(
    ("enabled", "disabled", "merged"),
    [
        ("", "", "A:1 B:2 C:3"),
        ("D E", "", "A:1 B:2 C:3 D E"),
        ("B:9", "", "A:1 B:9 C:3"),
        ("D C:7 A", "", "A B:2 C:7 D"),
        ("", "B", "A:1 C:3"),
        ("B:9", "B", "A:1 C:3 B:9"),
        ("C D", "*", "C D"),
        ("", "*", ""),
        ("", "Unknown", "A:1 B:2 C:3"),
        ("D D", "", "A:1 B:2 C:3 D D"),
        ("B:8 B:9", "", "A:1 B:9 C:3 B:8"),
    ],
)
def test_own_plugins_are_merged_into_the_defaults(enabled: str, disabled: str, merged: str) -> None:
    result = merge_plugin_set(plugin_set("A:1 B:2 C:3"), plugin_set(enabled, disabled))
    assert result == plugin_set(merged, disabled)


def test_default_weights() -> None:
    plugins = default_plugins(FeatureGates()).multi_point.enabled
    assert {plugin.name: plugin.weight for plugin in plugins if plugin.weight} == {
        "TaintToleration": 3,
        "NodeAffinity": 2,
        "NodeResourcesFit": 1,
        "PodTopologySpread": 2,
        "InterPodAffinity": 2,
        "DynamicResources": 2,
        "NodeResourcesBalancedAllocation": 1,
        "ImageLocality": 1,
    }


def test_default_order() -> None:
    names = [plugin.name for plugin in default_plugins(FeatureGates()).multi_point.enabled]
    assert len(names) == 20
    assert names[:4] == ["SchedulingGates", "PrioritySort", "NodeName", "NodeUnschedulable"]
    assert names[-3:] == ["ImageLocality", "DefaultBinder", "NodeDeclaredFeatures"]
    assert names.index("DynamicResources") + 1 == names.index("DefaultPreemption")


def test_gates_bring_plugins() -> None:
    gates = FeatureGates.parse("GenericWorkload=true,TopologyAwareWorkloadScheduling=true")
    names = [plugin.name for plugin in default_plugins(gates).multi_point.enabled]
    assert names[-3:] == ["GangScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount"]
