"""VolumeRestrictions over columns and what-ifs agrees with comparing every pair of volumes."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from nominee.model.meta import ObjectMeta
from nominee.model.pod import Volume
from nominee.model.storage import PersistentVolumeClaim, PersistentVolumeClaimSpec
from nominee.model.volumes import ISCSI, RBD, AWSElasticBlockStore, GCEPersistentDisk
from nominee.plugins.volume_restrictions import VolumeRestrictions
from nominee.testing import PodBuilder, filter_with, make_cluster, make_node, make_pod, what_if

NO_DISK = ("Unschedulable", ("node(s) had no available disk",))
CLAIM_TAKEN = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
    "already in-use by another pod"
)
IN_USE = ("Unschedulable", (CLAIM_TAKEN,))
NAMES = ("a", "b", "c")
EXCLUSIVE = {("default", "mine"), ("default", "ours"), ("other", "mine")}
CLAIMS = [
    PersistentVolumeClaim(
        metadata=ObjectMeta(name=name, namespace=namespace),
        spec=PersistentVolumeClaimSpec(
            access_modes=("ReadWriteOncePod" if (namespace, name) in EXCLUSIVE else "ReadWriteOnce",)
        ),
    )
    for namespace in ("default", "other")
    for name in ("mine", "ours", "everybodys")
]


@dataclass(frozen=True)
class Disk:
    kind: str
    name: str
    monitors: tuple[str, ...]
    read_only: bool

    @property
    def volume(self) -> Volume:
        match self.kind:
            case "gce":
                return Volume(
                    gce_persistent_disk=GCEPersistentDisk(pd_name=self.name, read_only=self.read_only)
                )
            case "aws":
                source = AWSElasticBlockStore(volume_id=self.name, read_only=self.read_only)
                return Volume(aws_elastic_block_store=source)
            case "iscsi":
                return Volume(iscsi=ISCSI(iqn=self.name, read_only=self.read_only))
            case _:
                return Volume(
                    rbd=RBD(image=self.name, pool="p", monitors=self.monitors, read_only=self.read_only)
                )


@dataclass(frozen=True)
class Plain:
    """A pod, as the loops below read it."""

    node: str
    namespace: str
    disks: tuple[Disk, ...]
    claims: tuple[str, ...]

    def build(self, name: str) -> PodBuilder:
        pod = make_pod(name, self.namespace)
        for disk in self.disks:
            pod = pod.volume(disk.volume)
        for claim in self.claims:
            pod = pod.pvc(claim)
        return pod


disks = st.builds(
    Disk,
    st.sampled_from(["gce", "aws", "iscsi", "rbd"]),
    st.sampled_from(["x", "y"]),
    st.sampled_from([("m1",), ("m2",), ("m1", "m2")]),
    st.booleans(),
)
pods = st.builds(
    Plain,
    st.sampled_from(NAMES),
    st.sampled_from(["default", "default", "other"]),
    st.lists(disks, max_size=2).map(tuple),
    st.lists(st.sampled_from(["mine", "ours", "everybodys"]), max_size=2, unique=True).map(tuple),
)
crowds = st.lists(pods, max_size=4)


def clash(one: Disk, other: Disk) -> bool:
    if one.kind != other.kind or one.name != other.name:
        return False
    if one.kind == "rbd" and not set(one.monitors) & set(other.monitors):
        return False
    return one.kind == "aws" or not (one.read_only and other.read_only)


def naive(
    pod: Plain, there: list[Plain], come: list[Plain], gone: list[Plain]
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """By node, the verdict when some have come to their nodes and others left them."""
    wanted = {claim for claim in pod.claims if (pod.namespace, claim) in EXCLUSIVE}
    used = {claim for p in there if p.namespace == pod.namespace for claim in p.claims} & wanted
    if not pod.disks and not used:
        return {}
    verdicts: dict[str, tuple[str, tuple[str, ...]]] = {}
    for node in NAMES:
        here = [p for p in there if p.node == node and not any(p is g for g in gone)]
        here += [p for p in come if p.node == node]
        moved = sum(claim in wanted for p in come if p.node == node for claim in p.claims)
        moved -= sum(claim in wanted for p in gone if p.node == node for claim in p.claims)
        if any(clash(one, other) for one in pod.disks for p in here for other in p.disks):
            verdicts[node] = NO_DISK
        elif len(used) + moved > 0:
            verdicts[node] = IN_USE
    return verdicts


@given(pods, crowds, crowds, st.data())
def test_filter_of_nodes_and_what_ifs(
    pod: Plain, there: list[Plain], come: list[Plain], data: st.DataObject
) -> None:
    placed = [p.build(f"p{i}").node(p.node) for i, p in enumerate(there)]
    cluster = make_cluster(map(make_node, NAMES), placed, CLAIMS)
    incoming, plugin = pod.build("new"), VolumeRestrictions()
    assert filter_with(plugin, incoming, cluster) == naive(pod, there, [], [])

    leaving = [data.draw(st.booleans()) for _ in there]
    add: dict[str, list[PodBuilder]] = {name: [] for name in NAMES}
    remove: dict[str, list[PodBuilder]] = {name: [] for name in NAMES}
    for i, p in enumerate(come):
        add[p.node].append(p.build(f"come{i}"))
    for builder, p, leaves in zip(placed, there, leaving, strict=True):
        if leaves:
            remove[p.node].append(builder)
    nodes = what_if(cluster, reversed(NAMES), add=add, remove=remove)
    gone = [p for p, leaves in zip(there, leaving, strict=True) if leaves]
    assert filter_with(plugin, incoming, cluster, nodes=nodes) == naive(pod, there, come, gone)
