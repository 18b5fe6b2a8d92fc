"""Constraints for pods that have none, by what selects these pods."""

import pytest

from nominee.framework import Skip, TopologySpreadConstraint
from nominee.model.meta import NamedObject
from nominee.plugins.pod_topology_spread import PodTopologySpread
from nominee.plugins.pod_topology_spread.defaults import default_selector
from nominee.testing import (
    ZONE,
    PodBuilder,
    filter_with,
    make_cluster,
    make_cycle,
    make_node,
    make_pod,
    make_replicaset,
    make_replication_controller,
    make_service,
    make_statefulset,
    pod_of,
    score_with,
)

WEB = {"app": "web"}
NODES = [make_node("a1").zone("a"), make_node("b1").zone("b"), make_node("nowhere")]
HARD_ZONES = PodTopologySpread(
    defaulting_type="List",
    default_constraints=(
        TopologySpreadConstraint(max_skew=1, topology_key=ZONE, when_unsatisfiable="DoNotSchedule"),
    ),
)
SOFT_ZONES = PodTopologySpread(
    defaulting_type="List",
    default_constraints=(
        TopologySpreadConstraint(max_skew=1, topology_key=ZONE, when_unsatisfiable="ScheduleAnyway"),
    ),
)


def web(name: str, node: str = "") -> PodBuilder:
    return make_pod(name).labels({**WEB, "rev": "1"}).node(node)


def selected(pod: PodBuilder, *objects: NamedObject) -> list[tuple[str, str, tuple[str, ...]]]:
    cluster = make_cluster(objects=objects)
    selector = default_selector(pod_of(cluster, pod).shape, cluster.view)
    return [(r.key, r.operator, r.values) for r in selector.requirements]


def test_services_that_match_the_pod_select_together() -> None:
    services = [
        make_service("a", WEB),
        make_service("b", {"rev": "1"}),
        make_service("c", {"rev": "2"}),
        make_service("d", {}),
        make_service("e", {"app": "web"}, namespace="other"),
    ]
    assert selected(web("p"), *services) == [("app", "In", ("web",)), ("rev", "In", ("1",))]


@pytest.mark.parametrize(
    ("kind", "version", "controller"),
    [
        ("ReplicationController", "v1", make_replication_controller("own", {"rev": "1"})),
        ("ReplicaSet", "apps/v1", make_replicaset("own", {"rev": "1"})),
        ("StatefulSet", "apps/v1", make_statefulset("own", {"rev": "1"})),
    ],
    ids=["rc", "rs", "sts"],
)
def test_the_controller_selects_too(kind: str, version: str, controller: NamedObject) -> None:
    pod = web("p").owner(kind, "own", version)
    both = [("app", "In", ("web",)), ("rev", "In", ("1",))]
    assert selected(pod, controller, make_service("a", WEB)) == both
    assert selected(web("p").owner(kind, "own", "other/v1"), controller) == []
    assert selected(web("p").owner(kind, "gone", version), controller) == []
    assert selected(web("p").owner(kind, "own", version, controller=False), controller) == []


def test_a_replica_set_may_select_by_expressions() -> None:
    controller = make_replicaset("own", None, expressions=[("app", "NotIn", ["db"])])
    assert selected(web("p").owner("ReplicaSet", "own"), controller) == [("app", "NotIn", ("db",))]


def test_a_replica_set_without_a_selector_adds_nothing() -> None:
    pod = web("p").owner("ReplicaSet", "own")
    assert selected(pod, make_replicaset("own", None), make_service("a", WEB)) == [("app", "In", ("web",))]


def test_listed_constraints_filter_pods_behind_a_service() -> None:
    cluster = make_cluster(NODES, [web("x", "a1")], [make_service("web", WEB)])
    assert set(filter_with(HARD_ZONES, web("new"), cluster)) == {"a1", "nowhere"}


def test_listed_constraints_ignore_nodes_without_the_key() -> None:
    cluster = make_cluster(NODES, [web("x", "a1")], [make_service("web", WEB)])
    assert score_with(SOFT_ZONES, web("new"), cluster) == {"a1": 0, "b1": 100, "nowhere": 0}


def test_a_pod_with_any_constraint_gets_no_default() -> None:
    cluster = make_cluster(NODES, [web("x", "a1")], [make_service("web", WEB)])
    pod = web("new").spread(1, ZONE, "ScheduleAnyway", WEB)
    assert filter_with(HARD_ZONES, pod, cluster) == {}


def test_a_new_service_is_noticed() -> None:
    cluster = make_cluster(NODES, [web("x", "a1")])
    cycle, pod = make_cycle(cluster), pod_of(cluster, web("new"))
    assert HARD_ZONES.pre_filter(pod, cluster.all_nodes(), cycle) is Skip.THIS_SHAPE
    cluster.put_object(make_service("web", WEB))
    assert HARD_ZONES.pre_filter(pod, cluster.all_nodes(), cycle) is None
    cluster.drop_object(make_service("web", WEB))
    assert HARD_ZONES.pre_filter(pod, cluster.all_nodes(), cycle) is Skip.THIS_SHAPE


def test_without_listed_constraints_there_is_nothing_to_say() -> None:
    cluster, nothing = make_cluster(NODES), PodTopologySpread(defaulting_type="List")
    pod, cycle = pod_of(cluster, web("new")), make_cycle(cluster)
    assert nothing.pre_filter(pod, cluster.all_nodes(), cycle) is Skip.THIS_SHAPE
    assert nothing.pre_score(pod, cluster.all_nodes(), cycle) is Skip.THIS_SHAPE
