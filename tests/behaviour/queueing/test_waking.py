"""Pods that kube-scheduler leaves to the periodic flush, and that wake here when an event lets them in."""

from __future__ import annotations

import pytest

from nominee.testing import HOSTNAME, make_node, make_pod
from tests.unit.scheduler.harness import Bench

ZONE = "topology.kubernetes.io/zone"


@pytest.mark.parametrize("key", [HOSTNAME, ZONE])
def test_a_pod_that_others_keep_away_wakes_for_a_node_without_them(key: str) -> None:
    loner = make_pod("loner").pod_anti_affinity(key, {"app": "web"}).node("a")
    b = Bench([make_node("a").zone("one")], [loner, make_pod("web").label("app", "web")])
    b.run()
    b.expect_pending("web", "unschedulable")
    b.put(make_node("b").zone("two"))
    b.pass_time(3)
    b.expect_bound("web", "b")


def test_and_for_a_node_that_leaves_their_zone() -> None:
    loner = make_pod("loner").pod_anti_affinity(ZONE, {"app": "web"}).node("a")
    nodes = [make_node("a").zone("one"), make_node("b").zone("one")]
    b = Bench(nodes, [loner, make_pod("web").label("app", "web")])
    b.run()
    b.expect_pending("web", "unschedulable")
    b.put(make_node("b").zone("two"))
    b.pass_time(3)
    b.expect_bound("web", "b")
