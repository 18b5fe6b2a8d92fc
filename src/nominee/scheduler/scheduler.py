"""The scheduler: a function of events and time. `handle` and `step` in, effects out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nominee.config.features import FeatureGates
from nominee.config.types import Extender
from nominee.framework import EventHint, Pod
from nominee.preemption import DefaultPreemption
from nominee.profile.profile import Profile
from nominee.queue.observer import QueueObserver
from nominee.queue.policy import QueuePolicy, policy_of
from nominee.queue.queued_pod import QueuedPod
from nominee.queue.scheduling_queue import SchedulingQueue
from nominee.scheduler.assembly import counting
from nominee.scheduler.binding import BindingCycle, Phase, Placement
from nominee.scheduler.cycle import Outcome, SchedulingCycle, unreserve
from nominee.scheduler.displaced import Displaced
from nominee.scheduler.effects import Effect
from nominee.scheduler.extenders import Consultation, Extenders
from nominee.scheduler.failure import KEEP, Failure, FailureHandler, error
from nominee.scheduler.inputs import Completed, Input, Seen
from nominee.scheduler.intake import Intake
from nominee.scheduler.metrics import Metrics, QueueMetrics
from nominee.scheduler.outbox import Outbox
from nominee.scheduler.permits import WaitingPod
from nominee.scheduler.pods import PendingPods
from nominee.scheduler.ports import Recorder, SilentRecorder
from nominee.scheduler.preempting import Preemption, Preemptions
from nominee.scheduler.sort_keys import sort_key
from nominee.scheduler.surroundings import Surroundings
from nominee.state.cluster import ClusterState


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the configuration file says of the scheduler as a whole."""

    initial_backoff: float = 1
    max_backoff: float = 10
    max_in_unschedulable: float = 300
    seed: int = 0


