"""Extenders in the middle of an attempt: the loop stops, asks, and tries again with the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nominee.config.types import Extender, ExtenderManagedResource
from nominee.scheduler.effects import AskExtenders, Evict, RunBind
from nominee.scheduler.extenders import (
    Extenders,
    FilterAnswer,
    Refusal,
    VictimsAnswer,
    VictimsQuestion,
    ignored_resources,
    is_interested,
)
from nominee.scheduler.inputs import Completed
from nominee.state.cluster import ClusterState
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench

FILTER = Extender(url_prefix="http://extender", filter_verb="filter")
BOTH = Extender(url_prefix="http://extender", filter_verb="filter", prioritize_verb="prioritize", weight=2)
Question = Any  # of either kind: a test knows which it expects
Answer = Callable[[Question], FilterAnswer | VictimsAnswer]


def nodes(*names: str, cpu: str = "4") -> list[object]:
    return [make_node(name).capacity(cpu=cpu, memory="8Gi", pods="10") for name in names]


def schedule(bench: Bench, answer: Answer) -> list[Question]:
    """Run until nothing happens, with extenders that answer like this; what they were asked."""
    asked = []
    for _ in range(20):
        bench.run()
        questions = bench.waiting_for(AskExtenders)
        if not questions:
            break
        for effect in questions:
            bench.open.remove(effect)
            asked.append(effect.question)
            bench.scheduler.handle(Completed(effect.id, said=answer(effect.question)), bench.now)
    return asked


def node_of(bench: Bench, name: str) -> str:
    node: str = bench.pod(name).spec.node_name
    return node


def bench(*extenders: Extender, cluster: list[object], pods: list[object]) -> Bench:
    made = Bench(cluster, pods, extenders=extenders)
    made.hold(AskExtenders)
    return made


def test_the_pod_goes_where_the_extender_lets_it() -> None:
    world = bench(FILTER, cluster=nodes("a", "b", "c"), pods=[make_pod("web")])
    asked = schedule(world, lambda _: FilterAnswer(frozenset({"b"})))
    assert [sorted(question.nodes) for question in asked] == [["a", "b", "c"]]
    assert node_of(world, "web") == "b"


def test_what_extenders_give_is_added_to_the_totals() -> None:
    world = bench(BOTH, cluster=nodes("a", "b", "c"), pods=[make_pod("web")])
    schedule(world, lambda q: FilterAnswer(frozenset(q.nodes), scores={"c": 200}))
    assert node_of(world, "web") == "c"


def test_the_nominated_node_is_asked_about_alone_and_first() -> None:
    pod = make_pod("web").nominated("b")
    world = bench(FILTER, cluster=nodes("a", "b"), pods=[pod])
    asked = schedule(world, lambda q: FilterAnswer(frozenset(q.nodes)))
    assert [sorted(question.nodes) for question in asked] == [["b"]]
    assert node_of(world, "web") == "b"


def test_a_refused_nominated_node_leaves_the_others() -> None:
    pod = make_pod("web").nominated("b")
    world = bench(FILTER, cluster=nodes("a", "b"), pods=[pod])
    asked = schedule(world, lambda q: FilterAnswer(frozenset(q.nodes) - {"b"}))
    assert [sorted(question.nodes) for question in asked] == [["b"], ["a", "b"]]
    assert node_of(world, "web") == "a"


def test_users_read_the_extender_s_reasons() -> None:
    world = bench(FILTER, cluster=nodes("a", "b", "c"), pods=[make_pod("web")])
    refused = {"a": Refusal("no licence"), "b": Refusal("no licence"), "c": Refusal("on fire", True)}
    schedule(world, lambda _: FilterAnswer(refused=refused))
    assert world.condition("web").message.startswith("0/3 nodes are available: 1 on fire, 2 no licence.")


def test_a_pod_that_an_extender_refused_wakes_when_a_node_comes() -> None:
    world = bench(FILTER, cluster=nodes("a"), pods=[make_pod("web")])
    schedule(world, lambda _: FilterAnswer(refused={"a": Refusal("no licence")}))
    world.put(nodes("b")[0])
    world.pass_time(60)
    schedule(world, lambda _: FilterAnswer(frozenset({"b"})))
    assert node_of(world, "web") == "b"


def test_a_failing_extender_fails_the_attempt() -> None:
    world = bench(FILTER, cluster=nodes("a", "b"), pods=[make_pod("web")])
    schedule(
        world,
        lambda _: FilterAnswer(error="failed filter with extender at URL http://extender/filter, code 500"),
    )
    assert (
        world.condition("web").message
        == "failed filter with extender at URL http://extender/filter, code 500"
    )


def test_the_loop_stands_still_while_an_extender_thinks() -> None:
    world = bench(FILTER, cluster=nodes("a", "b"), pods=[make_pod("one"), make_pod("two")])
    world.run()
    assert len(world.waiting_for(AskExtenders)) == 1
    assert not world.scheduler.ready


def test_a_node_that_went_away_meanwhile_is_not_chosen() -> None:
    world = bench(FILTER, cluster=nodes("a", "b"), pods=[make_pod("web")])
    world.run()
    world.delete_node("b")
    schedule(world, lambda _: FilterAnswer(frozenset({"a", "b"})))
    assert node_of(world, "web") == "a"


def test_a_pod_deleted_meanwhile_is_forgotten() -> None:
    world = bench(FILTER, cluster=nodes("a", "b"), pods=[make_pod("web"), make_pod("other")])
    world.run()
    question = world.waiting_for(AskExtenders)[0].question
    world.delete(question.pod.name)
    schedule(world, lambda q: FilterAnswer(frozenset(q.nodes)))
    other = "other" if question.pod.name == "web" else "web"
    assert node_of(world, other) in {"a", "b"}
    assert not world.scheduler.cluster.assumed


def test_an_extender_that_binds_is_asked_before_the_plugins() -> None:
    binder = Extender(url_prefix="http://extender", bind_verb="bind")
    world = bench(binder, cluster=nodes("a"), pods=[make_pod("web")])
    schedule(world, lambda q: FilterAnswer(frozenset(q.nodes)))
    [bound] = world.effects(RunBind)
    assert bound.extenders == (binder,)


def full(name: str, victim: str) -> list[object]:
    return [
        make_node(name).capacity(cpu="1", memory="8Gi", pods="10"),
        make_pod(victim).req(cpu="1").priority(0).node(name),
    ]


def test_an_extender_may_strike_candidates_out() -> None:
    extender = Extender(url_prefix="http://extender", preempt_verb="preempt")
    important = make_pod("web").req(cpu="1").priority(10)
    world = bench(extender, cluster=[*full("a", "one"), *full("b", "two")], pods=[important])
    uid = {"a": "", "b": ""}

    def answer(question: Question) -> VictimsAnswer:
        assert isinstance(question, VictimsQuestion)
        uid.update({name: victims[0].uid for name, (victims, _) in question.candidates.items()})
        return VictimsAnswer({"b": ((uid["b"],), 0)})

    schedule(world, answer)
    assert [effect.victim.name for effect in world.effects(Evict)] == ["two"]


def test_no_candidate_may_be_left() -> None:
    extender = Extender(url_prefix="http://extender", preempt_verb="preempt")
    important = make_pod("web").req(cpu="1").priority(10)
    world = bench(extender, cluster=full("a", "one"), pods=[important])
    schedule(world, lambda _: VictimsAnswer())
    assert world.condition("web").message.endswith("preemption: no candidate node for preemption")


@pytest.mark.parametrize(("resource", "interested"), [("example.com/gpu", True), ("cpu", False)])
def test_a_managing_extender_wants_pods_with_its_resource(resource: str, *, interested: bool) -> None:
    managed = (ExtenderManagedResource(name="example.com/gpu", ignored_by_scheduler=True),)
    extender = Extender(url_prefix="http://extender", filter_verb="filter", managed_resources=managed)
    pod = ClusterState().pod(make_pod("web").req(**{resource: "1"}).build())
    assert is_interested(extender, pod) is interested
    assert ignored_resources([extender]) == ("example.com/gpu",)


def test_extenders_that_may_be_ignored_come_last() -> None:
    careless = Extender(url_prefix="http://a", filter_verb="filter", ignorable=True)
    pod = ClusterState().pod(make_pod("web").build())
    assert Extenders([careless, FILTER]).filtering(pod) == (FILTER, careless)
