"""Some disks go to one pod a node, a ReadWriteOncePod claim to one pod of the cluster."""

import pytest

from nominee.framework import Pod, Skip, SkipWhile
from nominee.model.meta import ObjectMeta
from nominee.model.pod import Volume
from nominee.model.storage import PersistentVolumeClaim, PersistentVolumeClaimSpec
from nominee.model.volumes import ISCSI, RBD, AWSElasticBlockStore, GCEPersistentDisk
from nominee.plugins.volume_restrictions import VolumeRestrictions
from nominee.state.cluster import ClusterState
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

NO_DISK = ("Unschedulable", ("node(s) had no available disk",))
CLAIM_TAKEN = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
    "already in-use by another pod"
)
IN_USE = ("Unschedulable", (CLAIM_TAKEN,))
A, B = make_node("a"), make_node("b")
PLUGIN = VolumeRestrictions()


def gce(name: str = "disk", *, read_only: bool = False) -> Volume:
    return Volume(name="v", gce_persistent_disk=GCEPersistentDisk(pd_name=name, read_only=read_only))


def aws(volume_id: str = "disk", *, read_only: bool = False) -> Volume:
    source = AWSElasticBlockStore(volume_id=volume_id, read_only=read_only)
    return Volume(name="v", aws_elastic_block_store=source)


def iscsi(iqn: str = "disk", *, lun: int = 0, read_only: bool = False) -> Volume:
    return Volume(name="v", iscsi=ISCSI(iqn=iqn, lun=lun, read_only=read_only))


def rbd(*monitors: str, image: str = "disk", pool: str = "rbd", read_only: bool = False) -> Volume:
    return Volume(name="v", rbd=RBD(monitors=monitors, image=image, pool=pool, read_only=read_only))


def claim(name: str, mode: str = "ReadWriteOncePod", namespace: str = "default") -> PersistentVolumeClaim:
    spec = PersistentVolumeClaimSpec(access_modes=(mode,))
    return PersistentVolumeClaim(metadata=ObjectMeta(name=name, namespace=namespace), spec=spec)


@pytest.mark.parametrize(
    ("wanted", "held", "conflicts"),
    [
        (gce(), gce(), True),
        (gce(), gce("other"), False),
        (gce(read_only=True), gce(), True),
        (gce(), gce(read_only=True), True),
        (gce(read_only=True), gce(read_only=True), False),
        (aws(), aws(), True),
        (aws(read_only=True), aws(read_only=True), True),
        (aws(), aws("other"), False),
        (aws(), gce(), False),
        (iscsi(lun=1), iscsi(lun=2), True),
        (iscsi(), iscsi("other"), False),
        (iscsi(read_only=True), iscsi(read_only=True), False),
        (rbd("m1", "m2"), rbd("m2", "m3"), True),
        (rbd("m1"), rbd("m2"), False),
        (rbd("m1"), rbd("m1", image="other"), False),
        (rbd("m1"), rbd("m1", pool="other"), False),
        (rbd("m1", read_only=True), rbd("m1", read_only=True), False),
        (rbd("m1", read_only=True), rbd("m1"), True),
    ],
)
def test_a_disk_conflicts_on_its_node_only(wanted: Volume, held: Volume, conflicts: bool) -> None:
    cluster = make_cluster([A, B], [make_pod("held").volume(held).node("a")])
    verdicts = filter_with(PLUGIN, make_pod("p").volume(wanted), cluster)
    assert verdicts == ({"a": NO_DISK} if conflicts else {})


def test_a_victim_takes_its_disk_along() -> None:
    held = make_pod("held").volume(gce()).node("a")
    cluster = make_cluster([A], [held])
    nodes = what_if(cluster, ["a"], remove={"a": [held]})
    assert filter_with(PLUGIN, make_pod("p").volume(gce()), cluster, nodes=nodes) == {}


def test_a_nominated_pod_holds_its_disk() -> None:
    cluster = make_cluster([A, B])
    nodes = what_if(cluster, ["a", "b"], add={"b": [make_pod("nominated").volume(gce())]})
    assert filter_with(PLUGIN, make_pod("p").volume(gce()), cluster, nodes=nodes) == {"b": NO_DISK}


