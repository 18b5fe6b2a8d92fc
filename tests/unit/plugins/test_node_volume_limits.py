"""A node can hold so many volumes of a driver and no more."""

from typing import Any

import pytest

from nominee.framework import Skip
from nominee.model.pod import Volume
from nominee.model.storage import EphemeralVolume
from nominee.model.volumes import AWSElasticBlockStore, AzureFile, CSIVolume
from nominee.plugins.node_volume_limits import NodeVolumeLimits
from nominee.state.cluster import ClusterState
from nominee.testing import PodBuilder, filter_with, make_cluster, make_cycle, make_node, make_pod, pod_of
from tests.volume_objects import (
    DRIVER,
    attachment,
    claim,
    csi_driver,
    csi_node,
    storage_class,
    volume,
)

PLUGIN = NodeVolumeLimits()
TOO_MANY = ("Unschedulable", ("node(s) exceed max volume count",))
ABSENT = ("Unschedulable", (f"{DRIVER} CSI driver is not installed on the node",))
A = make_node("a")
EBS = "ebs.csi.aws.com"


def bound(*numbers: int) -> list[Any]:
    """Claims c1, c2, … and their volumes."""
    volumes = [volume(f"v{i}", csi=DRIVER) for i in numbers]
    return [*volumes, *(claim(f"c{i}", bound_to=f"v{i}") for i in numbers)]


def cluster_of(limit: int | None, *objects: Any, pods: tuple[PodBuilder, ...] = ()) -> ClusterState:
    return make_cluster([A], [pod.node("a") for pod in pods], [csi_node("a", {DRIVER: limit}), *objects])


def said(pod: PodBuilder, cluster: ClusterState, **features: bool) -> Any:
    return filter_with(PLUGIN, pod, cluster, cycle=make_cycle(cluster, features=features)).get("a")


def ebs(volume_id: str) -> Volume:
    return Volume(name="x", aws_elastic_block_store=AWSElasticBlockStore(volume_id=volume_id))


def test_one_volume_more_than_the_node_can_hold_is_too_many() -> None:
    cluster = cluster_of(1, *bound(1, 2), pods=(make_pod("old").pvc("c1"),))
    assert said(make_pod("new").pvc("c2"), cluster) == TOO_MANY


def test_a_volume_that_the_node_has_already_is_no_new_one() -> None:
    cluster = cluster_of(0, *bound(1), pods=(make_pod("old").pvc("c1"),))
    assert said(make_pod("new").pvc("c1"), cluster) is None


def test_two_claims_to_one_volume_count_once() -> None:
    again = claim("again", bound_to="v1")
    cluster = cluster_of(1, *bound(1), again)
    assert said(make_pod("new").pvc("c1").pvc("again"), cluster) is None


def test_a_claim_without_volume_will_have_one_of_its_class() -> None:
    cluster = cluster_of(0, claim("c"), storage_class(provisioner=DRIVER))
    assert said(make_pod("new").pvc("c"), cluster) == TOO_MANY


def test_a_claim_of_no_class_counts_nowhere() -> None:
    assert said(make_pod("new").pvc("c"), cluster_of(0, claim("c", storage_class=None))) is None


def test_attachments_that_no_pod_accounts_for_count_too() -> None:
    cluster = cluster_of(1, *bound(1, 2), attachment("x", "a", "v1"))
    assert said(make_pod("new").pvc("c2"), cluster) == TOO_MANY


def test_the_attachment_of_a_volume_in_use_counts_once() -> None:
    pods = (make_pod("old").pvc("c1"),)
    cluster = cluster_of(2, *bound(1, 2), attachment("x", "a", "v1"), pods=pods)
    assert said(make_pod("new").pvc("c2"), cluster) is None


@pytest.mark.parametrize(
    "loose",
    [attachment("x", "a", None), attachment("x", "a", "gone"), attachment("x", "b", "v1")],
    ids=["no volume", "unknown volume", "another node"],
)
def test_loose_attachments_count_nowhere(loose: Any) -> None:
    assert said(make_pod("new").pvc("c2"), cluster_of(1, *bound(1, 2), loose)) is None


def test_a_driver_without_limit_holds_any_number() -> None:
    assert said(make_pod("new").pvc("c1"), cluster_of(None, *bound(1))) is None


def test_a_node_that_lacks_a_driver_which_insists_is_out() -> None:
    objects = [*bound(1), csi_driver(prevent_pod_scheduling_if_missing=True)]
    cluster = make_cluster([A], objects=objects)
    assert said(make_pod("new").pvc("c1"), cluster) == ABSENT
    assert said(make_pod("new").pvc("c1"), cluster, VolumeLimitScaling=False) is None


def test_a_missing_driver_that_does_not_insist_is_no_hindrance() -> None:
    assert said(make_pod("new").pvc("c1"), make_cluster([A], objects=[*bound(1), csi_driver()])) is None


