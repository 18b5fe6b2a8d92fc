"""Pods that wait on Permit: assumed, reserved, and not to be bound until every plugin has said so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from nominee.framework import Pod
from nominee.framework import WaitingPod as ShownPod

MAX_WAIT = 15 * 60.0


@dataclass(slots=True)
class WaitingPod:
    """One waiting pod. `decide(plugin, reason, is_error)` is called once; no reason means: go on."""

    uid: str
    since: float
    deadlines: dict[str, float]
    decide: Callable[[str, str | None, bool, float], None] = field(repr=False)
    pod: Pod | None = None
    node_name: str = ""


class WaitingPods:
    """Reproduces waitingPodsMap (pkg/scheduler/framework/runtime/waiting_pods_map.go, v1.37)."""

    def __init__(self) -> None:
        self._pods: dict[str, WaitingPod] = {}
        self.told: list[tuple[str, str, str | None]] = []

    def __bool__(self) -> bool:
        return bool(self._pods)

    def __contains__(self, uid: object) -> bool:
        return uid in self._pods

    def __iter__(self) -> Iterator[WaitingPod]:
        return iter(list(self._pods.values()))

    def add(self, waiting: WaitingPod) -> None:
        self._pods[waiting.uid] = waiting

    def allow(self, uid: str, plugin: str, now: float) -> None:
        """One plugin has nothing against it any more."""
        waiting = self._pods.get(uid)
        if waiting is None or waiting.deadlines.pop(plugin, None) is None:
            return
        if not waiting.deadlines:
            self._decide(uid, "", None, now)

    def reject(self, uid: str, plugin: str, reason: str, now: float) -> bool:
        """Somebody refuses it; False if nothing was waiting."""
        return self._decide(uid, plugin, reason, now)

    def preempt(self, uid: str, plugin: str, now: float) -> bool:
        """It must make way: an error, so that the pod is tried again after back-off."""
        return self._decide(uid, plugin, "preempted", now, is_error=True)

    # -- what plugins see and say -----------------------------------------------------------------

    def shown(self) -> list[ShownPod]:
        """The pods as plugins see them."""
        return [
            ShownPod(each.pod, each.node_name, tuple(each.deadlines), self._tell)
            for each in self._pods.values()
            if each.pod is not None
        ]

    def _tell(self, uid: str, plugin: str, reason: str | None) -> None:
        """Remember it: the plugin speaks in the middle of another pod's cycle."""
        self.told.append((uid, plugin, reason))

    def heed(self, now: float) -> None:
        """Act on what plugins have said."""
        told, self.told = self.told, []
        for uid, plugin, reason in told:
            if reason is None:
                self.allow(uid, plugin, now)
            else:
                self.reject(uid, plugin, reason, now)

    # -- the end of waiting -----------------------------------------------------------------------

    def discard(self, uid: str) -> None:
        """Nobody needs to know any more: the binding cycle ended before the plugins decided."""
        self._pods.pop(uid, None)

    def expire(self, now: float) -> None:
        """Reject those that a plugin has let wait for too long."""
        for uid, waiting in list(self._pods.items()):
            plugin, deadline = min(waiting.deadlines.items(), key=lambda item: item[1])
            if deadline <= now:
                waited = _duration(deadline - waiting.since)
                reason = f"rejected due to timeout after waiting {waited} at plugin {plugin}"
                self._decide(uid, plugin, reason, now)

    def next_deadline(self) -> float | None:
        return min((d for w in self._pods.values() for d in w.deadlines.values()), default=None)

    def _decide(
        self, uid: str, plugin: str, reason: str | None, now: float, *, is_error: bool = False
    ) -> bool:
        waiting = self._pods.pop(uid, None)
        if waiting is None:
            return False
        waiting.decide(plugin, reason, is_error, now)
        return True


def _duration(seconds: float) -> str:
    """As Go prints it: 1m30s, 250ms."""
    if seconds < 1:
        return f"{seconds * 1000:g}ms"
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    text = f"{rest:g}s"
    if hours or minutes:
        text = f"{minutes}m{text}"
    return f"{hours}h{text}" if hours else text
