"""The effects on their way out, and who waits for which answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from nominee.config.types import Extender
from nominee.framework import Cycle, Errand, Node, Pod
from nominee.model.meta import Condition
from nominee.scheduler.effects import (
    Answered,
    AskExtenders,
    CancelPreBind,
    Effect,
    Evict,
    Named,
    PatchPodStatus,
    RecordEvent,
    RunBind,
    RunErrand,
    RunPostBind,
    RunPreBind,
)
from nominee.scheduler.extenders import Question
from nominee.scheduler.inputs import Completed

E = TypeVar("E", bound=Answered)
Then = Callable[[Completed, float], None]
NOTE_LIMIT = 1024


class Outbox:
    """Numbers effects, keeps them until the driver takes them, and passes answers on."""

    def __init__(self) -> None:
        self._effects: list[Effect] = []
        self._waiting: dict[int, Then] = {}
        self._next = 1

    def __bool__(self) -> bool:
        return bool(self._effects)

    def take(self) -> list[Effect]:
        """All effects not taken yet, in order."""
        effects, self._effects = self._effects, []
        return effects

    @property
    def unanswered(self) -> int:
        """How many effects were given out and not reported back."""
        return len(self._waiting)

    def completed(self, answer: Completed, now: float) -> None:
        then = self._waiting.pop(answer.effect_id, None)
        if then is not None:
            then(answer, now)

    def _ask(self, effect: E, then: Then) -> E:
        self._waiting[effect.id] = then
        self._effects.append(effect)
        self._next += 1
        return effect

    def patch_status(
        self, pod: Pod, nominated_node_name: str | None, condition: Condition | None, then: Then
    ) -> None:
        self._ask(PatchPodStatus(self._next, pod, nominated_node_name, condition), then)

    def evict(self, victim: Pod, condition: Condition, then: Then) -> None:
        self._ask(Evict(self._next, victim, condition), then)

    def run_pre_bind(self, pod: Pod, node: Node, plugins: tuple[Named, ...], cycle: Cycle, then: Then) -> int:
        return self._ask(RunPreBind(self._next, pod, node, plugins, cycle), then).id

    def run_bind(
        self,
        pod: Pod,
        node: Node,
        plugins: tuple[Named, ...],
        cycle: Cycle,
        extenders: tuple[Extender, ...],
        then: Then,
    ) -> None:
        self._ask(RunBind(self._next, pod, node, plugins, cycle, extenders), then)

    def ask_extenders(self, question: Question, then: Then) -> None:
        self._ask(AskExtenders(self._next, question), then)

    def run_errand(self, pod: Pod, plugin: str, errand: Errand, then: Then) -> None:
        self._ask(RunErrand(self._next, pod, plugin, errand), then)

    def cancel_pre_bind(self, effect_id: int, cause: str) -> None:
        self._effects.append(CancelPreBind(effect_id, cause))

    def run_post_bind(self, pod: Pod, node: Node, plugins: tuple[Named, ...], cycle: Cycle) -> None:
        self._effects.append(RunPostBind(pod, node, plugins, cycle))

    def record(
        self, kind: str, reason: str, action: str, note: str, pod: Pod, related: Pod | None = None
    ) -> None:
        """An event; a note that is too long loses its end, as upstream's do."""
        if len(note) > NOTE_LIMIT:
            note = note[: NOTE_LIMIT - 4] + " ..."
        self._effects.append(RecordEvent(kind, reason, action, note, pod, related))
