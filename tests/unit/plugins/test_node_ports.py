"""A host port is given once a node, address and protocol."""

import pytest

from nominee.framework import Skip
from nominee.model.container import Container, ContainerPort
from nominee.plugins.node_ports import NodePorts
from nominee.testing import (
    PodBuilder,
    filter_with,
    make_cluster,
    make_cycle,
    make_node,
    make_pod,
    pod_of,
    what_if,
)

TAKEN = ("Unschedulable", ("node(s) didn't have free ports for the requested pod ports",))
WEB = make_pod("web").host_port(80)


def _init_port(port: int, restart_policy: str | None = None) -> PodBuilder:
    container = Container(ports=(ContainerPort(host_port=port),), restart_policy=restart_policy)
    return make_pod("init").spec(init_containers=(container,))


def test_rejects_nodes_where_the_port_is_taken() -> None:
    cluster = make_cluster(nodes=[make_node("a"), make_node("b")], pods=[WEB.node("a")])
    assert filter_with(NodePorts(), make_pod("p").host_port(80), cluster) == {"a": TAKEN}


@pytest.mark.parametrize(
    ("pod", "conflicts"),
    [
        (make_pod("p").host_port(81), False),
        (make_pod("p").host_port(80, "UDP"), False),
        (make_pod("p").host_port(80, ""), True),
        (make_pod("p").host_port(80, ip="127.0.0.1"), True),
        (make_pod("p").host_port(80, ip="10.0.0.1"), False),
        (make_pod("p").host_port(80, ip="0.0.0.0"), True),
        (make_pod("p").host_port(81).container("sidecar").host_port(80), True),
        (_init_port(80, "Always"), True),
        (_init_port(80), False),
    ],
)
def test_conflicts_with_one_address_of_a_port(pod: PodBuilder, conflicts: bool) -> None:
    held = make_pod("held").host_port(80, ip="127.0.0.1").node("a")
    cluster = make_cluster(nodes=[make_node("a")], pods=[held])
    assert bool(filter_with(NodePorts(), pod, cluster)) is conflicts


def test_skips_pods_without_host_ports() -> None:
    cluster = make_cluster(nodes=[make_node("a")])
    for pod in (make_pod("p"), _init_port(80)):
        answer = NodePorts().pre_filter(pod_of(cluster, pod), cluster.all_nodes(), make_cycle(cluster))
        assert answer is Skip.THIS_SHAPE


def test_a_victim_takes_its_port_along() -> None:
    cluster = make_cluster(
        nodes=[make_node("a"), make_node("b")], pods=[WEB.node("a"), WEB.uid("2").node("b")]
    )
    without = what_if(cluster, ["a", "b"], remove={"a": [WEB]})
    assert filter_with(NodePorts(), WEB, cluster, nodes=without) == {"b": TAKEN}


def test_a_nominated_pod_holds_its_port_already() -> None:
    cluster = make_cluster(nodes=[make_node("a"), make_node("b")])
    nominated = what_if(cluster, ["a", "b"], add={"b": [WEB]})
    assert filter_with(NodePorts(), make_pod("p").host_port(80), cluster, nodes=nominated) == {"b": TAKEN}


@pytest.mark.parametrize(
    ("deleted", "wakes"),
    [
        (WEB.node("a"), True),
        (WEB.nominated("a"), True),
        (WEB, False),
        (make_pod("other").host_port(81).node("a"), False),
        (make_pod("other").node("a"), False),
    ],
)
def test_a_deleted_pod_wakes_those_that_want_its_port(deleted: PodBuilder, wakes: bool) -> None:
    cluster = make_cluster(nodes=[make_node("a")])
    hint = NodePorts().events_to_register()[0].hint
    assert hint is not None
    assert hint(pod_of(cluster, WEB), pod_of(cluster, deleted), None, cluster.view) is wakes
