"""Which plugins a profile runs at which points, given what a configuration may say of them."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.config.features import FeatureGates
from nominee.config.load import load_config
from nominee.profile.profile import Profile
from nominee.scheduler.assembly import build_profiles, make_registry

EVERYTHING_OFF = {"disabled": [{"name": "*"}]}


def profile(**plugins: Any) -> Profile:
    """The only profile of a configuration with these plugins."""
    data = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": plugins}],
    }
    features = FeatureGates()
    (built,) = build_profiles(load_config(data, features=features), features, make_registry()).values()
    return built


def names(built: Profile, point: str) -> set[str]:
    return {name for name, _ in built.points[point]}


@pytest.mark.parametrize("plugin", ["ImageLocality", "DynamicResources"])
def test_what_prepares_a_score_runs_wherever_the_score_does(plugin: str) -> None:
    assert names(profile(preScore=EVERYTHING_OFF), "preScore") == {"ImageLocality", "DynamicResources"}
    assert plugin not in names(profile(score={"disabled": [{"name": plugin}]}), "preScore")


def test_default_preemption_may_be_named_where_preemptors_are_held() -> None:
    built = profile(preEnqueue={**EVERYTHING_OFF, "enabled": [{"name": "DefaultPreemption"}]})
    assert names(built, "preEnqueue") == set()
    assert "DefaultPreemption" in names(built, "postFilter")
