"""Nominations that other components put on pending pods (gate NominatedNodeNameFromOthers)."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.scheduler.effects import Evict
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench

OTHERS = {"NominatedNodeNameFromOthers": True}


def foreseen(name: str = "foreseen", node: str = "later") -> Any:
    return make_pod(name).req(cpu="3").nominated(node)


@pytest.mark.parametrize(("others", "expected"), [(True, "later"), (False, "")])
def test_a_failed_attempt_clears_them_only_without_the_gate(others: bool, expected: str) -> None:
    b = Bench([make_node("a").capacity(cpu="1")], gates={"NominatedNodeNameFromOthers": others})
    b.put(foreseen())
    b.run()
    b.expect_pending("foreseen", "unschedulable")
    b.expect_nominated("foreseen", expected)


def test_the_pod_waits_for_a_node_that_does_not_exist_yet_and_goes_there() -> None:
    b = Bench([make_node("a").capacity(cpu="1")], [foreseen()], gates=OTHERS)
    b.run()
    b.put(make_node("later"))
    b.pass_time(10)
    b.expect_bound("foreseen", "later")


@pytest.mark.parametrize(("priority", "may"), [(-1, False), (0, False), (1, True)])
def test_they_reserve_room_against_equal_and_lower_priorities(priority: int, may: bool) -> None:
    b = Bench([make_node("later")], [foreseen().gate("not yet")], gates=OTHERS)
    b.put(make_pod("other").req(cpu="3").priority(priority))
    b.run()
    assert bool(b.pod("other").spec.node_name) is may


def test_room_for_them_is_kept_on_a_node_that_comes_later() -> None:
    b = Bench(pods=[foreseen().gate("not yet"), make_pod("other").req(cpu="3")], gates=OTHERS)
    b.run()
    b.put(make_node("later"))
    b.pass_time(10)
    b.expect_pending("other", "unschedulable")


def test_preemption_overwrites_them() -> None:
    b = Bench([make_node("a")], [make_pod("low").req(cpu="4").priority(-5).node("a")], gates=OTHERS)
    b.put(foreseen())
    b.hold(Evict)
    b.run()
    b.expect_nominated("foreseen", "a")


def test_a_stronger_pod_that_takes_the_room_leaves_the_nomination() -> None:
    b = Bench([make_node("later")], [foreseen().gate("not yet")], gates=OTHERS)
    b.put(make_pod("strong").req(cpu="3").priority(10))
    b.run()
    b.expect_bound("strong", "later")
    b.expect_nominated("foreseen", "later")


def test_when_they_change_those_who_kept_off_are_tried_again() -> None:
    b = Bench(
        [make_node("later")], [foreseen().gate("not yet"), make_pod("other").req(cpu="3")], gates=OTHERS
    )
    b.run()
    b.expect_pending("other", "unschedulable")
    b.change("foreseen", nominated_node_name="elsewhere")
    b.pass_time(5)
    b.expect_bound("other", "later")
