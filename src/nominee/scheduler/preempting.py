"""Making room: evictions beside the scheduling loop, and what becomes of the preemptor.

::

    begin ── lower nominations withdrawn ── all victims but the last ── the last victim ── over
                                                   │ failed                 │ failed
                                                   └── nomination reverted, preemptor tried again

The preemptor is held by PreEnqueue until the last victim is gone or going: that victim's deletion is
the event that lets it in, so the others must be gone before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from nominee.framework import Pod
from nominee.model.meta import Condition
from nominee.scheduler.binding import BindingCycle
from nominee.scheduler.inputs import Completed
from nominee.scheduler.surroundings import Surroundings

HELD = "waiting for the preemption for this pod to be finished"


@dataclass(slots=True)
class Preemption:
    """One preemptor's evictions on one node; victims in descending importance."""

    preemptor: Pod
    node_name: str
    plugin: str
    scheduler_name: str
    victims: list[Pod]
    last: Pod | None = None  # the last victim, once its eviction has been asked for
    open_evictions: int = 0
    failures: list[str] = field(default_factory=list)
    in_memory: bool = False  # the last victim was only assumed: no deletion will be seen
    synchronous: bool = False
    started: float = 0.0  # stopwatch reading when the evictions began
    ended: Callable[[Preemption, float], None] | None = None


