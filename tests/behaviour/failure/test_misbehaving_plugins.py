"""A plugin that raises, or answers with nonsense, harms the pod it was asked about and no other."""

from __future__ import annotations

import re
from asyncio import CancelledError
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nominee.errors import ConfigError
from nominee.framework import Action, Allow, EventHint, Nomination, PreFlight, Reject, Resource, Wait
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench, plugin_class

Method = Callable[..., Any]


def only(name: str, misbehave: Method, otherwise: Any = None) -> Method:
    """Misbehaves for one pod; all others get a decent answer."""

    def method(pod: Any, *rest: Any) -> Any:
        if pod.name == name:
            return misbehave(pod, *rest)
        return otherwise(pod, *rest) if callable(otherwise) else otherwise

    return method


def eventually(method: Method) -> Method:
    async def later(*arguments: Any) -> Any:
        return method(*arguments)

    return later


def boom(*_: Any) -> Any:
    raise RuntimeError("boom")


def nonsense(*_: Any) -> Any:
    return "nonsense"


def zeros(_pod: Any, nodes: Any, _cycle: Any) -> Any:
    return np.zeros(len(nodes), np.int64)


def bench(**methods: Any) -> Bench:
    """Two nodes, a pod that the plugin harms and one that it does not."""
    plugin = plugin_class("Bad", **methods)
    return Bench([make_node("a"), make_node("b")], [make_pod("bad"), make_pod("good")], plugins=[plugin])


def expect_only_bad_failed(b: Bench, message: str) -> None:
    b.run()
    assert b.pod("good").spec.node_name, "the other pod is harmed"
    b.expect_pending("bad", "error_backoff")
    condition = b.condition("bad")
    assert (condition.reason, condition.message) == ("SchedulerError", message)
    attempts = len(b.notes("FailedScheduling"))
    b.pass_time(2.5)
    assert len(b.notes("FailedScheduling")) > attempts, "the pod is not tried again"


RAISING = {
    "pre_filter": (None, 'running PreFilter plugin "Bad": boom'),
    "filter": ((), 'running "Bad" filter plugin: boom'),
    "filter_node": (None, 'running "Bad" filter plugin: boom'),
    "score": (zeros, 'running Score plugins: plugin "Bad" failed with: boom'),
    "score_node": (0, 'running Score plugins: plugin "Bad" failed with: boom'),
    "permit": (Allow.ALLOW, 'running Permit plugin "Bad": boom'),
}


@pytest.mark.parametrize("point", RAISING)
def test_a_method_that_raises(point: str) -> None:
    otherwise, message = RAISING[point]
    expect_only_bad_failed(bench(**{point: only("bad", boom, otherwise)}), message)


NONSENSE = ["filter", "filter_node", "score", "score_node", "permit"]


@pytest.mark.parametrize("point", NONSENSE)
def test_a_method_that_answers_with_nonsense(point: str) -> None:
    otherwise, _ = RAISING[point]
    b = bench(**{point: only("bad", nonsense, otherwise)})
    b.run()
    assert b.pod("good").spec.node_name
    if point == "filter_node":  # a text is a reason there
        assert "2 nonsense" in b.condition("bad").message
    else:
        assert b.condition("bad").reason == "SchedulerError"
        b.expect_pending("bad", "error_backoff")


@pytest.mark.parametrize("answer", [Wait(float("nan")), Wait(-1), Wait("soon")])  # type: ignore[arg-type]
def test_a_wait_that_is_no_time(answer: Wait) -> None:
    b = bench(permit=only("bad", lambda *_: answer, Allow.ALLOW))
    b.run()
    assert b.pod("good").spec.node_name
    assert b.condition("bad").message.startswith('running Permit plugin "Bad": ')


def test_a_pre_score_that_raises() -> None:
    b = bench(pre_score=only("bad", boom), score=zeros)
    expect_only_bad_failed(b, 'running PreScore plugin "Bad": boom')


def test_a_normalize_that_raises() -> None:
    def score(pod: Any, nodes: Any, _cycle: Any) -> Any:
        return np.full(len(nodes), -1 if pod.name == "bad" else 1, np.int64)

    def normalize(scores: Any, lowest: int, _highest: int) -> Any:
        return boom() if lowest < 0 else scores

    message = 'running Normalize on Score plugins: plugin "Bad" failed with: boom'
    expect_only_bad_failed(bench(score=score, normalize=normalize), message)