class Scheduler:
    """Drives pods from the queue to their nodes.

    `handle` takes what drivers see: objects, and the answers to effects. `step` does what is due at a
    time, at most one scheduling cycle, and returns the effects to carry out. Nothing here waits,
    sleeps or talks to anybody; the same inputs at the same times give the same effects.
    """

    def __init__(
        self,
        profiles: Mapping[str, Profile],
        *,
        features: FeatureGates | None = None,
        settings: Settings | None = None,
        recorder: Recorder | None = None,
        observer: QueueObserver | None = None,
        extenders: Iterable[Extender] = (),
    ) -> None:
        features, settings = features or FeatureGates(), settings or Settings()
        if recorder is not None and observer is None:
            observer = QueueMetrics(recorder)
        recorder = recorder or SilentRecorder()
        self.cluster = cluster = ClusterState(counting(features))
        asked = Extenders(extenders)
        outbox = Outbox()
        pods = PendingPods(outbox, recorder)
        metrics = Metrics(recorder, settings.seed)
        self.bindings: dict[str, BindingCycle] = {}
        held = dict(profiles)
        queue = SchedulingQueue(
            {name: self._policy(profile, asked) for name, profile in profiles.items()},
            sort_key(held, recorder),
            cluster,
            initial_backoff=settings.initial_backoff,
            max_backoff=settings.max_backoff,
            max_in_unschedulable=settings.max_in_unschedulable,
            pop_from_backoff=features.enabled("SchedulerPopFromBackoffQ"),
            is_pending=lambda pod: pod.uid in pods,
            is_shut=lambda queued: self.preemptions.gate(queued.pod) is not None,
            observer=observer,
        )
        self.around = Surroundings(
            cluster, queue, held, features, recorder, outbox, pods, metrics, extenders=asked
        )
        cluster.view.find_waiting_pods(self.around.waiting.shown)
        self.preemptions = Preemptions(self.around, self.bindings)
        self._intake = Intake(self.around, self.preemptions.victim_leaves, self._pod_gone)
        self._random = settings.seed & _MASK
        self._cycle = SchedulingCycle(self.around, self._draw)
        self._fail = FailureHandler(self.around)
        self._displaced = Displaced(self.around)
        self._asynchronous = features.enabled("SchedulerAsyncPreemption")
        self._second = -1
        self._attempted: QueuedPod | None = None  # what the last step was about
        self._halted = False  # a synchronous preemption or a question to extenders stops the loop

    # -- the two ways in ------------------------------------------------------------------------

    def handle(self, happened: Input, now: float) -> None:
        """Take in something that happened."""
        if isinstance(happened, Completed):
            self.around.outbox.completed(happened, now)
        elif isinstance(happened, Seen):
            self._intake.seen(happened.item, now)
        else:
            self._intake.lost(happened.item, now)

    def step(self, now: float) -> list[Effect]:
        """Do what is due: timers, then one scheduling cycle if a pod is ready."""
        if (second := int(now)) != self._second:  # the queue's timers tick on whole seconds
            self._second = second
            self.around.queue.flush(now)
        if self.around.waiting:
            self.around.waiting.expire(now)
        if not self._halted:
            self._attempted = queued = self.around.queue.pop()
            if queued is not None:
                self._schedule(queued, now)
        if self.around.waiting.told:
            self.around.waiting.heed(now)
        return self.around.outbox.take()

    def give_up(self, broken: Exception, now: float) -> None:
        """`step` raised, which is a bug: the pod it was about fails as if a plugin had erred."""
        queued, self._attempted = self._attempted, None
        if queued is None:
            return
        uid, failure = queued.pod.uid, error(f"internal error: {broken!r}")
        binding = self.bindings.get(uid)
        if binding is None:
            self.cluster.forget(uid)
            self._fail(queued, failure, now)
        elif binding.phase is Phase.NOMINATING:  # later ones have somebody else to drive them
            self.around.waiting.discard(uid)
            self._binding_over(binding, failure, now)

    def replace_profiles(self, profiles: Mapping[str, Profile], now: float) -> None:
        """Decide by these from now on; attempts under way end under the profiles they began with.

        To be called between two steps. Every pod that waits is tried again, whatever rejected it before.
        """
        asked = self.around.extenders
        policies = {name: self._policy(profile, asked) for name, profile in profiles.items()}
        held = self.around.profiles
        held.clear()
        held.update(profiles)
        self.around.queue.replace_policies(policies, now)

    @property
    def ready(self) -> bool:
        """Whether another `step` at the same time would do more."""
        around = self.around
        return bool(around.outbox) or bool(around.waiting.told) or (not self._halted and around.queue.ready)

    def next_wakeup(self) -> float | None:
        """The earliest time at which a timer fires; None if only events can bring anything."""
        times = (self.around.queue.next_wakeup(), self.around.waiting.next_deadline())
        return min((time for time in times if time is not None), default=None)

    # -- one attempt ----------------------------------------------------------------------------

    def _schedule(self, queued: QueuedPod, now: float) -> None:
        pod = queued.pod
        profile = self.around.profiles.get(pod.scheduler_name)
        if profile is None or pod.terminating or self.cluster.is_placed(pod.uid):
            if pod.terminating:
                note = f"skip schedule deleting pod: {pod.key}"
                self.around.outbox.record("Warning", "FailedScheduling", "Scheduling", note, pod)
            self.around.queue.done(pod.uid)
            return
        started = self.around.metrics.begin_attempt()
        said = Consultation() if self.around.extenders else None
        self._conclude(queued, self._cycle.run(queued, profile, started, now, said), started, said, now)

    def _conclude(
        self, queued: QueuedPod, outcome: Outcome, started: float, said: Consultation | None, now: float
    ) -> None:
        profile = self.around.profiles[queued.pod.scheduler_name]
        if outcome.question is not None and said is not None:
            self._consult(queued, outcome, started, said)
        elif outcome.placement is not None:
            self._bind(outcome.placement, outcome.waits or {}, now)
            self._displaced.look_after(outcome.placement, now)
        elif outcome.failure is not None:
            rejected = outcome.failure.is_rejection
            self.around.metrics.failed(profile.scheduler_name, started, rejected=rejected)
            self._failed(queued, outcome, profile, now)

    def _consult(self, queued: QueuedPod, outcome: Outcome, started: float, said: Consultation) -> None:
        """Stop the loop until extenders have answered; then try the same pod again, as it is by then."""
        question = outcome.question
        assert question is not None  # noqa: S101 - whoever calls has looked
        self._halted = True

        def answered(answer: Completed, now: float) -> None:
            self._halted = False
            said.note(question, answer, about_nominated=outcome.about_nominated)
            self._try_again(queued, started, said, now)

        self.around.outbox.ask_extenders(question, answered)

    def _try_again(self, queued: QueuedPod, started: float, said: Consultation, now: float) -> None:
        latest = self.around.pods.get(queued.pod.uid)
        if latest is None or latest.terminating or self.cluster.is_placed(latest.uid):
            self.around.queue.done(queued.pod.uid)
            return
        queued.pod = latest
        profile = self.around.profiles[latest.scheduler_name]
        self._conclude(queued, self._cycle.run(queued, profile, started, now, said), started, said, now)

    def _bind(self, placement: Placement, waits: dict[str, float], now: float) -> None:
        binding = BindingCycle(placement, self.around, self._binding_over)
        self.bindings[binding.uid] = binding
        if waits:
            deadlines = {plugin: now + seconds for plugin, seconds in waits.items()}
            pod, node_name = placement.pod, placement.node.name
            waiting = WaitingPod(binding.uid, now, deadlines, binding.decided, pod, node_name)
            self.around.waiting.add(waiting)
        binding.start(now, waits=bool(waits))

    def _binding_over(self, binding: BindingCycle, failure: Failure | None, now: float) -> None:
        """Bound, or to be undone: reservations, assumption, and whoever hoped for the place is told."""
        del self.bindings[binding.uid]
        placement = binding.placement
        if failure is None:
            name = placement.profile.scheduler_name
            self.around.metrics.placed(placement.queued, name, placement.started, now)
            self.preemptions.binding_over(binding.uid, now)
            return
        around, pod = self.around, placement.pod
        name, rejected = placement.profile.scheduler_name, failure.is_rejection
        around.metrics.failed(name, placement.started, rejected=rejected)
        unreserve(placement, around)
        self.cluster.forget(pod.uid)
        freed = not self.cluster.is_placed(pod.uid)  # else it was bound after all
        self.preemptions.binding_over(pod.uid, now)
        if freed and not failure.is_rejection:
            around.place_became_free(pod, placement.node.name, now)
        self._fail(placement.queued, failure, now)
        if freed and failure.is_rejection:
            around.place_became_free(pod, placement.node.name, now, but_for=pod.uid)

    def _failed(self, queued: QueuedPod, outcome: Outcome, profile: Profile, now: float) -> None:
        failure, rescue = outcome.failure, outcome.rescue
        if failure is None:
            return
        if rescue is None or rescue.node_name is None:
            self._fail(queued, failure, now)
            return
        preemption = Preemption(
            queued.pod, rescue.node_name, outcome.rescuer, profile.scheduler_name, list(rescue.victims)
        )
        self.around.metrics.victims(len(rescue.victims), rescue.pdb_violations)
        if self._asynchronous:
            self._fail_and_preempt(queued, failure, preemption, now)
            return
        preemption.synchronous = True
        self._halted = True

        def ended(done: Preemption, then: float) -> None:
            self._halted = False
            told = failure
            if done.failures:
                message = f"{outcome.diagnosis} preemption: {done.failures[0]}"
                told = replace(failure, message=message, nomination=KEEP)
            self._fail(queued, told, then)

        preemption.ended = ended
        self.preemptions.prepare(preemption)
        self.preemptions.begin(preemption, now)

    def _fail_and_preempt(
        self, queued: QueuedPod, failure: Failure, preemption: Preemption, now: float
    ) -> None:
        """The gate must be shut before the queue asks; the nomination must stand before lower ones fall."""
        self.preemptions.prepare(preemption)
        self._fail(queued, failure, now)
        self.preemptions.begin(preemption, now)

    # -- small matters --------------------------------------------------------------------------

    def _pod_gone(self, pod: Pod, now: float) -> None:
        self.preemptions.victim_gone(pod.uid, now)
        self.preemptions.forget(pod.uid)

    def _policy(self, profile: Profile, extenders: Extenders) -> QueuePolicy:
        names = [name for name, _ in profile.points.get("preEnqueue", [])]
        policy = policy_of(
            profile.plugins, pre_enqueue=names, extenders=bool(extenders), cluster=self.cluster.view
        )
        rescuers = [name for name, _ in profile.points.get("postFilter", [])]
        if not rescuers:
            return policy
        rescuer = DefaultPreemption.__name__ if DefaultPreemption.__name__ in rescuers else rescuers[0]
        gate = (rescuer, self._hold_preemptor)
        own: Sequence[EventHint] = policy.hints.get(rescuer, ())
        events = DefaultPreemption.events_to_register(profile.plugins[rescuer])
        return QueuePolicy((*policy.pre_enqueue, gate), {**policy.hints, rescuer: (*own, *events)})

    def _hold_preemptor(self, pod: Pod) -> str | None:
        return self.preemptions.gate(pod)

    def _draw(self) -> int:
        """The next number of a generator of our own: the core throws no dice."""
        self._random = (self._random * 6364136223846793005 + 1442695040888963407) & _MASK
        return self._random >> 33


_MASK = (1 << 64) - 1
