"""QueueSort: the keys by which pods stand in the queue, whatever a plugin makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nominee.errors import PluginError
from nominee.plugins.priority_sort import PrioritySort
from nominee.profile.ask import ask
from nominee.profile.profile import Profile
from nominee.queue.queued_pod import QueuedPod
from nominee.scheduler.ports import Recorder


def sort_key(profiles: Mapping[str, Profile], recorder: Recorder) -> Callable[[QueuedPod], Any]:
    """QueueSort, which is the same in all profiles; a pod for which it raises comes last."""

    def key(queued: QueuedPod) -> tuple[Any, ...]:
        name, plugin = next(iter(profiles.values())).points["queueSort"][0]  # profiles may be replaced
        if type(plugin) is PrioritySort:
            return (0, *plugin.sort_key(queued))  # ours: it needs no watching, and is asked for every pod
        try:
            given = ask(name, "queueSort", plugin.sort_key, queued)
        except PluginError as failure:
            recorder.plugin_failed(queued.pod, failure)
            return (1, queued.timestamp)
        return (0, _Key(given, queued.timestamp))

    return key


class _Key:
    """A key that can be compared with any other: where plugins' keys can not, the older pod is first."""

    __slots__ = ("_given", "_timestamp")

    def __init__(self, given: Any, timestamp: float) -> None:
        self._given = given
        self._timestamp = timestamp

    def __lt__(self, other: _Key) -> bool:
        try:
            return bool(self._given < other._given)
        except Exception:  # noqa: BLE001 - the plugin's objects compare themselves
            return self._timestamp < other._timestamp

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Key):
            return NotImplemented
        try:
            return bool(self._given == other._given)
        except Exception:  # noqa: BLE001 - as above
            return self is other

    __hash__ = None  # type: ignore[assignment]
