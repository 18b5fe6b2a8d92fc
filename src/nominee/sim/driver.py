"""Runs the scheduler's core in virtual time, against a world in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from msgspec.structs import replace

from nominee.errors import InternalError
from nominee.model.meta import NamedObject
from nominee.model.node import Node as NodeObject
from nominee.model.pod import Pod as PodObject
from nominee.profile.registry import EntryPoint
from nominee.scheduler.effects import Effect, RecordEvent
from nominee.scheduler.inputs import Completed, Seen
from nominee.scheduler.permits import WaitingPods
from nominee.scheduler.ports import Recorder
from nominee.scheduler.scheduler import Scheduler
from nominee.sim.agenda import Agenda
from nominee.sim.assembly import Config, Features, gates_of, make_scheduler
from nominee.sim.budgets import DisruptionController
from nominee.sim.calls import Calls, Fault, Hold
from nominee.sim.carrier import Carrier
from nominee.sim.kubelet import Kubelets
from nominee.sim.watch import Watch
from nominee.sim.world import World


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event that the scheduler recorded."""

    time: float
    type: str
    reason: str
    action: str
    note: str
    regarding: str
    related: str = ""


@dataclass(slots=True)
class Process:
    """One incarnation of the scheduler: its core, what it sees, and its hands."""

    scheduler: Scheduler
    watch: Watch
    carrier: Carrier
    stale: bool = True  # something was told since the last look
    ready: bool = False
    wakeup: float | None = None

    def look(self) -> None:
        """Ask whether there is something to do, and when there will be; dear enough to ask once."""
        if self.stale:
            self.stale = False
            self.ready = self.scheduler.ready
            self.wakeup = self.scheduler.next_wakeup()


