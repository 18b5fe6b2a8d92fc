"""Somebody wants pods tried at once."""

from tests.unit.queue.rig import Rig


def test_a_pod_set_aside_is_active_without_back_off() -> None:
    rig = Rig()
    rig.rejected("a")
    rig.activate("a")
    assert rig.where("a") == "active"
    assert rig.seen.came[-1] == ("active", "ForceActivate")


def test_a_pod_backing_off_is_active_after_errors_too() -> None:
    rig = Rig()
    rig.rejected("failed", by=[])
    rig.rejected("a")
    rig.move()
    rig.activate("a", "failed")
    assert [rig.where(name) for name in ("a", "failed")] == ["active", "active"]


def test_a_pod_in_flight_comes_back_as_if_an_event_had_helped() -> None:
    rig = Rig({"Fit": ()}).add("a", "b")
    rig.pop_all()
    rig.activate("a")
    rig.fail("a")
    rig.fail("b")
    assert (rig.where("a"), rig.where("b")) == ("backoff", "unschedulable")


def test_an_active_or_unknown_pod_is_ignored() -> None:
    rig = Rig().add("a")
    rig.pod("unknown")
    came = list(rig.seen.came)
    rig.activate("a", "unknown")
    assert (rig.where("a"), rig.where("unknown")) == ("active", None)
    assert rig.seen.came == came


def test_to_be_tried_later_means_after_back_off_and_not_early() -> None:
    rig = Rig({"Fit": ()}).add("a", "b", "c")
    rig.pop_all()
    rig.fail("a", "Fit")
    rig.queue.retry_later(rig.pod("a"), rig.now)
    assert rig.where("a") == "error_backoff"
    assert not rig.queue.ready
    rig.fail("b", "Fit")
    rig.activate("b")
    rig.queue.retry_later(rig.pod("b"), rig.now)
    assert rig.where("b") == "active"
    rig.queue.retry_later(rig.pod("c"), rig.now)
    rig.fail("c", "Fit")
    assert rig.where("c") == "backoff"
