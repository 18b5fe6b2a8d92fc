"""A scheduler on a bench whose watch may lag, and which is watched at every move."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nominee.config.types import Extender
from nominee.framework import Action, Allow, EventHint, PreFlight, Reject, Resource, Wait
from nominee.scheduler.effects import (
    Answered,
    AskExtenders,
    CancelPreBind,
    Effect,
    PatchPodStatus,
    RunBind,
    RunErrand,
    RunPreBind,
)
from nominee.scheduler.extenders import FilterAnswer, Refusal, VictimsAnswer, VictimsQuestion
from nominee.scheduler.inputs import Completed, Gone, Seen
from nominee.scheduler.scheduler import Settings
from tests.properties import interleaving_moves as moves
from tests.unit.scheduler.harness import Bench

PROFILES = ("default-scheduler", "another")


class Moody:
    """Reserves, permits and pre-binds as the pod's labels say, and keeps book of what it has reserved."""

    def __init__(self) -> None:
        self.reserved: set[str] = set()

    def permit(self, pod: Any, node: Any, cycle: Any) -> Any:
        match pod.labels.get("permit"):
            case "wait":
                return Wait(5)
            case "reject":
                return Reject(("not today",))
            case "raise":
                raise RuntimeError("permit is broken")
        return Allow.ALLOW

    def reserve(self, pod: Any, node: Any, cycle: Any) -> Any:
        self.reserved.add(pod.uid)
        return Reject(("taken",)) if pod.labels.get("permit") == "unreserved" else None

    def unreserve(self, pod: Any, node: Any, cycle: Any) -> None:
        self.reserved.remove(pod.uid)

    def pre_bind_pre_flight(self, pod: Any, node: Any, cycle: Any) -> PreFlight:
        return PreFlight.WORK if "work" in pod.labels else PreFlight.SKIP

    async def pre_bind(self, pod: Any, node: Any, cycle: Any, api: Any) -> Any:
        return Reject(("no volume",)) if pod.labels.get("work") == "reject" else None


class Doorkeeper:
    """Keeps a pod out of the active queue for as long as its label says so."""

    def pre_enqueue(self, pod: Any) -> str | None:
        return "the door is shut" if pod.labels.get("door") == "shut" else None

    def events_to_register(self) -> list[EventHint]:
        return [EventHint(Resource.TARGET_POD, Action.UPDATE_POD_LABEL)]


class Muddle(Bench):
    """A bench whose watch lags behind, if `lagging`, and whose answers come late."""

    def __init__(
        self,
        gates: dict[str, bool],
        *,
        plugins: tuple[type, ...],
        extenders: tuple[Extender, ...],
        lagging: bool,
    ) -> None:
        self.lagging = lagging
        self.stream: list[Seen | Gone] = []
        self.cancels: dict[int, str] = {}
        self.bindings_done: dict[str, str] = {}
        self.doubtful: set[str] = set()  # nodes over-committed through no fault of the scheduler's
        super().__init__(
            plugins=plugins,
            gates=gates,
            settings=Settings(max_in_unschedulable=10**6),
            extenders=extenders,
            profiles=PROFILES,
        )

    def start(self) -> None:
        self.stream.clear()
        self.cancels.clear()
        super().start()

    # -- the scheduler's moves ------------------------------------------------------------------

    def step(self) -> list[Effect]:
        is_all_its_own = not self.scheduler.around.outbox
        with self._watched() as before:
            effects = super().step()
        if any(isinstance(effect, RunBind) for effect in effects):
            moves.expect_to_bind_once(self.effects(RunBind))
        if is_all_its_own:
            moves.expect_last_victim_last(before, self.scheduler, effects)
        return effects

    def report(self, answer: Completed) -> None:
        with self._watched():
            self.scheduler.handle(answer, self.now)

    @contextmanager
    def _watched(self) -> Iterator[moves.Snapshot]:
        before = moves.Snapshot(self.scheduler)
        yield before
        moves.check(before, self.scheduler)

    # -- the watch ------------------------------------------------------------------------------

    def tell(self, happened: Seen | Gone) -> None:
        self.stream.append(happened)
        if not self.lagging:
            self.deliver(1)

    def deliver(self, number: int) -> None:
        for _ in range(min(number, len(self.stream))):
            self.scheduler.handle(self.stream.pop(0), self.now)

    # -- answers --------------------------------------------------------------------------------

    def answer(self, effect: Answered, error: str | None = None, **fields: Any) -> None:
        with self._watched():
            super().answer(effect, error, **fields)

    def lose_answer(self, effect: RunBind) -> None:
        """The API server binds, and nobody hears of it."""
        self.doubtful.add(effect.node.name)
        self.open.remove(effect)
        self.carry_out(effect)
        self.report(Completed(effect.id, "connection reset"))

    def carry_out(self, effect: Answered) -> Completed:
        if not isinstance(effect, AskExtenders):
            return super().carry_out(effect)
        question = effect.question
        if isinstance(question, VictimsQuestion):
            same = {
                name: (tuple(victim.uid for victim in victims), violations)
                for name, (victims, violations) in question.candidates.items()
            }
            return Completed(effect.id, said=VictimsAnswer(same))
        allowed = frozenset(question.nodes) - {"c"}
        refused = {name: Refusal("no licence") for name in question.nodes if name not in allowed}
        return Completed(effect.id, said=FilterAnswer(allowed, refused))

    def cancelled(self, cancel: CancelPreBind) -> None:
        self.cancels[cancel.target] = cancel.cause

    def may_be_answered(self) -> list[Any]:
        """A pod's status writes in order, and its binding after those."""
        due, writing = [], set()
        for effect in self.open:
            pod = getattr(effect, "pod", None)
            ordered = isinstance(effect, PatchPodStatus | RunErrand | RunBind | RunPreBind)
            if not ordered or pod is None or pod.uid not in writing:
                due.append(effect)
            if isinstance(effect, PatchPodStatus | RunErrand):
                writing.add(effect.pod.uid)
        return due

    async def bind(self, pod: Any, node_name: str) -> None:
        await super().bind(pod, node_name)
        assert pod.uid not in self.bindings_done, f"{pod.uid} is bound twice"
        self.bindings_done[pod.uid] = node_name

    # -- rest -----------------------------------------------------------------------------------

    def settle(self) -> None:
        """Everything arrives, everything is answered, back-off ends."""
        for _ in range(4):
            self._calm()
            self.pass_time(6)

    def run(self) -> None:
        self._calm()

    def _calm(self) -> None:
        for _ in range(3000):
            if self.stream:
                self.deliver(len(self.stream))
            elif self.open:
                effect = self.may_be_answered()[0]
                self.answer(effect, self.cancels.pop(effect.id, None))
            elif self.scheduler.ready:
                self.step()
            else:
                return
        raise AssertionError("the scheduler does not come to rest")
