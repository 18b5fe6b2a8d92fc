"""The binding cycle of one pod, from its assumed node to the API server's word for it.

::

    start ── pre-flight ──> nominating ──> waiting on Permit ──> pre-binding ──> binding ──> bound
                 │     (only if somebody      (only if a             │              │
                 │      has work to do)      plugin said so)         │              │
                 └────────────────── fail: unreserve, forget, wake others, failure handler
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from nominee.errors import PluginError
from nominee.framework import Cycle, Node, Pod, PreFlight, Reject
from nominee.profile.ask import check_answer
from nominee.profile.plan import Plan
from nominee.profile.profile import Profile
from nominee.queue.queued_pod import QueuedPod
from nominee.scheduler.failure import Failure, error, refusal, rejection
from nominee.scheduler.inputs import Completed
from nominee.scheduler.metrics import ERROR, SUCCESS, UNSCHEDULABLE, Lap, no_lap
from nominee.state.shapes import rewrite

if TYPE_CHECKING:
    from nominee.scheduler.effects import Named
    from nominee.scheduler.surroundings import Surroundings


class Phase(enum.Enum):
    """Where a binding cycle stands."""

    NOMINATING = "nominating"
    WAITING = "waiting on permit"
    PRE_BINDING = "pre-binding"
    BINDING = "binding"
    OVER = "over"


class Placement(msgspec.Struct):
    """A pod on its way to a node: what every step of the way needs."""

    queued: QueuedPod
    pod: Pod
    node: Node
    profile: Profile
    plan: Plan
    cycle: Cycle
    started: float  # stopwatch reading at the beginning of the attempt
    promised: str = ""  # the node it was nominated to before


Ended = Callable[["BindingCycle", Failure | None, float], None]


class BindingCycle:
    """Drives one placement; `ended(self, failure)` is called once, with None when the pod is bound.

    Reproduces bindingCycle (pkg/scheduler/schedule_one.go, v1.37).
    """

    def __init__(
        self,
        placement: Placement,
        around: Surroundings,
        ended: Callable[[BindingCycle, Failure | None, float], None],
    ) -> None:
        self.placement = placement
        self.phase = Phase.NOMINATING
        self.cancelled: str | None = None
        self._around = around
        self._ended = ended
        self._on_permit = False  # a Permit plugin said Wait and the pod still waits
        self._waited_since = 0.0
        self._pre_bind_id: int | None = None
        self._groups: list[tuple[Named, ...]] = []
        self._lap: Lap = no_lap

    @property
    def uid(self) -> str:
        return self.placement.pod.uid

    def start(self, now: float, *, waits: bool) -> None:
        """Begin; `waits` says that the pod is among the waiting ones."""
        self._on_permit, self._waited_since = waits, now
        self._lap = self._around.metrics.laps(self.placement.profile.scheduler_name)
        try:
            working = self._pre_flight()
        except PluginError as failure:
            self._lap("PreBindPreFlight", ERROR)
            self._fail(error(f'running PreBindPreFlight "{failure.plugin}": {failure.said}'), now)
            return
        if working:
            self._lap("PreBindPreFlight", SUCCESS)
        expects = self._around.features.enabled("NominatedNodeNameForExpectation") and (working or waits)
        if expects and self._around.pods.get(self.uid) is not None:
            node_name = self.placement.node.name
            self._around.pods.patch_status(self.placement.pod, node_name, None)
        self.phase = Phase.WAITING
        if not self._on_permit:
            self._permitted(now)

    def _pre_flight(self) -> bool:
        """Find out who has work to do, in groups that run side by side; False if nobody has."""
        p = self.placement
        plugins = p.plan.concerned("preBind")
        if not self._around.features.enabled("NominatedNodeNameForExpectation"):
            self._groups = [(named,) for named in plugins]  # no pre-flight: one after the other
            return bool(plugins)
        group: list[Named] = []
        for name, plugin in plugins:
            alone = not getattr(plugin, "parallel", True)
            skips = hasattr(plugin, "pre_bind_pre_flight") and self._skips(name, plugin)
            if alone and group:
                self._groups.append(tuple(group))
                group = []
            if not skips:
                group.append((name, plugin))
            if alone and group:
                self._groups.append(tuple(group))
                group = []
        if group:
            self._groups.append(tuple(group))
        return bool(self._groups)

    def _skips(self, name: str, plugin: object) -> bool:
        p = self.placement
        method = plugin.pre_bind_pre_flight  # type: ignore[attr-defined]
        answer = self._around.metrics.ask(name, "preBindPreFlight", method, p.pod, p.node, p.cycle)
        check_answer(name, "preBindPreFlight", answer, PreFlight)
        return answer is PreFlight.SKIP

    # -- permit ---------------------------------------------------------------------------------

    def decided(self, plugin: str, reason: str | None, is_error: bool, now: float) -> None:  # noqa: FBT001
        """The pod waits no longer: allowed (no reason), refused, or pushed away by a preemptor."""
        self._on_permit = False
        self._tell_wait(reason, is_error, now)
        if reason is None:
            if self.phase is Phase.WAITING:
                self._permitted(now)
        elif is_error:
            self._fail(error(f"waiting on permit for pod: {reason}"), now)
        else:
            self._fail(rejection(plugin, Reject((reason,))), now)

    def _tell_wait(self, reason: str | None, is_error: bool, now: float) -> None:  # noqa: FBT001
        result = SUCCESS if reason is None else ERROR if is_error else UNSCHEDULABLE
        self._around.metrics.permit_wait(result, now - self._waited_since)

    def _permitted(self, now: float) -> None:
        self._around.queue.done(self.uid)
        self.phase = Phase.PRE_BINDING
        self._lap = self._around.metrics.laps(self.placement.profile.scheduler_name)
        self._next_group(now)

    # -- pre-bind, bind -------------------------------------------------------------------------

    def _next_group(self, now: float) -> None:
        if self.cancelled is not None:
            self._fail(error(self.cancelled), now)
            return
        if not self._groups:
            self._bind()
            return
        p, group = self.placement, self._groups.pop(0)
        self._pre_bind_id = self._around.outbox.run_pre_bind(p.pod, p.node, group, p.cycle, self._pre_bound)

    def _pre_bound(self, answer: Completed, now: float) -> None:
        self._pre_bind_id = None
        if answer.error is not None or not self._groups:
            self._lap("PreBind", _status_of(answer))
        if answer.error is None:
            self._next_group(now)
        elif answer.rejected:
            self._fail(refusal(answer.error), now)
        else:
            self._fail(error(answer.error), now)

    def cancel(self, cause: str) -> bool:
        """A preemptor wants the place; False when it is too late for that."""
        if self.phase is not Phase.PRE_BINDING or self._pre_bind_id is None:
            return False
        self.cancelled = cause
        self._around.outbox.cancel_pre_bind(self._pre_bind_id, cause)
        return True

    def _bind(self) -> None:
        p = self.placement
        self.phase = Phase.BINDING
        plugins = tuple(p.profile.points.get("bind", []))
        extenders = self._around.extenders.binding(p.pod) if self._around.extenders else ()
        self._around.outbox.run_bind(p.pod, p.node, plugins, p.cycle, extenders, self._bound)

    def _bound(self, answer: Completed, now: float) -> None:
        self._lap("Bind", _status_of(answer))
        if answer.error is not None:
            self._fail(error(answer.error), now)
            return
        p, features = self.placement, self._around.features
        self.phase = Phase.OVER
        note = f"Successfully assigned {p.pod.key} to {p.node.name}"
        self._around.outbox.record("Normal", "Scheduled", "Binding", note, p.pod)
        if p.pod.nominated_node_name and features.enabled("ClearingNominatedNodeNameAfterBinding"):
            rewrite(p.pod, nominated_node_name="")  # as the API server has done it
        post_bind = tuple(p.profile.points.get("postBind", []))
        if post_bind:
            self._around.outbox.run_post_bind(p.pod, p.node, post_bind, p.cycle)
        self._ended(self, None, now)

    def _fail(self, failure: Failure, now: float) -> None:
        self.phase = Phase.OVER
        self._around.waiting.discard(self.uid)
        self._ended(self, failure, now)


def _status_of(answer: Completed) -> str:
    """A status code, as metrics name it."""
    if answer.error is None:
        return SUCCESS
    return UNSCHEDULABLE if answer.rejected else ERROR
