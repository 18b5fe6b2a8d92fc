"""Carries out what the scheduler wants done, in the order that its effects ask for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from nominee.driver.api import Bounds, DriverApi
from nominee.driver.extenders import ExtenderChain
from nominee.driver.patience import patiently, raise_if_gone
from nominee.driver.ports import Cluster
from nominee.driver.pre_bind import PreBindGroup, message_of
from nominee.driver.status_patch import status_patch
from nominee.errors import Conflict, NomineeError, NotFound, shown
from nominee.framework import Skip
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
from nominee.scheduler.lanes import Lanes

log = logging.getLogger(__name__)

Work = Coroutine[Any, Any, None]


class Carrier:
    """The hands of one scheduler: asks the cluster for writes and runs the plugins that do I/O.

    answer  hears of every effect that has an answer, once, whatever came of it
    record  takes events
    wall    tells the time to write into objects
    chain   asks extenders, where there are any
    """

    def __init__(
        self,
        cluster: Cluster,
        answer: Callable[[Completed], None],
        record: Callable[[RecordEvent], None],
        wall: Callable[[], float],
        bounds: Bounds | None = None,
        chain: ExtenderChain | None = None,
    ) -> None:
        self._chain = chain
        self._cluster = cluster
        self._answer = answer
        self._wall = wall
        self._bounds = bounds or Bounds()
        self._api = DriverApi(cluster, self._bounds, record)
        self._lanes = Lanes()
        self._tasks: set[asyncio.Task[None]] = set()
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
            AskExtenders: self._ask_extenders,
        }

    def carry_out(self, effect: Effect) -> None:
        """Begin with it; what it waits for, it waits for beside everything else."""
        self._ways[type(effect)](effect)

    @property
    def congested(self) -> bool:
        """Whether more decisions would only pile up in front of the server."""
        return self._bounds.exceeded

    @property
    def under_way(self) -> int:
        """How much has been begun and has not ended."""
        return len(self._tasks) + len(self._pre_binds)

    def stop(self) -> None:
        """End everything without an answer, as the end of the process would."""
        self._answer = _nobody
        self._lanes.clear()
        for group in list(self._pre_binds.values()):
            group.drop()
        for task in list(self._tasks):
            task.cancel()

    # -- tasks ------------------------------------------------------------------------------------

    def _begin(self, work: Work, ended: Callable[[], None] | None = None) -> None:
        """Run it as a task; `work` deals with its own errors."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard if ended is None else self._ended(ended))

    def _ended(self, then: Callable[[], None]) -> Callable[[asyncio.Task[None]], None]:
        def ended(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            then()

        return ended

    def _in_lane(self, uid: str, work: Callable[[], Work]) -> None:
        """Run it when its turn among the pod's writes has come, and hold up those that come after."""
        self._lanes.enter(uid, lambda leave: self._begin(work(), leave))

    def _in_turn(self, uid: str, begin: Callable[[], None]) -> None:
        """Begin once the pod's writes that were given out before are done."""
        if uid not in self._lanes:
            begin()
            return

        def start(leave: Callable[[], None]) -> None:
            begin()
            leave()

        self._lanes.enter(uid, start)

    async def _done(self, effect_id: int, work: Work) -> None:
        """Answer with what comes of the work."""
        try:
            await work
        except NomineeError as error:
            self._answer(Completed(effect_id, message_of(error), missing=isinstance(error, NotFound)))
        except (Exception, asyncio.CancelledError, SystemExit) as error:
            log.exception("an effect failed")
            self._answer(Completed(effect_id, message_of(error)))
        else:
            self._answer(Completed(effect_id))

    # -- writes -----------------------------------------------------------------------------------

    def _patch(self, effect: PatchPodStatus) -> None:
        self._in_lane(effect.pod.uid, lambda: self._done(effect.id, self._patched(effect)))

    async def _patched(self, effect: PatchPodStatus) -> None:
        pod = effect.pod
        patch = status_patch(pod, effect.nominated_node_name, effect.condition, self._wall())
        async with self._bounds.writes:
            await patiently(lambda: self._cluster.patch_pod_status(pod, patch))

    def _evict(self, effect: Evict) -> None:
        self._in_lane(effect.victim.uid, lambda: self._done(effect.id, self._evicted(effect)))

    async def _evicted(self, effect: Evict) -> None:
        """The condition first: once the pod is gone nobody can read why."""
        victim = effect.victim
        patch = status_patch(victim, None, effect.condition, self._wall())
        async with self._bounds.writes:
            try:
                await patiently(lambda: self._cluster.patch_pod_status(victim, patch))
                await patiently(lambda: self._cluster.delete_pod(victim))
            except Conflict:
                await raise_if_gone(self._cluster, victim)  # another pod may bear its name by now
                raise

    # -- plugins ----------------------------------------------------------------------------------

    def _run_bind(self, effect: RunBind) -> None:
        self._in_turn(effect.pod.uid, lambda: self._begin(self._bound(effect)))

    async def _bound(self, effect: RunBind) -> None:
        """Ask one Bind plugin after the other, until one has not skipped; but extenders first."""
        if effect.extenders and await self._bound_by_extender(effect):
            return
        for name, plugin in effect.plugins:
            try:
                said = await plugin.bind(effect.pod, effect.node, effect.cycle, self._api)
            except BaseException as error:  # noqa: BLE001 - it costs the pod its attempt
                text = f'running Bind plugin "{name}": {message_of(error)}'
                self._answer(Completed(effect.id, text, missing=isinstance(error, NotFound)))
                return
            if said is None:
                self._answer(Completed(effect.id))
                return
            if not isinstance(said, Skip):
                text = f'running Bind plugin "{name}": must answer with None or Skip, not {shown(said)}'
                self._answer(Completed(effect.id, text))
                return
        self._answer(Completed(effect.id, "no bind plugin was responsible for the pod"))

    async def _bound_by_extender(self, effect: RunBind) -> bool:
        """Whether an extender has settled the matter, one way or the other."""
        assert self._chain is not None  # noqa: S101 - the configuration that names extenders brought it
        try:
            bound = await self._chain.bind(effect.extenders, effect.pod, effect.node.name)
        except NomineeError as error:
            self._answer(Completed(effect.id, message_of(error)))
            return True
        if bound:
            self._answer(Completed(effect.id))
        return bound

    def _ask_extenders(self, effect: AskExtenders) -> None:
        self._begin(self._asked(effect))

    async def _asked(self, effect: AskExtenders) -> None:
        """The loop waits for this answer: whatever happens, there is one."""
        pod = effect.question.pod
        try:
            assert self._chain is not None  # noqa: S101 - as above
            said = await self._chain.answer(effect.question, await self._cluster.get("Pod", pod.key))
        except (Exception, asyncio.CancelledError) as error:
            log.exception("extenders could not be asked", extra={"pod": pod.key})
            self._answer(Completed(effect.id, message_of(error)))
        else:
            self._answer(Completed(effect.id, said=said))

    def _run_post_bind(self, effect: RunPostBind) -> None:
        self._begin(self._told(effect))

    async def _told(self, effect: RunPostBind) -> None:
        """PostBind is informational: who fails has not heard."""
        for name, plugin in effect.plugins:
            try:
                await plugin.post_bind(effect.pod, effect.node, effect.cycle, self._api)
            except (asyncio.CancelledError, GeneratorExit):
                raise
            except BaseException:
                log.exception("plugin failed in PostBind", extra={"plugin": name, "pod": effect.pod.key})

    def _run_errand(self, effect: RunErrand) -> None:
        self._in_lane(effect.pod.uid, lambda: self._done(effect.id, self._work(effect)))

    async def _work(self, effect: RunErrand) -> None:
        await effect.errand.work(self._api)

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


def _nobody(answer: Completed) -> None:
    """The process ends."""