def user(name: str, claim_name: str = "data", namespace: str = "default") -> PodBuilder:
    return make_pod(name, namespace).pvc(claim_name)


def in_use(*, mode: str = "ReadWriteOncePod", holder: PodBuilder | None = None) -> ClusterState:
    return make_cluster([A, B], [(holder or user("holder")).node("a")], [claim("data", mode)])


def test_a_claim_of_one_pod_is_taken_on_every_node() -> None:
    assert filter_with(PLUGIN, user("p"), in_use()) == {"a": IN_USE, "b": IN_USE}


def test_a_terminating_pod_still_holds_its_claim() -> None:
    cluster = in_use(holder=user("holder").terminating())
    assert filter_with(PLUGIN, user("p"), cluster).keys() == {"a", "b"}


def test_a_claim_of_several_pods_is_free_for_all() -> None:
    assert filter_with(PLUGIN, user("p"), in_use(mode="ReadWriteOnce")) == {}


def test_a_claim_of_the_same_name_elsewhere_is_another_one() -> None:
    assert filter_with(PLUGIN, user("p"), in_use(holder=user("holder", namespace="other"))) == {}


def test_evicting_the_holder_helps_on_its_node() -> None:
    cluster = in_use()
    nodes = what_if(cluster, ["a", "b"], remove={"a": [user("holder")]})
    assert filter_with(PLUGIN, user("p"), cluster, nodes=nodes) == {"b": IN_USE}


def test_of_disk_and_claim_the_disk_is_blamed() -> None:
    cluster = in_use(holder=user("holder").volume(aws()))
    assert filter_with(PLUGIN, user("p").volume(aws()), cluster) == {"a": NO_DISK, "b": IN_USE}


def test_a_missing_claim_rejects_the_pod_for_good() -> None:
    verdicts = filter_with(PLUGIN, user("p"), make_cluster([A]))
    reason = 'persistentvolumeclaim "data" not found'
    assert verdicts == {"a": ("UnschedulableAndUnresolvable", (reason,))}


def answer(pod: PodBuilder, cluster: ClusterState) -> object:
    return PLUGIN.pre_filter(pod_of(cluster, pod), cluster.all_nodes(), make_cycle(cluster))


def test_skips_pods_without_disks_and_claims_for_good() -> None:
    assert answer(make_pod("p"), in_use()) is Skip.THIS_SHAPE


def test_skips_pods_with_ordinary_claims_until_claims_change() -> None:
    cluster = in_use(mode="ReadWriteMany")
    skip = answer(user("p"), cluster)
    assert isinstance(skip, SkipWhile)
    before = skip.unchanged()
    cluster.put_object(claim("data"))
    assert skip.unchanged() != before


def test_skips_pods_whose_claim_nobody_uses_for_this_cycle() -> None:
    assert answer(user("p"), make_cluster([A], objects=[claim("data")])) is Skip.THIS_CYCLE


def helps(pod: PodBuilder, *, deleted: PodBuilder) -> bool:
    cluster = in_use()
    hint = PLUGIN.events_to_register()[0].hint
    assert hint is not None
    old: Pod = pod_of(cluster, deleted.node("a"))
    return hint(pod_of(cluster, pod), old, None, cluster.view)


def test_the_end_of_a_pod_with_the_same_disk_or_claim_helps() -> None:
    assert helps(user("p"), deleted=user("gone"))
    assert not helps(user("p"), deleted=user("gone", "other"))
    assert not helps(user("p"), deleted=user("gone", namespace="other"))
    assert helps(make_pod("p").volume(gce()), deleted=make_pod("gone").volume(gce()))
    assert not helps(make_pod("p").volume(gce()), deleted=make_pod("gone").volume(gce("other")))
    assert not helps(make_pod("p").volume(gce()), deleted=make_pod("gone", "other").volume(gce()))


@pytest.mark.parametrize(
    ("added", "helpful"), [(claim("data"), True), (claim("b"), False), (claim("data", namespace="x"), False)]
)
def test_a_new_claim_helps_the_pod_that_uses_it(added: PersistentVolumeClaim, helpful: bool) -> None:
    cluster = make_cluster([A])
    hint = PLUGIN.events_to_register()[2].hint
    assert hint is not None
    assert hint(pod_of(cluster, user("p")), None, added, cluster.view) is helpful
