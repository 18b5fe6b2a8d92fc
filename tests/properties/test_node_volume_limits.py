"""What NodeVolumeLimits remembers row by row agrees with counting every node's volumes anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nominee.plugins.node_volume_limits import NodeVolumeLimits
from nominee.state.cluster import ClusterState
from nominee.testing import PodBuilder, filter_with, make_cluster, make_node, make_pod, pod_of, what_if
from tests.volume_objects import DRIVER, attachment, claim, csi_driver, csi_node, storage_class, volume

TOO_MANY = ("Unschedulable", ("node(s) exceed max volume count",))
ABSENT = ("Unschedulable", (f"{DRIVER} CSI driver is not installed on the node",))
NODES = ("n0", "n1", "n2")
OTHER = "other.example.com"
NAMES = st.integers(0, 4)


@dataclass
class World:
    """What the counting reads; pods by node are tuples of claim numbers."""

    limits: dict[str, int | None]  # of DRIVER on a node; no entry: no CSINode
    guarded: bool
    cluster: ClusterState
    bound: dict[int, int] = field(default_factory=dict)  # claim to volume
    pods: dict[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)  # name to node, claims
    attachments: set[tuple[str, int]] = field(default_factory=set)  # node, volume

    def used(self, claims: tuple[int, ...]) -> set[Any]:
        """Volumes of the driver; an unbound claim will have one of its own."""
        found: set[Any] = {self.bound.get(number, f"claim {number}") for number in claims}
        return {one for one in found if one != 4}  # volume 4 is of another driver

    def rejects(self, node: str, wanted: tuple[int, ...], pods: list[tuple[int, ...]]) -> Any:
        new = self.used(wanted)
        if self.guarded and new and node not in self.limits:
            return ABSENT
        held: set[Any] = set().union(*(self.used(claims) for claims in pods))
        limit = self.limits.get(node)
        if limit is None or not new - held:
            return None
        attached = {number for name, number in self.attachments if name == node and number != 4}
        return TOO_MANY if len(held | attached) + len(new - held) > limit else None

    def pods_on(self, node: str) -> list[tuple[int, ...]]:
        return [claims for name, claims in self.pods.values() if name == node]


def mounting(name: str, claims: tuple[int, ...]) -> PodBuilder:
    pod = make_pod(name)
    for number in claims:
        pod = pod.pvc(f"c{number}")
    return pod


@st.composite
def worlds(draw: st.DrawFn) -> World:
    guarded = draw(st.booleans())
    limits = draw(st.dictionaries(st.sampled_from(NODES), st.sampled_from([0, 1, 2, 3, None])))
    objects: list[Any] = [csi_node(name, {DRIVER: limit}) for name, limit in limits.items()]
    objects += [storage_class(provisioner=DRIVER), csi_driver(prevent_pod_scheduling_if_missing=guarded)]
    objects += [volume(f"v{i}", csi=DRIVER if i != 4 else OTHER) for i in range(5)]
    objects += [claim(f"c{i}") for i in range(5)]
    return World(limits, guarded, make_cluster([make_node(name) for name in NODES], objects=objects))


def change(world: World, data: st.DataObject) -> None:
    draw = data.draw
    cluster, number, node = world.cluster, draw(NAMES), draw(st.sampled_from(NODES))
    name, key = f"p{number}", (node, draw(NAMES))
    match draw(st.sampled_from(["place", "remove", "bind", "attach", "detach"])):
        case "place" if name not in world.pods:
            claims = tuple(draw(st.lists(NAMES, max_size=2)))
            cluster.add_pod(pod_of(cluster, mounting(name, claims).node(node)))
            world.pods[name] = node, claims
        case "remove" if name in world.pods:
            cluster.remove_pod(pod_of(cluster, make_pod(name)).uid)
            del world.pods[name]
        case "bind":
            world.bound[number] = key[1]
            cluster.put_object(claim(f"c{number}", bound_to=f"v{key[1]}"))
        case "attach":
            world.attachments.add(key)
            attacher = DRIVER if key[1] != 4 else OTHER
            cluster.put_object(attachment(f"{node}-{key[1]}", node, f"v{key[1]}", attacher))
        case "detach":
            world.attachments.discard(key)
            cluster.drop_object(attachment(f"{node}-{key[1]}", node, None))
        case _:
            pass


@given(worlds(), st.data())
def test_what_is_remembered_agrees_with_counting_anew(world: World, data: st.DataObject) -> None:
    for step in range(data.draw(st.integers(1, 8))):
        change(world, data)
        wanted = tuple(data.draw(st.lists(NAMES, max_size=2)))
        said = filter_with(NodeVolumeLimits(), mounting(f"new{step}", wanted), world.cluster)
        expected = {node: world.rejects(node, wanted, world.pods_on(node)) for node in NODES}
        assert {node: said.get(node) for node in NODES} == expected


@given(worlds(), st.data())
def test_what_ifs_count_the_pods_that_are_supposed(world: World, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(0, 6))):
        change(world, data)
    wanted, extra = (tuple(data.draw(st.lists(NAMES, min_size=1, max_size=2))) for _ in range(2))
    node = data.draw(st.sampled_from(NODES))
    gone = [name for name, (place, _) in world.pods.items() if place == node and data.draw(st.booleans())]
    removed = [pod for pod in world.cluster.pods_on(node) if pod.name in gone]
    added = mounting("extra", extra)
    view = what_if(world.cluster, [node], add={node: [added]}, remove={node: removed})
    said = filter_with(NodeVolumeLimits(), mounting("new", wanted), world.cluster, nodes=view)
    stay = [claims for name, (place, claims) in world.pods.items() if place == node and name not in gone]
    assert said.get(node) == world.rejects(node, wanted, [*stay, extra])