class Preemptions:
    """All that are under way, by the preemptor's uid.

    Reproduces Executor (pkg/scheduler/framework/preemption/executor.go, v1.37), except that a
    failure reverts the preemptor's nomination, that one failure after the other makes the preemptor
    back off, that nominations of lower priority are withdrawn also when every victim is terminating
    already, and that events which come while a preemptor is held count once its last victim leaves.
    """

    def __init__(self, around: Surroundings, bindings: dict[str, BindingCycle]) -> None:
        self._around = around
        self._bindings = bindings
        self._ongoing: dict[str, Preemption] = {}
        self._waiting_for: dict[str, list[str]] = {}  # a last victim's uid to its preemptors'
        self._undone_for: dict[
            str, list[Preemption]
        ] = {}  # a cancelled last victim's uid to who is to follow
        self._failed: set[str] = set()  # preemptors whose evictions failed the last time

    def __len__(self) -> int:
        return len(self._ongoing)

    def gate(self, pod: Pod) -> str | None:
        """PreEnqueue: hold a preemptor until its last victim is gone or going."""
        preemption = self._ongoing.get(pod.uid)
        if preemption is None:
            return None
        last = preemption.last
        return HELD if last is None or self._stands(last) else None

    def victim_leaves(self, uid: str, now: float) -> None:
        """A placed pod terminates or is about to be gone: if it is somebody's last victim, his gate opens."""
        for preemptor in self._waiting_for.get(uid, ()):
            if self._waits_for(preemptor, uid):
                self._around.queue.open_gate(preemptor)
        victim = self._around.cluster.known_pod(uid)
        if victim is None or victim.terminating:
            self.victim_gone(uid, now)

    def victim_gone(self, uid: str, now: float) -> None:
        """It stands in the way no more: whatever was missed on its account can be made up for."""
        for preemptor in self._waiting_for.pop(uid, ()):
            if self._waits_for(preemptor, uid):
                self._around.queue.make_up(preemptor, now)

    def _waits_for(self, preemptor: str, victim: str) -> bool:
        """Whether it still does: it may preempt anew by now, and wait for somebody else."""
        ongoing = self._ongoing.get(preemptor)
        return ongoing is None or (ongoing.last is not None and ongoing.last.uid == victim)

    def binding_over(self, uid: str, now: float) -> None:
        """A pod's binding has ended: if it was cancelled for a preemptor, the place is free from now on."""
        for preemption in self._undone_for.pop(uid, ()):
            self._one_done(preemption, now)

    def forget(self, uid: str) -> None:
        """The preemptor is gone; what was begun goes on without it."""
        self._ongoing.pop(uid, None)
        self._failed.discard(uid)

    def prepare(self, preemption: Preemption) -> None:
        """Shut the gate, unless all victims are on their way out already: then there is nothing to do."""
        preemption.victims = [v for v in preemption.victims if not self._is_terminating(v)]
        if preemption.victims and not preemption.synchronous:
            self._ongoing[preemption.preemptor.uid] = preemption

    def begin(self, preemption: Preemption, now: float) -> None:
        """Withdraw lower nominations and start to evict."""
        self._withdraw_lower(preemption, now)
        if not preemption.victims:
            self._report(preemption, now)
            return
        preemption.started = self._around.metrics.stopwatch()
        first = preemption.victims if preemption.synchronous else preemption.victims[:-1]
        preemption.open_evictions = len(first)
        for victim in first:
            self._evict(preemption, victim, now)
        if not first:
            self._evict_last(preemption, now)

    def _withdraw_lower(self, preemption: Preemption, now: float) -> None:
        """Pods of lower priority must look for another place, or at least not count on this one."""
        for pod in self._around.cluster.nominations.on_node(preemption.node_name):
            if pod.priority < preemption.preemptor.priority:
                self._around.withdraw_nomination(pod, now, robbed=True)

    # -- one victim -----------------------------------------------------------------------------

    def _evict(self, preemption: Preemption, victim: Pod, now: float) -> None:
        """Reproduces PreemptPod of the same file."""
        binding = self._bindings.get(victim.uid)
        if victim.uid in self._around.waiting:
            self._around.waiting.preempt(victim.uid, preemption.plugin, now)
            self._evicted_in_memory(preemption, victim, now)
        elif binding is not None and binding.cancel(f"preempted by {preemption.plugin}"):
            self._evicted_in_memory(preemption, victim, now)
        else:
            self._ask_for_eviction(preemption, victim)

    def _evicted_in_memory(self, preemption: Preemption, victim: Pod, now: float) -> None:
        self._record(preemption, victim, " (in kube-scheduler memory).")
        if victim is preemption.last:
            preemption.in_memory = True
            if victim.uid in self._bindings:
                # It is assumed until its plugins have come to an end. Whoever tried again before that would
                # find it in the way and cancel it once more.
                self._undone_for.setdefault(victim.uid, []).append(preemption)
                return
        self._one_done(preemption, now)

    def _ask_for_eviction(self, preemption: Preemption, victim: Pod) -> None:
        condition = Condition(
            type="DisruptionTarget",
            status="True",
            reason="PreemptionByScheduler",
            message=f"{preemption.scheduler_name}: preempting to accommodate a higher priority pod",
            observed_generation=victim.generation,
        )

        def then(answer: Completed, now: float) -> None:
            if answer.error is not None and not answer.missing:
                preemption.failures.append(answer.error)
                message = f"could not evict {victim.key} to make room for {preemption.preemptor.key}"
                self._around.recorder.warn(preemption.preemptor, f"{message}: {answer.error}")
            elif not answer.missing:
                self._record(preemption, victim, "")
            self._one_done(preemption, now)

        self._around.outbox.evict(victim, condition, then)

    def _record(self, preemption: Preemption, victim: Pod, remark: str) -> None:
        note = f"Preempted by pod {preemption.preemptor.uid} on node {preemption.node_name}{remark}"
        self._around.outbox.record("Normal", "Preempted", "Preempting", note, victim, preemption.preemptor)

    # -- the order of things --------------------------------------------------------------------

    def _one_done(self, preemption: Preemption, now: float) -> None:
        preemption.open_evictions -= 1
        if preemption.open_evictions > 0:
            return
        if preemption.synchronous or preemption.failures or preemption.last is not None:
            self._over(preemption, now)
        else:
            self._evict_last(preemption, now)

    def _evict_last(self, preemption: Preemption, now: float) -> None:
        preemption.last = last = preemption.victims[-1]
        preemption.open_evictions = 1
        self._waiting_for.setdefault(last.uid, []).append(preemption.preemptor.uid)
        if not self._stands(last):
            self.victim_leaves(last.uid, now)
        self._evict(preemption, preemption.last, now)

    def _over(self, preemption: Preemption, now: float) -> None:
        around, preemptor = self._around, preemption.preemptor
        result = "error" if preemption.failures else "success"
        ongoing = self._ongoing.get(preemptor.uid) is preemption
        if ongoing:
            del self._ongoing[preemptor.uid]
            around.queue.open_gate(preemptor.uid)
        if not (ongoing and self._will_leave(preemption)):
            self._wait_no_longer(preemption)
        in_background = not preemption.synchronous
        around.metrics.preempted(result, preemption.started, in_background=in_background)
        current = around.pods.get(preemptor.uid)
        if current is not None and ongoing and not around.cluster.is_placed(preemptor.uid):
            self._release(preemption, current, now)
        self._report(preemption, now)

    def _release(self, preemption: Preemption, preemptor: Pod, now: float) -> None:
        """No deletion may come that would wake the preemptor: wake it now."""
        nominations = self._around.cluster.nominations
        if preemption.failures and nominations.node_of(preemptor.uid) == preemption.node_name:
            self._around.withdraw_nomination(preemptor, now)
        if preemption.failures:
            self._try_again(preemptor, now)
            return
        self._failed.discard(preemptor.uid)
        missed = self._around.queue.where(preemptor.uid) == "gated" and not self._is_there(preemption.last)
        if preemption.in_memory or missed:
            self._around.queue.activate([preemptor], now)

    def _try_again(self, preemptor: Pod, now: float) -> None:
        """At once after a first failure; but a server that refuses every eviction is not asked in a loop."""
        if preemptor.uid in self._failed:
            self._around.queue.retry_later(preemptor, now)
        else:
            self._failed.add(preemptor.uid)
            self._around.queue.activate([preemptor], now)

    def _wait_no_longer(self, preemption: Preemption) -> None:
        """Whether the last victim goes concerns this preemptor no more."""
        uid = preemption.last.uid if preemption.last is not None else ""
        waiting = [other for other in self._waiting_for.pop(uid, ()) if other != preemption.preemptor.uid]
        if waiting:
            self._waiting_for[uid] = waiting

    def _report(self, preemption: Preemption, now: float) -> None:
        if preemption.ended is not None:
            preemption.ended(preemption, now)

    def _is_there(self, victim: Pod | None) -> bool:
        """Whether its deletion is still to come; one that came while the gate was shut woke nobody."""
        return victim is not None and self._around.cluster.is_placed(victim.uid)

    def _will_leave(self, preemption: Preemption) -> bool:
        """Whether the last victim is evicted, and has not been seen to leave so far."""
        last = preemption.last
        if last is None or preemption.failures or preemption.in_memory:
            return False
        return self._stands(last)

    def _stands(self, victim: Pod) -> bool:
        """Whether the victim is still there and nobody has asked for its deletion."""
        known = self._around.cluster.known_pod(victim.uid)  # if only as one whose node is gone
        return known is not None and not known.terminating

    def _is_terminating(self, victim: Pod) -> bool:
        placed = self._around.cluster.placed(victim.uid)
        return placed is None or placed.terminating