def test_scores_out_of_range() -> None:
    def score(pod: Any, nodes: Any, _cycle: Any) -> Any:
        return np.full(len(nodes), 101 if pod.name == "bad" else 1, np.int64)

    b = bench(score=score)
    b.run()
    assert b.pod("good").spec.node_name
    assert "returns an invalid score 101, it should in the range of [0, 100] after normalizing" in (
        b.condition("bad").message
    )


@pytest.mark.parametrize("node_local", [True, False])
def test_scores_out_of_range_on_a_node_that_the_pod_does_not_fit(node_local: bool) -> None:
    def score(_pod: Any, nodes: Any, _cycle: Any) -> Any:
        return np.where(nodes.named(frozenset({"shut"})), 101, 1).astype(np.int64)

    plugin = plugin_class("Bad", score=score, node_local=node_local)
    b = Bench([make_node("open"), make_node("shut").unschedulable()], [make_pod("x")], plugins=[plugin])
    b.run()
    b.expect_bound("x", "open")


def test_a_filter_is_not_asked_when_no_node_is_left() -> None:
    plugin = plugin_class("Bad", filter=boom)
    b = Bench([make_node("shut").unschedulable()], [make_pod("x")], plugins=[plugin])
    b.run()
    assert b.condition("x").message.startswith("0/1 nodes are available: 1 node(s) were unschedulable.")


@pytest.mark.parametrize("misbehave", [boom, nonsense])
def test_a_reserve(misbehave: Method) -> None:
    b = bench(reserve=only("bad", misbehave), unreserve=lambda *_: None)
    b.run()
    assert b.pod("good").spec.node_name
    assert b.condition("bad").message.startswith('running Reserve plugin "Bad": ')
    assert b.scheduler.cluster.placed("default/bad") is None


def test_an_unreserve_that_raises_does_not_stop_the_others() -> None:
    undone: list[str] = []
    first = plugin_class("First", reserve=lambda *_: None, unreserve=lambda pod, *_: undone.append(pod.name))
    bad = plugin_class("Bad", reserve=lambda *_: None, unreserve=boom)
    late = plugin_class("Late", permit=only("bad", boom, Allow.ALLOW))
    b = Bench([make_node("a")], [make_pod("bad"), make_pod("good")], plugins=[first, bad, late])
    b.run()
    assert set(undone) == {"bad"}
    b.expect_bound("good", "a")


@pytest.mark.parametrize("misbehave", [boom, nonsense])
def test_a_pre_flight(misbehave: Method) -> None:
    flight = only("bad", misbehave, PreFlight.SKIP)
    b = bench(pre_bind_pre_flight=flight, pre_bind=eventually(lambda *_: None))
    b.run()
    assert b.pod("good").spec.node_name
    assert b.condition("bad").message.startswith('running PreBindPreFlight "Bad": ')
    b.expect_pending("bad", "error_backoff")


def test_a_pre_bind_that_raises() -> None:
    b = bench(pre_bind=eventually(only("bad", boom)))
    expect_only_bad_failed(b, 'running PreBind plugin "Bad": boom')


def test_a_bind_that_raises() -> None:
    async def bind(pod: Any, node: Any, _cycle: Any, api: Any) -> None:
        if pod.name == "bad":
            boom()
        await api.bind(pod, node.name)

    plugin = plugin_class("Bad", bind=bind)
    pods = [make_pod("bad"), make_pod("good")]
    b = Bench([make_node("a")], pods, plugins=[plugin], without=["DefaultBinder"])
    expect_only_bad_failed(b, 'running Bind plugin "Bad": boom')


@pytest.mark.parametrize("misbehave", [boom, nonsense])
def test_a_post_filter(misbehave: Method) -> None:
    plugin = plugin_class("Bad", post_filter=misbehave)
    pods = [make_pod("bad").req(cpu="64"), make_pod("good")]
    b = Bench([make_node("a")], pods, plugins=[plugin], without=["DefaultPreemption"])
    b.run()
    b.expect_bound("good", "a")
    b.expect_pending("bad", "unschedulable")
    assert b.condition("bad").reason == "Unschedulable"
    assert b.condition("bad").message.startswith("0/1 nodes are available: 1 Insufficient cpu. ")


@pytest.mark.parametrize("misbehave", [boom, nonsense])
def test_a_pre_enqueue_gates_its_pod(misbehave: Method) -> None:
    b = bench(pre_enqueue=only("bad", misbehave))
    b.run()
    assert b.pod("good").spec.node_name
    b.expect_pending("bad", "gated")


