"""The order in which extenders are asked, and which failures matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from nominee.config.types import Extender
from nominee.driver.extenders import ExtenderChain
from nominee.errors import NomineeError
from nominee.scheduler.extenders import FilterAnswer, FilterQuestion, Refusal, VictimsAnswer, VictimsQuestion
from nominee.state.cluster import ClusterState
from nominee.testing import make_node, make_pod

POD = ClusterState().pod(make_pod("web").build())
NODES = {name: make_node(name).build() for name in "abc"}


def extender(name: str, **fields: Any) -> Extender:
    return Extender(url_prefix=f"http://{name}", **fields)


class Calls:
    """Extenders by their address: what each answers, or the error it raises."""

    def __init__(self, **answers: Any) -> None:
        self._answers = answers
        self.asked: list[tuple[str, Any]] = []

    def _answer(self, extender: Extender, about: Any) -> Any:
        name = extender.url_prefix.removeprefix("http://")
        self.asked.append((name, about))
        answer = self._answers[name]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def filter(self, extender: Extender, pod: Any, nodes: Mapping[str, Any]) -> Any:
        return self._answer(extender, sorted(nodes))

    async def prioritize(self, extender: Extender, pod: Any, nodes: Mapping[str, Any]) -> Any:
        return self._answer(extender, sorted(nodes))

    async def preempt(self, extender: Extender, pod: Any, candidates: Mapping[str, Any]) -> Any:
        return self._answer(extender, sorted(candidates))

    async def bind(self, extender: Extender, pod: Any, node_name: str) -> None:
        self._answer(extender, node_name)


async def test_each_filter_sees_what_the_one_before_left() -> None:
    calls = Calls(one=(["a", "b"], {"c": Refusal("no")}), two=(["b"], {"a": Refusal("never", True)}))
    question = FilterQuestion(POD, NODES, (extender("one"), extender("two")))
    answer = await ExtenderChain(calls).answer(question, {})
    assert answer == FilterAnswer(frozenset("b"), {"c": Refusal("no"), "a": Refusal("never", True)}, {})
    assert calls.asked == [("one", ["a", "b", "c"]), ("two", ["a", "b"])]


async def test_scores_are_weighted_and_summed() -> None:
    calls = Calls(one={"a": 1, "b": 10}, two={"a": 3, "elsewhere": 9})
    question = FilterQuestion(POD, NODES, (), (extender("one", weight=2), extender("two", weight=1)))
    answer = await ExtenderChain(calls).answer(question, {})
    assert isinstance(answer, FilterAnswer)
    assert answer.scores == {"a": 1 * 2 * 10 + 3 * 10, "b": 10 * 2 * 10}


async def test_one_node_needs_no_scores() -> None:
    calls = Calls(one=(["a"], {}), two={"a": 1})
    question = FilterQuestion(POD, NODES, (extender("one"),), (extender("two", weight=1),))
    await ExtenderChain(calls).answer(question, {})
    assert [name for name, _ in calls.asked] == ["one"]


async def test_a_failing_filter_fails_the_question_unless_it_may_be_ignored() -> None:
    calls = Calls(one=NomineeError("broken"), two=(["a"], {}))
    strict = FilterQuestion(POD, NODES, (extender("one"), extender("two")))
    loose = FilterQuestion(POD, NODES, (extender("one", ignorable=True), extender("two")))
    assert await ExtenderChain(calls).answer(strict, {}) == FilterAnswer(error="broken")
    assert await ExtenderChain(calls).answer(loose, {}) == FilterAnswer(frozenset("a"))


async def test_a_failing_prioritize_gives_nothing() -> None:
    question = FilterQuestion(POD, NODES, (), (extender("one", weight=1),))
    answer = await ExtenderChain(Calls(one=NomineeError("broken"))).answer(question, {})
    assert answer == FilterAnswer(frozenset("abc"))


async def test_victims_go_from_extender_to_extender() -> None:
    victims = {name: ((ClusterState().pod(make_pod(name).build()),), 0) for name in "ab"}
    uid = victims["b"][0][0].uid
    calls = Calls(one={"b": ((uid,), 1)}, two={"b": ((uid,), 1)})
    question = VictimsQuestion(POD, victims, (extender("one"), extender("two")))
    assert await ExtenderChain(calls).answer(question, {}) == VictimsAnswer({"b": ((uid,), 1)})
    assert calls.asked == [("one", ["a", "b"]), ("two", ["b"])]


async def test_an_extender_may_choose_among_all_pods_of_a_node() -> None:
    asked, other = (ClusterState().pod(make_pod(name).build()) for name in ("asked", "other"))
    question = VictimsQuestion(POD, {"a": ((asked,), 0)}, (extender("one"),), lambda _: (asked, other))
    answer = await ExtenderChain(Calls(one={"a": ((other.uid,), 0)})).answer(question, {})
    assert answer == VictimsAnswer({"a": ((other.uid,), 0)})


async def test_but_not_among_others() -> None:
    asked = ClusterState().pod(make_pod("asked").build())
    question = VictimsQuestion(POD, {"a": ((asked,), 0)}, (extender("one"),), lambda _: (asked,))
    answer = await ExtenderChain(Calls(one={"a": (("nobody",), 0)})).answer(question, {})
    claim = "claims to preempt pod (UID: &{nobody}) on node: a"
    text = f"extender: http://one {claim}, but the pod is not found on that node"
    assert answer == VictimsAnswer(error=text)


async def test_a_candidate_without_victims_is_an_error_of_the_extender() -> None:
    victims = {"a": ((ClusterState().pod(make_pod("v").build()),), 0)}
    question = VictimsQuestion(POD, victims, (extender("one"),))
    answer = await ExtenderChain(Calls(one={"a": ((), 0)})).answer(question, {})
    assert answer == VictimsAnswer(error='expected at least one victim pod on node "a"')


async def test_binding_falls_to_the_plugins_when_an_extender_fails_ignorably() -> None:
    chain = ExtenderChain(Calls(one=NomineeError("broken"), two=None))
    assert not await chain.bind([extender("one", ignorable=True)], POD, "a")
    assert await chain.bind([extender("one", ignorable=True), extender("two")], POD, "a")
    with pytest.raises(NomineeError, match="broken"):
        await chain.bind([extender("one")], POD, "a")
