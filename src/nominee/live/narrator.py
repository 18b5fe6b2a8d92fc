"""What happens to each pod, in the log, for those who ask for it with -v."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from nominee.driver.driver import Working
from nominee.scheduler.effects import Effect, Evict, PatchPodStatus, RecordEvent, RunBind

log = logging.getLogger("nominee.pods")


class Narrator:
    """Tells what other hands are about to do. Only those who listen pay for it."""

    def __init__(self, hands: Working) -> None:
        self._hands = hands
        self._ways: dict[type, Callable[[Any], None]] = {
            RunBind: _bind,
            Evict: _evict,
            PatchPodStatus: _patch,
            RecordEvent: _event,
        }

    @property
    def congested(self) -> bool:
        return self._hands.congested

    @property
    def under_way(self) -> int:
        return self._hands.under_way

    def stop(self) -> None:
        self._hands.stop()

    def carry_out(self, effect: Effect) -> None:
        tell = self._ways.get(type(effect))
        if tell is not None:
            tell(effect)
        self._hands.carry_out(effect)


def listened_to() -> bool:
    """Whether anybody wants to hear it."""
    return log.isEnabledFor(logging.DEBUG)


def _bind(effect: RunBind) -> None:
    log.debug("binding", extra={"pod": effect.pod.key, "node": effect.node.name})


def _evict(effect: Evict) -> None:
    victim = effect.victim
    log.debug("evicting", extra={"pod": victim.key, "node": victim.node_name})


def _patch(effect: PatchPodStatus) -> None:
    pod, node = effect.pod.key, effect.nominated_node_name
    if node:
        log.debug("nominated", extra={"pod": pod, "node": node})
    elif node is not None:
        log.debug("not nominated any more", extra={"pod": pod})


def _event(effect: RecordEvent) -> None:
    log.debug("%s: %s", effect.reason, effect.note, extra={"pod": effect.regarding.key})