@pytest.mark.parametrize("misbehave", [boom, nonsense])
def test_a_hint_counts_as_a_yes(misbehave: Method) -> None:
    events = (EventHint(Resource.NODE, Action.ADD, misbehave),)
    shy = plugin_class(
        "Bad", filter_node=only("bad", lambda *_: "no", None), events_to_register=lambda: events
    )
    b = Bench([make_node("a")], [make_pod("bad"), make_pod("good")], plugins=[shy])
    b.run()
    b.expect_pending("bad", "unschedulable")
    failures = len(b.notes("FailedScheduling"))
    b.put(make_node("b"))
    b.pass_time(3)
    assert len(b.notes("FailedScheduling")) == failures + 1


def test_a_pod_blocked_in_permit_for_ever_blocks_only_itself() -> None:
    b = bench(permit=only("bad", lambda *_: Wait(10**9), Allow.ALLOW))
    b.run()
    assert b.pod("good").spec.node_name
    b.pass_time(15 * 60 + 3)
    assert "rejected due to timeout after waiting 15m0s at plugin Bad" in b.notes("FailedScheduling")[0]


def test_a_filter_that_raises_while_a_displaced_pod_is_looked_after() -> None:
    def filter_node(pod: Any, *_: Any) -> None:
        if pod.name == "promised":
            boom()

    plugin = plugin_class("Bad", filter_node=filter_node)
    b = Bench([make_node("a")], [make_pod("promised").nominated("a").gate("later")], plugins=[plugin])
    b.put(make_pod("strong").priority(10))
    b.run()
    b.expect_bound("strong", "a")


def test_a_sort_key_that_raises_puts_its_pod_last() -> None:
    def sort_key(queued: Any) -> Any:
        return boom() if queued.pod.name == "bad" else (queued.timestamp,)

    plugin = plugin_class("Bad", sort_key=sort_key)
    pods = [make_pod("bad"), make_pod("good")]
    b = Bench([make_node("a")], pods, plugins=[plugin], without=["PrioritySort"])
    b.run()
    b.expect_bound("good", "a")
    b.expect_bound("bad", "a")


class Nightmare(BaseException):
    """Not even an Exception."""


class Mute(Exception):  # noqa: N818 - an error that can not say what it is
    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


@pytest.mark.parametrize("error", [SystemExit(1), GeneratorExit(), CancelledError(), Nightmare(), Mute()])
@pytest.mark.parametrize("point", RAISING)
def test_whatever_is_raised_ends_that_attempt_alone(point: str, error: BaseException) -> None:
    def misbehave(*_: Any) -> Any:
        raise error

    otherwise, _ = RAISING[point]
    b = bench(**{point: only("bad", misbehave, otherwise)})
    b.run()
    assert b.pod("good").spec.node_name
    b.expect_pending("bad", "error_backoff")


def test_ctrl_c_is_not_the_plugin_s() -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench(pre_filter=only("bad", interrupt)).run()


@pytest.mark.parametrize("nonsense", [True, "no", {"a"}, {}, Allow.ALLOW, Reject])
def test_a_pre_filter_that_answers_with_nonsense(nonsense: Any) -> None:
    b = bench(pre_filter=only("bad", lambda *_: nonsense))
    b.run()
    assert b.pod("good").spec.node_name
    assert b.condition("bad").message.startswith('running PreFilter plugin "Bad": must not answer with ')


@pytest.mark.parametrize("reasons", ["no", None, (1,), (None,), 7])
@pytest.mark.parametrize("point", ["pre_filter", "reserve", "permit"])
def test_a_rejection_without_decent_reasons(point: str, reasons: Any) -> None:
    otherwise = Allow.ALLOW if point == "permit" else None
    b = bench(**{point: only("bad", lambda *_: Reject(reasons), otherwise)})
    b.run()
    assert b.pod("good").spec.node_name
    assert "the reasons of a Reject must be a tuple of str" in b.condition("bad").message


@pytest.mark.parametrize("victims", [("a",), (None,), "ab", 3])
def test_victims_that_are_no_pods(victims: Any) -> None:
    plugin = plugin_class("Bad", post_filter=lambda *_: Nomination("a", victims=victims))
    pods = [make_pod("bad").req(cpu="64"), make_pod("good")]
    b = Bench([make_node("a")], pods, plugins=[plugin], without=["DefaultPreemption"])
    b.run()
    b.expect_bound("good", "a")
    b.expect_nominated("bad", "")
    b.expect_pending("bad", "unschedulable")


def test_what_is_feasible_is_for_plugins_to_read_only() -> None:
    def score_node(pod: Any, _node: Any, cycle: Any) -> int:
        if pod.name == "bad":
            cycle.feasible[:] = False
        return 0

    b = bench(score_node=score_node)
    b.run()
    assert b.pod("good").spec.node_name
    assert "read-only" in b.condition("bad").message


