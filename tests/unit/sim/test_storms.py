"""Whatever fails, hangs, lags or dies: the world stays sound, and the scheduler ends up knowing it."""

from __future__ import annotations

from random import Random

import pytest

from nominee.model.pod import Pod
from nominee.sim import Simulation
from nominee.testing import make_node, make_pod

NODES, CPU = 6, 4


def storm(seed: int, *, blind: bool) -> Simulation:
    """Sixty pods of three priorities over a cluster with room for some, among faults of all kinds.

    A blind scheduler loses answers to what was done, and dies now and then with calls under way: it
    may then promise room that is taken already, as it may in a real cluster.
    """
    dice = Random(seed)
    nodes = [make_node(f"n{i}").capacity(cpu=str(CPU), memory="8Gi", pods="9") for i in range(NODES)]
    sim = Simulation(nodes, seed=seed)
    for kind, longest in (("bind", 2.0), ("patch", 2.0), ("delete", 2.0), ("watch", 1.0), ("terminate", 5.0)):
        sim.set_latency(kind, dice.uniform(0, longest))
    for kind in ("bind", "patch", "delete"):
        sim.fail(kind, times=None, share=0.2, after=blind)
    for i in range(60):
        sim.create(make_pod(f"p{i}").req(cpu=str(dice.randint(1, 3))).priority(100 * dice.randint(0, 2)))
        sim.advance(dice.uniform(0, 2))
        assert blind or not is_overfull(sim)
        if dice.random() < 0.1 and sim.node_of(f"p{i // 2}"):
            sim.delete(f"p{i // 2}")
        if blind and dice.random() < 0.05:
            sim.restart_scheduler()
    sim.heal()
    sim.run_until_quiet()
    return sim


def cpu_of(pod: Pod) -> int:
    return int(pod.spec.containers[0].resources.requests["cpu"])


def free_room(sim: Simulation) -> list[int]:
    """By node, the cpu that nobody has."""
    free = dict.fromkeys(sim.world.nodes, CPU)
    for pod in sim.world.pods.values():
        if pod.spec.node_name:
            free[pod.spec.node_name] -= cpu_of(pod)
    return list(free.values())


def is_overfull(sim: Simulation) -> bool:
    return min(free_room(sim)) < 0


@pytest.mark.parametrize("blind", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_after_a_storm_the_scheduler_knows_the_world_as_it_is(seed: int, blind: bool) -> None:
    sim = storm(seed, blind=blind)
    cluster = sim.scheduler.cluster
    for pod in sim.world.pods.values():
        placed = cluster.known_pod(pod.uid)
        assert (placed.node_name if placed is not None else "") == pod.spec.node_name
        assert pod.terminating or pod.spec.node_name or pod.uid in sim.scheduler.around.queue
    assert not sim.scheduler.bindings
    assert len(sim.scheduler.preemptions) == 0


@pytest.mark.parametrize("seed", range(8))
def test_after_a_storm_nobody_waits_beside_room_that_is_enough(seed: int) -> None:
    sim = storm(seed, blind=True)
    for pod in [p for p in sim.world.pods.values() if p.spec.node_name][:6]:
        sim.delete(pod.key)
    sim.run_until_quiet()
    waiting = [pod for pod in sim.world.pods.values() if not pod.spec.node_name]
    assert all(cpu_of(pod) > max(free_room(sim)) for pod in waiting)
