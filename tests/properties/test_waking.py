"""A pod that was rejected wakes whenever an event lets it in, whichever plugin had rejected it and why.

One pod waits in a random cluster; one thing happens. If all filters would let the pod in now, it must
not be left asleep.
"""

from __future__ import annotations

import os
from typing import Any

import msgspec
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from nominee.framework import NodeObject
from nominee.model.pod import Pod as PodObject
from nominee.profile.search import Search
from nominee.scheduler.scheduler import Settings
from nominee.testing import HOSTNAME, NodeBuilder, PodBuilder, make_node, make_pod
from tests.unit.scheduler.harness import Bench

GIBI = 1 << 30
ZONE = "topology.kubernetes.io/zone"
NODES, PODS = ("a", "b", "c"), ("p0", "p1", "p2", "p3")
HAPPENINGS = ("node", "node", "node gone", "pod", "pod gone", "relabel", "terminate", "own", "shrink")
few = st.sampled_from
maybe = few((False, False, True))


@st.composite
def nodes(draw: Any, name: str) -> NodeBuilder:
    made = make_node(name).capacity(
        cpu=draw(few(("1", "2", "4"))), memory=8 * GIBI, pods=draw(few((1, 3, 9)))
    )
    if draw(maybe):
        made = made.capacity(cpu="2", memory=8 * GIBI, pods=5, **{"example.com/gpu": draw(few((1, 2)))})
    if zone := draw(few(("", "z1", "z2"))):
        made = made.zone(zone)
    made = made.label("disk", draw(few(("ssd", "hdd")))) if draw(st.booleans()) else made
    made = made.taint("busy", effect=draw(few(("NoSchedule", "NoExecute")))) if draw(maybe) else made
    return made.unschedulable() if draw(maybe) else made


@st.composite
def pods(draw: Any, name: str) -> PodBuilder:
    made = make_pod(name).req(cpu=draw(few(("0", "1", "2")))).label("app", draw(few(("web", "db"))))
    made = made.host_port(80) if draw(maybe) else made
    made = made.req(**{"example.com/gpu": 1}) if draw(maybe) else made
    if draw(maybe):
        made = made.pod_anti_affinity(draw(few((HOSTNAME, ZONE))), {"app": draw(few(("web", "db")))})
    return made


@st.composite
def waiting(draw: Any) -> PodBuilder:
    made: PodBuilder = draw(pods("waiting"))
    app = draw(few(("web", "db")))
    match draw(few(("", "", "affinity", "spread", "selector", "nodes"))):
        case "affinity":
            made = made.pod_affinity(draw(few((HOSTNAME, ZONE))), {"app": app})
        case "spread":
            policies = draw(few(({}, {"node_taints_policy": "Honor"}, {"min_domains": 2})))
            made = made.spread(1, draw(few((HOSTNAME, ZONE))), "DoNotSchedule", {"app": app}, **policies)
        case "selector":
            made = made.node_selector(disk=draw(few(("ssd", "hdd"))))
        case "nodes":
            made = made.node_affinity_in(draw(few(("disk", ZONE))), [draw(few(("ssd", "z1")))])
    return made.toleration("busy", operator="Exists") if draw(maybe) else made


def happens(data: st.DataObject, b: Bench) -> None:
    """One thing changes; who waits is changed as a user may change it."""
    what = data.draw(
        few(("node", "node", "node gone", "pod", "pod gone", "relabel", "terminate", "own", "shrink"))
    )
    placed = sorted(key for kind, key in b.world if kind is PodObject and key != "default/waiting")
    there = sorted(key for kind, key in b.world if kind is NodeObject)
    if what == "node":
        b.put(data.draw(nodes(data.draw(few(NODES)))))
    elif what == "node gone" and there:
        b.delete_node(data.draw(few(there)))
    elif what == "pod":
        b.put(data.draw(pods("new")).node(data.draw(few(NODES))))
    elif what == "own":
        change_own(data, b)
    elif placed:
        name = data.draw(few(placed)).removeprefix("default/")
        change_placed(data, b, what, name)


def change_placed(data: st.DataObject, b: Bench, what: str, name: str) -> None:
    if what == "pod gone":
        b.delete(name)
    elif what == "terminate":
        b.delete(name, graceful=True)
    elif what == "relabel":
        relabel(b, name, app=data.draw(few(("web", "db", "none"))))
    elif what == "shrink":
        shrink(b, name)


def change_own(data: st.DataObject, b: Bench) -> None:
    if data.draw(st.booleans()):
        relabel(b, "waiting", app=data.draw(few(("web", "db", "none"))))
        return
    pod = b.pod("waiting")
    more = (*pod.spec.tolerations, *make_pod("x").toleration("", operator="Exists").build().spec.tolerations)
    b.put(msgspec.structs.replace(pod, spec=msgspec.structs.replace(pod.spec, tolerations=more)))


def relabel(b: Bench, name: str, **labels: str) -> None:
    pod = b.pod(name)
    meta = msgspec.structs.replace(pod.metadata, labels={**pod.metadata.labels, **labels})
    b.put(msgspec.structs.replace(pod, metadata=meta))


def shrink(b: Bench, name: str) -> None:
    pod = b.pod(name)
    containers = make_pod("x").req(cpu="0").build().spec.containers
    b.put(msgspec.structs.replace(pod, spec=msgspec.structs.replace(pod.spec, containers=containers)))


def fits(b: Bench) -> bool:
    scheduler = b.scheduler
    pod = scheduler.around.pods.get("default/waiting")
    assert pod is not None
    return Search(scheduler.around.profiles["default-scheduler"], scheduler.cluster, pod, b.now).run()


LONG = bool(os.environ.get("NOMINEE_LONG"))


@settings(max_examples=20_000 if LONG else 300)
@given(data=st.data())
def test_a_pod_wakes_when_an_event_lets_it_in(data: st.DataObject) -> None:
    b = Bench(settings=Settings(max_in_unschedulable=10**6))
    for name in data.draw(st.lists(few(NODES), min_size=1, unique=True)):
        b.put(data.draw(nodes(name)))
    for name in data.draw(st.lists(few(PODS), unique=True)):
        b.put(data.draw(pods(name)).node(data.draw(few(NODES))))
    b.put(data.draw(waiting()))
    b.run()
    b.pass_time(30)
    assume(b.exists("waiting") and b.scheduler.around.queue.where("default/waiting") == "unschedulable")
    assert not fits(b)
    happens(data, b)
    if fits(b):
        event("it fits now")
        assert b.scheduler.around.queue.where("default/waiting") != "unschedulable", "it is left asleep"