class Simulation:
    """A cluster and its scheduler in virtual time; the same arguments give the same course.

    Times are seconds; the clock begins at `start` seconds after the epoch. Pods and nodes are API
    objects or builders of them. A pod with a node stands there; one with a nominated node carries it.

    After any method that changes something, `run`, `run_until_quiet` or `schedule_one` lets the
    consequences take place. With `manual=True` only `schedule_one` schedules.
    """

    def __init__(  # noqa: PLR0913 - what a test may want to say, by name
        self,
        nodes: Iterable[Any] = (),
        pods: Iterable[Any] = (),
        objects: Iterable[Any] = (),
        *,
        features: Features = None,
        config: Config = None,
        plugins: Iterable[type] = (),
        entry_points: Iterable[EntryPoint] = (),
        seed: int = 0,
        start: float = 0.0,
        manual: bool = False,
        keep_log: bool = True,
        recorder: Recorder | None = None,
    ) -> None:
        self.agenda = Agenda(start)
        self.random = Random(seed)  # noqa: S311 - dice for a simulation, not for secrets
        self.start_time = start
        self.world = World(self.agenda)
        self.kubelets = Kubelets(self.world)
        self.calls = Calls(self.agenda, self.random)
        self.watch_delay = 0.0
        self.cycle_time = 0.0
        self.manual = manual
        self.events: list[Recorded] = []
        self.effects_log: list[tuple[float, Effect]] = []
        self.on_event: Any = None
        self._keep_log = keep_log
        self._answers: deque[Completed] = deque()
        self._busy_until = start
        self._process: Process | None = None
        self._config, self._plugins, self._entry_points = config, list(plugins), list(entry_points)
        self._features, self._seed, self._recorder = gates_of(features), seed, recorder
        self.world.clearing_nominated_node_name = self._features.enabled(
            "ClearingNominatedNodeNameAfterBinding"
        )
        DisruptionController(self.world)
        for item in (*objects, *nodes, *pods):
            self.add(item)
        self.restart_scheduler()

    # -- the scheduler process ------------------------------------------------------------------

    @property
    def scheduler(self) -> Scheduler:
        """The core that runs now."""
        if self._process is None:
            raise InternalError("the scheduler was stopped; restart_scheduler() starts another one")
        return self._process.scheduler

    @property
    def running(self) -> bool:
        """Whether a scheduler runs now."""
        return self._process is not None

    def stop(self) -> None:
        """End the scheduler as a crash would: what it knew is gone, what it had asked for is done."""
        if self._process is not None:
            self._process.carrier.stop()
            self.world.listeners.remove(self._process.watch.changed)
            self._process = None
            self._answers.clear()

    def restart_scheduler(self, *, features: Features = None, config: Config = None) -> Scheduler:
        """Start another one that reads the world anew, with other gates or configuration if given."""
        self.stop()
        if features is not None:
            self._features = gates_of(features)
        if config is not None:
            self._config = config
        scheduler = make_scheduler(
            self._config, self._features, self._plugins, self._seed, self._recorder, self._entry_points
        )
        watch = Watch(self.agenda, self.watch_delay)
        carrier = Carrier(self.world, self.calls, self._answers.append, self._note)
        self._process = Process(scheduler, watch, carrier)
        for item in self.world:
            scheduler.handle(Seen(item), self.agenda.now)
        self.world.listeners.append(watch.changed)
        self._busy_until = self.agenda.now
        return scheduler

    # -- time -----------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Seconds since the beginning."""
        return round(self.agenda.now - self.start_time, 6)

    def run(self, until: float) -> None:
        """Go on to a time, counted from the beginning, and do all that is due by then."""
        end = self.start_time + until
        self._settle()
        while (time := self._next_time()) is not None and time <= end:
            self._go_to(time)
        self.agenda.now = max(self.agenda.now, end)
        self._settle()

    def advance(self, seconds: float) -> None:
        """Go on for so many seconds."""
        self.run(self.now + seconds)

    def run_until_quiet(self, limit: float = 3600.0) -> bool:
        """Go on until nothing happens any more; False if `limit` seconds were not enough.

        Quiet means that nothing is under way and no pod backs off. What only a time-out would
        change (pods set aside as unschedulable, pods that wait on Permit) does not count, nor do
        calls that are held.
        """
        end = self.agenda.now + limit
        self._settle()
        while (time := self._next_time(patient=True)) is not None:
            if time > end:
                return False
            self._go_to(time)
        return True

    def advance_to_next(self, end: float, *, patient: bool = False) -> bool:
        """Go on to the next time at which something happens; False, at `end`, if nothing does by then.

        Patiently, time-outs do not count (see `run_until_quiet`), and the clock stops where it is.
        """
        time = self._next_time(patient=patient)
        if time is not None and time <= self.start_time + end:
            self._go_to(time)
            return True
        if not patient:
            self._go_to(self.start_time + end)
        return False

    def settle(self) -> None:
        """Do all that is due now, without moving the clock."""
        self._settle()

    def schedule_one(self) -> bool:
        """Do all that is due now with one scheduling cycle among it; False if no pod was ready."""
        manual, self.manual = self.manual, True
        self._settle()
        process = self._process
        ready = process is not None and process.scheduler.ready
        if process is not None:
            self._step(process)
        self._settle()
        self.manual = manual
        return ready

    def _go_to(self, time: float) -> None:
        self.agenda.now = max(self.agenda.now, time)
        self._settle()

    def _next_time(self, *, patient: bool = False) -> float | None:
        """When the next thing happens; patiently: apart from time-outs."""
        earliest = self.agenda.next_time()
        process = self._process
        if process is not None:
            seen = process.watch.next_time()
            if seen is not None and (earliest is None or seen < earliest):
                earliest = seen
            cycle = None if self.manual else self._next_cycle(process, patient=patient)
            if cycle is not None and (earliest is None or cycle < earliest):
                earliest = cycle
        return earliest

    def _next_cycle(self, process: Process, *, patient: bool) -> float | None:
        process.look()
        if process.ready:
            return self._busy_until
        if patient:
            places, _ = process.scheduler.around.queue.parts()
            return places.backoff.next_completion()
        return process.wakeup

    def _settle(self) -> None:
        """Everything that is due, in this order: what was planned, what is seen, answers, one cycle."""
        agenda, answers = self.agenda, self._answers
        while True:
            agenda.run_due()
            process = self._process
            if process is None:
                if not agenda.due:
                    return
                continue
            self._tell(process)
            if not self.manual and self._due(process):
                self._step(process)
                continue  # which may have made much due
            if not (agenda.due or answers or process.watch.due):
                return

    def _tell(self, process: Process) -> None:
        """Pass on what is seen by now, and the answers to effects."""
        now, answers, handle = self.agenda.now, self._answers, process.scheduler.handle
        for change in process.watch.take_due():
            process.stale = True
            handle(change, now)
        while answers:
            process.stale = True
            handle(answers.popleft(), now)
        if outbox := process.scheduler.around.outbox:  # what follows from that needs no cycle
            process.stale = True
            self._carry_out(process, outbox.take())

    def _due(self, process: Process) -> bool:
        process.look()
        now = self.agenda.now
        if self._busy_until > now:
            return False
        return process.ready or (process.wakeup is not None and process.wakeup <= now)

    def _step(self, process: Process) -> None:
        process.stale = True
        effects = process.scheduler.step(self.agenda.now)
        if self.cycle_time:
            self._busy_until = self.agenda.now + self.cycle_time
        self._carry_out(process, effects)

    def _carry_out(self, process: Process, effects: list[Effect]) -> None:
        if self._keep_log and effects:
            now = self.now
            self.effects_log.extend((now, effect) for effect in effects)
        carry_out = process.carrier.carry_out
        for effect in effects:
            carry_out(effect)

    # -- waiting on Permit -----------------------------------------------------------------------

    def allow(self, name: str, plugin: str) -> None:
        """What a Permit plugin does that let the pod wait and wants no more of it."""
        self._about_waiting().allow(self._uid(name), plugin, self.agenda.now)

    def reject(self, name: str, plugin: str, reason: str) -> bool:
        """What a Permit plugin does that refuses the waiting pod; False if it does not wait."""
        return self._about_waiting().reject(self._uid(name), plugin, reason, self.agenda.now)

    def _about_waiting(self) -> WaitingPods:
        waiting = self.scheduler.around.waiting
        if self._process is not None:
            self._process.stale = True
        return waiting

    def _uid(self, name: str) -> str:
        pod = self.pod(name)
        return pod.uid if pod is not None else ""

    # -- the world ------------------------------------------------------------------------------

    def add(self, item: Any) -> NamedObject:
        """Put an object (or what a builder builds) there as it is, with its status."""
        return self.world.restore(_object(item))

    def create(self, item: Any) -> NamedObject:
        """Create an object as a client does: admission, no status."""
        return self.world.create(_object(item))

    def update(self, item: Any) -> NamedObject:
        """Replace an object as a client does."""
        return self.world.update(_object(item))

    def delete(self, name: str, grace: int | None = None) -> None:
        """Delete a pod, with its own grace period unless another is given."""
        self.world.delete_pod(_key(name), grace=grace)

    def delete_node(self, name: str) -> None:
        """Delete a node; its pods stay."""
        self.world.delete(NodeObject, name)

    def nominate(self, name: str, node_name: str) -> None:
        """Write a nomination as another component would; "" clears it."""
        self.world.patch_status(_key(name), nominated_node_name=node_name)

    def pod(self, name: str) -> PodObject | None:
        """The API's object of a pod, by name or namespace/name."""
        return self.world.pods.get(_key(name))

    def node_of(self, name: str) -> str:
        """Where a pod stands; "" if nowhere."""
        pod = self.pod(name)
        return pod.spec.node_name if pod is not None else ""

    def nomination_of(self, name: str) -> str:
        """The nominated node in a pod's status."""
        pod = self.pod(name)
        return pod.status.nominated_node_name if pod is not None else ""

    def message_of(self, name: str) -> str:
        """Why a pod is not scheduled, as its condition PodScheduled says."""
        pod = self.pod(name)
        conditions = pod.status.conditions if pod is not None else ()
        return next((c.message for c in conditions if c.type == "PodScheduled"), "")

    # -- calls ----------------------------------------------------------------------------------

    def set_latency(self, kind: str, seconds: float) -> None:
        """How long something takes: calls of a kind, or one of these.

        watch      until the scheduler sees a change
        start      from binding until the pod runs
        terminate  from deletion until the pod is gone, at most its grace period
        cycle      a scheduling cycle
        """
        if kind == "watch":
            self.watch_delay = seconds
            if self._process is not None:
                self._process.watch.delay = seconds
        elif kind == "start":
            self.kubelets.start, self.world.start_at_once = seconds, not seconds
        elif kind == "terminate":
            self.kubelets.termination = seconds
        elif kind == "cycle":
            self.cycle_time = seconds
        elif kind in self.calls.latency:
            self.calls.latency[kind] = seconds
        else:
            allowed = ", ".join((*self.calls.latency, "watch", "start", "terminate", "cycle"))
            raise InternalError(f"unknown latency {kind!r}: expected one of {allowed}")

    def fail(
        self,
        kind: str,
        times: int | None = 1,
        *,
        share: float = 1.0,
        pod: str = "*",
        error: Exception | None = None,
        after: bool = False,
    ) -> None:
        """Let calls of a kind fail: the next `times` (None: for ever), a share, those for some pods.

        `after` lets the server act and loses its answer, as a time-out does.
        """
        self.calls.fail(Fault(kind, times, share, pod, error, after))

    def heal(self, kind: str | None = None) -> None:
        """Let calls of a kind, or all, succeed again."""
        self.calls.heal(kind)

    def hold(self, kind: str, pod: str = "*", *, answers: bool = False) -> None:
        """Let calls of a kind hang before the server sees them (or, `answers`, after it has acted)."""
        self.calls.hold(Hold(kind, pod, answers))

    def release(self, kind: str | None = None, pod: str | None = None) -> int:
        """End `hold`s and let go what hangs; how many calls that were."""
        return self.calls.release(kind, pod)

    def _note(self, effect: RecordEvent) -> None:
        if self.on_event is not None:
            self.on_event(effect)
        if self._keep_log:
            related = effect.related.key if effect.related is not None else ""
            self.events.append(
                Recorded(
                    self.now,
                    effect.type,
                    effect.reason,
                    effect.action,
                    effect.note,
                    effect.regarding.key,
                    related,
                )
            )


def _object(item: Any) -> NamedObject:
    """The API object of a builder; namespaced objects without a namespace belong to `default`."""
    found: NamedObject = item.build() if hasattr(item, "build") else item
    if isinstance(found, PodObject) and not found.namespace:
        return replace(found, metadata=replace(found.metadata, namespace="default"))
    return found


def _key(name: str) -> str:
    return name if "/" in name else f"default/{name}"
