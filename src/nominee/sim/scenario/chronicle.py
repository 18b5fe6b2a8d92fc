"""What happened, in figures: who waits, who was placed after how long, how much of the cluster is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from nominee.model.meta import NamedObject
from nominee.model.node import Node
from nominee.model.pod import Pod
from nominee.model.requests import node_allocatable, placed_pod_requests
from nominee.scheduler.effects import RecordEvent
from nominee.sim.agenda import Agenda
from nominee.sim.world import FINISHED, World

MOST_POINTS = 2048


class Point(NamedTuple):
    """The state of things at a time; use in millicores and bytes."""

    time: float
    pending: int
    cpu: int
    memory: int


class Series:
    """Points over time: when there are too many, every other one is dropped and the grain doubles."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self._grain = 0.0

    def add(self, point: Point) -> None:
        points = self.points
        if points and point.time - points[-1].time <= self._grain:
            points[-1] = Point(points[-1].time, *point[1:])
            return
        points.append(point)
        if len(points) > MOST_POINTS:
            self._grain = max(2 * self._grain, (points[-1].time - points[0].time) / MOST_POINTS)
            del points[1::2]


class Chronicle:
    """Listens to the world and to the scheduler's events, and keeps count.

    Finished are pods that came to their end by themselves, not those that were deleted.
    """

    def __init__(self, world: World, agenda: Agenda) -> None:
        self._agenda = agenda
        self._begin = agenda.now
        self.series = Series()
        self.waits: list[float] = []
        self.created = self.placed = self.pending = self.finished = 0
        self.cpu = self.memory = self.cpu_there = self.memory_there = 0
        self.preemptors: set[str] = set()
        self.victims: set[str] = set()
        self.last_event = 0.0
        self._since: dict[str, float] = {}
        self._requests: dict[int, tuple[object, int, int]] = {}
        world.listeners.append(self._changed)
        for item in world:
            self._changed(None, item)

    @property
    def evictions(self) -> int:
        """How many pods had to make room; one that several preemptors wanted away counts once."""
        return len(self.victims)

    def noted(self, event: RecordEvent) -> None:
        """An event of the scheduler."""
        if event.reason == "Preempted":
            self.victims.add(event.regarding.uid)
            if event.related is not None:
                self.preemptors.add(event.related.uid)

    def _changed(self, old: NamedObject | None, new: NamedObject | None) -> None:
        item = new if new is not None else old
        if type(item) is Pod:
            if self._pod(old if type(old) is Pod else None, new if type(new) is Pod else None):
                self._sample()
        elif isinstance(item, Node):
            for node, sign in ((old, -1), (new, 1)):
                if isinstance(node, Node):
                    there = node_allocatable(node)
                    self.cpu_there += sign * there.get("cpu", 0)
                    self.memory_there += sign * there.get("memory", 0)

    def _pod(self, old: Pod | None, new: Pod | None) -> bool:
        """Whether the pod has another state now: pending, placed, or neither."""
        before, after = _state(old), _state(new)
        if old is None and new is not None:
            self.created += 1
            self._since[new.uid] = self._agenda.now
        if before == after:
            return False
        if before == "pending":
            self.pending -= 1
        elif before == "placed" and old is not None:
            self._use(old, -1)
        if after == "pending":
            self.pending += 1
        elif after == "placed" and new is not None:
            self._use(new, 1)
            if before == "pending":
                self.placed += 1
                self.waits.append(self._agenda.now - self._since[new.uid])
        if after == "over" and old is not None:
            self._since.pop(old.uid, None)
            self.finished += before == "placed" and not old.terminating
        return True

    def _use(self, pod: Pod, sign: int) -> None:
        key = id(pod.spec.containers)
        known = self._requests.get(key)
        if known is None:
            amounts: Mapping[str, int] = placed_pod_requests(pod)
            known = (pod.spec.containers, amounts.get("cpu", 0), amounts.get("memory", 0))
            self._requests[key] = known  # holds the containers, so that the id stays theirs
        self.cpu += sign * known[1]
        self.memory += sign * known[2]

    def _sample(self) -> None:
        self.last_event = time = round(self._agenda.now - self._begin, 6)
        self.series.add(Point(time, self.pending, self.cpu, self.memory))


def _state(pod: Pod | None) -> str:
    if pod is None:
        return "over"
    if pod.status.phase in FINISHED:
        return "over"
    return "placed" if pod.spec.node_name else "pending"
