"""Whatever comes in whatever order, no pod is lost, bound twice, or left asleep where it would fit.

A machine plays the cluster against the scheduler: pods and nodes come, change and go, the API server
fails, answers and watch events arrive late, other components nominate and bind, the scheduler restarts.
It begins in a crowd, small nodes filled with pods that matter little while pods that matter more want
in, because it is there that the order of things decides. What must always hold is checked after every
move; what must hold once the dust has settled, whenever the machine lets it settle.
"""

from __future__ import annotations

import os
from typing import Any

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from nominee.config.types import Extender
from nominee.framework import NodeObject
from nominee.model.pod import Pod as PodObject
from nominee.scheduler.effects import PatchPodStatus, RunBind
from nominee.scheduler.inputs import Completed, Seen
from nominee.testing import HOSTNAME, NodeBuilder, make_node, make_pdb, make_pod
from tests.properties.interleaving_bench import PROFILES, Doorkeeper, Moody, Muddle
from tests.properties.interleaving_books import check_at_any_moment, check_at_rest, check_nothing_left
from tests.volume_objects import claim, volume

few = st.sampled_from
seldom = few((False, False, False, False, True))
GIBI = 1 << 30
EXTENDER = Extender(url_prefix="http://extender", filter_verb="filter", preempt_verb="preempt")
NODES = ("a", "b", "c")
CAPACITY = {"a": 4, "b": 4, "c": 3}
CPU = few((1, 2, 2, 4))
PRIORITY = few((0, 50, 100, 100))
CROWD = few(((2, 2), (1, 1, 2), (4,), (3,)))
"""What the pods that fill a node ask for."""
QUIRKS = st.fixed_dictionaries(
    {
        "permit": few(("", "wait", "wait", "reject", "raise", "unreserved")),
        "work": few(("", "yes", "yes", "reject")),
        "shy": few(("", "", "port", "anti", "disk")),
        "door": few(("", "", "", "shut")),
        "policy": few(("", "", "", "Never")),
        "profile": few(PROFILES),
    }
)
ALONE = "ReadWriteOncePod"
PLAIN = st.just(dict[str, str]())


