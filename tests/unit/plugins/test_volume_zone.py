"""A pod goes where the labels of its volumes say they are."""

import pytest

from nominee.framework import BETA_REGION, BETA_ZONE, REGION, ZONE, Reject, Skip, SkipWhile
from nominee.model.pod import Volume
from nominee.model.storage import EphemeralVolume, PersistentVolume
from nominee.plugins.volume_zone import VolumeZone
from nominee.state.cluster import ClusterState
from nominee.testing import NodeBuilder, filter_with, make_cluster, make_cycle, make_node, make_pod, pod_of
from tests.volume_objects import claim, storage_class, volume

PLUGIN = VolumeZone()
POD = make_pod("p").pvc("c")
ELSEWHERE = ("UnschedulableAndUnresolvable", ("node(s) had no available volume zone",))
BOUND = claim("c", bound_to="v")


def in_zone(zone: str, key: str = ZONE) -> NodeBuilder:
    return make_node("n").label(key, zone)


def fits(node: NodeBuilder, *volumes: PersistentVolume) -> bool:
    said = filter_with(PLUGIN, POD, make_cluster([node], objects=[BOUND, *volumes]))
    assert said in ({}, {"n": ELSEWHERE})
    return not said


def asked(cluster: ClusterState) -> object:
    return PLUGIN.pre_filter(pod_of(cluster, POD), cluster.all_nodes(), make_cycle(cluster))


def labelled(**labels: str) -> PersistentVolume:
    keys = {"zone": ZONE, "region": REGION, "beta_zone": BETA_ZONE, "beta_region": BETA_REGION}
    return volume("v", labels={keys[name]: value for name, value in labels.items()})


@pytest.mark.parametrize(
    ("node", "found", "expected"),
    [
        (in_zone("a"), labelled(zone="a"), True),
        (in_zone("a"), labelled(zone="b"), False),
        (in_zone("a"), labelled(zone="b__a"), True),
        (in_zone("a"), labelled(zone=" b __ a "), True),
        (in_zone("a"), labelled(zone="b__"), True),  # does not parse: overlooked
        (in_zone("a"), labelled(zone="a", region="r"), False),
        (in_zone("a").label(REGION, "r"), labelled(zone="a", region="r"), True),
        (in_zone("a"), labelled(beta_zone="a"), True),  # the node's present label answers for the beta one
        (in_zone("a", BETA_ZONE), labelled(zone="a"), False),  # but not the other way round
        (in_zone("a").label(BETA_ZONE, "b"), labelled(beta_zone="a"), False),
        (in_zone("r", REGION), labelled(zone="a"), False),
        (make_node("n"), labelled(zone="a"), True),  # a cluster that knows no zones
        (in_zone("a"), volume("v"), True),
    ],
)
def test_the_node_must_have_the_labels_of_the_volume(
    node: NodeBuilder, found: PersistentVolume, expected: bool
) -> None:
    assert fits(node, found) is expected


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        ([], 'persistentvolumeclaim "c" not found'),
        ([BOUND], 'persistentvolume "v" not found'),
        ([claim("c", storage_class=None)], "PersistentVolumeClaim had no pv name and storageClass name"),
        ([claim("c")], 'storageclass.storage.k8s.io "slow" not found'),
        ([claim("c"), storage_class(mode=None)], 'VolumeBindingMode not set for StorageClass "slow"'),
        ([claim("c"), storage_class(mode="Immediate")], "PersistentVolume had no name"),
    ],
)
def test_what_is_wrong_with_a_claim_is_said(objects: list[object], reason: str) -> None:
    cluster = make_cluster([make_node("n")], objects=objects)  # type: ignore[arg-type]
    assert asked(cluster) == Reject((reason,), unresolvable=True)


def test_a_claim_without_name_is_refused() -> None:
    cluster = make_cluster([make_node("n")])
    pod = pod_of(cluster, make_pod("p").pvc(""))
    said = PLUGIN.pre_filter(pod, cluster.all_nodes(), make_cycle(cluster))
    assert said == Reject(("PersistentVolumeClaim had no name",), unresolvable=True)


def test_a_claim_that_waits_for_its_pod_has_no_zone_yet() -> None:
    said = asked(make_cluster([make_node("n")], objects=[claim("c"), storage_class()]))
    assert isinstance(said, SkipWhile)


def test_the_plugin_wakes_when_a_volume_changes() -> None:
    cluster = make_cluster([make_node("n")], objects=[BOUND, volume("v")])
    said = asked(cluster)
    assert isinstance(said, SkipWhile)
    before = said.unchanged()
    cluster.put_object(labelled(zone="a"))
    assert said.unchanged() != before


@pytest.mark.parametrize(
    "pod",
    [make_pod("p"), make_pod("p").volume(Volume(name="x", ephemeral=EphemeralVolume()))],
    ids=["no volumes", "ephemeral"],
)
def test_pods_without_claims_of_their_own_are_left_alone(pod: object) -> None:
    cluster = make_cluster([make_node("n")])
    seen = pod_of(cluster, pod)  # type: ignore[arg-type]
    assert PLUGIN.pre_filter(seen, cluster.all_nodes(), make_cycle(cluster)) is Skip.THIS_SHAPE


def test_claims_volumes_and_classes_may_wake_the_pod() -> None:
    cluster = make_cluster()
    pod = pod_of(cluster, POD)
    by_class, node, by_claim, by_volume = (event.hint for event in PLUGIN.events_to_register())
    assert node is None
    assert by_class
    assert by_claim
    assert by_volume
    assert by_class(pod, None, storage_class(), cluster.view)
    assert not by_class(pod, None, storage_class(mode="Immediate"), cluster.view)
    assert by_claim(pod, None, claim("c"), cluster.view)
    assert not by_claim(pod, None, claim("d"), cluster.view)
    assert not by_claim(pod, None, claim("c", meta={"namespace": "other"}), cluster.view)
    assert by_volume(pod, None, volume("v"), cluster.view)
    assert by_volume(pod, volume("v"), labelled(zone="a"), cluster.view)
    assert not by_volume(pod, volume("v"), volume("v", "20Gi"), cluster.view)
