from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench


def test_a_displaced_pod_looks_for_another_place_at_once() -> None:
    b = Bench([make_node("a").capacity(cpu="2")], [make_pod("low").req(cpu="2").nominated("a").gate("later")])
    b.put(make_pod("high").req(cpu="1").priority(9))
    b.run()
    b.expect_bound("high", "a")
    b.expect_nominated("low", "")


def test_one_for_whom_there_is_room_left_keeps_its_promise() -> None:
    b = Bench([make_node("a").capacity(cpu="4")], [make_pod("low").req(cpu="2").nominated("a").gate("later")])
    b.put(make_pod("high").req(cpu="2").priority(9))
    b.run()
    b.expect_bound("high", "a")
    b.expect_nominated("low", "a")


def test_so_does_one_that_could_preempt_what_is_in_its_way() -> None:
    b = Bench([make_node("a").capacity(cpu="4")], [make_pod("lowest").req(cpu="2").priority(-1).node("a")])
    b.put(make_pod("low").req(cpu="2").nominated("a").gate("later"))
    b.put(make_pod("high").req(cpu="2").priority(9))
    b.run()
    b.expect_nominated("low", "a")
