"""What is remembered of other pods' terms follows the cluster, and costs what changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nominee.framework import ClusterView, Label, Pod, Tally
from nominee.plugins.inter_pod_affinity.matching import MatchingTerms
from nominee.plugins.inter_pod_affinity.tallies import Refusals
from nominee.state.cluster import ClusterState
from nominee.state.terms import AffinityTerm
from nominee.testing import HOSTNAME, ZONE, make_cluster, make_node, make_pod, pod_of

WEB = make_pod("web").label("app", "web")


def refusing(cluster: ClusterState, name: str, app: str = "web", key: str = ZONE) -> Pod:
    return pod_of(cluster, make_pod(name).pod_anti_affinity(key, {"app": app}).node("n"))


def watched() -> tuple[ClusterState, Callable[[], dict[Label, Tally]]]:
    cluster = make_cluster([make_node("n")])
    pod = pod_of(cluster, WEB)
    matching = MatchingTerms(("required_anti_affinity",), Refusals)
    return cluster, lambda: dict(matching.tallies(pod.shape, cluster.view))


def test_terms_come_and_go_with_the_pods_that_bring_them() -> None:
    cluster, tallies = watched()
    assert tallies() == {}
    cluster.add_pod(refusing(cluster, "a"))
    cluster.add_pod(refusing(cluster, "b", key=HOSTNAME))
    assert set(tallies()) == {Label(ZONE), Label(HOSTNAME)}
    cluster.remove_pod("default/a")
    assert set(tallies()) == {Label(HOSTNAME)}


def test_terms_that_mean_others_change_nothing() -> None:
    cluster, tallies = watched()
    cluster.add_pod(refusing(cluster, "a"))
    before = tallies()[Label(ZONE)]
    cluster.add_pod(refusing(cluster, "b", app="db"))
    assert tallies()[Label(ZONE)] is before


def test_only_what_changed_is_matched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, tallies = watched()
    matched: list[AffinityTerm] = []
    selects = AffinityTerm.selects

    def spy(term: AffinityTerm, *pod: Any) -> bool:
        matched.append(term)
        return selects(term, *pod)

    monkeypatch.setattr(AffinityTerm, "selects", spy)
    for i in range(10):
        cluster.add_pod(refusing(cluster, f"p{i}", app=f"app-{i}"))
    tallies()
    matched.clear()
    cluster.add_pod(refusing(cluster, "one-more"))
    assert set(tallies()) == {Label(ZONE)}
    assert len(matched) == 1


def test_after_more_changes_than_are_remembered_everything_is_matched() -> None:
    cluster, tallies = watched()
    tallies()
    passing = refusing(cluster, "passing", app="other")
    for _ in range(600):
        cluster.add_pod(passing)
        cluster.remove_pod(passing.uid)
    cluster.add_pod(refusing(cluster, "a"))
    version = cluster.view.placed_terms_version("required_anti_affinity")
    assert cluster.view.placed_terms_since("required_anti_affinity", version - 1200) is None
    assert set(tallies()) == {Label(ZONE)}


def test_pods_meant_by_the_same_terms_share_a_column() -> None:
    cluster = make_cluster([make_node("n")])
    cluster.add_pod(refusing(cluster, "a"))
    tallies = [only_tally(pod_of(cluster, WEB.label("index", str(i))), cluster.view) for i in range(2)]
    assert tallies[0] == tallies[1]


def only_tally(pod: Pod, view: ClusterView) -> Tally:
    ((_, tally),) = MatchingTerms(("required_anti_affinity",), Refusals).tallies(pod.shape, view)
    return tally
