"""Pods that wait on Permit, as plugins see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nominee.state.shapes import Pod

Tell = Callable[[str, str, str | None], None]
"""(the pod's uid, the plugin, why not) -> what a plugin says of a waiting pod; no reason means: go on."""


@dataclass(frozen=True, slots=True)
class WaitingPod:
    """A pod that has its node and is not bound yet, because a Permit plugin answered `Wait`.

    What is said of it takes effect when the method that says it has ended. Follows WaitingPod
    (staging/src/k8s.io/kube-scheduler/framework/interface.go, v1.37).

    plugins  names of those that still let it wait; it goes on when all of them have allowed it
    """

    pod: Pod
    node_name: str
    plugins: tuple[str, ...]
    _tell: Tell = field(repr=False, compare=False)

    def allow(self, plugin: str) -> None:
        """The plugin of that name has nothing against it any more."""
        self._tell(self.pod.uid, plugin, None)

    def reject(self, plugin: str, reason: str) -> None:
        """The plugin of that name refuses it: reservations are undone, and the pod is queued again."""
        given: Any = reason
        if not isinstance(given, str):
            raise TypeError(f"the reason for rejecting a waiting pod must be a text, not {given!r}")
        self._tell(self.pod.uid, plugin, reason)
