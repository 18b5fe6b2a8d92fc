"""The scheduler of the embedded control plane: its configuration, its eyes and its hands."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from nominee.apiserver.rest import Rest
from nominee.config.features import FeatureGates
from nominee.config.types import Configuration
from nominee.driver.clock import SystemClock
from nominee.driver.driver import drive
from nominee.driver.extenders import ExtenderCalls
from nominee.driver.recorder import MetricsRecorder
from nominee.embedded.cluster import StoreCluster
from nominee.embedded.feed import Feed
from nominee.profile.registry import EntryPoint
from nominee.scheduler.assembly import build_profiles, make_registry, with_plugins
from nominee.scheduler.scheduler import Scheduler, Settings

DRAIN_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerOptions:
    """What decides how the scheduler decides; `plugins` are given in code and enabled in all profiles."""

    configuration: Configuration
    features: FeatureGates = field(default_factory=FeatureGates)
    plugins: tuple[type, ...] = ()
    entry_points: tuple[EntryPoint, ...] = ()


def make_scheduler(options: SchedulerOptions, recorder: MetricsRecorder) -> Scheduler:
    """A scheduler that knows nothing yet; raises ConfigError."""
    registry = make_registry(options.entry_points, options.plugins)
    configuration = options.configuration
    profiles = build_profiles(with_plugins(configuration, options.plugins), options.features, registry)
    settings = Settings(
        initial_backoff=configuration.pod_initial_backoff_seconds,
        max_backoff=configuration.pod_max_backoff_seconds,
        seed=random.getrandbits(31),
    )
    return Scheduler(
        profiles,
        features=options.features,
        settings=settings,
        recorder=recorder,
        extenders=configuration.extenders,
    )


class Scheduling:
    """A scheduler at work on our own store."""

    def __init__(self, rest: Rest, options: SchedulerOptions, clock: SystemClock) -> None:
        self.recorder = MetricsRecorder(clock.stopwatch)
        self._extenders = _extenders(options.configuration)
        scheduler = make_scheduler(options, self.recorder)
        self.driver = drive(scheduler, StoreCluster(rest), clock, extenders=self._extenders)
        self._feed = Feed(rest.store, rest.registry, self.driver)

    def start(self) -> None:
        """Look at all there is, and schedule."""
        self._feed.start()
        self.driver.start()

    async def stop(self) -> None:
        """Let what is under way end, if it does so soon."""
        await self.driver.stop(DRAIN_SECONDS)
        self._feed.stop()
        if self._extenders is not None:
            await self._extenders.close()


class _Closable(ExtenderCalls, Protocol):
    async def close(self) -> None: ...


def _extenders(configuration: Configuration) -> _Closable | None:
    """Those who are asked over HTTP; hardly anybody has any, and what they need takes long to import."""
    if not configuration.extenders:
        return None
    from nominee.client.extenders import HttpExtenders  # noqa: PLC0415

    return HttpExtenders(configuration.extenders)


def names_of(plugins: Iterable[type]) -> set[str]:
    """What configurations call plugins that are given in code."""
    return {plugin.__name__ for plugin in plugins}
