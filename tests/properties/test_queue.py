"""The queue does what a model of dictionaries and linear scans does, whatever comes in whatever order."""

import math
from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from nominee.framework import Action, ClusterEvent, EventHint, Pod, Resource
from nominee.queue.check import check
from nominee.testing import make_pod
from tests.unit.queue.rig import Rig

X = ClusterEvent(Resource.NODE, Action.ADD)
Y = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE)
NOBODYS = ClusterEvent(Resource.CSI_NODE, Action.ADD)
LABEL = ClusterEvent(Resource.TARGET_POD, Action.UPDATE_POD_LABEL)
LISTENS = {"A": {X}, "B": {X, Y}, "P": {Y, LABEL}, "Gate": {Y}}
SKIP, LATER, NOW = 0, 1, 2


@dataclass
class Entry:
    """A pod of the model; `missed` are the events since it was popped."""

    priority: int
    timestamp: float
    place: str = ""
    gated: bool = False
    rejected: set[str] = field(default_factory=set)
    pending: set[str] = field(default_factory=set)
    rejections: int = 0
    errors: int = 0
    flushed: float = -math.inf
    missed: list[tuple[ClusterEvent | str, str | None]] = field(default_factory=list)


class Model:
    """The rules of the specification, section 2, one at a time and slowly."""

    def __init__(self, *, early: bool) -> None:
        self.early, self.pods, self.shut, self.now = early, dict[str, Entry](), set[str](), 1000.0

    def expiry(self, p: Entry) -> float:
        count = p.errors or p.rejections
        end = p.timestamp + min(2 ** (count - 1), 10) if count else -math.inf
        return math.floor(end) if self.early and count else end

    def ends_later(self, p: Entry) -> bool:
        return self.expiry(p) >= (math.floor(self.now) if self.early else self.now)

    def enter(self, name: str, place: str, *, ask: bool = True) -> None:
        p = self.pods[name]
        p.gated = ask and name in self.shut
        p.rejected |= {"Gate"} if p.gated else set()
        p.place = "gated" if p.gated else place

    def requeue(self, name: str, strategy: int) -> None:
        p = self.pods[name]
        if strategy == SKIP:
            p.place = "gated" if p.gated else "unschedulable"
        elif strategy == LATER and self.ends_later(p):
            self.enter(name, "backoff" if p.rejected | p.pending else "error_backoff", ask=self.early)
        else:
            self.enter(name, "active")

    def judge(self, name: str, event: ClusterEvent | str, whose: str | None) -> int:
        p = self.pods[name]
        if event == "wildcard" or not p.rejected | p.pending:
            return LATER if whose in (None, name) else SKIP
        heard = {plugin for plugin in p.rejected | p.pending if event in LISTENS[plugin]}
        if whose not in (None, name) or not heard:
            return SKIP
        return NOW if heard & p.pending else LATER

    def happens(self, event: ClusterEvent | str, names: list[str], whose: str | None = None) -> None:
        for name in names:
            p = self.pods[name]
            if p.place in ("unschedulable", "gated"):
                deaf = p.gated and event != "wildcard" and event not in LISTENS["Gate"]
                strategy = SKIP if deaf else self.judge(name, event, whose)
                if strategy:
                    self.requeue(name, strategy)
        for p in self.pods.values():
            if p.place == "in_flight":
                p.missed.append((event, whose))

    def due(self, now: float) -> tuple[list[str], list[str]]:
        backed_off = [n for n, p in self.pods.items() if p.place.endswith("backoff")]
        aside = [n for n, p in self.pods.items() if p.place in ("unschedulable", "gated")]
        look = math.floor(now / 30) * 30
        late = [n for n in aside if look - max(self.pods[n].timestamp, self.pods[n].flushed) > 300]
        return [n for n in backed_off if self.expiry(self.pods[n]) < math.floor(now)], late


