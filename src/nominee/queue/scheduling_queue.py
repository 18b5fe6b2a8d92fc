"""The queue: every pod that waits to be scheduled, and the rules by which it moves.

::

                add                      pop                    done
                 │     ┌──── active ──────────────> in flight ─────────> (scheduled)
                 v     │      ^   ^                     │
             PreEnqueue┤      │   │ flush, pop          │ return_after_failure
                 ^     │      │   └── backing off <─────┤ an event came, or nobody rejected it
    move, update,│     v      │          ^              v
    activate,    └── gated    └──────────┴────── unschedulable
    flush                        move, update, activate, flush
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nominee.framework import ClusterEvent, Pod, Resource
from nominee.queue.backoff import BackoffQueue
from nominee.queue.gate import Gate
from nominee.queue.hints import FORCE_ACTIVATE, UNSCHEDULABLE_TIMEOUT, QueueingHints, Strategy
from nominee.queue.in_flight import Happening, InFlight
from nominee.queue.nominator import Nominator
from nominee.queue.observer import QueueObserver, SilentObserver
from nominee.queue.places import Place, Places
from nominee.queue.pod_events import pod_events
from nominee.queue.policy import QueuePolicy
from nominee.queue.queued_pod import NEVER, QueuedPod
from nominee.queue.unschedulable import UnschedulablePods
from nominee.state.cluster import ClusterState

POD_ADDED = "UnscheduledPodAdd"
PLUGINS_REPLACED = "PluginsReplaced"
ATTEMPT_FAILED = "ScheduleAttemptFailure"
BACKOFF_COMPLETE = "BackoffComplete"


class SchedulingQueue:
    """Pods in, one at a time out; times are seconds and never go back.

    policies         by scheduler name, what its profile's plugins say about queueing
    sort_key         QueueSort, the same for all profiles
    is_pending       whether a pod still exists and has no node, as far as is known outside
    is_shut          whether a gated pod need not be looked at before somebody calls `open_gate`
    Pods of groups wait one by one, as with the gate GenericWorkload off.

    Reproduces PriorityQueue (pkg/scheduler/backend/queue/scheduling_queue.go, v1.37).
    """

    def __init__(  # noqa: PLR0913 - the settings of the configuration file, by name
        self,
        policies: Mapping[str, QueuePolicy],
        sort_key: Callable[[QueuedPod], Any],
        cluster: ClusterState,
        *,
        initial_backoff: float = 1,
        max_backoff: float = 10,
        max_in_unschedulable: float = 300,
        pop_from_backoff: bool = True,
        is_pending: Callable[[Pod], bool] | None = None,
        is_shut: Callable[[QueuedPod], bool] | None = None,
        observer: QueueObserver | None = None,
    ) -> None:
        self._observer = observer = observer or SilentObserver()
        self._view = cluster.view
        self._is_shut = is_shut
        self._gates_backoff = pop_from_backoff  # who may be popped from there must pass PreEnqueue before
        self._hints = QueueingHints(policies, cluster.view, observer)
        self._gate = Gate(policies, observer)
        backoff = BackoffQueue(initial_backoff, max_backoff, sort_key, pop_early=pop_from_backoff)
        self._places = Places(sort_key, backoff, UnschedulablePods(max_in_unschedulable, is_shut), observer)
        self._in_flight = InFlight(observer)
        self.nominator = Nominator(cluster, is_pending)
        self.cycle = 0  # how many pods were popped

    # -- what is in it ------------------------------------------------------------------------

    def __len__(self) -> int:
        """The pods that wait; those in flight do not."""
        return len(self._places)

    def __contains__(self, uid: object) -> bool:
        """Whether the pod waits or is in flight."""
        return isinstance(uid, str) and self.where(uid) is not None

    def get(self, uid: str) -> QueuedPod | None:
        """The pod as it waits."""
        return self._places.get(uid)

    def where(self, uid: str) -> Place | None:
        return self._places.where(uid) or ("in_flight" if uid in self._in_flight else None)

    def pending(self) -> list[QueuedPod]:
        """Every pod that waits, in no particular order."""
        return list(self._places)

    def counts(self) -> dict[str, int]:
        """How many wait, by the labels of the metric pending_pods."""
        places = self._places
        return {
            "active": len(places.active),
            "backoff": len(places.backoff),
            "unschedulable": len(places.aside) - places.aside.gated,
            "gated": places.aside.gated,
        }

    # -- pods come, change and go -------------------------------------------------------------

    def add(self, pod: Pod, now: float) -> None:
        """A pod that wants a node; one that is here already is taken for an update."""
        if pod.uid in self:
            known = self._places.get(pod.uid)
            self.update(known.pod if known else pod, pod, now)
            return
        self.nominator.add(pod)  # whatever becomes of it: the nomination counts from now on
        self._to_active(QueuedPod(pod, now), POD_ADDED, now)

    def update(self, old: Pod, new: Pod, now: float) -> None:
        """The pod itself changed: that alone may make it worth another attempt.

        What happens to a pod in flight is only noted; its nomination is left to whoever has it.
        """
        if old.uid != new.uid:
            self.delete(old)
            self.add(new, now)
            return
        happenings = [Happening(event, old, new) for event in pod_events(old, new, Resource.TARGET_POD)]
        if new.uid in self._in_flight:
            for happening in happenings:
                self._in_flight.record(happening)
            return
        queued = self._places.get(new.uid)
        if queued is None:
            self.add(new, now)
            return
        queued.pod = new
        self.nominator.update(old, new)
        self._places.reorder(queued)
        if new.uid in self._places.aside:
            self._reconsider(queued, happenings, now)

    def delete(self, pod: Pod) -> None:
        """The pod is gone or has a node; if it is in flight, its attempt goes on for now."""
        self.nominator.remove(pod.uid)
        queued = self._places.remove(pod.uid)
        if queued is not None:
            self._count_rejectors(queued, -1)

    # -- attempts -----------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Whether `pop` has somebody."""
        places = self._places
        return bool(places.active) or (self._gates_backoff and bool(places.backoff.rejected))

    def pop(self) -> QueuedPod | None:
        """The next pod to try; `done` or `return_after_failure` must follow, once."""
        queued = self._places.pop()
        if queued is None:
            return None
        queued.attempts += 1
        self.cycle += 1
        self._in_flight.begin(queued.pod.uid)
        self._count_rejectors(queued, -1)
        return queued

    def done(self, uid: str) -> None:
        """The attempt is over as far as events are concerned."""
        self._in_flight.done(uid)

    def return_after_failure(self, queued: QueuedPod, now: float) -> bool:
        """The attempt failed; `queued.pod` is the latest version and `queued.blame` was called.

        False when the pod waits here already. Reproduces AddUnschedulablePodIfNotPresent.
        """
        uid = queued.pod.uid
        if self._places.get(uid) is not None:
            self._in_flight.done(uid)
            return False
        if queued.rejectors:
            queued.unschedulable_count += 1
            queued.consecutive_errors_count = 0
        else:
            queued.consecutive_errors_count += 1
        queued.timestamp, queued.backoff_expiration = now, None
        queued.was_flushed, queued.flush_timestamp = False, NEVER
        self._count_rejectors(queued, 1)
        self._requeue(queued, self._replay(queued), ATTEMPT_FAILED, now)
        self._in_flight.done(uid)
        return True

    def _replay(self, queued: QueuedPod) -> Strategy:
        """What the events that came during the attempt mean to the pod."""
        uid = queued.pod.uid
        if not queued.rejectors or uid not in self._in_flight:
            return Strategy.AFTER_BACKOFF
        enough = Strategy.IMMEDIATELY if queued.pending_plugins else Strategy.AFTER_BACKOFF
        best = Strategy.SKIP
        for happening in self._in_flight.since(uid):
            best = max(best, self._hints.judge(queued, happening))
            if best >= enough:
                break
        return best

    # -- what moves waiting pods --------------------------------------------------------------

    def move(
        self,
        event: ClusterEvent,
        old: Any,
        new: Any,
        now: float,
        only: Callable[[QueuedPod], bool] | None = None,
    ) -> None:
        """Something happened: pods it may help are tried again, those in flight hear of it later.

        `only` says which of the waiting pods may be meant; upstream's pre-check, which those in flight
        are not asked either. Reproduces MoveAllToActiveOrBackoffQueue.
        """
        aside = self._places.aside
        if event.is_wildcard:
            candidates: Iterable[QueuedPod] = list(aside)
        elif listeners := self._hints.listeners(event):
            candidates = aside.rejected_by(listeners)
        else:
            return
        if only is not None:
            candidates = filter(only, candidates)
        self._move(candidates, Happening(event, old, new), now)

    def _move(self, candidates: Iterable[QueuedPod], happening: Happening, now: float) -> None:
        label = happening.label
        for queued in candidates:
            strategy = self._hints.judge(queued, happening)
            if strategy is not Strategy.SKIP:
                self._places.remove_from_aside(queued.pod.uid)
                self._requeue(queued, strategy, label, now)
        self._in_flight.record(happening)

    def _reconsider(self, queued: QueuedPod, happenings: Iterable[Happening], now: float) -> None:
        """The pod that was set aside changed: the first change that lets it go will do."""
        for happening in happenings:
            strategy = self._hints.judge(queued, happening)
            if self._requeue(queued, strategy, happening.label, now):
                return

    def open_gate(self, uid: str) -> None:
        """What kept this gated pod from being looked at is over: the next event that may help will count."""
        self._places.aside.open(uid)

    def make_up(self, uid: str, now: float) -> None:
        """The gate is open: an event that came while it was shut, and would have freed the pod, does so now.

        Upstream forgets such events. A preemptor sleeps there until its last victim is gone, and on if that
        is of no interest to the plugins that rejected it.
        """
        queued = self._places.aside.get(uid)
        if queued is not None and queued.overdue:
            self._requeue(queued, Strategy.AFTER_BACKOFF, queued.overdue, now)

    def activate(self, pods: Iterable[Pod], now: float) -> None:
        """Try these at once, back-off or not; those in flight come back as if an event had helped."""
        places, label = self._places, str(FORCE_ACTIVATE)
        for pod in pods:
            if (queued := places.aside.get(pod.uid)) is not None:
                self._to_active(queued, label, now)
            elif (queued := places.backoff.get(pod.uid)) is not None:
                places.remove(pod.uid)
                self._from_backoff(queued, label, now)
            elif pod.uid in self._in_flight:
                self._in_flight.record(Happening(FORCE_ACTIVATE, None, pod))

    def retry_later(self, pod: Pod, now: float) -> None:
        """Try this one again without waiting for an event, as after an error: once back-off is over."""
        queued = self._places.get(pod.uid)
        if queued is None or pod.uid in self._places.active:
            self.activate([pod], now)
            return
        self._count_rejectors(queued, -1)
        self._places.remove(pod.uid)
        queued.blame()
        self._requeue(queued, Strategy.AFTER_BACKOFF, ATTEMPT_FAILED, now)

    def replace_policies(self, policies: Mapping[str, QueuePolicy], now: float) -> None:
        """Other plugins decide from now on: what the former ones held up or rejected is tried again."""
        self._hints = QueueingHints(policies, self._view, self._observer)
        self._gate = Gate(policies, self._observer)
        waiting = self.pending()
        self._places.clear()
        for queued in waiting:
            self._to_active(queued, PLUGINS_REPLACED, now)

    def flush(self, now: float) -> None:
        """Completed back-off, by the last whole second; and waits that were too long, by the last 30 s."""
        for queued in self._places.completed_backoff(now):
            self._from_backoff(queued, BACKOFF_COMPLETE, now)
        late = self._places.aside.flushed(now)
        if late:
            self._move(late, Happening(UNSCHEDULABLE_TIMEOUT, None, None), now)

    def next_wakeup(self) -> float | None:
        """The earliest time at which `flush` will have something to do, as things stand."""
        times = (self._places.backoff.next_completion(), self._places.aside.next_timeout())
        return min((time for time in times if time is not None), default=None)

    # -- from place to place ------------------------------------------------------------------

    def _requeue(self, queued: QueuedPod, strategy: Strategy, event: str, now: float) -> bool:
        """Put the pod where the strategy says; whether it got away from being set aside."""
        if strategy is Strategy.SKIP:
            if queued.pod.uid not in self._places.aside:
                self._places.set_aside(queued, event)
            return False
        if strategy is Strategy.AFTER_BACKOFF and self._places.backoff.is_backing_off(queued, now):
            return self._to_backoff(queued, event)
        return self._to_active(queued, event, now)

    def _to_active(self, queued: QueuedPod, event: str, now: float) -> bool:
        if self._gate.holds(queued):
            return self._keep_gated(queued, event)
        self._enter_active(queued, event, now)
        return True

    def _to_backoff(self, queued: QueuedPod, event: str) -> bool:
        if self._gates_backoff and self._gate.holds(queued):
            return self._keep_gated(queued, event)
        self._places.remove_from_aside(queued.pod.uid)
        queued.overdue = ""
        self._places.back_off(queued, event)
        return True

    def _from_backoff(self, queued: QueuedPod, event: str, now: float) -> None:
        """On to the active queue; PreEnqueue was asked on the way in, or else is now."""
        if self._gates_backoff:
            self._enter_active(queued, event, now)
        else:
            self._to_active(queued, event, now)

    def _enter_active(self, queued: QueuedPod, event: str, now: float) -> None:
        self._places.remove_from_aside(queued.pod.uid)
        queued.overdue = ""
        if queued.initial_attempt_timestamp is None:
            queued.initial_attempt_timestamp = now
        self._places.activate(queued, event)

    def _keep_gated(self, queued: QueuedPod, event: str) -> bool:
        queued.was_flushed = False  # no attempt comes of it
        queued.overdue = event if self._is_shut is not None and self._is_shut(queued) else ""
        self._places.set_aside(queued, event)
        return False

    def _count_rejectors(self, queued: QueuedPod, delta: int) -> None:
        if not (rejectors := queued.rejectors):
            return
        for plugin in sorted(rejectors):
            self._observer.unschedulable_pods(plugin, queued.pod.scheduler_name, delta)

    # -- invariants ---------------------------------------------------------------------------

    def parts(self) -> tuple[Places, InFlight]:
        """The insides, for `check` alone."""
        return self._places, self._in_flight
