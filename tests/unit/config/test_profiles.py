from typing import Any

import pytest
from msgspec import structs

from nominee.config.load import load_config
from nominee.config.profiles import TYPE_OF_POINT, Enabled, expand, expand_profiles
from nominee.config.types import Configuration, Plugin, PluginConfig, Plugins, PluginSet, Profile
from nominee.errors import ConfigError, PluginConflictError, UnknownPluginError

IMPLEMENTS = {
    "Sort": {"queueSort"},
    "OtherSort": {"queueSort"},
    "Bind": {"bind"},
    "A": {"filter", "score"},
    "B": {"filter", "score"},
    "C": {"filter", "score"},
    "D": {"filter"},
    "G": {"placementGenerate"},
    "H": {"placementGenerate"},
}


def plugin_set(enabled: str = "", disabled: str = "") -> PluginSet:
    entries = [entry.partition(":") for entry in enabled.split()]
    return PluginSet(
        enabled=tuple(Plugin(name, int(weight or 0)) for name, _, weight in entries),
        disabled=tuple(Plugin(name) for name in disabled.split()),
    )


def profile(multi_point: str = "Sort Bind", name: str = "x", **sets: PluginSet) -> Profile:
    return Profile(scheduler_name=name, plugins=Plugins(multi_point=plugin_set(multi_point), **sets))


def names(point: str, given: Profile) -> str:
    return " ".join(enabled.name for enabled in expand(given, IMPLEMENTS)[point])


@pytest.mark.parametrize(
    ("multi_point", "explicit", "disabled", "expected"),
    [
        ("A B C", "", "", "A B C"),
        ("A B C", "C A", "", "C A B"),
        ("A B", "D C", "", "A B D C"),
        ("A B", "D B C", "", "B A D C"),
        ("A B C", "", "B", "A C"),
        ("A B C", "D", "*", "D"),
        ("A B C", "", "*", ""),
        ("A B", "B", "B", "A B"),
        ("D D B", "D", "", "D B"),
    ],
)
def test_explicit_multi_point_plugins_come_first_then_multi_point_then_others(
    multi_point: str, explicit: str, disabled: str, expected: str
) -> None:
    given = profile(f"Sort Bind {multi_point}", filter=plugin_set(explicit, disabled))
    assert names("filter", given) == expected


def test_weights_come_from_the_point_then_from_multi_point_and_zero_is_one() -> None:
    given = profile("Sort Bind A:5 B:6 C", score=plugin_set("A:2 B"))
    assert expand(given, IMPLEMENTS)["score"] == [Enabled("A", 2), Enabled("B", 1), Enabled("C", 1)]


def test_every_point_is_there() -> None:
    assert list(expand(profile(), IMPLEMENTS)) == list(TYPE_OF_POINT)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (profile(filter=plugin_set("X")), UnknownPluginError, 'FilterPlugin "X" does not exist'),
        (profile("X"), UnknownPluginError, 'PreFilterPlugin "X" does not exist'),
        (profile(score=plugin_set("D")), ConfigError, 'plugin "D" does not extend ScorePlugin plugin'),
        (
            profile(filter=plugin_set("A A")),
            PluginConflictError,
            'plugin "A" already registered as "FilterPlugin"',
        ),
        (profile("A A"), PluginConflictError, 'plugin "A" already registered as "FilterPlugin"'),
        (
            profile("Bind"),
            ConfigError,
            'only one queue sort plugin required for profile with scheduler name "x", but got 0',
        ),
        (
            profile("Sort OtherSort Bind"),
            ConfigError,
            'only one queue sort plugin required for profile with scheduler name "x", but got 2',
        ),
        (
            profile("Sort"),
            ConfigError,
            'at least one bind plugin is needed for profile with scheduler name "x"',
        ),
        (
            profile("Sort Bind G H"),
            PluginConflictError,
            'at most one placement generate plugin is allowed for profile with scheduler name "x"',
        ),
        (
            structs.replace(profile(), plugin_config=(PluginConfig("A"), PluginConfig("A"))),
            ConfigError,
            "repeated config for plugin A",
        ),
        (
            profile(f"Sort Bind A:{2**62} B:{2**62}"),
            ConfigError,
            "score plugins: total score of Score plugins could overflow",
        ),
        (profile("Sort Bind A:-1"), ConfigError, 'plugin "A" has weight -1 for score: must not be negative'),
    ],
)
def test_a_profile_that_cannot_be_built(given: Profile, error: type[ConfigError], message: str) -> None:
    with pytest.raises(error) as caught:
        expand(given, IMPLEMENTS)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("profiles", "message"),
    [
        ([profile(), profile()], 'duplicate profile with scheduler name "x"'),
        (
            [profile(), profile("OtherSort Bind", name="y")],
            'different queue sort plugins for profile "y": "OtherSort", first: "Sort"',
        ),
        (
            [profile("Sort")],
            (
                "creating profile for scheduler name x: "
                'at least one bind plugin is needed for profile with scheduler name "x"'
            ),
        ),
    ],
)
def test_profiles_that_do_not_go_together(profiles: list[Profile], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        expand_profiles(Configuration(profiles=tuple(profiles)), IMPLEMENTS)
    assert caught.value.message == message


def test_profiles_are_expanded_by_scheduler_name() -> None:
    configuration = Configuration(profiles=(profile(), profile("Sort Bind A", name="y")))
    assert list(expand_profiles(configuration, IMPLEMENTS)) == ["x", "y"]


def test_default_plugins_with_one_weight_changed() -> None:
    body: dict[str, Any] = {"plugins": {"score": {"enabled": [{"name": "ImageLocality", "weight": 100}]}}}
    given = load_config({"profiles": [body]}, require_kind=False).profiles[0]
    implements = {plugin.name: {"score"} for plugin in given.plugins.multi_point.enabled}
    implements |= {"PrioritySort": {"queueSort"}, "DefaultBinder": {"bind"}}
    first, second, *_ = expand(given, implements)["score"]
    assert (first, second) == (Enabled("ImageLocality", 100), Enabled("SchedulingGates", 1))
