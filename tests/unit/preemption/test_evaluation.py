"""What preemption could do for a pod, and what it says when that is nothing."""

from nominee.framework import Reject
from nominee.preemption import Evaluation, evaluate
from nominee.state.cluster import ClusterState
from nominee.testing import NodeBuilder, make_cluster, make_node, make_pdb, make_pod, pod_of
from tests.unit.preemption.fake_filters import FakeFilters, diagnose, small, urgent


def node(name: str, cpu: str = "4", pods: int = 110) -> NodeBuilder:
    return make_node(name).capacity(cpu=cpu, pods=pods)


def preempt(cluster: ClusterState, cpu: str = "3") -> Evaluation:
    pod = urgent(cluster, cpu)
    return evaluate(pod, diagnose(pod, cluster), cluster)


def victims(evaluation: Evaluation, row: int = 0) -> list[str]:
    return [pod.name for pod in evaluation.candidates.victims(row)]


def test_as_few_as_possible_go_and_the_least_important_first() -> None:
    pods = [small(f"p{i}", "a", priority=i) for i in range(4)]

    evaluation = preempt(make_cluster([node("a")], pods))

    assert victims(evaluation) == ["p2", "p1", "p0"]
    assert evaluation.message == ""


def test_an_important_pod_may_have_to_go_where_a_lesser_one_may_stay() -> None:
    cluster = make_cluster([node("a")], [small("large", "a", "3", priority=9), small("small", "a", "1")])

    assert victims(preempt(cluster)) == ["large"]


def test_pods_that_break_a_budget_are_spared_before_more_important_ones() -> None:
    pods = [small("mighty", "a", "2", priority=9), small("guarded", "a", "2").label("app", "db")]
    cluster = make_cluster([node("a")], pods, [make_pdb("b", {"app": "db"})])

    evaluation = preempt(cluster, "2")

    assert victims(evaluation) == ["mighty"]
    assert evaluation.candidates.pdb_violations.tolist() == [0]


def test_a_budget_is_broken_where_there_is_no_other_way() -> None:
    pods = [small("guarded", "a", "2").label("app", "db"), small("mighty", "a", "2", priority=9)]
    cluster = make_cluster([node("a")], pods, [make_pdb("b", {"app": "db"})])

    evaluation = preempt(cluster, "4")

    assert victims(evaluation) == ["mighty", "guarded"]
    assert evaluation.candidates.violations(0) == 1


def test_pods_nominated_with_the_same_priority_keep_their_room() -> None:
    pods = [small("p", "a", "4"), make_pod("waiting").req(cpu="2").priority(100).nominated("a")]

    evaluation = preempt(make_cluster([node("a")], pods))

    assert evaluation.message == "preemption: 0/1 nodes are available: 1 Insufficient cpu."


def test_a_pod_does_not_stand_in_its_own_way() -> None:
    cluster = make_cluster([node("a")], [small("p", "a", "4")])
    cluster.nominate(urgent(cluster), "a")

    assert victims(preempt(cluster)) == ["p"]


def test_nodes_that_can_never_take_the_pod_are_not_tried() -> None:
    cluster = make_cluster([node("a", "2"), node("b")], [small("p", "a"), small("q", "b", "4")])
    pod = urgent(cluster)
    diagnosis = diagnose(pod, cluster)

    evaluation = evaluate(pod, diagnosis, cluster)

    assert evaluation.candidates.rows.tolist() == [1]
    assert set(diagnosis.filters.asked) == {1}  # type: ignore[attr-defined]


def test_the_reasons_of_all_nodes_are_counted_when_nothing_helps() -> None:
    nodes = [node("a", "2"), node("b"), node("c"), node("d"), node("e", pods=1)]
    pods = [
        small("equal", "b", "4", priority=100),
        small("much", "c", "3", priority=100),
        small("little", "c", "1"),
        small("same", "d", "4", priority=100),
        small("only", "e", "4", priority=200),
    ]

    evaluation = preempt(make_cluster(nodes, pods))

    assert not len(evaluation.candidates)
    assert not evaluation.failed
    assert evaluation.message == (
        "preemption: 0/5 nodes are available: 1 Insufficient cpu, "
        "1 Preemption is not helpful for scheduling, 3 No preemption victims found for incoming pod."
    )


