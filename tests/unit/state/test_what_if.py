"""What-ifs: columns, tallies, ports and nodes as if other pods stood there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nominee.state.ports import HostPort
from nominee.state.shapes import Shape
from nominee.state.what_if import WhatIf
from nominee.testing import make_cluster, make_node, make_pod, what_if

PLACED = make_pod("placed").req(cpu="1").label("app", "web").host_port(80)
MORE = make_pod("more").req(cpu="2").label("app", "web")
CLUSTER = make_cluster([make_node("a"), make_node("b")], [PLACED.node("a")])
PORT = HostPort("TCP", "0.0.0.0", 80)


@dataclass(frozen=True)
class Web:
    alive_only: bool = False

    def of(self, shape: Shape) -> int:
        return int(shape.labels.get("app") == "web")


def moved(view: WhatIf) -> list[int]:
    change = view.moved(Web())
    assert change is not None
    return [int(amount) for amount in change]


def test_pods_added_and_removed_change_the_amounts_of_their_node_only() -> None:
    view = what_if(CLUSTER, ["a", "b"], add={"a": [MORE]}, remove={"a": [PLACED]})
    assert view.requested[0].tolist() == [2000, 0]
    assert view.free[0].tolist() == [2000, 4000]
    assert moved(view) == [0, 0]


def test_a_position_is_a_world_of_its_own() -> None:
    view = what_if(CLUSTER, ["a", "a"])
    pod = CLUSTER.pod(MORE.obj)
    view.suppose(1, pod, 1)
    assert moved(view) == [0, 1]
    assert view.requested[0].tolist() == [1000, 3000]
    assert view.take(np.array([1])).moved(Web()) == 1


def test_a_removed_pods_host_port_is_free() -> None:
    view = what_if(CLUSTER, ["a"])
    assert view.port_conflicts(PORT).tolist() == [True]
    assert what_if(CLUSTER, ["a"], remove={"a": [PLACED]}).port_conflicts(PORT).tolist() == [False]


def test_what_ifs_stand_on_what_ifs() -> None:
    base = what_if(CLUSTER, ["a", "b"], add={"b": [PLACED]})
    view = WhatIf(base.take(np.array([1])))
    view.add(np.array([0]), np.array([base.supposed[0].shape.id]))
    assert moved(view) == [2]
    assert view.port_conflicts(PORT).tolist() == [True]
    assert len(view.node(0).pods) == 2


def test_per_node_plugins_see_the_supposed_node() -> None:
    node = what_if(CLUSTER, ["a"], add={"a": [MORE]}, remove={"a": [PLACED]}).node(0)
    assert [pod.name for pod in node.pods] == ["more"]
    assert (node.requested["cpu"], node.free["cpu"]) == (2000, 2000)
    assert [pod.name for pod in CLUSTER.pods_on("a")] == ["placed"]


def test_a_nominated_pod_is_itself_in_a_what_if() -> None:
    nominated = make_pod("nominee").req(cpu="2").nominated("a")
    cluster = make_cluster([make_node("a")], [nominated])
    (pod,) = what_if(cluster, ["a"], add={"a": [make_pod("alike").req(cpu="2")]}).node(0).pods
    assert pod.name == "nominee"


def test_the_cluster_itself_does_not_change() -> None:
    before = CLUSTER.all_nodes().free.copy()
    what_if(CLUSTER, ["a", "b"], add={"a": [MORE], "b": [MORE]})
    assert (CLUSTER.all_nodes().free == before).all()
