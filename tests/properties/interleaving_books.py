"""What holds of the scheduler's books at any moment, and what holds once the dust has settled."""

from __future__ import annotations

from typing import Any

from nominee.model.pod import Pod as PodObject
from nominee.queue.check import check as check_queue
from nominee.scheduler.scheduler import Scheduler
from nominee.state.invariants import check as check_cluster
from tests.properties.interleaving_bench import Muddle
from tests.properties.interleaving_moves import expect_nobody_asleep, ongoing

TRIED = ("active", "in_flight")
LONGEST_BACKOFF = 10


# -- at any moment --------------------------------------------------------------------------------


def check_at_any_moment(bench: Muddle) -> None:
    scheduler = bench.scheduler
    check_cluster(scheduler.cluster)
    check_queue(scheduler.around.queue)
    known = {pod.uid for pod in scheduler.around.pods}
    assert {pod.uid for pod in scheduler.cluster.nominations.pods} <= known
    assert {waiting.uid for waiting in scheduler.around.waiting} <= set(scheduler.bindings)
    _expect_nobody_lost(scheduler)
    _expect_assumptions_founded(bench)
    _expect_reservations_founded(bench)
    _expect_preemptors_held(scheduler)
    _expect_doors_shut(scheduler)
    _expect_events_forgotten(scheduler)


def _expect_nobody_lost(scheduler: Scheduler) -> None:
    for pod in scheduler.around.pods:
        cared_for = (
            pod.uid in scheduler.around.queue
            or pod.uid in scheduler.bindings
            or scheduler.cluster.is_placed(pod.uid)
            or pod.terminating
        )
        assert cared_for, f"{pod.uid} is lost"


def _expect_assumptions_founded(bench: Muddle) -> None:
    """An assumed pod wants a node, and is under way to it or has arrived."""
    scheduler = bench.scheduler
    for uid in scheduler.cluster.assumed:
        pod = scheduler.around.pods.get(uid)
        assert pod is not None, f"{uid} is gone and yet holds its place"
        assert not pod.terminating, f"{uid} will never be bound and yet holds its place"
        assert uid in scheduler.bindings or uid in bench.bindings_done, f"{uid} holds a place for nothing"


def _expect_reservations_founded(bench: Muddle) -> None:
    for profile in bench.scheduler.around.profiles.values():
        moody = profile.plugins.get("Moody")
        if moody is not None:
            left = moody.reserved - set(bench.scheduler.bindings) - set(bench.bindings_done)
            assert not left, f"nobody has given back what was reserved for {left}"


def _expect_preemptors_held(scheduler: Scheduler) -> None:
    """A preemptor is not tried again before its last victim is on its way out."""
    cluster, queue = scheduler.cluster, scheduler.around.queue
    for uid, preemption in ongoing(scheduler).items():
        stands = preemption.last is None
        if preemption.last is not None:
            last = cluster.placed(preemption.last.uid)
            stands = last is not None and not last.terminating
        assert not stands or queue.where(uid) not in TRIED, f"{uid} does not wait for its victims"


def _expect_doors_shut(scheduler: Scheduler) -> None:
    """Nobody is tried whom a PreEnqueue plugin keeps out, and nobody is asked for before his gate opens."""
    queue = scheduler.around.queue
    places, _ = queue.parts()
    for queued in queue.pending():
        pod, place = queued.pod, queue.where(queued.pod.uid)
        guarded = "Doorkeeper" in scheduler.around.profiles[pod.scheduler_name].plugins
        kept_out = pod.spec.scheduling_gates or (guarded and pod.labels.get("door") == "shut")
        assert not kept_out or place == "gated", f"{pod.uid} is kept out and yet {place}"
        if place == "gated" and queued.gating_plugin == "DefaultPreemption":
            is_shut = scheduler.preemptions.gate(pod) is not None
            heard = any(other is queued for other in places.aside.rejected_by(["DefaultPreemption"]))
            assert heard is not is_shut, f"the gate of {pod.uid} is {'shut' if is_shut else 'open'}"


def _expect_events_forgotten(scheduler: Scheduler) -> None:
    """In flight is who is being decided about, or waits to be permitted; nobody else."""
    _, in_flight = scheduler.around.queue.parts()
    left = set(in_flight) - set(scheduler.bindings)
    assert not left or scheduler._halted, f"events are kept for {left}"


# -- once the dust has settled --------------------------------------------------------------------


def check_at_rest(bench: Muddle, unwritten: set[str]) -> None:
    """`unwritten` are pods one of whose status writes has failed."""
    scheduler = bench.scheduler
    assert set(scheduler.bindings) == {waiting.uid for waiting in scheduler.around.waiting}
    assert not len(scheduler.preemptions)
    expect_nobody_asleep(scheduler, bench.now)
    _expect_backoff_to_end(bench)
    _expect_the_world_as_it_is(bench)
    for pod in scheduler.around.pods:
        if pod.uid not in unwritten and not scheduler.cluster.is_assumed(pod.uid):
            bench.expect_nominated(pod.name, scheduler.cluster.nominations.node_of(pod.uid))


def _expect_backoff_to_end(bench: Muddle) -> None:
    queue = bench.scheduler.around.queue
    for queued in queue.pending():
        if queue.where(queued.pod.uid) in {"backoff", "error_backoff"}:
            waited = bench.now - queued.timestamp
            assert waited <= LONGEST_BACKOFF + 1, f"{queued.pod.uid} has backed off for {waited} s"


def _expect_the_world_as_it_is(bench: Muddle) -> None:
    """All has been told: who waits and who stands where is what the API server says."""
    scheduler = bench.scheduler
    alive = [p for (kind, _), p in bench.world.items() if kind is PodObject and not _finished(p)]
    assert {p.metadata.uid for p in alive if not p.spec.node_name} == {
        pod.uid for pod in scheduler.around.pods
    }
    for pod in alive:
        uid, place = pod.metadata.uid, pod.spec.node_name
        if uid in scheduler.bindings:
            continue  # it waits on Permit where it may stand one day
        known = scheduler.cluster.known_pod(uid)
        assert (known.node_name if known is not None else "") == place, f"{uid} should stand on {place!r}"


def check_nothing_left(scheduler: Scheduler) -> None:
    """Everything is gone: nothing may be remembered."""
    around = scheduler.around
    left = {
        "pods": len(around.pods),
        "queue": len(around.queue) + len(around.queue.parts()[1]),
        "names": len(around.pods._uid_of) + len(around.pods._writes) + len(around.pods.ours),
        "nominations": len(scheduler.cluster.nominations) + len(scheduler.cluster.nominations._on_node),
        "bindings": len(scheduler.bindings),
        "waiting": len(list(around.waiting)),
        "preemptions": len(scheduler.preemptions) + len(scheduler.preemptions._failed),
        "victims": len(scheduler.preemptions._waiting_for),
        "effects": around.outbox.unanswered,
        "placed": len(scheduler.cluster.pods) + len(scheduler.cluster.assumed),
        "orphans": len(scheduler.cluster.orphans),
    }
    assert not any(left.values()), left


def _finished(pod: Any) -> bool:
    return pod.status.phase in {"Succeeded", "Failed"}
