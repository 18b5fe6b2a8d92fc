from nominee.queue.check import check
from nominee.testing import make_pod
from tests.unit.queue.rig import NODE_ADDED, Rig


def test_the_highest_priority_is_popped_first_and_among_equals_the_oldest() -> None:
    rig = Rig().at(1.0).add(make_pod("old").priority(1))
    rig.at(2.0).add(make_pod("young").priority(1), make_pod("high").priority(2))
    assert rig.pop_all() == ["high", "old", "young"]


def test_pop_counts_attempts_and_cycles() -> None:
    rig = Rig().add("a", "b")
    rig.pop_all()
    assert rig.popped["a"].attempts == 1
    assert rig.queue.cycle == 2


def test_an_empty_queue_has_nobody() -> None:
    rig = Rig()
    assert not rig.queue.ready
    assert rig.pop() is None


def test_the_first_attempt_is_dated_from_the_entry_into_the_active_queue() -> None:
    rig = Rig().at(5.0).add("a")
    assert (rig.get("a").timestamp, rig.get("a").initial_attempt_timestamp) == (5.0, 5.0)
    rig.at(6.0).pop()
    rig.fail("a", by=[])
    rig.at(9.0).flush()
    assert (rig.get("a").timestamp, rig.get("a").initial_attempt_timestamp) == (6.0, 5.0)


def test_a_popped_pod_is_in_flight_until_it_is_done() -> None:
    rig = Rig().add("a")
    assert rig.where("a") == "active"
    rig.pop()
    assert rig.where("a") == "in_flight"
    assert "default/a" in rig.queue
    rig.queue.done("default/a")
    assert rig.where("a") is None
    assert "default/a" not in rig.queue
    check(rig.queue)


def test_a_new_pod_is_nominated_before_it_can_be_popped() -> None:
    rig = Rig().add(make_pod("a").nominated("n"))
    assert rig.cluster.nominations.node_of("default/a") == "n"


def test_a_deleted_pod_is_gone_with_its_nomination() -> None:
    rig = Rig().add(make_pod("a").nominated("n"), "b")
    rig.queue.delete(rig.pods["a"])
    assert rig.where("a") is None
    assert len(rig.cluster.nominations) == 0
    assert rig.pop_all() == ["b"]
    check(rig.queue)


def test_deleting_a_pod_in_flight_leaves_its_attempt_alone() -> None:
    rig = Rig().add("a")
    rig.pop()
    rig.queue.delete(rig.pods["a"])
    assert rig.where("a") == "in_flight"


def test_a_pod_can_be_deleted_from_every_place() -> None:
    rig = Rig()
    rig.rejected("unschedulable")
    rig.rejected("failed", by=[])
    rig.rejected("backoff", by=["Fit", "x"])
    rig.queue.move(NODE_ADDED, None, None, rig.now, lambda q: q.pod.name == "backoff")
    assert [rig.where(name) for name in ("unschedulable", "failed", "backoff")] == [
        "unschedulable",
        "error_backoff",
        "backoff",
    ]
    for pod in rig.pods.values():
        rig.queue.delete(pod)
    assert len(rig.queue) == 0
    check(rig.queue)


def test_adding_a_known_pod_updates_it() -> None:
    rig = Rig().add("a", make_pod("b").priority(1))
    rig.add(make_pod("a").priority(2))
    assert len(rig.queue) == 2
    assert rig.pop_all() == ["a", "b"]


def test_adding_a_pod_in_flight_does_not_queue_it_twice() -> None:
    rig = Rig().add("a")
    rig.pop()
    rig.add("a")
    assert rig.where("a") == "in_flight"
    check(rig.queue)


def test_when_nobody_is_active_whoever_backs_off_is_popped() -> None:
    rig = Rig()
    rig.rejected("a")
    rig.move()
    assert rig.where("a") == "backoff"
    assert rig.queue.ready
    assert rig.pop() == "a"
    assert ("active", "PopFromBackoffQ") in rig.seen.came


def test_but_not_before_the_active_ones() -> None:
    rig = Rig()
    rig.rejected("a")
    rig.move()
    rig.add("b")
    assert rig.pop_all() == ["b", "a"]


def test_nor_after_an_error_nor_with_the_gate_off() -> None:
    rig = Rig()
    rig.rejected("failed", by=[])
    assert (rig.queue.ready, rig.pop()) == (False, None)
    rig = Rig(pop_from_backoff=False)
    rig.rejected("a")
    rig.move()
    assert rig.where("a") == "backoff"
    assert (rig.queue.ready, rig.pop()) == (False, None)


def test_a_pod_of_an_unknown_profile_is_let_through() -> None:
    assert Rig().add(make_pod("a").scheduler("unknown")).pop() == "a"


def test_counts_and_pending_name_everybody_who_waits() -> None:
    rig = Rig(pre_enqueue=[("Gate", lambda pod: "no" if pod.name == "gated" else None)])
    rig.add("flying")
    rig.pop()
    rig.rejected("unschedulable")
    rig.rejected("failed", by=[])
    rig.add("gated", "active")
    assert rig.queue.counts() == {"active": 1, "backoff": 1, "unschedulable": 1, "gated": 1}
    assert {q.pod.name for q in rig.queue.pending()} == {"unschedulable", "failed", "gated", "active"}
    assert len(rig.queue) == 4
