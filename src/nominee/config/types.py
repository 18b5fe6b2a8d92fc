"""KubeSchedulerConfiguration, ``kubescheduler.config.k8s.io/v1``, as plain frozen data.

Field names are those of the API in snake_case, defaults are the API's
(staging/src/k8s.io/kube-scheduler/config/v1/types.go, v1.37). What a default makes of
other fields (plugin sets, args, gates) is in ``defaults``.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import Meta, Struct, field

from nominee.config.duration import Duration
from nominee.config.plugin_args import Int32, Int64, PluginArgs

API_VERSION: Final = "kubescheduler.config.k8s.io/v1"
KIND: Final = "KubeSchedulerConfiguration"

GivenName = Annotated[str, Meta(min_length=1)]
"""Text that may be left out, and is not empty where it is given."""


class Plugin(Struct, frozen=True, rename="camel"):
    """A plugin by name; weight 0 is "not set" and counts as 1 where it is a score."""

    name: str
    weight: Int32 = 0


class PluginSet(Struct, frozen=True, rename="camel"):
    """The plugins enabled and disabled at one extension point; disabled ``*`` means all."""

    enabled: tuple[Plugin, ...] = ()
    disabled: tuple[Plugin, ...] = ()


class Plugins(Struct, frozen=True, kw_only=True, rename="camel"):
    """A plugin set for each extension point, and ``multi_point`` for all points at once."""

    pre_enqueue: PluginSet = PluginSet()
    queue_sort: PluginSet = PluginSet()
    pre_filter: PluginSet = PluginSet()
    filter: PluginSet = PluginSet()
    post_filter: PluginSet = PluginSet()
    pre_score: PluginSet = PluginSet()
    score: PluginSet = PluginSet()
    reserve: PluginSet = PluginSet()
    permit: PluginSet = PluginSet()
    pre_bind: PluginSet = PluginSet()
    bind: PluginSet = PluginSet()
    post_bind: PluginSet = PluginSet()
    placement_generate: PluginSet = PluginSet()
    placement_score: PluginSet = PluginSet()
    pod_group_post_filter: PluginSet = PluginSet()
    multi_point: PluginSet = PluginSet()


class PluginConfig(Struct, frozen=True, rename="camel"):
    """The args of one plugin: a struct for in-tree plugins, a raw mapping for others."""

    name: str
    args: PluginArgs | dict[str, Any] | None = None


class Profile(Struct, frozen=True, kw_only=True, rename="camel"):
    """One scheduling profile; pods choose it with ``spec.schedulerName``."""

    scheduler_name: GivenName = ""
    percentage_of_nodes_to_score: Int32 | None = None
    plugins: Plugins = Plugins()
    plugin_config: tuple[PluginConfig, ...] = ()

    @property
    def plugin_args(self) -> dict[str, PluginArgs | dict[str, Any]]:
        """Plugin name to args, for every plugin that has any."""
        return {entry.name: entry.args for entry in self.plugin_config if entry.args is not None}


class LeaderElection(Struct, frozen=True, kw_only=True, rename="camel"):
    """How replicas agree on a leader."""

    leader_elect: bool = True
    lease_duration: Duration = Duration.of(15)
    renew_deadline: Duration = Duration.of(10)
    retry_period: Duration = Duration.of(2)
    resource_lock: str = "leases"
    resource_name: str = "kube-scheduler"
    resource_namespace: str = "kube-system"


class ClientConnection(Struct, frozen=True, kw_only=True, rename="camel"):
    """How the scheduler talks to the API server."""

    kubeconfig: str = ""
    accept_content_types: str = ""
    content_type: str = "application/vnd.kubernetes.protobuf"
    qps: float = 50.0
    burst: Int32 = 100


class ExtenderManagedResource(Struct, frozen=True, kw_only=True, rename="camel"):
    """An extended resource that an extender manages."""

    name: str
    ignored_by_scheduler: bool = False


class ExtenderTLSConfig(Struct, frozen=True, kw_only=True, rename="camel"):
    """TLS towards an extender; the data fields win over the files."""

    insecure: bool = False
    server_name: str = ""
    cert_file: str = ""
    key_file: str = ""
    ca_file: str = ""
    cert_data: bytes = b""
    key_data: bytes = b""
    ca_data: bytes = b""


class Extender(Struct, frozen=True, kw_only=True, rename="camel"):
    """A scheduler extender reached over HTTP; an empty verb is a call it does not serve."""

    url_prefix: str
    filter_verb: str = ""
    preempt_verb: str = ""
    prioritize_verb: str = ""
    weight: Int64 = 0
    bind_verb: str = ""
    enable_https: bool = field(default=False, name="enableHTTPS")
    tls_config: ExtenderTLSConfig | None = None
    http_timeout: Duration = Duration.of(5)
    node_cache_capable: bool = False
    managed_resources: tuple[ExtenderManagedResource, ...] = ()
    ignorable: bool = False


class Configuration(Struct, frozen=True, kw_only=True, rename="camel"):
    """The whole configuration of a scheduler process."""

    parallelism: Int32 = 16
    leader_election: LeaderElection = LeaderElection()
    client_connection: ClientConnection = ClientConnection()
    enable_profiling: bool = True
    enable_contention_profiling: bool | None = None
    percentage_of_nodes_to_score: Int32 = 0
    pod_initial_backoff_seconds: Int64 = 1
    pod_max_backoff_seconds: Int64 = 10
    profiles: tuple[Profile, ...] = ()
    extenders: tuple[Extender, ...] = ()
    delay_cache_until_active: bool = False