@pytest.mark.parametrize("field", ["node_name", "nominated_node_name", "shape", "status", "uid"])
def test_a_pod_is_for_plugins_to_read_only(field: str) -> None:
    b = bench(pre_filter=only("bad", lambda pod, *_: setattr(pod, field, None)))
    text = f"a pod is for plugins to read only: {field!r} can not be set"
    expect_only_bad_failed(b, f'running PreFilter plugin "Bad": {text}')


@pytest.mark.parametrize("field", ["labels", "annotations", "requests"])
def test_what_a_pod_consists_of_is_for_plugins_to_read_only(field: str) -> None:
    def pre_filter(pod: Any, *_: Any) -> None:
        getattr(pod, field)["x"] = 1

    b = bench(pre_filter=only("bad", pre_filter))
    text = "'mappingproxy' object does not support item assignment"
    expect_only_bad_failed(b, f'running PreFilter plugin "Bad": {text}')


@pytest.mark.parametrize("flag", ["unresolvable", "pending"])
def test_a_rejection_that_is_neither_one_thing_nor_the_other(flag: str) -> None:
    def reserve(*_: Any) -> Reject:
        return Reject(("no",), **{flag: "maybe"})  # type: ignore[arg-type]

    text = "what a Reject is must be True or False, not 'maybe'"
    b = bench(reserve=only("bad", reserve))
    expect_only_bad_failed(b, f'running Reserve plugin "Bad": {text}')


class Liar:
    """Has no attribute that could be read."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("it is none of your business")


@pytest.mark.parametrize("scores", [Liar, lambda: np.zeros(2, np.int64).view(np.ma.MaskedArray)])
def test_scores_that_are_not_what_they_seem(scores: Method) -> None:
    b = bench(score=only("bad", lambda *_: scores(), zeros))
    b.run()
    assert b.pod("good").spec.node_name
    assert b.condition("bad").message.endswith("not an array of int64")


def test_what_can_not_be_hashed_is_no_reading() -> None:
    reads = only("bad", lambda *_: ["a list"], "")
    plugin = plugin_class("Bad", node_local=True, reads_pods=False, reads=reads, filter=lambda *_: ())
    b = Bench([make_node("a")], [make_pod("bad").label("a", "b"), make_pod("good")], plugins=[plugin])
    b.run()
    b.expect_bound("good", "a")
    b.expect_pending("bad", "error_backoff")


class Moody:
    """Neither true nor false, and not to be compared."""

    def __bool__(self) -> bool:
        raise RuntimeError("neither")

    __lt__ = __eq__ = __bool__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


def test_a_hint_that_is_neither_yes_nor_no_counts_as_a_yes() -> None:
    events = (EventHint(Resource.NODE, Action.ADD, lambda *_: Moody()),)  # type: ignore[arg-type]
    refusing = plugin_class("Bad", filter_node=lambda *_: "no", events_to_register=lambda: events)
    b = Bench([make_node("a")], [make_pod("bad")], plugins=[refusing])
    b.run()
    b.put(make_node("b"))
    b.pass_time(3)
    assert len(b.notes("FailedScheduling")) == 2


@pytest.mark.parametrize("key", [None, "last", (), ("text", 1), Moody(), float("nan")])
def test_sort_keys_that_can_not_be_compared(key: Any) -> None:
    plugin = plugin_class("Bad", sort_key=only_queued("bad", lambda: key, lambda queued: (queued.timestamp,)))
    pods = [make_pod("one"), make_pod("bad"), make_pod("two"), make_pod("three")]
    b = Bench([make_node("a")], pods, plugins=[plugin], without=["PrioritySort"])
    b.run()
    for pod in pods:
        b.expect_bound(pod.obj.metadata.name, "a")


def only_queued(name: str, misbehave: Method, otherwise: Method) -> Method:
    return lambda queued: misbehave() if queued.pod.name == name else otherwise(queued)


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ({"__init__": boom}, "plugin 'Bad' can not be made: RuntimeError: boom"),
        ({"events_to_register": boom}, "plugin 'Bad' can not say which events it registers for: boom"),
        ({"events_to_register": lambda: ["NodeAdd"]}, "plugin 'Bad' must register EventHints, not 'NodeAdd'"),
    ],
)
def test_a_plugin_that_nobody_could_use_is_found_out_before_anything_runs(
    methods: dict[str, Method], said: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        bench(filter_node=lambda *_: None, **methods)
