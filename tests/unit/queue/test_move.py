"""Events move the pods they may help."""

import pytest

from nominee.framework import Action, ClusterEvent, EventHint, Pod, Resource
from nominee.plugins.priority_sort import PrioritySort
from nominee.queue.hints import UNSCHEDULABLE_TIMEOUT
from nominee.queue.policy import QueuePolicy
from nominee.queue.scheduling_queue import SchedulingQueue
from nominee.testing import make_pod
from tests.unit.queue.rig import FIT, NODE_ADDED, POD_GONE, Rig, hint


def test_a_pod_that_still_backs_off_goes_there() -> None:
    rig = Rig()
    rig.rejected("a")
    rig.move()
    assert rig.where("a") == "backoff"


def test_one_whose_back_off_is_over_is_active() -> None:
    rig = Rig()
    rig.rejected("a")
    rig.at(1002.0).move()
    assert rig.where("a") == "active"


def test_a_pending_plugin_lets_the_pod_skip_back_off() -> None:
    rig = Rig()
    rig.rejected("a", by=[], pending=["Fit"])
    rig.move()
    assert rig.where("a") == "active"


@pytest.mark.parametrize("event", [POD_GONE, ClusterEvent(Resource.NODE, Action.UPDATE_NODE_LABEL)])
def test_other_events_move_nobody(event: ClusterEvent) -> None:
    rig = Rig()
    rig.rejected("a")
    rig.move(event)
    assert rig.where("a") == "unschedulable"


def test_only_pods_whose_rejector_registered_the_event_are_looked_at() -> None:
    asked: list[str] = []

    def ask(pod: Pod, *_: object) -> bool:
        asked.append(pod.name)
        return False

    rig = Rig({"Fit": (EventHint(Resource.NODE, Action.ADD, ask),), "Ports": ()})
    rig.rejected("a", by=["Fit"])
    rig.rejected("b", by=["Ports"])
    rig.move()
    assert asked == ["a"]


def test_the_caller_may_narrow_whom_the_event_is_for() -> None:
    rig = Rig()
    for name, priority in (("low", 1), ("high", 9)):
        rig.add(make_pod(name).priority(priority))
        rig.rejected(name)
    rig.move(only=lambda queued: queued.pod.priority <= 1)
    assert (rig.where("low"), rig.where("high")) == ("backoff", "unschedulable")


def test_narrowing_does_not_apply_to_those_in_flight() -> None:
    rig = Rig().add("a")
    rig.pop()
    rig.move(only=lambda _: False)
    rig.fail("a")
    assert rig.where("a") == "backoff"


def test_a_wildcard_moves_everybody() -> None:
    rig = Rig({"Fit": ()})
    rig.rejected("a")
    rig.rejected("b", by=["Unknown"])
    rig.move(UNSCHEDULABLE_TIMEOUT)
    assert rig.queue.counts()["backoff"] == 2


def test_a_wildcard_with_a_pod_moves_that_pod() -> None:
    rig = Rig()
    rig.rejected("a")
    rig.rejected("b")
    rig.move(ClusterEvent(Resource.ANY, Action.ALL), new=rig.pods["b"])
    assert (rig.where("a"), rig.where("b")) == ("unschedulable", "backoff")


def test_a_hint_that_raises_queues_that_pod_and_no_other() -> None:
    def fails_for_a(pod: Pod, *_: object) -> bool:
        if pod.name == "a":
            raise ValueError
        return False

    rig = Rig({"Fit": (EventHint(Resource.NODE, Action.ADD, fails_for_a),)})
    rig.rejected("a")
    rig.rejected("b")
    rig.move()
    assert (rig.where("a"), rig.where("b")) == ("backoff", "unschedulable")
    assert [name for name, _ in rig.seen.failures] == ["a"]


def test_pods_of_two_profiles_are_judged_by_their_own_plugins() -> None:
    rig = Rig()
    policies = {
        "yes": QueuePolicy((), {"Fit": (hint(True),)}),
        "no": QueuePolicy((), {"Fit": (hint(False),)}),
    }
    rig.queue = SchedulingQueue(policies, PrioritySort().sort_key, rig.cluster)
    for name in ("yes", "no"):
        rig.add(make_pod(name).scheduler(name))
        rig.rejected(name)
    rig.move()
    assert (rig.where("yes"), rig.where("no")) == ("backoff", "unschedulable")


def test_an_event_passes_over_pods_that_do_not_wait_for_events() -> None:
    rig = Rig()
    rig.rejected("failed", by=[])
    rig.add("active")
    rig.move(NODE_ADDED)
    assert (rig.where("failed"), rig.where("active")) == ("error_backoff", "active")


def test_the_same_plugin_may_register_an_event_twice() -> None:
    rig = Rig({"Fit": (hint(False), *FIT["Fit"])})
    rig.rejected("a")
    rig.move()
    assert rig.where("a") == "backoff"
