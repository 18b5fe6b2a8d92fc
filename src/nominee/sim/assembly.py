"""From what a simulation is given to the profiles and settings of a scheduler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nominee.config.features import FeatureGates
from nominee.config.load import load_config
from nominee.config.types import Configuration
from nominee.profile.registry import EntryPoint
from nominee.scheduler.assembly import build_profiles, make_registry, refuse_extenders, with_plugins
from nominee.scheduler.ports import Recorder
from nominee.scheduler.scheduler import Scheduler, Settings

Features = FeatureGates | Mapping[str, bool] | None
Config = Configuration | str | Path | bytes | dict[str, Any] | None


def gates_of(features: Features) -> FeatureGates:
    """Feature gates, however they are given."""
    return features if isinstance(features, FeatureGates) else FeatureGates.of(dict(features or {}))


def configuration_of(config: Config, features: FeatureGates) -> Configuration:
    """A valid configuration, however it is given."""
    if isinstance(config, Configuration):
        return config
    return load_config(config, features=features, require_kind=False)


def make_scheduler(
    config: Config,
    features: FeatureGates,
    plugins: Iterable[type],
    seed: int,
    recorder: Recorder | None = None,
    entry_points: Iterable[EntryPoint] = (),
) -> Scheduler:
    """A new scheduler. Plugins given in code which no profile mentions are enabled in all of them."""
    given = list(plugins)
    configuration = configuration_of(config, features)
    refuse_extenders(configuration, "a simulation")
    configuration = with_plugins(configuration, given)
    built = build_profiles(configuration, features, make_registry(entry_points, given))
    settings = Settings(
        initial_backoff=configuration.pod_initial_backoff_seconds,
        max_backoff=configuration.pod_max_backoff_seconds,
        seed=seed,
    )
    return Scheduler(built, features=features, settings=settings, recorder=recorder)
