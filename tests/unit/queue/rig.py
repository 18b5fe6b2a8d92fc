"""A queue with pods by name, plugins made up by the test, and an observer that remembers."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from nominee.errors import PluginError
from nominee.framework import Action, ClusterEvent, EventHint, Resource
from nominee.plugins.priority_sort import PrioritySort
from nominee.queue.check import check
from nominee.queue.policy import QueuePolicy
from nominee.queue.queued_pod import QueuedPod
from nominee.queue.scheduling_queue import SchedulingQueue
from nominee.state.shapes import Pod
from nominee.testing import PodBuilder, make_cluster, make_pod

NODE_ADDED = ClusterEvent(Resource.NODE, Action.ADD)
POD_GONE = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE)
FIT = {"Fit": (EventHint(Resource.NODE, Action.ADD),)}


class Recorder:
    """Sums up what the queue tells its observer."""

    def __init__(self) -> None:
        self.came: list[tuple[str, str]] = []
        self.waiting: Counter[str] = Counter()
        self.events: Counter[str] = Counter()
        self.hints: list[tuple[str, str, str]] = []
        self.unschedulable: Counter[tuple[str, str]] = Counter()
        self.failures: list[tuple[str, str]] = []

    def incoming(self, queue: str, event: str) -> None:
        self.came.append((queue, event))

    def pending(self, queue: str, delta: int) -> None:
        self.waiting[queue] += delta

    def in_flight_events(self, event: str, delta: int) -> None:
        self.events[event] += delta

    def hint_executed(self, plugin: str, event: str, hint: str) -> None:
        self.hints.append((plugin, event, hint))

    def unschedulable_pods(self, plugin: str, profile: str, delta: int) -> None:
        self.unschedulable[plugin, profile] += delta

    def plugin_failed(self, pod: Pod, error: PluginError) -> None:
        self.failures.append((pod.name, str(error)))


class Rig:
    """One profile, `default-scheduler`; the time is whatever the test says last."""

    def __init__(
        self,
        hints: Mapping[str, Sequence[EventHint]] | None = None,
        pre_enqueue: Sequence[tuple[str, Callable[[Pod], str | None]]] = (),
        **settings: Any,
    ) -> None:
        policy = QueuePolicy(tuple(pre_enqueue), FIT if hints is None else hints)
        self.cluster = make_cluster()
        self.seen = Recorder()
        self.now = 1000.0
        self.queue = SchedulingQueue(
            {"default-scheduler": policy},
            PrioritySort().sort_key,
            self.cluster,
            observer=self.seen,
            **settings,
        )
        self.pods: dict[str, Pod] = {}
        self.popped: dict[str, QueuedPod] = {}

    def at(self, now: float) -> "Rig":
        self.now = now
        return self

    def pod(self, pod: str | PodBuilder) -> Pod:
        """The pod in its latest version, which this becomes."""
        made = self.cluster.pod((make_pod(pod) if isinstance(pod, str) else pod).obj)
        self.pods[made.name] = made
        return made

    def add(self, *pods: str | PodBuilder) -> "Rig":
        for pod in pods:
            self.queue.add(self.pod(pod), self.now)
        return self

    def update(self, pod: PodBuilder) -> None:
        old = self.pods[pod.obj.metadata.name]
        self.queue.update(old, self.pod(pod), self.now)
        check(self.queue)

    def pop(self) -> str | None:
        queued = self.queue.pop()
        if queued is None:
            return None
        self.popped[queued.pod.name] = queued
        return queued.pod.name

    def pop_all(self) -> list[str]:
        names = []
        while (name := self.pop()) is not None:
            names.append(name)
        return names

    def fail(self, name: str, by: Iterable[str] = ("Fit",), pending: Iterable[str] = ()) -> QueuedPod:
        """The attempt of a popped pod ends; without plugins to blame, with an error."""
        queued = self.popped.pop(name)
        queued.pod = self.pods[name]
        queued.blame(by, pending)
        assert self.queue.return_after_failure(queued, self.now)
        check(self.queue)
        return queued

    def rejected(self, name: str, by: Iterable[str] = ("Fit",), pending: Iterable[str] = ()) -> QueuedPod:
        """The pod was added, tried and rejected, all of it now."""
        if name not in self.pods:
            self.add(name)
        assert self.pop() == name
        return self.fail(name, by, pending)

    def move(self, event: ClusterEvent = NODE_ADDED, old: Any = None, new: Any = None, **more: Any) -> None:
        self.queue.move(event, old, new, self.now, **more)
        check(self.queue)

    def flush(self) -> None:
        self.queue.flush(self.now)
        check(self.queue)

    def activate(self, *names: str) -> None:
        self.queue.activate([self.pods[name] for name in names], self.now)
        check(self.queue)

    def where(self, name: str) -> str | None:
        return self.queue.where(f"default/{name}")

    def get(self, name: str) -> QueuedPod:
        queued = self.queue.get(f"default/{name}")
        assert queued is not None
        return queued


def shut(_: Pod) -> str | None:
    """PreEnqueue: nobody may enter."""
    return "no"


def hint(says: object) -> EventHint:
    """Nodes that come: the hint says that, or raises it."""

    def answer(*_: object) -> Any:
        if isinstance(says, Exception):
            raise says
        return says

    return EventHint(Resource.NODE, Action.ADD, answer)
