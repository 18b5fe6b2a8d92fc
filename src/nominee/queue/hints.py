"""Whether an event is worth another attempt: the plugins that rejected the pod are asked."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nominee.errors import PluginError
from nominee.framework import Action, ClusterEvent, ClusterView, Hint, Resource
from nominee.queue.ask import ask
from nominee.queue.observer import ERROR, QUEUE, QUEUE_SKIP, QueueObserver
from nominee.queue.policy import QueuePolicy

if TYPE_CHECKING:
    from nominee.queue.in_flight import Happening
    from nominee.queue.queued_pod import QueuedPod

FORCE_ACTIVATE = ClusterEvent(Resource.ANY, Action.ALL, "ForceActivate")
UNSCHEDULABLE_TIMEOUT = ClusterEvent(Resource.ANY, Action.ALL, "UnschedulableTimeout")


class Strategy(enum.IntEnum):
    """What is to become of a pod, the best last."""

    SKIP = 0
    AFTER_BACKOFF = 1
    IMMEDIATELY = 2


class QueueingHints:
    """The events that plugins registered, and the judgement on a pod by an event.

    Reproduces isPodWorthRequeuing and isEventOfInterest
    (pkg/scheduler/backend/queue/scheduling_queue.go, v1.37).
    """

    def __init__(
        self, policies: Mapping[str, QueuePolicy], cluster: ClusterView, observer: QueueObserver
    ) -> None:
        self._policies = policies
        self._cluster = cluster
        self._observer = observer
        self._listeners: dict[ClusterEvent, tuple[str, ...]] = {}
        self._matching: dict[tuple[str, ClusterEvent], tuple[tuple[str, Hint | None], ...]] = {}

    def listeners(self, event: ClusterEvent) -> tuple[str, ...]:
        """The plugins, of any profile, that registered for the event."""
        names = self._listeners.get(event)
        if names is None:
            profiles = self._policies
            found = (plugin for profile in profiles for plugin, _ in self._hints_for(profile, event))
            names = self._listeners[event] = tuple(dict.fromkeys(found))
        return names

    def judge(self, queued: QueuedPod, happening: Happening) -> Strategy:
        """What the event means to the pod."""
        rejectors = queued.rejectors
        if not rejectors:
            return Strategy.AFTER_BACKOFF
        event, new = happening.event, happening.new
        if event.is_wildcard:
            is_for_another = new is not None and new.uid != queued.pod.uid
            return Strategy.SKIP if is_for_another else Strategy.AFTER_BACKOFF
        if event.resource is Resource.TARGET_POD and new.uid != queued.pod.uid:
            return Strategy.SKIP  # another pod's own update, seen while both are under way
        if queued.pod.scheduler_name not in self._policies:
            return Strategy.AFTER_BACKOFF
        return self._ask_rejectors(queued, rejectors, happening)

    def _ask_rejectors(self, queued: QueuedPod, rejectors: frozenset[str], happening: Happening) -> Strategy:
        best = Strategy.SKIP
        for plugin, hint in self._hints_for(queued.pod.scheduler_name, happening.event):
            if plugin not in rejectors or not self._helps(plugin, hint, queued, happening):
                continue
            if plugin in queued.pending_plugins:
                return Strategy.IMMEDIATELY
            if not queued.pending_plugins:
                return Strategy.AFTER_BACKOFF
            best = Strategy.AFTER_BACKOFF  # a pending plugin may do better yet
        return best

    def _helps(self, plugin: str, hint: Hint | None, queued: QueuedPod, happening: Happening) -> bool:
        """A plugin without a hint, or whose hint raises, gives the pod the benefit of the doubt."""
        if hint is None:
            answer: bool | PluginError = True
        else:
            objects = happening.old, happening.new
            answer = ask(plugin, "events_to_register", _truly, hint, queued.pod, *objects, self._cluster)
        if isinstance(answer, PluginError):
            self._observer.plugin_failed(queued.pod, answer)
            self._observer.hint_executed(plugin, happening.label, ERROR)
            return True
        self._observer.hint_executed(plugin, happening.label, QUEUE if answer else QUEUE_SKIP)
        return answer

    def _hints_for(self, scheduler_name: str, event: ClusterEvent) -> tuple[tuple[str, Hint | None], ...]:
        key = (scheduler_name, event)
        hints = self._matching.get(key)
        if hints is None:
            hints = self._matching[key] = tuple(_matching(self._policies[scheduler_name], event))
        return hints


def _truly(hint: Hint, *arguments: Any) -> bool:
    return bool(hint(*arguments))


def _matching(policy: QueuePolicy, event: ClusterEvent) -> Iterator[tuple[str, Hint | None]]:
    for plugin, registered in policy.hints.items():
        for each in registered:
            if event.reaches(each.event):
                yield plugin, each.hint
