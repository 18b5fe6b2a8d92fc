"""Facts of nodes as ids, one per distinct value."""

from __future__ import annotations

from nominee.state.facts import ABSENT, Label, Taints
from nominee.testing import make_cluster, make_node

ZONE = Label("zone")


def test_nodes_with_the_same_value_share_an_id() -> None:
    cluster = make_cluster(
        [make_node("a").label("zone", "z"), make_node("b").label("zone", "z"), make_node("c")]
    )
    ids = cluster.all_nodes().ids(ZONE).tolist()
    assert ids[0] == ids[1] != ABSENT
    assert ids[2] == ABSENT


def test_an_id_is_free_again_when_no_node_has_the_value() -> None:
    cluster = make_cluster([make_node("a").label("zone", "old")])
    column = cluster.nodes.fact(ZONE)
    cluster.add_node(make_node("a").obj)
    assert (column.distinct, column.id_of("old")) == (0, None)
    cluster.add_node(make_node("a").label("zone", "new").obj)
    assert column.values == [None, "new"]


def test_a_rule_is_asked_once_per_distinct_value() -> None:
    cluster = make_cluster([make_node(f"n{i}").label("zone", "z") for i in range(5)])
    asked: list[str | None] = []

    def in_z(value: str | None) -> bool:
        asked.append(value)
        return value == "z"

    assert cluster.all_nodes().where(ZONE, in_z).all()
    assert asked == [None, "z"]


def test_taints_are_the_same_whenever_they_were_added() -> None:
    node = make_node("a").taint("k")
    (taint,) = node.obj.spec.taints
    timed = type(taint)(key="k", effect="NoSchedule", time_added="2026-01-01T00:00:00Z")
    assert Taints().of(node.obj) == Taints().of(node.spec(taints=(timed,)).obj)
