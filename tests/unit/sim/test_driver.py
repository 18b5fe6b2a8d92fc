"""The driver: time, incarnations of the scheduler, and what it lets happen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from nominee.framework import Api, Cycle, Node, Pod, PreFlight, Wait
from nominee.sim import Simulation
from nominee.testing import make_node, make_pod

HIGH = make_pod("high").req(cpu="2").priority(100)


def one_node(**options: Any) -> Simulation:
    node = make_node("n").capacity(cpu="4", memory="8Gi", pods="32")
    victim = make_pod("victim").req(cpu="4").priority(1).node("n")
    return Simulation([node], [victim], **options)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowWork:
    """A PreBind plugin that takes ten seconds."""

    done: ClassVar[list[str]] = []

    def pre_bind_pre_flight(self, pod: Pod, node: Node, cycle: Cycle) -> PreFlight:
        return PreFlight.WORK

    async def pre_bind(self, pod: Pod, node: Node, cycle: Cycle, api: Api) -> None:
        await api.sleep(10)
        self.done.append(pod.name)


def free_node(**options: Any) -> Simulation:
    return Simulation([make_node("n").capacity(cpu="4", memory="8Gi", pods="32")], [HIGH], **options)


def test_a_preemptor_takes_the_place_when_the_grace_period_is_over() -> None:
    sim = one_node()
    sim.create(HIGH)
    assert sim.run_until_quiet()
    assert (sim.now, sim.node_of("high"), sim.pod("victim")) == (30.0, "n", None)


def test_a_held_deletion_keeps_the_preemptor_nominated_until_it_is_released() -> None:
    sim = one_node()
    sim.hold("delete")
    sim.create(HIGH)
    sim.run_until_quiet()
    assert (sim.nomination_of("high"), sim.node_of("high")) == ("n", "")
    assert sim.calls.held == ["delete default/victim"]
    assert sim.release("delete") == 1
    sim.run_until_quiet()
    assert sim.node_of("high") == "n"


def test_a_bind_that_timed_out_after_the_server_had_acted_is_no_loss() -> None:
    sim = free_node()
    sim.fail("bind", after=True)
    sim.run_until_quiet()
    assert sim.node_of("high") == "n"
    assert sim.scheduler.cluster.is_placed(sim.world.pods["default/high"].uid)


def test_a_bind_that_fails_is_tried_again_after_back_off() -> None:
    sim = free_node()
    sim.fail("bind", times=2)
    assert sim.run_until_quiet()
    assert sim.node_of("high") == "n"
    assert sim.now >= 3  # one second, then two


def test_a_pre_bind_in_virtual_time_takes_no_real_time_and_nominates_before_it() -> None:
    sim = free_node(plugins=[SlowWork])
    sim.run(until=5)
    assert (sim.nomination_of("high"), sim.node_of("high")) == ("n", "")
    sim.run_until_quiet()
    assert (sim.now, sim.node_of("high"), sim.nomination_of("high")) == (10.0, "n", "")


def test_a_scheduler_that_dies_in_pre_bind_is_followed_by_one_that_goes_on() -> None:
    sim = free_node(plugins=[SlowWork])
    sim.run(until=5)
    sim.stop()
    sim.advance(100)
    assert sim.node_of("high") == ""
    sim.restart_scheduler()
    sim.run_until_quiet()
    assert (sim.node_of("high"), sim.now) == ("n", 115.0)


def test_what_a_dead_scheduler_has_asked_for_is_still_done() -> None:
    sim = free_node()
    sim.set_latency("bind", 5)
    sim.run(until=1)
    sim.stop()
    sim.advance(10)
    assert sim.node_of("high") == "n"


def test_a_patch_under_way_delays_the_binding_that_was_given_out_after_it() -> None:
    sim = free_node(plugins=[SlowWork])
    sim.set_latency("patch", 7)
    sim.run_until_quiet()
    assert sim.now == 17.0


def test_manual_steps_schedule_one_pod_at_a_time() -> None:
    sim = free_node(manual=True)
    sim.create(make_pod("second"))
    assert sim.node_of("high") == ""
    assert sim.schedule_one()
    assert (sim.node_of("high"), sim.node_of("second")) == ("n", "")
    assert sim.schedule_one()
    assert not sim.schedule_one()


def test_the_same_seed_gives_the_same_course() -> None:
    def course(seed: int) -> list[str]:
        nodes = [make_node(f"n{i}").capacity(cpu="4", memory="8Gi", pods="9") for i in range(9)]
        sim = Simulation(nodes, [make_pod(f"p{i}") for i in range(20)], seed=seed)
        sim.fail("bind", times=None, share=0.5)
        sim.run_until_quiet()
        return [f"{event.time} {event.note}" for event in sim.events]

    assert course(1) == course(1)
    assert course(1) != course(2)


def test_a_watch_that_lags_behind_shows_everything_in_order() -> None:
    sim = Simulation([], [HIGH])
    sim.set_latency("watch", 3)
    sim.create(make_node("n").capacity(cpu="4", memory="8Gi", pods="9"))
    sim.set_latency("watch", 0)
    sim.create(make_node("m").capacity(cpu="4", memory="8Gi", pods="9"))
    sim.run(until=2)
    assert sim.node_of("high") == ""
    sim.run_until_quiet()
    assert sim.node_of("high") != ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """A Permit plugin that lets every pod wait."""

    def permit(self, pod: Pod, node: Node, cycle: Cycle) -> Wait:
        return Wait(60)


def test_a_pod_that_waits_on_permit_goes_on_when_it_is_allowed() -> None:
    sim = free_node(plugins=[Patience])
    assert sim.run_until_quiet()
    assert (sim.now, sim.nomination_of("high"), sim.node_of("high")) == (0.0, "n", "")
    sim.allow("high", "Patience")
    sim.run_until_quiet()
    assert sim.node_of("high") == "n"


def test_a_pod_that_is_rejected_while_it_waits_is_told_why() -> None:
    sim = free_node(plugins=[Patience])
    sim.run_until_quiet()
    assert sim.reject("high", "Patience", "no more patience")
    sim.settle()
    assert sim.message_of("high") == "0/1 nodes are available: 1 no more patience."


def test_the_preemptor_of_a_pod_in_pre_bind_cancels_its_work() -> None:
    sim = free_node(plugins=[SlowWork])
    sim.run(until=5)
    SlowWork.done.clear()
    sim.create(make_pod("higher").req(cpu="4").priority(200))
    sim.run(until=7)
    said = [event.note for event in sim.events if event.regarding == "default/high"]
    assert 'running PreBind plugin "SlowWork": preempted by DefaultPreemption' in said
    sim.run(until=60)
    assert (sim.node_of("higher"), SlowWork.done) == ("n", ["higher"])
