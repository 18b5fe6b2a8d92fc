"""Columns of ports and images that many nodes have stay right through any history."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from nominee.framework import HostPort
from nominee.state import invariants
from nominee.state.cluster import ClusterState
from nominee.testing import make_cluster, make_node, make_pod, pod_of

ADDRESSES = ("0.0.0.0", "10.0.0.1", "10.0.0.2")
WANTED = [HostPort("TCP", address, 80) for address in ADDRESSES]
IMAGES = ("i1", "i2")


def write_node(cluster: ClusterState, random: Random, name: str) -> None:
    node = make_node(name)
    for image in IMAGES:
        if random.random() < 0.8:
            node = node.image(image, random.randint(0, 9))
    cluster.add_node(node.obj)


def write_pod(cluster: ClusterState, random: Random, name: str) -> None:
    pod = make_pod(name).host_port(80, ip=random.choice(["", *ADDRESSES]))
    cluster.add_pod(pod_of(cluster, pod.node(random.choice(list(cluster.nodes.row_of)))))


def expect_columns_as_asked_one_by_one(cluster: ClusterState) -> None:
    nodes = cluster.all_nodes()
    for row in np.flatnonzero(nodes.valid).tolist():
        one = nodes.take(np.array([row], np.intp))
        for wanted in WANTED:
            used = cluster.ports.uses(wanted, row)
            expected = any(wanted.conflicts(port) for port in used)
            assert nodes.port_conflicts(wanted)[row] == one.port_conflicts(wanted)[0] == expected
        images = {n: i.size_bytes for i in nodes.node(row).object.status.images for n in i.names}
        for image in IMAGES:
            assert nodes.image_size(image)[row] == one.image_size(image)[0] == images.get(image, 0)


@pytest.mark.parametrize("seed", range(4))
def test_columns_follow_nodes_and_pods(seed: int) -> None:
    random, cluster = Random(seed), ClusterState()
    for i in range(60):
        write_node(cluster, random, f"n{i}")
        write_pod(cluster, random, f"p{i}")
    for i in range(60, 140):
        match random.choice(["node", "new node", "no node", "pod", "no pod", "ask"]):
            case "node":
                write_node(cluster, random, random.choice(list(cluster.nodes.row_of)))
            case "new node":
                write_node(cluster, random, f"n{i}")
            case "no node":
                cluster.remove_node(random.choice(list(cluster.nodes.row_of)))
            case "pod":
                write_pod(cluster, random, f"p{random.randint(0, i)}")
            case "no pod":
                cluster.remove_pod(f"default/p{random.randint(0, i)}")
            case _:
                expect_columns_as_asked_one_by_one(cluster)
        invariants.check(cluster)
    expect_columns_as_asked_one_by_one(cluster)
    assert cluster.ports._columns
    assert cluster.images._columns


def test_a_column_goes_with_the_last_use() -> None:
    pods = [make_pod(f"p{i}").host_port(80).node(f"n{i}") for i in range(20)]
    cluster = make_cluster([make_node(f"n{i}").image("i1", 5) for i in range(20)], pods)
    assert cluster.all_nodes().port_conflicts(WANTED[0]).all()
    assert cluster.all_nodes().image_size("i1").all()
    for i in range(20):
        cluster.remove_pod(f"default/p{i}")
        cluster.remove_node(f"n{i}")
    invariants.check(cluster)
    assert (cluster.ports._columns, cluster.images._columns) == ({}, {})


def test_columns_of_one_port_are_few() -> None:
    pods = [make_pod(f"p{i}").host_port(80).node(f"n{i}") for i in range(20)]
    cluster = make_cluster([make_node(f"n{i}") for i in range(20)], pods)
    for i in range(50):
        assert cluster.all_nodes().port_conflicts(HostPort("TCP", f"10.0.0.{i}", 80)).all()
    assert len(cluster.ports._columns["TCP", 80]) < 20
