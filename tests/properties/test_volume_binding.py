"""VolumeBinding for all nodes at once agrees with a loop over nodes, claims and volumes."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from nominee.model.storage import PersistentVolume, PersistentVolumeClaim
from nominee.plugins.volume_binding import VolumeBinding
from nominee.plugins.volume_binding.plugin import ATTEMPT
from nominee.state.cluster import ClusterState
from nominee.testing import filter_with, make_cluster, make_cycle, make_node, make_pod, nodes_named
from tests.volume_objects import DRIVER, claim, csi_driver, free_storage, storage_class, volume

UNREACHABLE = "node(s) didn't match PersistentVolume's node affinity"
NOTHING = "node(s) didn't find available persistent volumes to bind"
CRAMPED = "node(s) did not have enough free storage"
MISSING = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
ZONES = ("a", "b", "c")
NODES = [("n0", "a"), ("n1", "a"), ("n2", "b"), ("n3", None)]


@dataclass
class World:
    """What the loop reads: the same objects as the cluster has."""

    volumes: list[PersistentVolume]
    claims: list[PersistentVolumeClaim]
    provisioner: str
    zones: tuple[str, ...]
    tracked: bool
    free: list[tuple[str | None, int, int | None]]  # zone, GiB left, GiB of the largest volume

    def cluster(self) -> ClusterState:
        nodes = [make_node(name) if not zone else make_node(name).label("zone", zone) for name, zone in NODES]
        reported = [
            free_storage(f"f{i}", f"{left}Gi", zone=zone, largest=f"{most}Gi" if most else None)
            for i, (zone, left, most) in enumerate(self.free)
        ]
        objects = [
            storage_class(provisioner=self.provisioner, zones=self.zones),
            csi_driver(storage_capacity=self.tracked),
            *self.volumes,
            *self.claims,
            *reported,
        ]
        return make_cluster(nodes, objects=objects)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    volumes = [
        volume(
            f"v{i}",
            f"{draw(st.integers(1, 4)) * 5 + i}Gi",  # no two of a size: which of them is open
            zone=draw(st.sampled_from([None, *ZONES])),
            claim=draw(st.sampled_from(["", "", "", "c0", "other"])),
            phase=draw(st.sampled_from(["Available", "Available", "Released"])),
            access_modes=draw(st.sampled_from([("ReadWriteOnce",), ("ReadWriteOnce", "ReadOnlyMany")])),
            volume_mode=draw(st.sampled_from([None, "Filesystem", "Block"])),
        )
        for i in range(draw(st.integers(0, 5)))
    ]
    claims = [
        claim(
            f"c{i}",
            f"{draw(st.integers(1, 20))}Gi",
            selected=draw(st.sampled_from([None, None, None, "n0", "elsewhere"])),
            bound_to=draw(st.sampled_from(["", "", "", "v0", "gone"])),
            access_modes=draw(st.sampled_from([("ReadWriteOnce",), ("ReadOnlyMany",)])),
        )
        for i in range(draw(st.integers(1, 3)))
    ]
    free = st.tuples(st.sampled_from([None, "a", "b"]), st.integers(1, 25), st.sampled_from([None, 5, 30]))
    return World(
        volumes,
        claims,
        draw(st.sampled_from(["kubernetes.io/no-provisioner", DRIVER])),
        draw(st.sampled_from([(), ("a",), ("a", "b")])),
        draw(st.booleans()),
        draw(st.lists(free, max_size=3)),
    )


def gib(text: object) -> int:
    return int(str(text).removesuffix("Gi"))


def reaches(item: PersistentVolume, zone: str | None) -> bool:
    affinity = item.spec.node_affinity
    if affinity is None or affinity.required is None:
        return True
    return zone in affinity.required.node_selector_terms[0].match_expressions[0].values


def find(
    wanted: PersistentVolumeClaim, world: World, taken: set[str], zone: str | None
) -> PersistentVolume | None:
    best: PersistentVolume | None = None
    for item in world.volumes:
        ref = item.spec.claim_ref
        if item.name in taken or (ref is not None and ref.name != wanted.name):
            continue
        if gib(item.spec.capacity["storage"]) < gib(wanted.spec.resources.requests["storage"]):
            continue
        if (item.spec.volume_mode or "Filesystem") != "Filesystem":
            continue
        if ref is not None:
            return item if reaches(item, zone) else None
        usable = item.status.phase == "Available" and reaches(item, zone)
        if not usable or not set(wanted.spec.access_modes) <= set(item.spec.access_modes):
            continue
        if best is None or gib(item.spec.capacity["storage"]) < gib(best.spec.capacity["storage"]):
            best = item
    return best


def provisioning_fault(wanted: PersistentVolumeClaim, world: World, zone: str | None) -> str | None:
    if world.provisioner != DRIVER or (world.zones and zone not in world.zones):
        return NOTHING
    if not world.tracked:
        return None
    size = gib(wanted.spec.resources.requests["storage"])
    enough = [f for f in world.free if f[0] is not None and f[0] == zone and (f[2] or f[1]) >= size]
    return None if enough else CRAMPED


def one_node(world: World, name: str, zone: str | None) -> tuple[set[str], dict[str, str]]:
    """Why the node is rejected, and which volume each claim gets there."""
    reasons: set[str] = set()
    by_name = {item.name: item for item in world.volumes}
    for item in world.claims:
        if item.spec.volume_name and item.spec.volume_name not in by_name:
            reasons.add(MISSING)
            break
        if item.spec.volume_name and not reaches(by_name[item.spec.volume_name], zone):
            reasons.add(UNREACHABLE)
            break
    delayed = [item for item in world.claims if not item.spec.volume_name]
    selected = {
        item.name: item.metadata.annotations.get("volume.kubernetes.io/selected-node") for item in delayed
    }
    if any(node is not None and node != name for node in selected.values()):
        return reasons | {NOTHING}, {}
    chosen: dict[str, str] = {}
    to_make = [item for item in delayed if selected[item.name] is not None]
    others = [item for item in delayed if selected[item.name] is None]
    for item in sorted(others, key=lambda c: gib(c.spec.resources.requests["storage"])):
        found = find(item, world, set(chosen.values()), zone)
        if found is None:
            to_make.append(item)
        else:
            chosen[item.name] = found.name
    for item in to_make:
        if fault := provisioning_fault(item, world, zone):
            return reasons | {fault}, chosen
    return reasons, chosen


def in_pod(world: World) -> object:
    pod = make_pod("p")
    for item in world.claims:
        pod = pod.pvc(item.name)
    return pod


@given(worlds())
def test_every_node_is_judged_as_by_the_loop(world: World) -> None:
    said = filter_with(VolumeBinding(), in_pod(world), world.cluster())  # type: ignore[arg-type]
    expected = {name: one_node(world, name, zone)[0] for name, zone in NODES}
    assert {name: set(said[name].reasons) if name in said else set() for name in expected} == expected


@given(worlds())
def test_claims_get_the_volumes_that_the_loop_chooses(world: World) -> None:
    cluster = world.cluster()
    cycle = make_cycle(cluster)
    said = filter_with(VolumeBinding(), in_pod(world), cluster, cycle=cycle)  # type: ignore[arg-type]
    for name, zone in NODES:
        if name in said:
            continue
        bindings = cycle[ATTEMPT].search.bindings(cluster.nodes.row_of[name])
        assert {c.name: v.name for v, c in bindings} == one_node(world, name, zone)[1]


@given(worlds(), st.lists(st.sampled_from([name for name, _ in NODES]), min_size=1, max_size=3))
def test_some_nodes_are_judged_as_among_all(world: World, names: list[str]) -> None:
    cluster = world.cluster()
    pod = in_pod(world)
    among_all = filter_with(VolumeBinding(), pod, cluster)  # type: ignore[arg-type]
    few = filter_with(VolumeBinding(), pod, cluster, nodes=nodes_named(cluster, names))  # type: ignore[arg-type]
    assert few == {name: verdict for name, verdict in among_all.items() if name in names}


@given(worlds(), st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=6))
def test_what_is_remembered_of_volumes_follows_their_changes(
    world: World, changes: list[tuple[int, bool]]
) -> None:
    cluster = world.cluster()
    pod = in_pod(world)
    for number, comes in changes:
        filter_with(VolumeBinding(), pod, cluster)  # type: ignore[arg-type]
        name, size = f"v{number}", f"{5 + 6 * number}Gi"
        world.volumes = [item for item in world.volumes if item.name != name]
        if comes:
            world.volumes.append(volume(name, size))
            cluster.put_object(world.volumes[-1])
        else:
            cluster.drop_object(volume(name, size))
    again = filter_with(VolumeBinding(), pod, cluster)  # type: ignore[arg-type]
    assert again == filter_with(VolumeBinding(), pod, world.cluster())  # type: ignore[arg-type]
