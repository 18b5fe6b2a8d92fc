"""Stories of the queue, as far as it alone tells them (test/integration/scheduler/queueing, v1.37)."""

from nominee.framework import Action, ClusterEvent, EventHint, Resource
from nominee.plugins.scheduling_gates import SchedulingGates
from nominee.queue.node_events import node_events
from nominee.testing import make_node, make_pod
from tests.unit.queue.rig import NODE_ADDED, POD_GONE, Rig

GATES = SchedulingGates()


def test_a_gated_pod_waits_until_its_own_gates_go_whatever_happens_to_others() -> None:
    rig = Rig({"SchedulingGates": GATES.events_to_register()}, [("SchedulingGates", GATES.pre_enqueue)])
    rig.add("plain", make_pod("gated").gate("g"))
    assert rig.pop_all() == ["plain"]
    rig.move(POD_GONE, old=rig.pods["plain"])
    assert rig.where("gated") == "gated"
    rig.update(make_pod("gated"))
    assert rig.pop_all() == ["gated"]


def test_with_nobody_else_to_try_a_long_back_off_is_cut_short() -> None:
    rig = Rig(initial_backoff=1000, max_backoff=1000)
    rig.rejected("a")
    assert rig.pop() is None
    rig.move(NODE_ADDED)
    assert rig.pop() == "a"


def test_an_event_during_permit_is_judged_once_when_the_pod_is_rejected_later() -> None:
    rig = Rig({"Permit": (EventHint(Resource.NODE, Action.UPDATE_NODE_LABEL, lambda *_: True),)}).add("a")
    rig.pop()
    rig.move(ClusterEvent(Resource.NODE, Action.UPDATE_NODE_LABEL))
    assert rig.seen.hints == []
    rig.fail("a", by=["Permit"])
    assert rig.seen.hints == [("Permit", "NodeUpdateNodeLabel", "Queue")]
    assert rig.pop() == "a"


def test_a_bind_failure_is_retried_without_any_event() -> None:
    rig = Rig().add("a")
    rig.pop()
    rig.queue.done("default/a")  # binding begins
    rig.fail("a", by=[])
    rig.at(1002.0).flush()
    assert rig.pop() == "a"


def test_of_several_changes_of_a_node_the_one_that_matters_is_seen() -> None:
    rig = Rig({"Taints": (EventHint(Resource.NODE, Action.UPDATE_NODE_TAINT),)})
    rig.rejected("a", by=["Taints"])
    old, new = make_node("n").taint("k").obj, make_node("n").label("l").obj
    for event in node_events(old, new):
        rig.move(event, old, new)
    assert rig.where("a") == "backoff"


def test_the_end_of_a_nomination_wakes_only_pods_that_it_held_back() -> None:
    rig = Rig({"Fit": (EventHint(Resource.ASSIGNED_POD, Action.DELETE),)})
    for name, priority in (("low", 1), ("high", 9)):
        rig.add(make_pod(name).priority(priority))
        rig.rejected(name)
    gone = rig.pod(make_pod("mid").priority(5).nominated("n"))
    rig.move(POD_GONE, old=gone, only=lambda queued: queued.pod.priority <= gone.priority)
    assert (rig.where("low"), rig.where("high")) == ("backoff", "unschedulable")
