"""PreEnqueue: what keeps a pod from entering the active queue at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nominee.errors import PluginError
from nominee.queue.ask import ask
from nominee.queue.observer import QueueObserver
from nominee.queue.policy import PreEnqueuePlugin, QueuePolicy
from nominee.queue.queued_pod import QueuedPod


class Gate:
    """Runs the PreEnqueue plugins of a pod's profile.

    Reproduces runPreEnqueuePluginsForPod (pkg/scheduler/backend/queue/scheduling_queue.go, v1.37),
    but for the order of the plugins, which is theirs in the profile and random there.
    """

    def __init__(self, policies: Mapping[str, QueuePolicy], observer: QueueObserver) -> None:
        self._plugins = {name: tuple(policy.pre_enqueue) for name, policy in policies.items()}
        self._observer = observer

    def holds(self, queued: QueuedPod) -> bool:
        """Whether a plugin objects: it becomes the pod's gating plugin and one of its rejectors."""
        for name, pre_enqueue in self._in_order(queued):
            reason = ask(name, "pre_enqueue", pre_enqueue, queued.pod)
            if reason is None:
                continue
            if isinstance(reason, PluginError):
                self._observer.plugin_failed(queued.pod, reason)
            self._close(queued, name)
            return True
        queued.gating_plugin = ""
        return False

    def _in_order(self, queued: QueuedPod) -> Iterable[PreEnqueuePlugin]:
        """Whoever held the pod last is asked first."""
        plugins = self._plugins.get(queued.pod.scheduler_name, ())
        if not queued.gating_plugin:
            return plugins
        return sorted(plugins, key=lambda plugin: plugin[0] != queued.gating_plugin)

    def _close(self, queued: QueuedPod, plugin: str) -> None:
        if plugin not in queued.rejectors:
            self._observer.unschedulable_pods(plugin, queued.pod.scheduler_name, 1)
        queued.unschedulable_plugins |= {plugin}
        queued.gating_plugin = plugin