def test_nothing_helps_a_pod_that_no_node_will_ever_take() -> None:
    cluster = make_cluster([node("a"), node("b")], [small("p", "a")])
    pod = urgent(cluster)

    evaluation = evaluate(pod, diagnose(pod, cluster, rejection=Reject(("no",), unresolvable=True)), cluster)

    assert evaluation.message == (
        "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
    )


def test_every_node_is_tried_when_the_pod_was_rejected_for_now_before_any_node() -> None:
    cluster = make_cluster([node("a"), node("b")], [small("p", "a", "4"), small("q", "b", "4")])
    pod = urgent(cluster)

    evaluation = evaluate(pod, diagnose(pod, cluster, rejection=Reject(("not now",))), cluster)

    assert evaluation.candidates.rows.tolist() == [0, 1]


def test_a_node_where_nobody_would_have_to_go_is_an_error() -> None:
    """The pod was rejected before any node was looked at, and then fits beside everybody."""
    cluster = make_cluster([node("a"), node("b")], [small("p", "a"), small("q", "b")])
    pod = urgent(cluster, "1")

    evaluation = evaluate(pod, diagnose(pod, cluster, rejection=Reject(("not now",))), cluster)

    assert evaluation.failed
    assert evaluation.message == (
        'preemption: [expected at least one victim pod on node "a", '
        'expected at least one victim pod on node "b"]'
    )


def test_such_an_error_is_forgotten_when_there_is_a_candidate() -> None:
    cluster = make_cluster([node("a"), node("b")], [small("p", "a"), small("q", "b", "4")])
    pod = urgent(cluster)

    evaluation = evaluate(pod, diagnose(pod, cluster, rejection=Reject(("not now",))), cluster)

    assert evaluation.candidates.rows.tolist() == [1]
    assert evaluation.message == ""


def test_a_cluster_without_nodes_is_an_error() -> None:
    evaluation = preempt(make_cluster())

    assert evaluation.failed
    assert evaluation.message == "preemption: no nodes available"


def test_a_pod_that_may_not_preempt_is_told_why() -> None:
    cluster = make_cluster([node("a")], [small("p", "a", "4")])
    pod = pod_of(cluster, make_pod("meek").req(cpu="3").priority(100).preemption_policy("Never"))

    evaluation = evaluate(pod, diagnose(pod, cluster), cluster)

    assert not evaluation.eligibility.eligible
    assert not len(evaluation.candidates)
    assert evaluation.message == "preemption: not eligible due to preemptionPolicy=Never."


def preempt_where_filters_fail(cluster: ClusterState, *names: str) -> Evaluation:
    pod = urgent(cluster)
    diagnosis = diagnose(pod, cluster)
    diagnosis.filters = FakeFilters(pod, cluster, broken=frozenset(names))
    return evaluate(pod, diagnosis, cluster)


def test_a_filter_that_fails_on_a_node_spoils_that_node_only() -> None:
    names = [f"n{i}" for i in range(5)]
    cluster = make_cluster([node(name) for name in names], [small(f"on-{n}", n, "4") for n in names])

    candidates = preempt_where_filters_fail(cluster, "n1", "n4").candidates

    assert sorted(candidates.by_node()) == ["n0", "n2", "n3"]


def test_a_filter_that_fails_on_every_node_is_the_answer() -> None:
    cluster = make_cluster([node("a")], [small("p", "a", "4")])

    evaluation = preempt_where_filters_fail(cluster, "a")

    assert evaluation.message == 'preemption: running "Fake" filter plugin: no such key'
    assert evaluation.failed


def test_a_filter_that_fails_everywhere_is_not_asked_about_every_node() -> None:
    names = [f"n{i}" for i in range(500)]
    cluster = make_cluster([node(name) for name in names], [small(f"on-{n}", n, "4") for n in names])
    pod = urgent(cluster)
    diagnosis = diagnose(pod, cluster)
    filters = diagnosis.filters = FakeFilters(pod, cluster, broken=frozenset(names))

    evaluate(pod, diagnosis, cluster)

    assert len(filters.asked) < 50
