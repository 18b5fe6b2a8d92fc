"""Calls: how long they take, which fail, which hang."""

from __future__ import annotations

from random import Random

import pytest

from nominee.errors import InternalError
from nominee.sim.agenda import Agenda
from nominee.sim.calls import Calls, Fault, Hold


class Rig:
    """Calls that write into a list when the server acts and when the answer comes."""

    def __init__(self) -> None:
        self.agenda = Agenda()
        self.calls = Calls(self.agenda, Random(0))
        self.log: list[str] = []

    def call(self, kind: str, name: str) -> None:
        self.calls.begin(
            kind,
            f"default/{name}",
            lambda: self.log.append(f"act {name}"),
            lambda _, error: self.log.append(f"{name}: {error or 'ok'}"),
        )

    def run(self, time: float = 0.0) -> list[str]:
        self.agenda.now = time
        self.agenda.run_due()
        return self.log


def test_an_answer_comes_when_the_latency_is_over() -> None:
    rig = Rig()
    rig.calls.latency["bind"] = 2.0
    rig.call("bind", "web")
    assert rig.run(1.0) == []
    assert rig.run(2.0) == ["act web", "web: ok"]


def test_a_failing_call_does_not_reach_the_server() -> None:
    rig = Rig()
    rig.calls.fail(Fault("bind", times=1))
    rig.call("bind", "web")
    rig.call("bind", "web")
    assert rig.run() == ["web: connection refused", "act web", "web: ok"]


def test_a_call_that_times_out_afterwards_did_reach_it() -> None:
    rig = Rig()
    rig.calls.fail(Fault("bind", after=True))
    rig.call("bind", "web")
    assert rig.run() == ["act web", "web: context deadline exceeded"]


def test_a_fault_concerns_the_pods_it_names_until_it_is_healed() -> None:
    rig = Rig()
    rig.calls.fail(Fault("delete", times=None, pod="db-*"))
    for name in ("web-0", "db-0", "db-1"):
        rig.call("delete", name)
    assert rig.run()[-2:] == ["db-0: connection refused", "db-1: connection refused"]
    rig.calls.heal("delete")
    rig.call("delete", "db-2")
    assert rig.run()[-1] == "db-2: ok"


def test_a_held_call_waits_before_the_server_and_a_held_answer_behind_it() -> None:
    rig = Rig()
    rig.calls.hold(Hold("patch", "a"))
    rig.calls.hold(Hold("patch", "b", answers=True))
    rig.call("patch", "a")
    rig.call("patch", "b")
    assert rig.run() == ["act b"]
    assert rig.calls.release("patch") == 2
    assert rig.run() == ["act b", "b: ok", "act a", "a: ok"]


def test_an_unknown_kind_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(InternalError, match="expected one of patch, bind"):
        Rig().calls.hold(Hold("bnid"))
