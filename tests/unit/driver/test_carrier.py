"""The carrier: order, certainty, one answer each."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from typing import ClassVar

import msgspec
import pytest

from nominee.driver.api import Bounds
from nominee.driver.loop import CYCLES
from nominee.driver.slots import Slots
from nominee.errors import ApiError, Conflict, Forbidden, NotFound, TooManyRequests, TransportError
from nominee.framework import Api, Cycle, Node, Pod, PreFlight, Reject, Skip
from nominee.testing import make_node, make_pod
from tests.unit.driver.fake_cluster import World

NODE = make_node("n").capacity(cpu="4", memory="8Gi", pods="110")
POD = make_pod("p").req(cpu="1")
LOST = TransportError("no answer within 30 s")


def conditions(world: World, kind: str = "PodScheduled") -> list[str]:
    said = [c for patch in world.cluster.patches for c in patch["status"].get("conditions", ())]
    return [c["message"] for c in said if c["type"] == kind]


# -- binding -----------------------------------------------------------------------------------------


async def test_a_binding_whose_answer_was_lost_is_looked_into() -> None:
    world = World([NODE])
    world.cluster.late = True
    world.cluster.fail("bind", LOST)
    world.add(POD)
    await world.quiet()
    assert world.cluster.calls[:3] == ["bind default/p", "bind default/p", "get default/p"]
    assert world.node_of("p") == "n"
    assert conditions(world) == []


async def test_a_binding_that_did_not_arrive_is_sent_again() -> None:
    world = World([NODE])
    world.cluster.fail(
        "bind", LOST, ApiError(500, "etcdserver: request timed out"), TooManyRequests(429, "slow", 3.0)
    )
    world.add(POD)
    await world.quiet()
    assert world.node_of("p") == "n"
    assert conditions(world) == []


async def test_a_pod_keeps_its_place_while_the_server_is_away() -> None:
    world = World([NODE])
    world.cluster.fail("bind", *[LOST] * 10)
    world.add(POD, make_pod("q").req(cpu="3500m"))
    await asyncio.sleep(20)
    assert world.scheduler.cluster.is_assumed("default/p")
    await world.until(lambda: world.node_of("p") == "n", seconds=60)
    assert world.node_of("q") == ""


async def test_a_server_that_stays_away_costs_the_attempt_in_the_end() -> None:
    world = World([NODE])
    world.cluster.fail("bind", *[LOST] * 30)
    world.cluster.fail("get", *[LOST] * 30)
    world.add(POD)
    await world.until(lambda: bool(conditions(world)))
    assert conditions(world) == ['running Bind plugin "DefaultBinder": no answer within 30 s']
    await world.until(lambda: world.node_of("p") == "n")


async def test_a_conflict_with_another_binding_costs_the_attempt() -> None:
    world = World([NODE, make_node("m").capacity(cpu="1m", memory="1Gi", pods="1")])
    taken = POD.node("m").build()
    world.cluster.fail("bind", Conflict(409, 'pod p is already assigned to node "m"'))
    world.add(POD)
    world.cluster.pods[taken.key] = taken
    await world.quiet()
    assert conditions(world) == ['running Bind plugin "DefaultBinder": pod p is already assigned to node "m"']


async def test_no_more_bindings_than_agreed_are_under_way() -> None:
    bounds = Bounds(binds=Slots(4))
    world = World([NODE], bounds=bounds)
    world.cluster.latency = 1.0
    names = [f"p{i}" for i in range(100)]
    world.add(*[make_pod(name) for name in names])
    await asyncio.sleep(0.5)
    assert len(world.cluster.made("bind")) == bounds.binds.busy == 4
    assert world.driver.loop.steps == CYCLES  # more decisions would only grow old in line
    await world.until(lambda: all(world.node_of(name) for name in names))


@dataclass(frozen=True, slots=True, kw_only=True)
class Binder:
    """Skips some pods, fails others."""

    async def bind(self, pod: Pod, node: Node, cycle: Cycle, api: Api) -> Skip | None:
        if pod.name == "theirs":
            return Skip.THIS_CYCLE
        if pod.name == "cancelled":
            raise asyncio.CancelledError
        if pod.name == "exit":
            sys.exit(3)
        if pod.name == "nonsense":
            return "bound"  # type: ignore[return-value]
        raise ValueError("what is this?")


BROKEN_BINDINGS = [
    ("odd", "what is this?"),
    ("cancelled", "CancelledError"),
    ("exit", "3"),
    ("nonsense", "must answer with None or Skip, not 'bound'"),
]


async def test_the_next_bind_plugin_is_asked_when_one_skips() -> None:
    world = World([NODE], [make_pod("theirs")], plugins=[Binder])
    await world.quiet()
    assert world.node_of("theirs") == "n"


@pytest.mark.parametrize(("name", "said"), BROKEN_BINDINGS)
async def test_a_bind_plugin_that_raises_costs_its_pod_the_attempt(name: str, said: str) -> None:
    world = World([NODE], [make_pod(name)], plugins=[Binder])
    await world.quiet()
    assert conditions(world) == [f'running Bind plugin "Binder": {said}']


# -- the status --------------------------------------------------------------------------------------


async def test_a_condition_is_written_with_uid_and_time() -> None:
    world = World([NODE], [make_pod("p").req(cpu="8")])
    await world.quiet()
    (patch,) = world.cluster.patches
    assert patch["metadata"] == {"uid": "default/p"}
    (condition,) = patch["status"]["conditions"]
    assert condition["reason"] == "Unschedulable"
    assert condition["lastTransitionTime"] == "2027-01-15T08:00:00Z"


async def test_a_patch_is_tried_four_times() -> None:
    world = World([NODE])
    world.cluster.fail("patch", *[ApiError(503, "the server is starting")] * 3)
    world.add(make_pod("p").req(cpu="8"))
    await world.quiet()
    assert len(world.cluster.made("patch")) == 4
    assert len(world.cluster.patches) == 1


async def test_a_patch_that_is_forbidden_is_tried_once() -> None:
    world = World([NODE])
    world.cluster.fail("patch", Forbidden(403, "no"))
    world.add(make_pod("p").req(cpu="8"))
    await world.quiet()
    assert len(world.cluster.made("patch")) == 1


# -- eviction ----------------------------------------------------------------------------------------


def one_victim() -> World:
    return World([NODE], [make_pod("victim").req(cpu="4").priority(1).node("n")])


async def test_a_victim_is_marked_before_it_is_deleted() -> None:
    world = one_victim()
    world.add(make_pod("high").req(cpu="4").priority(10))
    await world.until(lambda: world.node_of("high") == "n")
    on_victim = [call for call in world.cluster.calls if "victim" in call]
    assert on_victim[:2] == ["patch default/victim", "delete default/victim"]
    assert conditions(world, "DisruptionTarget")
    assert [e["reason"] for e in world.cluster.events.values()].count("Preempted") == 1


async def test_a_victim_that_is_gone_is_evicted() -> None:
    world = one_victim()
    await world.quiet()
    world.cluster.fail("patch", NotFound(404, "gone"))
    victim = world.cluster.pods.pop("default/victim")
    world.add(make_pod("high").req(cpu="4").priority(10))
    await world.quiet()
    world.driver.gone(victim)
    await world.until(lambda: world.node_of("high") == "n")


async def test_a_victim_whose_name_another_pod_bears_is_evicted() -> None:
    world = one_victim()
    await world.quiet()
    victim = world.cluster.pods.pop("default/victim")
    namesake = make_pod("victim").build()
    world.cluster.pods[victim.key] = msgspec.structs.replace(
        namesake, metadata=msgspec.structs.replace(namesake.metadata, uid="another")
    )
    world.add(make_pod("high").req(cpu="4").priority(10))
    await world.quiet()
    assert world.cluster.made("delete") == []
    world.driver.gone(victim)
    await world.until(lambda: world.node_of("high") == "n")


async def test_who_may_not_delete_pods_takes_the_nomination_back() -> None:
    world = one_victim()
    world.cluster.fail("delete", *[Forbidden(403, "may not delete pods")] * 50)
    world.add(make_pod("high").req(cpu="4").priority(10))
    await world.quiet()
    nominations = [
        p["status"]["nominatedNodeName"] for p in world.cluster.patches if "nominatedNodeName" in p["status"]
    ]
    assert nominations[:2] == ["n", None]


# -- pre-bind ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow:
    """Works a minute on each pod; refuses some."""

    done: ClassVar[list[str]] = []

    def pre_bind_pre_flight(self, pod: Pod, node: Node, cycle: Cycle) -> PreFlight:
        return PreFlight.WORK

    async def pre_bind(self, pod: Pod, node: Node, cycle: Cycle, api: Api) -> Reject | None:
        await api.sleep(60)
        if pod.name == "refused":
            return Reject(("not today",))
        if pod.name == "broken":
            raise KeyError("x")
        if pod.name == "exit":
            sys.exit("enough")
        if pod.name == "nonsense":
            return True  # type: ignore[return-value]
        self.done.append(pod.name)
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hasty:
    """Fails at once where it is told to."""

    def pre_bind_pre_flight(self, pod: Pod, node: Node, cycle: Cycle) -> PreFlight:
        return PreFlight.WORK

    async def pre_bind(self, pod: Pod, node: Node, cycle: Cycle, api: Api) -> Reject | None:
        return Reject(("at once",)) if pod.name == "hasty" else None


async def test_the_nomination_is_written_before_work_begins_and_the_pod_bound_after_it() -> None:
    Slow.done.clear()
    world = World([NODE], [POD], plugins=[Slow])
    await asyncio.sleep(30)
    assert world.cluster.patches == [{"metadata": {"uid": "default/p"}, "status": {"nominatedNodeName": "n"}}]
    assert world.node_of("p") == ""
    await asyncio.sleep(40)
    assert world.node_of("p") == "n"
    assert Slow.done == ["p"]


async def test_work_waits_for_the_nomination_to_be_written() -> None:
    world = World([NODE], plugins=[Slow])
    world.cluster.latency = 100.0
    world.add(POD)
    await asyncio.sleep(150)
    assert world.cluster.calls == ["patch default/p"]
    await asyncio.sleep(20)
    assert world.cluster.calls == ["patch default/p", "bind default/p"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("refused", "not today"),
        ("broken", "running PreBind plugin \"Slow\": 'x'"),
        ("exit", 'running PreBind plugin "Slow": enough'),
        ("nonsense", 'running PreBind plugin "Slow": must answer with None or a Reject, not True'),
    ],
)
async def test_pre_bind_that_fails_costs_the_attempt(name: str, message: str) -> None:
    world = World([NODE], [make_pod(name)], plugins=[Slow])
    await asyncio.sleep(61)
    await world.quiet()
    assert message in conditions(world)[0]


async def test_the_first_failure_ends_the_other_plugins() -> None:
    Slow.done.clear()
    world = World([NODE], [make_pod("hasty")], plugins=[Slow, Hasty])
    await asyncio.sleep(1)
    assert conditions(world)[0] == "at once"
    await asyncio.sleep(0.5)
    assert Slow.done == []


async def test_a_preemptor_ends_the_work_for_its_victim() -> None:
    Slow.done.clear()
    world = World([NODE], [make_pod("low").req(cpu="4").priority(1)], plugins=[Slow])
    await asyncio.sleep(1)
    world.add(make_pod("high").req(cpu="4").priority(10))
    await asyncio.sleep(1)
    assert 'running PreBind plugin "Slow": preempted by DefaultPreemption' in conditions(world)
    await world.until(lambda: world.node_of("high") == "n")
    assert Slow.done == ["high"]


# -- the end -----------------------------------------------------------------------------------------


async def test_stopping_lets_bindings_end() -> None:
    world = World([NODE])
    world.cluster.latency = 3.0
    world.add(POD)
    await asyncio.sleep(1)
    assert await world.driver.stop(patience=10) == 0
    assert world.node_of("p") == "n"
    assert [e["reason"] for e in world.cluster.events.values()] == ["Scheduled"]


async def test_stopping_waits_only_so_long() -> None:
    world = World([NODE], plugins=[Slow])
    world.add(POD)
    await asyncio.sleep(1)
    assert await world.driver.stop(patience=5) == 1
    await asyncio.sleep(100)
    assert world.node_of("p") == ""