class QueueMachine(RuleBasedStateMachine):
    """Drives the queue and the model side by side; no two things happen at the same time."""

    names = st.sampled_from("abcd")

    @initialize(early=st.booleans())
    def begin(self, early: bool) -> None:
        self.model = Model(early=early)
        hints = {n: tuple(EventHint(e.resource, e.action) for e in LISTENS[n]) for n in LISTENS}
        self.rig = Rig(hints, [("Gate", self.gate)], pop_from_backoff=early)
        self.labels = 0

    def gate(self, pod: Pod) -> str | None:
        return "shut" if pod.name in self.model.shut else None

    def tick(self, seconds: float = 0.25) -> None:
        self.model.now += seconds
        self.rig.at(self.model.now)

    def in_flight(self) -> list[str]:
        return sorted(n for n, p in self.model.pods.items() if p.place == "in_flight")

    @rule(priorities=st.lists(st.integers(0, 2), min_size=4, max_size=4))
    def add_those_missing(self, priorities: list[int]) -> None:
        for name, priority in zip("abcd", priorities, strict=True):
            if name not in self.model.pods:
                self.tick()
                self.rig.add(make_pod(name).priority(priority))
                self.model.pods[name] = Entry(priority, self.model.now)
                self.model.enter(name, "active")

    @rule(number=st.integers(1, 4))
    def pop_some(self, number: int) -> None:
        for _ in range(number):
            self.pop()

    def pop(self) -> None:
        active = [(-p.priority, p.timestamp, n) for n, p in self.model.pods.items() if p.place == "active"]
        backoff = [
            (self.model.expiry(p), -p.priority, p.timestamp, n)
            for n, p in self.model.pods.items()
            if p.place == "backoff" and self.model.early
        ]
        expected = min(active)[-1] if active else min(backoff)[-1] if backoff else None
        assert self.rig.queue.ready is (expected is not None)
        assert self.rig.pop() == expected
        if expected:
            popped = self.model.pods[expected]
            popped.place, popped.missed = "in_flight", []

    @precondition(lambda self: self.in_flight())
    @rule(data=st.data(), by=st.sets(st.sampled_from("AB")), pending=st.sets(st.just("P")))
    def fail(self, data: st.DataObject, by: set[str], pending: set[str]) -> None:
        name = data.draw(st.sampled_from(self.in_flight()))
        self.tick()
        self.rig.fail(name, by, pending)
        p = self.model.pods[name]
        p.rejected, p.pending, p.flushed = set(by), set(pending), -math.inf
        p.timestamp = self.model.now
        p.rejections, p.errors = (p.rejections + 1, 0) if by | pending else (p.rejections, p.errors + 1)
        strategies = [self.model.judge(name, *missed) for missed in p.missed] or [SKIP]
        self.model.requeue(name, max(strategies) if by | pending else LATER)

    @precondition(lambda self: self.in_flight())
    @rule(data=st.data())
    def done(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(self.in_flight()))
        self.rig.queue.done(f"default/{name}")
        del self.model.pods[name]

    @rule(name=names)
    def delete(self, name: str) -> None:
        if name in self.model.pods and name not in self.in_flight():
            self.rig.queue.delete(self.rig.pods[name])
            del self.model.pods[name]

    @rule(event=st.sampled_from([X, Y, NOBODYS]), only=st.none() | st.sets(names))
    def move(self, event: ClusterEvent, only: set[str] | None) -> None:
        self.tick()
        self.rig.move(event, only=None if only is None else lambda queued: queued.pod.name in only)
        if event is not NOBODYS:
            self.model.happens(event, [n for n in self.model.pods if only is None or n in only])

    @rule(name=names, priority=st.integers(0, 2))
    def update(self, name: str, priority: int) -> None:
        if name not in self.model.pods:
            return
        self.tick()
        self.labels += 1
        self.rig.update(make_pod(name).priority(priority).label("version", str(self.labels)))
        p = self.model.pods[name]
        p.priority = priority
        if p.place == "in_flight":
            self.model.happens(LABEL, [], name)
        elif p.place in ("unschedulable", "gated"):
            strategy = self.model.judge(name, LABEL, name)
            if strategy:
                self.model.requeue(name, strategy)

    @rule(name=names)
    def activate(self, name: str) -> None:
        if name not in self.model.pods:
            return
        self.tick()
        self.rig.activate(name)
        place = self.model.pods[name].place
        if place == "in_flight":
            self.model.happens("wildcard", [], name)
        elif place != "active":
            self.model.enter(name, "active", ask=not (place.endswith("backoff") and self.model.early))

    @rule(name=names)
    def open_or_shut(self, name: str) -> None:
        self.model.shut ^= {name}

    @rule(seconds=st.sampled_from([0.25, 1.0, 3.0, 31.0]))
    def flush_later(self, seconds: float) -> None:
        self.flush(seconds)

    @rule()
    def flush_when_asked(self) -> None:
        wakeup = self.rig.queue.next_wakeup()
        if wakeup is not None:
            self.flush(max(wakeup - self.model.now, 0.25))

    def flush(self, seconds: float) -> None:
        self.tick(seconds)
        self.rig.flush()
        backed_off, _ = self.model.due(self.model.now)
        for name in backed_off:
            self.model.enter(name, "active", ask=not self.model.early)
        _, late = self.model.due(self.model.now)
        for name in late:
            self.model.pods[name].flushed = self.model.now
        if late:
            self.model.happens("wildcard", late)

    @invariant()
    def pods_are_where_the_model_has_them(self) -> None:
        check(self.rig.queue)
        for name in "abcd":
            entry = self.model.pods.get(name)
            assert self.rig.where(name) == (entry.place if entry else None)

    @invariant()
    def the_observer_counted_right(self) -> None:
        counts = self.rig.queue.counts()
        assert {place: self.rig.seen.waiting[place] for place in counts} == counts
        waiting = [p for p in self.model.pods.values() if p.place != "in_flight"]
        rejections = sum(len(p.rejected | p.pending) for p in waiting)
        assert sum(self.rig.seen.unschedulable.values()) == rejections
        assert self.rig.seen.events["PodPopped"] == len(self.in_flight())

    @invariant()
    def the_queue_asks_to_be_woken_in_time_and_no_earlier(self) -> None:
        wakeup = self.rig.queue.next_wakeup()
        if wakeup is None:
            assert self.model.due(1e9) == ([], [])
        else:
            assert any(self.model.due(wakeup))
            assert not any(self.model.due(wakeup - 0.25))


TestQueue = QueueMachine.TestCase
TestQueue.settings = settings(stateful_step_count=60)
