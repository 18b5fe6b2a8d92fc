"""From the command line and the configuration file to what a process is made of."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nominee.client import Access, RateLimit, load_access, rate_limit
from nominee.config.default_plugins import IN_TREE_PLUGINS
from nominee.config.encode import configuration_data
from nominee.config.features import FeatureGates
from nominee.config.load import load_config
from nominee.config.read import read_text
from nominee.config.types import Configuration
from nominee.errors import ConfigError
from nominee.live.endpoints import parse_address
from nominee.live.leader import Terms
from nominee.live.plugin_files import PluginFiles
from nominee.profile.profile import Profile
from nominee.profile.registry import EntryPoint
from nominee.scheduler.assembly import build_profiles, make_registry, with_plugins
from nominee.scheduler.ports import Recorder
from nominee.scheduler.scheduler import Scheduler, Settings

DEFAULT_ADDRESS = "127.0.0.1:10259"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line says.

    leader_elect   None: as the configuration has it
    """

    kubeconfig: str | None = None
    context: str | None = None
    config: str | None = None
    feature_gates: str = ""
    plugins: tuple[str, ...] = ()
    metrics_address: str = DEFAULT_ADDRESS
    leader_elect: bool | None = None
    dry_run: bool = False


class Setup:
    """A process's configuration, valid and complete. Raises ConfigError that says what is wrong and where."""

    def __init__(self, options: Options, entry_points: Iterable[EntryPoint] = ()) -> None:
        self.options = options
        if options.metrics_address:
            parse_address(options.metrics_address)
        self._entry_points = list(entry_points)
        self.features = FeatureGates.parse(options.feature_gates)
        self.files = PluginFiles(options.plugins)
        given = self.files.load()
        self.configuration = _electing(self._load(given), options)
        self._limited = _sets_qps(options.config)
        self.profiles = self._build(given)

    def _load(self, given: list[type]) -> Configuration:
        known = {
            *IN_TREE_PLUGINS,
            *(entry.name for entry in self._entry_points),
            *(p.__name__ for p in given),
        }
        return load_config(self.options.config, features=self.features, known_plugins=known)

    def _build(self, given: list[type]) -> dict[str, Profile]:
        registry = make_registry(self._entry_points, given)
        try:
            return build_profiles(with_plugins(self.configuration, given), self.features, registry)
        except ConfigError as error:
            raise error.at(source=self.options.config) from None

    def reloaded(self) -> dict[str, Profile]:
        """The profiles with the plugins as their files have them now."""
        return self._build(self.files.load())

    def scheduler(self, recorder: Recorder) -> Scheduler:
        """A scheduler that knows nothing of the cluster yet."""
        configuration = self.configuration
        settings = Settings(
            initial_backoff=configuration.pod_initial_backoff_seconds,
            max_backoff=configuration.pod_max_backoff_seconds,
            seed=random.getrandbits(31),  # replicas shall not break ties alike
        )
        return Scheduler(
            self.profiles,
            features=self.features,
            settings=settings,
            recorder=recorder,
            extenders=configuration.extenders,
        )

    # -- the way to the cluster -------------------------------------------------------------------

    def access(self) -> Access:
        """The command line's kubeconfig, else the configuration's, else what is found as kubectl finds it."""
        kubeconfig = self.options.kubeconfig or self.configuration.client_connection.kubeconfig
        return load_access(kubeconfig or None, self.options.context)

    def limit(self) -> RateLimit | None:
        """The limit on requests that the configuration sets.

        Without one there is none: the API server's own flow control knows better how much it can bear.
        """
        if not self._limited:
            return None
        connection = self.configuration.client_connection
        return rate_limit(connection.qps, connection.burst)

    # -- leader election --------------------------------------------------------------------------

    @property
    def elects(self) -> bool:
        """Whether to wait for a lease."""
        return self.configuration.leader_election.leader_elect

    @property
    def lease(self) -> str:
        election = self.configuration.leader_election
        return f"{election.resource_namespace}/{election.resource_name}"

    def terms(self) -> Terms:
        election = self.configuration.leader_election
        return Terms(
            election.lease_duration.seconds, election.renew_deadline.seconds, election.retry_period.seconds
        )

    def configz(self) -> dict[str, Any]:
        """What /configz shows, under the name of cmd/kube-scheduler/app/server.go (v1.37)."""
        return {"componentconfig": configuration_data(self.configuration)}


def _electing(configuration: Configuration, options: Options) -> Configuration:
    """As the command line has it; a dry run never takes the place of who does the work."""
    asked = False if options.dry_run else options.leader_elect
    if asked is None:
        return configuration
    return replace(configuration, leader_election=replace(configuration.leader_election, leader_elect=asked))


def _sets_qps(config: str | None) -> bool:
    """Whether the file says how many requests a second are allowed; the default can not be told from that."""
    if config is None:
        return False
    connection = read_text(Path(config).read_bytes(), config).get("clientConnection")
    return isinstance(connection, dict) and "qps" in connection