def test_a_volume_of_an_in_tree_plugin_counts_for_the_driver_that_took_it_over() -> None:
    cluster = make_cluster([A], [make_pod("old").volume(ebs("one")).node("a")], [csi_node("a", {EBS: 1})])
    assert said(make_pod("new").volume(ebs("two")), cluster) == TOO_MANY
    assert said(make_pod("new").volume(ebs("one")), cluster) is None


def test_migrated_volumes_mean_nothing_to_a_node_without_csi_node() -> None:
    driver = csi_driver(EBS, prevent_pod_scheduling_if_missing=True)
    assert said(make_pod("new").volume(ebs("one")), make_cluster([A], objects=[driver])) is None


def test_a_claim_that_does_not_exist_keeps_the_pod_out() -> None:
    reason = 'looking up PVC default/c: persistentvolumeclaim "c" not found'
    expected = ("UnschedulableAndUnresolvable", (reason,))
    assert said(make_pod("new").pvc("c"), make_cluster([A])) == expected


def test_an_ephemeral_claim_must_be_the_pods_own() -> None:
    pod = make_pod("p").volume(Volume(name="x", ephemeral=EphemeralVolume()))
    with pytest.raises(ValueError, match="not created for pod default/p"):
        said(pod, cluster_of(0, claim("p-x"), storage_class(provisioner=DRIVER)))


def test_whose_an_ephemeral_claim_is_does_not_matter_before_nodes_are_filtered() -> None:
    # VolumeBinding rejects the pod in PreFilter; that attempt must not fail on us
    pod = make_pod("p").volume(Volume(name="x", ephemeral=EphemeralVolume()))
    cluster = cluster_of(0, claim("p-x"), storage_class(provisioner=DRIVER))
    assert PLUGIN.pre_filter(pod_of(cluster, pod), cluster.all_nodes(), make_cycle(cluster)) is None


def test_pods_without_such_volumes_are_left_alone() -> None:
    cluster = make_cluster([A])
    pod = pod_of(cluster, make_pod("p").volume(Volume(name="x", csi=CSIVolume(driver=DRIVER))))
    assert PLUGIN.pre_filter(pod, cluster.all_nodes(), make_cycle(cluster)) is Skip.THIS_SHAPE


def test_a_node_that_comes_back_in_another_row_is_read_anew() -> None:
    cluster = cluster_of(1, *bound(1, 2), pods=(make_pod("old").pvc("c1"),))
    new = make_pod("new").pvc("c2")
    assert said(new, cluster) == TOO_MANY
    cluster.remove_node("a")
    cluster.add_node(make_node("b").obj)
    assert filter_with(PLUGIN, new, cluster) == {}
    cluster.add_node(A.obj)
    assert said(new, cluster) == TOO_MANY


class TestHints:
    """Which events wake a pod that was kept out."""

    cluster = make_cluster()
    claiming = pod_of(cluster, make_pod("p").pvc("c"))
    inline = pod_of(cluster, make_pod("q").volume(ebs("one")))

    def wakes(self, number: int, pod: Any, old: Any, new: Any) -> bool:
        hint = PLUGIN.events_to_register()[number].hint
        assert hint is not None
        return hint(pod, old, new, self.cluster.view)

    @pytest.mark.parametrize(
        ("before", "after", "wakes"),
        [({DRIVER: 1}, {DRIVER: 2}, True), ({DRIVER: 2}, {DRIVER: 1}, False), ({}, {DRIVER: 1}, True)],
    )
    def test_a_higher_limit(self, before: Any, after: Any, wakes: bool) -> None:
        assert self.wakes(1, self.claiming, csi_node("a", before), csi_node("a", after)) is wakes

    @pytest.mark.parametrize(
        ("pod", "wakes"),
        [
            (make_pod("o").pvc("d").node("a"), True),
            (make_pod("o").pvc("d").nominated("a"), True),
            (make_pod("o").pvc("d"), False),
            (make_pod("o").node("a"), False),
            (make_pod("o").volume(Volume(name="x", azure_file=AzureFile())).node("a"), True),
        ],
    )
    def test_a_pod_with_volumes_gone(self, pod: PodBuilder, wakes: bool) -> None:
        assert self.wakes(2, self.claiming, pod_of(self.cluster, pod), None) is wakes

    def test_one_of_its_claims(self) -> None:
        assert self.wakes(3, self.claiming, None, claim("c"))
        assert not self.wakes(3, self.claiming, None, claim("d"))

    def test_a_volume_detached(self) -> None:
        assert self.wakes(4, self.claiming, attachment("x", "a", "v"), None)
        assert self.wakes(4, self.inline, attachment("x", "a", "v", EBS), None)
        assert not self.wakes(4, self.inline, attachment("x", "a", "v"), None)
