"""What a single move of the scheduler, a step or an answer taken in, may and may not change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nominee.framework import Pod
from nominee.profile.search import Search
from nominee.scheduler.effects import Effect, Evict, RunBind
from nominee.scheduler.preempting import Preemption
from nominee.scheduler.scheduler import Scheduler

ASLEEP = ("unschedulable", "gated")
EXACT = {
    "NodeResourcesFit",
    "NodePorts",
    "InterPodAffinity",
    "NodeUnschedulable",
    "TaintToleration",
    "DefaultPreemption",
}
"""Plugins whose hints wake a pod whenever one of their verdicts on it has changed for the better."""


class Snapshot:
    """What is needed to know, of before the move, to judge it."""

    def __init__(self, scheduler: Scheduler) -> None:
        cluster = scheduler.cluster
        self.assumed = set(cluster.assumed)
        self.bindings = set(scheduler.bindings)
        self.preemptions = ongoing(scheduler)
        self.promised = {pod.uid: cluster.nominations.node_of(pod.uid) for pod in cluster.nominations.pods}


def ongoing(scheduler: Scheduler) -> dict[str, Preemption]:
    """The preemptions under way, by the preemptor's uid."""
    return dict(scheduler.preemptions._ongoing)


def expect_nobody_asleep(scheduler: Scheduler, now: float) -> None:
    """Nobody waits for an event who would fit, if what kept him out is exact about its events."""
    queue = scheduler.around.queue
    for queued in queue.pending():
        pod, place = queued.pod, queue.where(queued.pod.uid)
        if place not in ASLEEP or not queued.rejectors <= EXACT:
            continue
        search = Search(scheduler.around.profiles[pod.scheduler_name], scheduler.cluster, pod, now)
        assert not search.run(), f"{pod.uid} is asleep and would fit"


def check(before: Snapshot, scheduler: Scheduler) -> None:
    """Judge the move that ends here."""
    for uid in scheduler.cluster.assumed.keys() - before.assumed:
        _expect_promises_kept(scheduler, scheduler.cluster.assumed[uid])
    for uid in before.bindings - set(scheduler.bindings):
        _expect_binding_settled(scheduler, uid)
    now = ongoing(scheduler)
    for uid in now.keys() - before.preemptions.keys():
        _expect_good_beginning(before, scheduler, now[uid])
    for uid in before.preemptions.keys() - now.keys():
        _expect_good_end(scheduler, before.preemptions[uid])


def expect_to_bind_once(asked: Iterable[RunBind]) -> None:
    """An attempt asks once; after a failure all is decided anew."""
    attempts = [id(effect.cycle) for effect in asked]
    assert len(attempts) == len(set(attempts)), "the same attempt asks for a second binding"


def expect_last_victim_last(before: Snapshot, scheduler: Scheduler, effects: Iterable[Effect]) -> None:
    """A step asks for the other evictions first; the last one's deletion is to let the preemptor in."""
    asked = {effect.victim.uid for effect in effects if isinstance(effect, Evict)}
    for uid, preemption in ongoing(scheduler).items():
        if uid not in before.preemptions and preemption.last is None:
            last = preemption.victims[-1].uid
            assert last not in asked, f"{last} is evicted before the others"


def _expect_promises_kept(scheduler: Scheduler, placed: Pod) -> None:
    """Whoever was just given a place took none of what is promised to its betters and equals."""
    cluster = scheduler.cluster
    node: Any = cluster.nodes.objects[cluster.nodes.row_of[placed.node_name]]
    promised = [p for p in cluster.nominations.on_node(placed.node_name) if p.priority >= placed.priority]
    taken = sum(pod.requests["cpu"] for pod in (*cluster.pods_on(placed.node_name), *promised))
    room = int(node.status.allocatable["cpu"]) * 1000
    assert taken <= room, f"{placed.uid} was placed where {[p.uid for p in promised]} are expected"


def _expect_binding_settled(scheduler: Scheduler, uid: str) -> None:
    """A binding that failed leaves no nomination behind but what somebody else has put there."""
    pod = scheduler.around.pods.get(uid)
    if pod is None or scheduler.cluster.is_placed(uid) or scheduler.around.pods.is_foreign(pod):
        return
    assert not scheduler.cluster.nominations.node_of(uid), f"{uid} could not be bound and is still promised"


def _expect_good_beginning(before: Snapshot, scheduler: Scheduler, begun: Preemption) -> None:
    """Weaker pods count on the node no more, and nobody is evicted who leaves anyway."""
    for pod in scheduler.cluster.nominations.on_node(begun.node_name):
        stayed = before.promised.get(pod.uid) == begun.node_name
        assert not stayed or pod.priority >= begun.preemptor.priority, f"{pod.uid} still counts on the node"
    for victim in begun.victims:
        placed = scheduler.cluster.placed(victim.uid)
        assert placed is None or not placed.terminating, f"{victim.uid} is evicted though it leaves"


def _expect_good_end(scheduler: Scheduler, ended: Preemption) -> None:
    """The preemptor is awake, unless the deletion that shall wake it is still to come."""
    uid = ended.preemptor.uid
    place = scheduler.around.queue.where(uid)
    if ended.failures:
        assert place not in ASLEEP, f"{uid} could not preempt and is not tried again"
        promised = scheduler.cluster.nominations.node_of(uid)
        assert promised != ended.node_name, f"{uid} could not preempt and is still promised the node"
    elif place == "gated":
        assert ended.last is not None
        assert scheduler.cluster.is_placed(ended.last.uid), f"nothing will wake {uid}"