class Interleavings(RuleBasedStateMachine):
    @initialize(
        gates=st.fixed_dictionaries(
            {
                "SchedulerAsyncPreemption": few((True, True, False)),
                "NominatedNodeNameForExpectation": st.booleans(),
                "NominatedNodeNameFromOthers": st.booleans(),
                "TryNominatedNodeFirst": st.booleans(),
                "SchedulerPopFromBackoffQ": st.booleans(),
            }
        ),
        moody=st.booleans(),
        guarded=st.booleans(),
        extended=seldom,
        lagging=st.booleans(),
        crowds=st.tuples(CROWD, CROWD),
        graceful=st.booleans(),
        promised=few(("", *NODES)),
        wanting=st.lists(CPU, min_size=1, max_size=3),
        headway=few((0, 1, 3, 6)),
    )
    def begin(
        self,
        *,
        gates: dict[str, bool],
        moody: bool,
        guarded: bool,
        extended: bool,
        lagging: bool,
        crowds: tuple[tuple[int, ...], ...],
        graceful: bool,
        promised: str,
        wanting: list[int],
        headway: int,
    ) -> None:
        plugins: tuple[type, ...] = ((Moody,) if moody else ()) + ((Doorkeeper,) if guarded else ())
        extenders = (EXTENDER,) if extended else ()
        self.bench = Muddle(gates, plugins=plugins, extenders=extenders, lagging=lagging)
        self.made = self.seen = 0
        self.unwritten: set[str] = set()  # pods one of whose status writes has failed
        self.grown: set[str] = set()
        for item in (volume("disk", claim="disk"), claim("disk", bound_to="disk", access_modes=(ALONE,))):
            self.bench.put(item)
        for name, crowd in zip(NODES, crowds, strict=False):
            self.bench.put(self.node(name))
            for cpu in crowd:
                self.bench.put(self.new_pod(cpu, 0, grace=graceful).node(name))
        if promised:
            self.bench.put(self.new_pod(2, 100).gate("later").nominated(promised))
        for cpu in wanting:
            self.bench.put(self.new_pod(cpu, 50))
        self.bench.deliver(headway and len(self.bench.stream))
        for _ in range(headway):
            self.bench.step()

    # -- what happens in the cluster -----------------------------------------------------------

    @rule(
        cpu=CPU,
        priority=PRIORITY,
        nominated=few(("", "", "", *NODES, "ghost")),
        grace=st.booleans(),
        gated=seldom,
        quirks=PLAIN | QUIRKS,
    )
    def add_pod(
        self, *, cpu: int, priority: int, nominated: str, grace: bool, gated: bool, quirks: dict[str, str]
    ) -> None:
        pod = self.new_pod(cpu, priority, grace=grace, **quirks).nominated(nominated)
        self.bench.put(pod.gate("later") if gated else pod)

    @rule(name=few(NODES), how=few(("same", "same", "cordoned", "tainted", "grown", "gone")))
    def change_node(self, name: str, how: str) -> None:
        exists = (NodeObject, name) in self.bench.world
        if how == "gone":
            if exists:
                self.bench.delete_node(name)
            return
        if how == "grown":
            self.grown.add(name)
        made = self.node(name)
        made = made.unschedulable() if how == "cordoned" else made
        self.bench.put(made.taint("busy") if how == "tainted" else made)

    @rule(data=st.data(), phase=few(("", "", "Succeeded", "Failed")), graceful=st.booleans())
    def end_placed_pod(self, data: Any, phase: str, graceful: bool) -> None:
        pod = self.some_pod(data, bound=True)
        if pod and phase:
            self.bench.change(pod.metadata.name, phase=phase)
        elif pod:
            self.bench.delete(pod.metadata.name, graceful=graceful)

    @rule(data=st.data())
    def delete_pending_pod(self, data: Any) -> None:
        if pod := self.some_pending_pod(data):
            self.bench.delete(pod.metadata.name)

    @rule(data=st.data(), place=few(("", *NODES, "ghost")))
    def nominate(self, data: Any, place: str) -> None:
        if pod := self.some_pod(data, bound=False):
            self.bench.change(pod.metadata.name, nominated_node_name=place)

    @rule(data=st.data(), how=few(("ungated", "let in", "relabelled", "shrunk")))
    def change_pod(self, data: Any, how: str) -> None:
        pod = self.some_pod(data, bound=False)
        if pod and how == "relabelled":
            labels = {**pod.metadata.labels, "seen": str(self.bench.now)}
            self.bench.put(replaced(pod, metadata=replaced(pod.metadata, labels=labels)))
        elif pod and how == "let in":
            labels = {name: value for name, value in pod.metadata.labels.items() if name != "door"}
            self.bench.put(replaced(pod, metadata=replaced(pod.metadata, labels=labels)))
        elif pod and how == "ungated":
            self.bench.put(replaced(pod, spec=replaced(pod.spec, scheduling_gates=())))
        elif pod:
            container = replaced(pod.spec.containers[0], resources=requesting(1))
            self.bench.put(replaced(pod, spec=replaced(pod.spec, containers=(container,))))

    @rule(data=st.data(), place=few(NODES))
    def bind_elsewhere(self, data: Any, place: str) -> None:
        """Somebody else binds a pod of ours, wherever he likes."""
        pod = self.some_pending_pod(data)
        if pod and not pod.spec.scheduling_gates:
            self.bench.doubtful.add(place)
            self.bench.put(replaced(pod, spec=replaced(pod.spec, node_name=place)))

    @rule(allowed=st.integers(0, 2), shy=st.booleans())
    def protect(self, allowed: int, shy: bool) -> None:
        self.bench.put(make_pdb("pdb", {"shy": "yes"} if shy else None, allowed=allowed))

    # -- what reaches the scheduler ------------------------------------------------------------

    @precondition(lambda self: self.bench.stream)
    @rule(number=few((1, 2, 5, 20)))
    def deliver(self, number: int) -> None:
        self.bench.deliver(number)

    @rule(data=st.data(), again=st.booleans())
    def repeat(self, data: Any, again: bool) -> None:
        """A watch event comes twice, or (after a reconnect) once more under no version."""
        if self.bench.stream:
            return
        if pod := self.some_pod(data):
            version = pod.metadata.resource_version if again else ""
            meta = replaced(pod.metadata, resource_version=version)
            self.bench.scheduler.handle(Seen(replaced(pod, metadata=meta)), self.bench.now)

    @precondition(lambda self: self.bench.scheduler.ready)
    @rule(number=few((1, 1, 2, 4)))
    def step(self, number: int) -> None:
        for _ in range(number):
            self.bench.step()

    @rule(data=st.data(), number=st.integers(2, 8))
    def go_on(self, data: Any, number: int) -> None:
        """The scheduler works, and what it asks for is done, in any order."""
        for _ in range(number):
            if self.bench.open and data.draw(st.booleans()):
                self.answer_one(data)
            elif self.bench.stream and data.draw(st.booleans()):
                self.bench.deliver(1)
            else:
                self.bench.step()
            self.books_agree()

    @precondition(lambda self: self.bench.open)
    @rule(data=st.data())
    def answer(self, data: Any) -> None:
        self.answer_one(data)

    def answer_one(self, data: Any) -> None:
        """One effect is carried out, whichever; PreBind may end before it hears that it is cancelled."""
        effect = data.draw(few(self.bench.may_be_answered()))
        cause = self.bench.cancels.pop(effect.id, None)
        self.bench.answer(effect, cause if cause and data.draw(st.booleans()) else None)

    @precondition(lambda self: self.bench.open)
    @rule()
    def answer_all(self) -> None:
        while due := self.bench.may_be_answered():
            self.bench.answer(due[0], self.bench.cancels.pop(due[0].id, None))

    @precondition(lambda self: self.bench.open)
    @rule(data=st.data())
    def fail(self, data: Any) -> None:
        due = self.bench.may_be_answered()
        grave = [effect for effect in due if not isinstance(effect, PatchPodStatus)]
        effect = data.draw(few(grave or due))
        if isinstance(effect, PatchPodStatus):
            self.unwritten.add(effect.pod.uid)
        self.bench.cancels.pop(effect.id, None)
        self.bench.answer(effect, "the API server is down")

    @precondition(lambda self: self.bench.open)
    @rule(data=st.data())
    def answer_oddly(self, data: Any) -> None:
        """A binding is done and its answer lost, or anything is answered twice."""
        effect = data.draw(few(self.bench.may_be_answered()))
        if isinstance(effect, RunBind):
            self.bench.lose_answer(effect)
        else:
            self.bench.answer(effect)
            self.bench.report(Completed(effect.id))

    @precondition(lambda self: self.bench.scheduler.around.waiting)
    @rule(data=st.data(), allowed=st.booleans())
    def decide_permit(self, data: Any, allowed: bool) -> None:
        waiting = self.bench.scheduler.around.waiting
        uid = data.draw(few([pod.uid for pod in waiting]))
        if allowed:
            waiting.allow(uid, "Moody", self.bench.now)
        else:
            waiting.reject(uid, "Moody", "changed my mind", self.bench.now)

    @rule(seconds=few((0.3, 1, 4, 40)))
    def time_passes(self, seconds: float) -> None:
        self.bench.now += seconds
        self.bench.step()

    @precondition(lambda self: bool(self.bench.scheduler.bindings or len(self.bench.scheduler.preemptions)))
    @rule(flip=few(("", "", "NominatedNodeNameForExpectation", "SchedulerAsyncPreemption")))
    def restart(self, flip: str) -> None:
        self.bench.restart(**({flip: not self.bench.gates[flip]} if flip else {}))

    # -- what must hold ------------------------------------------------------------------------

    @invariant()
    @precondition(lambda self: hasattr(self, "bench"))
    def books_agree(self) -> None:
        check_at_any_moment(self.bench)
        self.expect_no_overcommitment()
        self.expect_weaker_victims()

    @rule()
    def settle(self) -> None:
        self.bench.settle()
        check_at_rest(self.bench, self.unwritten)

    def teardown(self) -> None:
        if not hasattr(self, "bench"):
            return
        self.settle()
        bench = self.bench
        for kind, key in list(bench.world):
            if kind is PodObject:
                bench.delete(key.removeprefix("default/"))
        bench.settle()
        for kind, key in list(bench.world):
            if kind is NodeObject:
                bench.delete_node(key)
        bench.settle()
        check_nothing_left(bench.scheduler)

    def expect_no_overcommitment(self) -> None:
        cluster = self.bench.scheduler.cluster
        for name in NODES:
            used = sum(pod.requests["cpu"] for pod in cluster.pods_on(name))
            assert used <= self.capacity(name) * 1000 or name in self.bench.doubtful, (
                f"{name} is over-committed"
            )

    def expect_weaker_victims(self) -> None:
        events = self.bench.events
        while self.seen < len(events):
            event, self.seen = events[self.seen], self.seen + 1
            if event.reason == "Preempted":
                assert event.related is not None
                assert event.regarding.priority < event.related.priority
                assert event.related.spec.preemption_policy != "Never"

    # -- what there is -------------------------------------------------------------------------

    def capacity(self, name: str) -> int:
        return CAPACITY[name] + 2 * (name in self.grown)

    def node(self, name: str) -> NodeBuilder:
        return make_node(name).capacity(cpu=str(self.capacity(name)), memory=64 * GIBI)

    def new_pod(self, cpu: int, priority: int, *, grace: bool = False, **quirks: str) -> Any:
        self.made += 1
        pod = make_pod(f"p{self.made}").req(cpu=str(cpu)).priority(priority)
        pod = pod.spec(termination_grace_period_seconds=30 if grace else 0)
        pod = pod.scheduler(quirks.get("profile", PROFILES[0]))
        for name in ("permit", "work", "door"):
            pod = pod.label(name, quirks[name]) if quirks.get(name) else pod
        if quirks.get("shy") == "port":
            pod = pod.host_port(80)
        elif quirks.get("shy") == "anti":
            pod = pod.label("shy", "yes").pod_anti_affinity(HOSTNAME, {"shy": "yes"})
        elif quirks.get("shy") == "disk":
            pod = pod.pvc("disk")
        return pod.preemption_policy(quirks["policy"]) if quirks.get("policy") else pod

    def pods(self, *, bound: bool | None = None) -> list[Any]:
        return [
            pod
            for (kind, _), pod in self.bench.world.items()
            if kind is PodObject and bound in {None, bool(pod.spec.node_name)}
        ]

    def some_pod(self, data: Any, *, bound: bool | None = None) -> Any:
        pods = self.pods(bound=bound)
        return data.draw(few(pods)) if pods else None

    def some_pending_pod(self, data: Any) -> Any:
        """One that is under way, if there is any, or just one that waits."""
        pending, bindings = self.pods(bound=False), self.bench.scheduler.bindings
        pods = [pod for pod in pending if pod.metadata.uid in bindings] or pending
        return data.draw(few(pods)) if pods else None


def requesting(cpu: int) -> Any:
    return make_pod("any").req(cpu=str(cpu)).obj.spec.containers[0].resources


def replaced(struct: Any, **fields: Any) -> Any:
    return msgspec.structs.replace(struct, **fields)


LONG = bool(os.environ.get("NOMINEE_LONG")) or os.environ.get("HYPOTHESIS_PROFILE") == "long"
TestInterleavings = Interleavings.TestCase
TestInterleavings.settings = settings(
    max_examples=50_000 if LONG else 300,  # an hour and more, or half a minute
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
