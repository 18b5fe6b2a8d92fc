"""Who stands where: placing, assuming, forgetting, orphans, shapes."""

from __future__ import annotations

import pytest

from nominee.errors import InternalError
from nominee.state import invariants
from nominee.testing import make_cluster, make_node, make_pod, pod_of

WEB = make_pod("web").req(cpu="500m")


def test_an_assumed_pod_takes_its_share_until_it_is_forgotten() -> None:
    cluster = make_cluster([make_node("a").capacity(cpu="2")])
    pod = pod_of(cluster, WEB)
    cluster.assume(pod, "a")
    assert cluster.view.node_named("a").free["cpu"] == 1500  # type: ignore[union-attr]
    cluster.forget(pod.uid)
    assert cluster.view.node_named("a").free["cpu"] == 2000  # type: ignore[union-attr]
    assert pod.node_name == ""


def test_a_pod_is_not_assumed_twice() -> None:
    cluster = make_cluster([make_node("a")], [WEB.node("a")])
    with pytest.raises(InternalError, match="'default/web' is assumed twice"):
        cluster.assume(pod_of(cluster, WEB), "a")


def test_confirming_an_assumed_pod_counts_it_once() -> None:
    cluster = make_cluster([make_node("a")])
    cluster.assume(pod_of(cluster, WEB), "a")
    cluster.add_pod(pod_of(cluster, WEB.node("a")))
    assert not cluster.is_assumed("default/web")
    assert [pod.name for pod in cluster.pods_on("a")] == ["web"]


def test_news_of_a_pods_status_leave_its_node_as_it_was() -> None:
    cluster = make_cluster([make_node("a")], [WEB.node("a")])
    logged = cluster.nodes.usage_log.end
    cluster.add_pod(pod_of(cluster, WEB.node("a").annotation("seen", "again")))
    assert cluster.nodes.usage_log.end == logged
    assert cluster.known_pod("default/web").annotations == {"seen": "again"}  # type: ignore[union-attr]
    invariants.check(cluster)


def test_that_a_pod_has_started_is_told_because_victims_are_chosen_by_it() -> None:
    cluster = make_cluster([make_node("a")], [WEB.node("a")])
    logged = cluster.nodes.usage_log.end
    cluster.add_pod(pod_of(cluster, WEB.node("a").started("2026-01-01T00:00:00Z")))
    assert cluster.nodes.usage_log.end == logged + 1
    invariants.check(cluster)


def test_assuming_a_pod_ends_its_nomination() -> None:
    cluster = make_cluster([make_node("a"), make_node("b")], [WEB.nominated("b")])
    cluster.assume(pod_of(cluster, WEB), "a")
    assert "default/web" not in cluster.nominations


def test_a_pod_on_an_unknown_node_waits_for_it() -> None:
    cluster = make_cluster([], [WEB.node("late")])
    assert cluster.is_placed("default/web")
    cluster.add_node(make_node("late").obj)
    assert cluster.orphans == {}
    assert cluster.view.node_named("late").requested["cpu"] == 500  # type: ignore[union-attr]


def test_a_removed_node_leaves_orphans_still_assumed() -> None:
    cluster = make_cluster([make_node("a")])
    cluster.assume(pod_of(cluster, WEB), "a")
    cluster.remove_node("a")
    assert [pod.name for pod in cluster.pods_on("a")] == ["web"]
    assert cluster.is_assumed("default/web")
    invariants.check(cluster)


def test_a_shape_goes_with_its_last_pod() -> None:
    cluster = make_cluster([make_node("a")], [WEB.node("a"), make_pod("twin").req(cpu="500m").node("a")])
    assert len(cluster.shapes) == 1
    cluster.remove_pod("default/web")
    assert len(cluster.shapes) == 1
    cluster.remove_pod("default/twin")
    assert len(cluster.shapes) == 0


def test_pods_that_differ_in_name_uid_and_annotations_share_a_shape() -> None:
    cluster = make_cluster()
    one, other = (
        pod_of(cluster, pod) for pod in (WEB, make_pod("x").req(cpu="500m").annotation("k").uid("u"))
    )
    assert one.shape is other.shape
    assert pod_of(cluster, WEB.label("app", "web")).shape is not one.shape


def test_invariants_name_what_differs() -> None:
    cluster = make_cluster([make_node("a")], [WEB.node("a")])
    cluster.nodes.requested[0, 0] += 1
    with pytest.raises(InternalError, match=r"requested of row 0 is .*501"):
        invariants.check(cluster)
