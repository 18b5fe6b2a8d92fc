"""Pods change while they wait."""

import pytest

from nominee.framework import Action, EventHint, Resource
from nominee.queue.check import check
from nominee.testing import make_pod
from tests.unit.queue.rig import NODE_ADDED, Rig

LABELS = {"Labels": (EventHint(Resource.TARGET_POD, Action.UPDATE_POD_LABEL),)}


def test_an_active_pod_is_replaced_and_sorted_anew() -> None:
    rig = Rig().add("a", make_pod("b").priority(1))
    rig.update(make_pod("a").priority(2))
    assert rig.get("a").pod is rig.pods["a"]
    assert rig.pop_all() == ["a", "b"]


def test_an_unimportant_update_does_not_cost_an_active_pod_its_place() -> None:
    rig = Rig().add("a", "b")
    rig.update(make_pod("a").label("k"))
    assert rig.pop_all() == ["a", "b"]


def test_a_pod_backing_off_is_replaced_and_stays() -> None:
    rig = Rig()
    rig.rejected("a")
    rig.move()
    rig.update(make_pod("a").label("k"))
    assert rig.where("a") == "backoff"
    assert rig.get("a").pod is rig.pods["a"]


def test_a_pod_backing_off_is_sorted_anew_among_those_of_the_same_second() -> None:
    rig = Rig()
    rig.rejected("a")
    rig.rejected("b")
    rig.move()
    rig.update(make_pod("b").priority(1))
    assert rig.pop_all() == ["b", "a"]


def test_an_update_that_helps_gets_a_pod_out() -> None:
    rig = Rig(LABELS)
    rig.rejected("a", by=["Labels"])
    rig.update(make_pod("a").annotation("k", "v"))
    assert rig.where("a") == "unschedulable"
    rig.update(make_pod("a").label("k"))
    assert rig.where("a") == "backoff"
    assert rig.get("a").pod is rig.pods["a"]


def test_after_back_off_it_is_active_at_once() -> None:
    rig = Rig(LABELS)
    rig.rejected("a", by=["Labels"])
    rig.at(1002.0).update(make_pod("a").label("k"))
    assert rig.where("a") == "active"


def test_the_first_change_that_helps_will_do() -> None:
    hints = {"Labels": (*LABELS["Labels"], EventHint(Resource.TARGET_POD, Action.UPDATE_POD_TOLERATION))}
    rig = Rig(hints, pop_from_backoff=False)
    rig.rejected("a", by=["Labels"])
    rig.update(make_pod("a").label("k").toleration("k"))
    assert rig.where("a") == "backoff"
    assert [event for queue, event in rig.seen.came if queue == "backoff"] == ["TargetPodUpdatePodLabel"]


def test_the_update_of_one_pod_moves_no_other() -> None:
    rig = Rig(LABELS)
    rig.rejected("a", by=["Labels"])
    rig.rejected("b", by=["Labels"])
    rig.update(make_pod("a").label("k"))
    assert rig.where("b") == "unschedulable"


def test_an_unknown_pod_is_added() -> None:
    rig = Rig()
    pod = rig.pod("a")
    rig.queue.update(pod, pod, rig.now)
    assert rig.where("a") == "active"


def test_a_pod_of_another_uid_is_another_pod() -> None:
    rig = Rig(LABELS).add("a")
    old = rig.pods["a"]
    rig.queue.update(old, rig.pod(make_pod("a").uid("new")), rig.now)
    assert rig.queue.where("default/a") is None
    assert rig.queue.where("new") == "active"
    check(rig.queue)


@pytest.mark.parametrize("place", ["active", "backoff", "unschedulable"])
def test_the_nomination_follows_wherever_the_pod_waits(place: str) -> None:
    rig = Rig()
    rig.add("a")
    if place != "active":
        rig.rejected("a")
    if place == "backoff":
        rig.move(NODE_ADDED)
    assert rig.where("a") == place
    rig.update(make_pod("a").nominated("n"))
    assert rig.cluster.nominations.node_of("default/a") == "n"
    rig.update(make_pod("a"))
    assert rig.cluster.nominations.node_of("default/a") == ""


def test_a_nomination_made_in_memory_survives_an_update_that_knows_nothing_of_it() -> None:
    rig = Rig().add("a")
    rig.queue.nominator.add(rig.pods["a"], "n")
    rig.update(make_pod("a").label("k"))
    assert rig.cluster.nominations.node_of("default/a") == "n"


def test_the_nomination_of_a_pod_in_flight_is_left_alone() -> None:
    rig = Rig().add(make_pod("a").nominated("n"))
    rig.pop()
    rig.update(make_pod("a"))
    assert rig.cluster.nominations.node_of("default/a") == "n"


def test_a_pod_known_to_be_bound_is_not_nominated() -> None:
    rig = Rig(is_pending=lambda pod: pod.name != "bound")
    rig.add(make_pod("bound").nominated("n"), make_pod("free").nominated("n"))
    assert [pod.name for pod in rig.cluster.nominations.on_node("n")] == ["free"]
