"""Carries out what the scheduler wants done, in the order that its effects ask for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import NoneType
from typing import Any

from nominee.errors import NotFound, shown
from nominee.framework import Reject, Skip
from nominee.scheduler.effects import (
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
from nominee.scheduler.inputs import Completed
from nominee.scheduler.lanes import Lanes
from nominee.sim.api import SimApi
from nominee.sim.calls import Call, Calls, message_of
from nominee.sim.tasks import Ended, Task
from nominee.sim.world import World

Answer = Callable[[Completed], None]
Method = Callable[..., Any]


class Carrier:
    """The hands of one scheduler process; `stop` is the end of that process.

    What was asked of the server by then it will still do; nobody hears its answers.
    """

    def __init__(
        self, world: World, calls: Calls, answer: Answer, record: Callable[[RecordEvent], None]
    ) -> None:
        self._world = world
        self._calls = calls
        self._answer = answer
        self._record = record
        self._lanes = Lanes()
        self._sent: set[Call] = set()
        self._api = SimApi(world, calls, self._sent, record)
        self._tasks: set[Task] = set()
        self._pre_binds: dict[int, PreBindGroup] = {}
        self._ways: dict[type, Callable[[Any], None]] = {
            RunBind: self._run_bind,
            RecordEvent: record,
            PatchPodStatus: self._patch,
            Evict: self._evict,
            RunPreBind: self._run_pre_bind,
            CancelPreBind: self._cancel_pre_bind,
            RunPostBind: self._run_post_bind,
            RunErrand: self._run_errand,
        }

    def carry_out(self, effect: Effect) -> None:
        self._ways[type(effect)](effect)

    def stop(self) -> None:
        self._answer = _nobody
        self._lanes.clear()
        self._calls.drop(self._sent)
        for call in self._sent:
            call.then = None
        for task in list(self._tasks):
            task.drop()
        for group in list(self._pre_binds.values()):
            group.drop()

    # -- writes ---------------------------------------------------------------------------------

    def _call(
        self, kind: str, key: str, act: Callable[[], Any], then: Callable[[Exception | None], None]
    ) -> None:
        def answered(_: Any, error: Exception | None) -> None:
            self._sent.discard(call)
            then(error)

        call = self._calls.begin(kind, key, act, answered)
        self._sent.add(call)

    def _done(self, effect_id: int, error: BaseException | None) -> None:
        if error is None:
            self._answer(Completed(effect_id))
        else:
            self._answer(Completed(effect_id, message_of(error), missing=isinstance(error, NotFound)))

    def _patch(self, effect: PatchPodStatus) -> None:
        pod = effect.pod

        def act() -> None:
            self._world.patch_status(
                pod.key,
                pod.uid,
                nominated_node_name=effect.nominated_node_name,
                condition=effect.condition,
            )

        def start(leave: Callable[[], None]) -> None:
            def then(error: Exception | None) -> None:
                self._done(effect.id, error)
                leave()

            self._call("patch", pod.key, act, then)

        self._lanes.enter(pod.uid, start)

    def _evict(self, effect: Evict) -> None:
        """The condition takes its turn among the victim's other writes; the deletion follows it."""
        victim = effect.victim

        def mark() -> None:
            self._world.patch_status(victim.key, victim.uid, condition=effect.condition)

        def start(leave: Callable[[], None]) -> None:
            def then(error: Exception | None) -> None:
                if error is None:
                    self._call("delete", victim.key, remove, lambda e: self._done(effect.id, e))
                else:
                    self._done(effect.id, error)
                leave()

            self._call("patch", victim.key, mark, then)

        def remove() -> None:
            self._world.delete_pod(victim.key, victim.uid)

        self._lanes.enter(victim.uid, start)

    # -- plugins --------------------------------------------------------------------------------

    def _in_turn(self, uid: str, begin: Callable[[], None]) -> None:
        """Begin once the writes to this pod that were given out before are done."""
        if uid not in self._lanes:
            begin()
            return

        def start(leave: Callable[[], None]) -> None:
            begin()
            leave()

        self._lanes.enter(uid, start)

    def _run_bind(self, effect: RunBind) -> None:
        self._in_turn(effect.pod.uid, lambda: self._bind(effect, list(effect.plugins)))

    def _bind(self, effect: RunBind, plugins: list[Named]) -> None:
        """Ask one Bind plugin after the other, until one has not skipped."""
        if not plugins:
            self._answer(Completed(effect.id, "no bind plugin was responsible for the pod"))
            return
        name, plugin = plugins.pop(0)

        def ended(said: Any, error: BaseException | None) -> None:
            if error is not None:
                self._answer(Completed(effect.id, f'running Bind plugin "{name}": {message_of(error)}'))
            elif isinstance(said, Skip):
                self._bind(effect, plugins)
            elif said is None:
                self._answer(Completed(effect.id))
            else:
                text = f'running Bind plugin "{name}": must answer with None or Skip, not {shown(said)}'
                self._answer(Completed(effect.id, text))

        self._start(ended, plugin.bind, effect.pod, effect.node, effect.cycle, self._api)

    def _run_post_bind(self, effect: RunPostBind) -> None:
        for _, plugin in effect.plugins:
            self._start(_nothing, plugin.post_bind, effect.pod, effect.node, effect.cycle, self._api)

    def _run_errand(self, effect: RunErrand) -> None:
        """An errand takes its turn among the pod's writes, and holds up those that come after it."""

        def start(leave: Callable[[], None]) -> None:
            def ended(_: Any, error: BaseException | None) -> None:
                self._done(effect.id, error)
                leave()

            self._start(ended, effect.errand.work, self._api)

        self._lanes.enter(effect.pod.uid, start)

    def _start(self, ended: Ended, method: Method, *arguments: Any) -> None:
        def then(said: Any, error: BaseException | None) -> None:
            self._tasks.discard(task)
            ended(said, error)

        task = Task(_begun(method, *arguments), then)
        self._tasks.add(task)
        task.start()

    def _run_pre_bind(self, effect: RunPreBind) -> None:
        group = self._pre_binds[effect.id] = PreBindGroup(effect, self._api, self._pre_bound)
        self._in_turn(effect.pod.uid, group.start)

    def _pre_bound(self, answer: Completed) -> None:
        del self._pre_binds[answer.effect_id]
        self._answer(answer)

    def _cancel_pre_bind(self, effect: CancelPreBind) -> None:
        group = self._pre_binds.get(effect.target)
        if group is not None:
            group.cancel(effect.cause)


