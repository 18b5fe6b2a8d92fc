"""A dry run: every decision is made and told, and nothing is done about it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from nominee.scheduler.effects import (
    AskExtenders,
    CancelPreBind,
    Effect,
    Evict,
    PatchPodStatus,
    RecordEvent,
    RunBind,
    RunErrand,
    RunPostBind,
    RunPreBind,
)
from nominee.scheduler.inputs import Completed

log = logging.getLogger("nominee.dry_run")


class Rehearsal:
    """Hands that touch nothing: no plugin that does I/O runs, no extender is asked, no object is written.

    Every effect succeeds at once. A pod that was placed stays assumed, so that decisions build on one
    another; victims stay where they are, and their preemptor waits with its nomination.
    """

    under_way = 0
    congested = False

    def __init__(self, answer: Callable[[Completed], None]) -> None:
        self._answer = answer
        self._ways: dict[type, Callable[[Any], None]] = {
            RunBind: self._bind,
            Evict: self._evict,
            RecordEvent: self._event,
            PatchPodStatus: self._patch,
            RunPreBind: self._done,
            RunErrand: self._done,
            AskExtenders: self._refuse,
            CancelPreBind: _nothing,
            RunPostBind: _nothing,
        }

    def carry_out(self, effect: Effect) -> None:
        self._ways[type(effect)](effect)

    def stop(self) -> None:
        """There is nothing to stop."""

    def _bind(self, effect: RunBind) -> None:
        log.info("would bind", extra={"pod": effect.pod.key, "node": effect.node.name})
        self._done(effect)

    def _evict(self, effect: Evict) -> None:
        victim = effect.victim
        log.info("would evict", extra={"pod": victim.key, "node": victim.node_name})
        self._done(effect)

    def _event(self, effect: RecordEvent) -> None:
        if effect.reason == "FailedScheduling":
            log.info("can not place: %s", effect.note, extra={"pod": effect.regarding.key})

    def _patch(self, effect: PatchPodStatus) -> None:
        if effect.nominated_node_name:
            extra = {"pod": effect.pod.key, "node": effect.nominated_node_name}
            log.info("would nominate", extra=extra)
        self._done(effect)

    def _refuse(self, effect: AskExtenders) -> None:
        self._answer(Completed(effect.id, "a dry run asks no extenders"))

    def _done(self, effect: RunBind | RunPreBind | RunErrand | Evict | PatchPodStatus) -> None:
        self._answer(Completed(effect.id))


def _nothing(effect: Effect) -> None:
    """Nobody waits for it."""
