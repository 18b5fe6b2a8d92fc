"""A nomination says where the pod is expected: written before the work starts, by nobody in vain."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.framework import Allow, PreFlight, Reject, Wait
from nominee.scheduler.effects import PatchPodStatus, RunPreBind
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench, plugin_class

SEEN_BY_POST_BIND: list[str] = []


async def nothing(*_: Any) -> None:
    """Done at once."""


async def post_bind(pod: Any, *_: Any) -> None:
    SEEN_BY_POST_BIND.append(pod.nominated_node_name)


WATCHER = plugin_class("Watcher", post_bind=post_bind)
WORKER = plugin_class("Worker", pre_bind_pre_flight=lambda *_: PreFlight.WORK, pre_bind=nothing)
IDLER = plugin_class("Idler", pre_bind_pre_flight=lambda *_: PreFlight.SKIP, pre_bind=nothing)
PATIENT = plugin_class("Patient", permit=lambda *_: Wait(600))
GENEROUS = plugin_class("Generous", permit=lambda *_: Allow.ALLOW)


def bench(*plugins: type, expectation: bool = True) -> Bench:
    SEEN_BY_POST_BIND.clear()
    gates = {"NominatedNodeNameForExpectation": expectation}
    nodes = [make_node(f"node-{i}") for i in range(10)]
    return Bench(nodes, [make_pod("p")], plugins=[*plugins, WATCHER], gates=gates)


@pytest.mark.parametrize("expectation", [True, False])
def test_work_before_binding_is_announced_with_the_gate_only(expectation: bool) -> None:
    b = bench(WORKER, expectation=expectation)
    b.hold(RunPreBind)
    b.run()
    (work,) = b.waiting_for(RunPreBind)
    assert b.pod("p").status.nominated_node_name == (work.node.name if expectation else "")


@pytest.mark.parametrize("expectation", [True, False])
def test_a_wait_on_permit_is_announced_with_the_gate_only(expectation: bool) -> None:
    b = bench(PATIENT, expectation=expectation)
    b.run()
    node = b.scheduler.bindings["default/p"].placement.node.name
    assert b.pod("p").status.nominated_node_name == (node if expectation else "")


@pytest.mark.parametrize("plugins", [(), (GENEROUS,), (IDLER,)], ids=["none", "permit", "pre-bind skips"])
def test_a_pod_nobody_keeps_waiting_is_never_nominated(plugins: tuple[type, ...]) -> None:
    b = bench(*plugins)
    b.run()
    assert b.pod("p").spec.node_name
    assert b.effects(PatchPodStatus) == []


def test_the_write_goes_out_before_the_work() -> None:
    b = bench(WORKER)
    b.run()
    kinds = [type(effect) for effect in b.past]
    assert kinds.index(PatchPodStatus) < kinds.index(RunPreBind)


def test_the_object_that_post_bind_gets_carries_no_nomination() -> None:
    b = bench(WORKER)
    b.run()
    assert b.effects(PatchPodStatus)
    assert SEEN_BY_POST_BIND == [""]


def test_a_failed_write_of_the_nomination_does_not_stop_the_binding() -> None:
    b = bench(WORKER)
    b.fail(PatchPodStatus, "the API server is down")
    b.run()
    assert b.pod("p").spec.node_name


def test_pre_bind_plugins_work_side_by_side_unless_one_wants_to_be_alone() -> None:
    other = plugin_class("Other", pre_bind=nothing)
    alone = plugin_class("Alone", pre_bind=nothing, parallel=False)
    b = bench(WORKER, other, alone, IDLER)
    b.run()
    groups = [[name for name, _ in effect.plugins] for effect in b.effects(RunPreBind)]
    assert groups == [["Worker", "Other"], ["Alone"]]


def test_without_the_gate_all_pre_bind_plugins_run_one_after_the_other() -> None:
    b = bench(WORKER, IDLER, expectation=False)
    b.run()
    groups = [[name for name, _ in effect.plugins] for effect in b.effects(RunPreBind)]
    assert ["Worker"] in groups
    assert ["Idler"] in groups


def test_a_pod_whose_work_fails_loses_its_nomination() -> None:
    async def pre_bind(*_: Any) -> Reject:
        return Reject(("no volume",))

    b = bench(plugin_class("Broken", pre_bind=pre_bind))
    b.run()
    b.expect_nominated("p", "")
    b.expect_pending("p", "error_backoff")
    assert (b.condition("p").reason, b.condition("p").message) == ("Unschedulable", "no volume")