class PreBindGroup:
    """PreBind plugins side by side; the first failure ends the others and is the answer."""

    def __init__(self, effect: RunPreBind, api: SimApi, answer: Answer) -> None:
        self._effect = effect
        self._api = api
        self._answer = answer
        self._open: dict[str, Task] = {}
        self._failure: Completed | None = None

    def start(self) -> None:
        effect = self._effect
        if self._failure is not None:  # cancelled before its turn came
            self._answer(self._failure)
            return
        for name, plugin in effect.plugins:
            work = _begun(plugin.pre_bind, effect.pod, effect.node, effect.cycle, self._api)
            self._open[name] = Task(work, partial(self._ended, name))
        for task in list(self._open.values()):
            task.start()

    def cancel(self, cause: str) -> None:
        if not self._open:
            self._failure = Completed(self._effect.id, cause)
        for task in list(self._open.values()):
            task.cancel(cause)

    def drop(self) -> None:
        for task in self._open.values():
            task.drop()

    def _ended(self, name: str, said: Any, error: BaseException | None) -> None:
        del self._open[name]
        if error is None and not isinstance(said, Reject | NoneType):
            error = TypeError(f"must answer with None or a Reject, not {shown(said)}")
        if self._failure is None and (error is not None or isinstance(said, Reject)):
            reason = message_of(error) if error is not None else said.message
            text = reason if error is None else f'running PreBind plugin "{name}": {reason}'
            self._failure = Completed(self._effect.id, text, rejected=error is None)
            for task in list(self._open.values()):
                task.cancel(reason)
        if not self._open:
            self._answer(self._failure or Completed(self._effect.id))


async def _begun(method: Method, *arguments: Any) -> Any:
    """The plugin's work, as a coroutine even where the plugin raises before it gives us one."""
    return await method(*arguments)


def _nobody(answer: Completed) -> None:
    """The process is gone."""


def _nothing(said: Any, error: BaseException | None) -> None:
    """PostBind is informational."""
