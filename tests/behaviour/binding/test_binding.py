"""The binding cycle: plugins in turn, failures undone, room given back, nobody bound twice."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.framework import Reject, Skip
from nominee.scheduler.effects import RecordEvent, RunBind, RunPostBind
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench, plugin_class


def bench(*items: Any, **more: Any) -> Bench:
    return Bench([make_node("a").capacity(cpu="2")], items, **more)


def binder(name: str, said: Any, log: list[str]) -> type:
    async def bind(*_: Any) -> Any:
        log.append(name)
        if isinstance(said, Exception):
            raise said
        return said

    return plugin_class(name, bind=bind)


def test_a_bound_pod_is_announced() -> None:
    b = bench(make_pod("p"))
    b.run()
    b.expect_bound("p", "a")
    (event,) = b.effects(RecordEvent)
    said = event.type, event.reason, event.action, event.note
    assert said == ("Normal", "Scheduled", "Binding", "Successfully assigned default/p to a")


@pytest.mark.parametrize(
    ("first", "second", "asked"),
    [(Skip.THIS_CYCLE, None, ["First", "Second"]), (None, None, ["First"])],
    ids=["the first skips", "the first binds"],
)
def test_bind_plugins_are_asked_until_one_does_not_skip(first: Any, second: Any, asked: list[str]) -> None:
    log: list[str] = []
    plugins = [binder("First", first, log), binder("Second", second, log)]
    b = bench(make_pod("p"), plugins=plugins, without=["DefaultBinder"])
    b.run()
    assert log == asked


def test_post_bind_is_for_the_bound_only() -> None:
    async def post_bind(*_: Any) -> None:
        """Informed."""

    log: list[str] = []
    broken = binder("Broken", RuntimeError("no"), log)
    b = bench(
        make_pod("p"), plugins=[broken, plugin_class("Told", post_bind=post_bind)], without=["DefaultBinder"]
    )
    b.run()
    assert b.effects(RunPostBind) == []


def test_a_failed_binding_is_retried_without_any_event() -> None:
    b = bench(make_pod("p"))
    b.hold(RunBind)
    b.run()
    b.answer(b.waiting_for(RunBind)[0], 'running Bind plugin "DefaultBinder": no')
    b.release(RunBind)
    b.run()
    b.expect_pending("p", "error_backoff")
    condition = b.condition("p")
    assert (condition.reason, condition.message) == (
        "SchedulerError",
        'running Bind plugin "DefaultBinder": no',
    )
    b.pass_time(3)
    b.expect_bound("p", "a")


def test_a_failed_binding_gives_its_room_to_others() -> None:
    b = bench(make_pod("p").req(cpu="2"))
    b.hold(RunBind)
    b.run()
    b.put(make_pod("q").req(cpu="1"))
    b.run()
    b.expect_pending("q", "unschedulable")
    b.answer(b.waiting_for(RunBind)[0], "no")
    b.release(RunBind)
    b.run()
    b.expect_bound("q", "a")


def test_reservations_are_undone_backwards_and_all_of_them() -> None:
    log: list[str] = []

    def reserving(name: str, said: Any = None) -> type:
        def reserve(*_: Any) -> Any:
            log.append(f"reserve {name}")
            return said

        def unreserve(*_: Any) -> None:
            log.append(f"unreserve {name}")

        return plugin_class(name, reserve=reserve, unreserve=unreserve, events_to_register=lambda: ())

    plugins = [reserving("One"), reserving("Two", Reject(("taken",))), reserving("Three")]
    b = bench(make_pod("p"), plugins=plugins)
    b.run()
    undone = ["unreserve Three", "unreserve Two", "unreserve One"]
    assert log == ["reserve One", "reserve Two", *undone]
    assert b.condition("p").message == "0/1 nodes are available: 1 taken."


def test_a_pod_deleted_while_it_is_being_bound_is_gone_for_good() -> None:
    b = bench(make_pod("p").req(cpu="2"), make_pod("q").req(cpu="2"))
    b.hold(RunBind)
    b.run()
    (bind,) = b.waiting_for(RunBind)
    b.delete(bind.pod.name)
    b.release(RunBind)
    b.pass_time(3)
    survivor = "q" if bind.pod.name == "p" else "p"
    b.expect_bound(survivor, "a")
    assert bind.pod.uid not in b.scheduler.around.queue


def test_a_pod_somebody_else_bound_is_left_alone_and_its_assumed_room_is_free() -> None:
    b = bench(make_pod("p").req(cpu="2"))
    b.put(make_node("z"))
    b.hold(RunBind)
    b.run()
    (bind,) = b.waiting_for(RunBind)
    other = "z" if bind.node.name == "a" else "a"
    b.put(make_pod("p").req(cpu="2").node(other))
    b.release(RunBind)
    b.run()
    b.expect_bound("p", other)
    assert "default/p" not in b.scheduler.around.queue
    assert not b.scheduler.bindings


def test_a_namesake_with_another_uid_is_another_pod() -> None:
    b = bench(make_pod("p").req(cpu="2"))
    b.hold(RunBind)
    b.run()
    (bind,) = b.waiting_for(RunBind)
    b.put(make_pod("p").req(cpu="1").uid("another"))
    b.answer(bind)
    b.release(RunBind)
    b.pass_time(3)
    b.expect_bound("p", "a")
    assert b.scheduler.cluster.is_placed("another")
    assert not b.scheduler.cluster.is_placed("default/p")
