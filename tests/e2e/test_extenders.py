"""Extenders as real servers: asked by Nominee and by kube-scheduler, with the same configuration file."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.harness.api import Object
from tests.e2e.harness.audit import AuditLog
from tests.e2e.harness.extender import Extender, preferring, refusing, silent
from tests.e2e.harness.objects import make, node, pod
from tests.e2e.harness.process import free_port
from tests.e2e.harness.schedulers import Starter
from tests.e2e.harness.world import World, condition_of, nominated_of

GPU = "example.com/gpu"


@pytest.mark.parametrize("by_name", [False, True])
async def test_a_filter_takes_nodes_out(world: World, start: Starter, kind: str, by_name: bool) -> None:
    await world.add(node("a", cpu="16"), node("b"), pod("web"))
    async with Extender.running(filter=refusing({"a": "too loud"})) as extender:
        start(kind, config=extender.config(nodeCacheCapable=by_name))
        await world.placed("web", on="b")
        (_, args) = extender.asked[0]
        assert args["Pod"]["metadata"]["name"] == "web"
        assert args["Pod"]["spec"]["containers"][0]["name"] == "main"
        assert (args.get("NodeNames") is not None) == by_name
        assert (args.get("Nodes") is not None) != by_name


async def test_what_a_filter_says_is_passed_on(world: World, start: Starter, kind: str) -> None:
    await world.add(node("a"), node("b"), node("c", cpu="1"), pod("web", cpu="2"))
    async with Extender.running(filter=refusing({"a": "too loud", "b": "too loud"})) as extender:
        start(kind, config=extender.config())
        assert await world.unschedulable("web") == (
            "0/3 nodes are available: 1 Insufficient cpu, 2 too loud. preemption: 0/3 nodes are available: "
            "1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod."
        )


async def test_what_is_refused_for_good_is_not_preempted_for(world: World, start: Starter, kind: str) -> None:
    await world.add(node("a"), pod("web"))
    async with Extender.running(filter=refusing({"a": "wrong rack"}, for_good=True)) as extender:
        start(kind, config=extender.config())
        assert await world.unschedulable("web") == (
            "0/1 nodes are available: 1 wrong rack. preemption: 0/1 nodes are available: "
            "1 Preemption is not helpful for scheduling."
        )


async def test_a_preference_counts_with_its_weight(world: World, start: Starter, kind: str) -> None:
    """Everything else speaks for the empty node."""
    await world.add(node("a", cpu="16"), node("b", cpu="4"), pod("standing", cpu="3", on="b"), pod("web"))
    async with Extender.running(prioritize=preferring("b")) as extender:
        start(kind, config=extender.config(weight=100))
        await world.placed("web", on="b")


async def test_it_binds_in_the_schedulers_stead(
    world: World, start: Starter, kind: str, audit: AuditLog
) -> None:
    async def bind(args: Object) -> Object:
        target = {"kind": "Node", "name": args["Node"]}
        meta = {"name": args["PodName"], "namespace": args["PodNamespace"], "uid": args["PodUID"]}
        path = f"/api/v1/namespaces/{args['PodNamespace']}/pods/{args['PodName']}/binding"
        await world.api.call("POST", path, make("Binding", args["PodName"], metadata=meta, target=target))
        return {"Error": ""}

    await world.add(node("a"), pod("web"))
    async with Extender.running(bind=bind) as extender:
        start(kind, config=extender.config())
        await world.placed("web", on="a")
        await world.event("web", "Scheduled")
    assert not audit.calls(world.namespace, resource="pods/binding")


async def test_it_has_a_say_in_whom_to_evict(world: World, start: Starter, kind: str) -> None:
    """Without it, the node with the less important victim would be chosen."""

    async def preempt(args: Object) -> Object:
        victims = args["NodeNameToVictims"]["b"]
        uids = [{"UID": victim["metadata"]["uid"]} for victim in victims["Pods"]]
        return {"NodeNameToMetaVictims": {"b": {"Pods": uids, "NumPDBViolations": 0}}}

    for name, value in (("mid", 10), ("high", 1000)):
        await world.add(make("PriorityClass", f"{world.namespace}-{name}", value=value))
    await world.add(node("a", cpu="1"), node("b", cpu="1"), pod("on-a", cpu="1", on="a", grace=600))
    await world.add(pod("on-b", cpu="1", on="b", grace=600, priority=f"{world.namespace}-mid"))
    await world.running("on-a", "on-b")
    async with Extender.running(filter=refusing({}), preempt=preempt) as extender:
        start(kind, config=extender.config())
        await world.add(pod("urgent", cpu="1", priority=f"{world.namespace}-high"))
        await world.terminating("on-b")
        await world.nominated("urgent", on="b")
        assert "deletionTimestamp" not in (await world.pod("on-a"))["metadata"]


@pytest.mark.parametrize("how", ["away", "slow"])
async def test_an_ignorable_one_that_fails_holds_nobody_up(
    world: World, start: Starter, kind: str, how: str
) -> None:
    await world.add(node("a"), pod("web"))
    async with Extender.running(filter=silent) as extender:
        if how == "away":
            extender.url = f"http://127.0.0.1:{free_port()}"
        start(kind, config=extender.config(ignorable=True, httpTimeout="1s"))
        await world.placed("web", on="a")


async def test_one_that_matters_and_fails_is_asked_again(world: World, start: Starter, kind: str) -> None:
    """Its failure is the scheduler's error, which says what happened, and the pod is tried again."""
    fails = [True]

    async def verb(args: Object) -> Any:
        return {"Error": "out of order"} if fails else await refusing({})(args)

    await world.add(node("a"), pod("web"))
    async with Extender.running(filter=verb) as extender:
        start(kind, config=extender.config())
        assert "out of order" in await world.unschedulable("web")
        assert condition_of(await world.pod("web"), "PodScheduled")["reason"] == "SchedulerError"
        fails.clear()
        await world.placed("web", on="a")


async def test_it_is_asked_about_its_resources_only(world: World, start: Starter, kind: str) -> None:
    """And what it manages alone need not be on any node."""
    managed = [{"name": GPU, "ignoredByScheduler": True}]
    await world.add(node("a"), node("b"), pod("train", extended={GPU: 2}), pod("web"))
    async with Extender.running(filter=refusing({"a": "no gpu"})) as extender:
        start(kind, config=extender.config(managedResources=managed))
        await world.placed("train", on="b")
        await world.placed("web")
        assert set(extender.asked_about("filter")) == {"train"}
        assert not nominated_of(await world.pod("train"))
