"""Nominations: by pod, by node, and as columns."""

from __future__ import annotations

from nominee.state.nominations import NO_ROW
from nominee.testing import make_cluster, make_node, make_pod


def test_a_pod_has_one_nomination() -> None:
    cluster = make_cluster([make_node("a"), make_node("b")], [make_pod("p").nominated("a")])
    cluster.nominate(cluster.pod(make_pod("p").obj), "b")
    assert cluster.nominations.on_node("a") == []
    assert cluster.nominations.node_of("default/p") == "b"


def test_a_nomination_outlives_its_node_and_finds_the_next_of_that_name() -> None:
    cluster = make_cluster([make_node("a")], [make_pod("p").nominated("a")])
    cluster.remove_node("a")
    assert cluster.nominations.rows.tolist() == [NO_ROW]
    cluster.add_node(make_node("a").obj)
    assert cluster.nominations.rows.tolist() == [cluster.nodes.row_of["a"]]


def test_slots_stay_packed() -> None:
    pods = [make_pod(f"p{i}").priority(i).nominated("a") for i in range(20)]
    cluster = make_cluster([make_node("a")], pods)
    cluster.nominations.remove("default/p3")
    assert sorted(cluster.nominations.priority.tolist()) == [i for i in range(20) if i != 3]


def test_only_others_with_enough_priority_on_existing_nodes_weigh() -> None:
    pods = [make_pod(name).priority(p).nominated(n) for name, p, n in
            [("low", 1, "a"), ("equal", 5, "a"), ("own", 9, "a"), ("lost", 9, "gone")]]  # fmt: skip
    cluster = make_cluster([make_node("a")], pods)
    slots = cluster.nominations.weighty(5, but_for="default/own")
    assert [cluster.nominations.pods[slot].name for slot in slots.tolist()] == ["equal"]
