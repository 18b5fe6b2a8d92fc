"""What the observer hears adds up."""

from nominee.queue.scheduling_queue import SchedulingQueue
from tests.unit.queue.rig import Rig, shut

PROFILE = "default-scheduler"


def _agree(rig: Rig) -> bool:
    return +rig.seen.waiting == {name: n for name, n in rig.queue.counts().items() if n}


def test_pending_pods_are_the_counts_of_the_queue_at_every_step() -> None:
    doors = {"a"}
    rig = Rig(pre_enqueue=[("Gate", lambda pod: "no" if pod.name in doors else None)]).add("a", "b")
    assert _agree(rig)
    rig.pop()
    assert _agree(rig)
    rig.fail("b")
    assert _agree(rig)
    doors.add("b")
    rig.move()
    assert rig.seen.waiting["gated"] == 2
    assert _agree(rig)
    doors.clear()
    rig.activate("a", "b")
    assert _agree(rig)
    rig.pop_all()
    rig.fail("a", by=[])
    assert _agree(rig)
    rig.at(1010.0).flush()
    assert _agree(rig)
    rig.queue.delete(rig.pods["a"])
    assert _agree(rig)


def test_arrivals_name_the_queue_and_the_event() -> None:
    rig = Rig()
    rig.rejected("a")
    rig.move()
    rig.at(1002.0).flush()
    assert rig.seen.came == [
        ("active", "UnscheduledPodAdd"),
        ("unschedulable", "ScheduleAttemptFailure"),
        ("backoff", "NodeAdd"),
        ("active", "BackoffComplete"),
    ]


def test_gated_pods_arrive_among_the_unschedulable() -> None:
    rig = Rig(pre_enqueue=[("Gate", shut)]).add("a")
    assert rig.seen.came == [("unschedulable", "UnscheduledPodAdd")]


def test_a_pod_that_stays_aside_does_not_arrive_again() -> None:
    rig = Rig({"Gate": ()}, [("Gate", shut)]).add("a")
    rig.activate("a")
    assert len(rig.seen.came) == 1


def test_unschedulable_pods_count_per_rejector_until_the_next_attempt() -> None:
    rig = Rig()
    rig.rejected("a", by=["Fit", "Ports"], pending=["Dra"])
    assert rig.seen.unschedulable == {("Fit", PROFILE): 1, ("Ports", PROFILE): 1, ("Dra", PROFILE): 1}
    rig.activate("a")
    assert rig.seen.unschedulable["Fit", PROFILE] == 1
    rig.pop()
    assert not +rig.seen.unschedulable


def test_a_gate_counts_once_however_often_it_is_found_shut() -> None:
    rig = Rig({"Gate": ()}, [("Gate", shut)]).add("a")
    rig.activate("a")
    assert rig.seen.unschedulable == {("Gate", PROFILE): 1}
    rig.queue.delete(rig.pods["a"])
    assert not +rig.seen.unschedulable


def test_a_deleted_pod_no_longer_counts() -> None:
    rig = Rig()
    rig.rejected("a")
    rig.queue.delete(rig.pods["a"])
    assert not +rig.seen.unschedulable


def test_nobody_need_listen() -> None:
    rig = Rig()
    rig.queue = SchedulingQueue({}, lambda queued: queued.pod.name, rig.cluster)
    rig.add("b", "a")
    assert rig.pop_all() == ["a", "b"]
