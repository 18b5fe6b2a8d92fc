"""A pod as it waits."""

from __future__ import annotations

import math
from collections.abc import Iterable

from nominee.state.shapes import Pod

NEVER = -math.inf
_NOBODY: frozenset[str] = frozenset()


class QueuedPod:
    """A pod with what the queue must remember of its attempts.

    timestamp                   when it was added, or came back from its latest attempt
    initial_attempt_timestamp   when it first entered the active queue
    attempts                    how often it was popped
    unschedulable_count         attempts that ended with a rejection
    consecutive_errors_count    attempts since the last rejection that ended with an error
    backoff_expiration          when back-off ends; None until somebody asks
    unschedulable_plugins, pending_plugins   its rejectors: whose hints may wake it (`blame`)
    gating_plugin               the PreEnqueue plugin that holds it, or ""
    overdue                     the event that would have let it go, had its gate not been shut; or ""
    was_flushed, flush_timestamp   it waited too long and was let go without a reason, and when (or NEVER)

    Follows QueuedPodInfo (pkg/scheduler/framework/types.go, v1.37).
    """

    __slots__ = (
        "attempts",
        "backoff_expiration",
        "consecutive_errors_count",
        "flush_timestamp",
        "gating_plugin",
        "initial_attempt_timestamp",
        "overdue",
        "pending_plugins",
        "pod",
        "timestamp",
        "unschedulable_count",
        "unschedulable_plugins",
        "was_flushed",
    )

    def __init__(self, pod: Pod, timestamp: float) -> None:
        self.pod = pod
        self.timestamp = timestamp
        self.initial_attempt_timestamp: float | None = None
        self.attempts = 0
        self.unschedulable_count = 0
        self.consecutive_errors_count = 0
        self.backoff_expiration: float | None = None
        self.unschedulable_plugins = _NOBODY
        self.pending_plugins = _NOBODY
        self.gating_plugin = ""
        self.overdue = ""
        self.was_flushed = False
        self.flush_timestamp = NEVER

    def __repr__(self) -> str:
        return f"<QueuedPod {self.pod.key}>"

    @property
    def rejectors(self) -> frozenset[str]:
        """The plugins that kept it from being scheduled."""
        if not self.pending_plugins:
            return self.unschedulable_plugins
        return self.unschedulable_plugins | self.pending_plugins

    def blame(self, unschedulable: Iterable[str] = (), pending: Iterable[str] = ()) -> None:
        """Name the plugins that rejected it in the attempt just made, in place of earlier ones.

        None at all stands for an attempt that ended with an error.
        """
        self.unschedulable_plugins = frozenset(unschedulable)
        self.pending_plugins = frozenset(pending)
