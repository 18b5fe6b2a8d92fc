"""Only nodes that changed are tried again."""

from nominee.preemption import PreemptionMemory, evaluate
from nominee.state.cluster import ClusterState
from nominee.state.shapes import Pod
from nominee.testing import make_cluster, make_node, make_pdb, make_pod, pod_of
from tests.unit.preemption.fake_filters import diagnose, small, urgent


def full_cluster(nodes: int = 10) -> ClusterState:
    """Four pods of one core fill each node of four cores."""
    names = [f"n{i}" for i in range(nodes)]
    pods = [small(f"{name}-{k}", name) for name in names for k in range(4)]
    return make_cluster([make_node(name).capacity(cpu="4") for name in names], pods)


def tried(pod: Pod, cluster: ClusterState, memory: PreemptionMemory, *, node_local: bool = True) -> int:
    """How many nodes are tried."""
    diagnosis = diagnose(pod, cluster, node_local=node_local)
    evaluate(pod, diagnosis, cluster, remembered=memory)
    asked = diagnosis.filters.asked  # type: ignore[attr-defined]
    return asked[0] if asked else 0


def test_nothing_is_tried_twice() -> None:
    cluster, memory = full_cluster(), PreemptionMemory()

    assert tried(urgent(cluster), cluster, memory) == 10
    assert tried(urgent(cluster), cluster, memory) == 0


def test_pods_of_one_shape_share_what_was_found() -> None:
    cluster, memory = full_cluster(), PreemptionMemory()
    tried(urgent(cluster, name="one"), cluster, memory)

    assert tried(urgent(cluster, name="two"), cluster, memory) == 0
    assert tried(urgent(cluster, cpu="2"), cluster, memory) == 10


def test_a_node_whose_pods_changed_is_tried_again() -> None:
    cluster, memory = full_cluster(), PreemptionMemory()
    tried(urgent(cluster), cluster, memory)
    cluster.remove_pod("default/n3-0")

    assert tried(urgent(cluster), cluster, memory) == 1


def test_a_node_that_gained_or_lost_a_nomination_is_tried_again() -> None:
    cluster, memory = full_cluster(), PreemptionMemory()
    tried(urgent(cluster), cluster, memory)
    other = pod_of(cluster, make_pod("other").priority(200))

    cluster.nominate(other, "n3")
    assert tried(urgent(cluster), cluster, memory) == 1
    cluster.nominate(other, "n4")
    assert tried(urgent(cluster), cluster, memory) == 2
    cluster.nominate(other, "")
    assert tried(urgent(cluster), cluster, memory) == 1


def test_a_node_that_joins_is_tried() -> None:
    cluster, memory = full_cluster(), PreemptionMemory()
    tried(urgent(cluster), cluster, memory)
    cluster.add_node(make_node("new").capacity(cpu="4").obj)
    cluster.add_pod(pod_of(cluster, small("p", "new", "4")))

    assert tried(urgent(cluster), cluster, memory) == 1


def test_nodes_with_pods_of_a_budget_that_changed_are_tried_again() -> None:
    cluster, memory = full_cluster(), PreemptionMemory()
    for node in ("n3", "n5"):
        cluster.add_pod(pod_of(cluster, small(f"{node}-0", node).label("app", "x")))
    tried(urgent(cluster), cluster, memory)
    budget = make_pdb("b", {"app": "x"}, allowed=1)

    cluster.put_object(budget)
    assert tried(urgent(cluster), cluster, memory) == 2
    cluster.put_object(make_pdb("b", {"app": "x"}, allowed=0))
    assert tried(urgent(cluster), cluster, memory) == 2
    cluster.drop_object(budget)
    assert tried(urgent(cluster), cluster, memory) == 2


def test_a_budget_written_anew_without_a_change_is_no_change() -> None:
    cluster, memory = full_cluster(), PreemptionMemory()
    cluster.add_pod(pod_of(cluster, small("n3-0", "n3").label("app", "x")))
    cluster.put_object(make_pdb("b", {"app": "x"}, allowed=1))
    tried(urgent(cluster), cluster, memory)
    cluster.put_object(make_pdb("b", {"app": "x"}, allowed=1))

    assert tried(urgent(cluster), cluster, memory) == 0


def test_filters_that_look_across_nodes_are_asked_anew_every_time() -> None:
    cluster, memory = full_cluster(), PreemptionMemory()

    assert tried(urgent(cluster), cluster, memory, node_local=False) == 10
    assert tried(urgent(cluster), cluster, memory, node_local=False) == 10
    assert len(memory) == 0


def test_what_holds_for_a_nominated_pod_alone_is_not_shared() -> None:
    """Its own nomination takes no room; to any other pod it does."""
    cluster, memory = full_cluster(1), PreemptionMemory()
    nominated, other = urgent(cluster, name="nominated"), urgent(cluster, name="other")
    cluster.nominate(nominated, "n0")

    found = [
        len(evaluate(pod, diagnose(pod, cluster), cluster, remembered=memory).candidates)
        for pod in (nominated, other, nominated, other)
    ]

    assert found == [1, 0, 1, 0]


def test_the_shapes_unused_longest_are_dropped_when_memory_is_short() -> None:
    cluster, memory = full_cluster(), PreemptionMemory(limit=2000)
    for cpu in ("2", "3", "2", "4"):
        tried(urgent(cluster, cpu), cluster, memory)

    assert tried(urgent(cluster, "2"), cluster, memory) == 0
    assert memory.size_in_bytes <= 2000
    assert tried(urgent(cluster, "3"), cluster, memory) == 10
