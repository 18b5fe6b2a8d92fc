"""Tallies: counts of pods per node that follow pods as they come and go."""

from __future__ import annotations

from dataclasses import dataclass

from nominee.state.shapes import Shape
from nominee.testing import make_cluster, make_node, make_pod


@dataclass(frozen=True)
class Labelled:
    key: str
    alive_only: bool = False

    def of(self, shape: Shape) -> int:
        return int(self.key in shape.labels)


POD = make_pod("p").label("web").node("a")


def test_a_tally_counts_pods_that_were_there_before_it() -> None:
    cluster = make_cluster([make_node("a"), make_node("b")], [POD])
    assert cluster.all_nodes().tally(Labelled("web")).tolist() == [1, 0]


def test_a_tally_follows_pods_that_come_and_go() -> None:
    cluster = make_cluster([make_node("a")])
    cluster.tally(Labelled("web"))
    cluster.add_pod(cluster.pod(POD.obj))
    assert cluster.all_nodes().tally(Labelled("web")).tolist() == [1]
    cluster.remove_pod("default/p")
    assert cluster.all_nodes().tally(Labelled("web")).tolist() == [0]


def test_terminating_pods_count_where_they_should() -> None:
    cluster = make_cluster([make_node("a")], [POD])
    tallies = [Labelled("web", alive_only=True), Labelled("web")]
    for tally in tallies:
        cluster.tally(tally)
    cluster.update_pod(cluster.pod(POD.terminating(5).obj))
    assert [cluster.tally(tally)[0] for tally in tallies] == [0, 1]


def test_tallies_grow_with_the_table() -> None:
    cluster = make_cluster([make_node("a")], [POD])
    cluster.tally(Labelled("web"))
    for i in range(200):
        cluster.add_node(make_node(f"n{i}").obj)
    cluster.add_pod(cluster.pod(make_pod("q").label("web").node("n199").obj))
    assert cluster.all_nodes().tally(Labelled("web"))[[0, 200]].tolist() == [1, 1]


def test_a_dropped_tally_is_counted_anew() -> None:
    cluster = make_cluster([make_node(f"n{i}") for i in range(3)], [make_pod("p").label("k0").node("n1")])
    most = (64 << 20) // (8 * cluster.nodes.capacity)
    first = Labelled("k0")
    cluster.tally(first)
    cluster.tallies._columns.update({Labelled(f"x{i}"): cluster.tally(first) * 0 for i in range(most)})
    cluster.tally(Labelled("last"))
    assert cluster.tallies.get(first) is None
    assert cluster.all_nodes().tally(first).tolist() == [0, 1, 0]
