"""Where a pod's claims can have volumes, and what is said where they can not."""

from typing import Any

import pytest

from nominee.framework import Reject, Skip
from nominee.model.meta import (
    LabelSelector,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    OwnerReference,
)
from nominee.model.pod import Volume
from nominee.model.storage import EphemeralVolume, PersistentVolumeClaimStatus, VolumeNodeAffinity
from nominee.model.volumes import GCEPersistentDisk
from nominee.plugins.volume_binding import VolumeBinding
from nominee.plugins.volume_binding.plugin import ATTEMPT
from nominee.testing import PodBuilder, filter_with, make_cluster, make_cycle, make_node, make_pod, pod_of
from tests.volume_objects import (
    DRIVER,
    claim,
    csi_driver,
    csi_node,
    free_storage,
    on_nodes_with,
    storage_class,
    volume,
)

PLUGIN = VolumeBinding()
UNREACHABLE = "node(s) didn't match PersistentVolume's node affinity"
NOTHING = "node(s) didn't find available persistent volumes to bind"
CRAMPED = "node(s) did not have enough free storage"
MISSING = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
NODES = [make_node(zone).label("zone", zone) for zone in ("a", "b")]
POD = make_pod("p").pvc("c")
EPHEMERAL = make_pod("p").volume(Volume(name="x", ephemeral=EphemeralVolume()))


def said(*objects: Any, pod: PodBuilder = POD) -> dict[str, set[str]]:
    """By node, the reasons; all of them are beyond what preemption can mend."""
    verdicts = filter_with(PLUGIN, pod, make_cluster(NODES, objects=[storage_class(), *objects]))
    assert all(verdict.code == "UnschedulableAndUnresolvable" for verdict in verdicts.values())
    return {node: set(verdict.reasons) for node, verdict in verdicts.items()}


def chosen(*objects: Any, node: str = "a", pod: PodBuilder = POD) -> dict[str, str]:
    """By claim, the volume it would get on the node."""
    cluster = make_cluster(NODES, objects=[storage_class(), *objects])
    cycle = make_cycle(cluster)
    filter_with(PLUGIN, pod, cluster, cycle=cycle)
    bindings = cycle[ATTEMPT].search.bindings(cluster.nodes.row_of[node])
    return {item.name: found.name for found, item in bindings}


@pytest.mark.parametrize(
    ("pod", "found", "reason"),
    [
        (POD, [], 'persistentvolumeclaim "c" not found'),
        (
            EPHEMERAL,
            [],
            'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-x"',
        ),
        (EPHEMERAL, [claim("p-x")], "PVC default/p-x was not created for pod default/p (pod is not owner)"),
        (
            POD,
            [claim("c", meta={"deletion_timestamp": "2026-01-01T00:00:00Z"})],
            'persistentvolumeclaim "c" is being deleted',
        ),
        (POD, [claim("c", storage_class="quick")], "pod has unbound immediate PersistentVolumeClaims"),
        (POD, [claim("c", storage_class=None)], "pod has unbound immediate PersistentVolumeClaims"),
        (POD, [claim("c", volume_name="v")], "pod has unbound immediate PersistentVolumeClaims"),
    ],
)
def test_some_claims_keep_the_pod_from_every_node(pod: PodBuilder, found: list[Any], reason: str) -> None:
    cluster = make_cluster(NODES, objects=[storage_class(), storage_class("quick", mode="Immediate"), *found])
    answer = PLUGIN.pre_filter(pod_of(cluster, pod), cluster.all_nodes(), make_cycle(cluster))
    assert answer == Reject((reason,), unresolvable=True)


def test_a_lost_claim_names_the_volume_that_is_gone() -> None:
    lost = claim("c", bound_to="v")
    lost = type(lost)(
        metadata=lost.metadata, spec=lost.spec, status=PersistentVolumeClaimStatus(phase="Lost")
    )
    reason = 'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"'
    assert said(lost) == {"a": {reason}, "b": {reason}}


def test_a_class_without_binding_mode_is_an_error() -> None:
    cluster = make_cluster(NODES, objects=[claim("c"), storage_class(mode=None)])
    with pytest.raises(ValueError, match='VolumeBindingMode not set for StorageClass "slow"'):
        filter_with(PLUGIN, POD, cluster)


def test_pods_without_claims_are_left_alone() -> None:
    cluster = make_cluster(NODES)
    answer = PLUGIN.pre_filter(pod_of(cluster, make_pod("p")), cluster.all_nodes(), make_cycle(cluster))
    assert answer is Skip.THIS_SHAPE


def test_an_ephemeral_claim_of_the_pod_counts_like_any_other() -> None:
    owner = OwnerReference(kind="Pod", name="p", uid="p-uid", controller=True)
    item = claim("p-x", bound_to="v", meta={"owner_references": (owner,)})
    assert said(item, volume("v", zone="b"), pod=EPHEMERAL.uid("p-uid")) == {"a": {UNREACHABLE}}


def test_a_bound_volume_decides_where_the_pod_can_be() -> None:
    assert said(claim("c", bound_to="v"), volume("v", zone="a")) == {"b": {UNREACHABLE}}


@pytest.mark.parametrize("operator", ["In", "NotIn"])
def test_what_a_volume_says_of_nodes_names_counts_for_nothing(operator: str) -> None:
    name = NodeSelectorRequirement(key="metadata.name", operator=operator, values=("b",))
    zone = NodeSelectorRequirement(key="zone", operator="In", values=("a",))
    term = NodeSelectorTerm(match_expressions=(zone,), match_fields=(name,))
    affinity = VolumeNodeAffinity(required=NodeSelector(node_selector_terms=(term,)))
    assert said(claim("c", bound_to="v"), volume("v", node_affinity=affinity)) == {"b": {UNREACHABLE}}


def test_a_bound_volume_that_is_gone_can_be_reached_from_nowhere() -> None:
    assert said(claim("c", bound_to="v")) == {"a": {MISSING}, "b": {MISSING}}


def test_the_first_claim_that_fails_a_node_decides_what_is_said() -> None:
    found = said(
        claim("c", bound_to="v"),
        volume("v", zone="a"),
        claim("d", bound_to="gone"),
        pod=POD.pvc("d"),
    )
    assert found == {"a": {MISSING}, "b": {UNREACHABLE}}


def test_reasons_of_bound_and_unbound_claims_are_collected() -> None:
    found = said(claim("c", bound_to="v"), volume("v", zone="a", claim="c"), claim("d"), pod=POD.pvc("d"))
    assert found == {"a": {NOTHING}, "b": {UNREACHABLE, NOTHING}}


def test_a_volume_that_a_driver_took_over_is_asked_by_the_drivers_label() -> None:
    disk = volume(
        "v",
        gce_persistent_disk=GCEPersistentDisk(pd_name="d"),
        node_affinity=on_nodes_with("topology.kubernetes.io/zone", "z"),
    )
    nodes = [make_node("driver").label("topology.gke.io/zone", "z"), make_node("none")]
    migrated = csi_node("driver", migrated="kubernetes.io/gce-pd")
    cluster = make_cluster(nodes, objects=[claim("c", bound_to="v"), disk, migrated])
    assert list(filter_with(PLUGIN, POD, cluster)) == ["none"]


def test_the_smallest_volume_that_fits_is_chosen() -> None:
    volumes = [volume("large", "30Gi"), volume("tight", "10Gi"), volume("small", "5Gi")]
    assert chosen(claim("c"), *volumes) == {"c": "tight"}


def test_small_claims_choose_first() -> None:
    both = [claim("c", "10Gi"), claim("d", "1Gi")]
    assert chosen(*both, volume("v", "10Gi"), volume("w", "20Gi"), pod=POD.pvc("d")) == {"d": "v", "c": "w"}


@pytest.mark.parametrize(
    "other",
    [
        {"phase": "Released"},
        {"access_modes": ("ReadOnlyMany",)},
        {"volume_mode": "Block"},
        {"storage_class_name": "fast"},
        {"claim": "someone"},
        {"claim": "c", "uid": "a former one"},
        {"volume_attributes_class_name": "gold"},
        {"zone": "b"},
    ],
    ids=str,
)
def test_a_volume_that_is_not_to_be_had_is_not_chosen(other: dict[str, Any]) -> None:
    assert chosen(claim("c"), volume("v", **other), volume("w", "20Gi")) == {"c": "w"}


def test_the_claims_selector_is_heeded() -> None:
    item = claim("c", selector=LabelSelector(match_labels={"tier": "gold"}))
    assert chosen(item, volume("v"), volume("w", "20Gi", labels={"tier": "gold"})) == {"c": "w"}


def test_a_volume_kept_for_the_claim_is_the_one() -> None:
    objects = claim("c"), volume("kept", "90Gi", claim="c", zone="a", phase="Released"), volume("v")
    assert chosen(*objects) == {"c": "kept"}
    assert said(*objects) == {"b": {NOTHING}}


def test_a_volume_may_be_made_where_the_class_allows_it() -> None:
    cluster = make_cluster(NODES, objects=[claim("c"), storage_class(provisioner=DRIVER, zones=("a",))])
    verdicts = filter_with(PLUGIN, POD, cluster)
    assert {node: verdict.reasons for node, verdict in verdicts.items()} == {"b": (NOTHING,)}


@pytest.mark.parametrize(
    ("report", "cramped"),
    [
        (free_storage("f", "20Gi"), {"b"}),
        (free_storage("f", "5Gi"), {"a", "b"}),
        (free_storage("f", "20Gi", largest="5Gi"), {"a", "b"}),
        (free_storage("f", "5Gi", largest="20Gi"), {"b"}),
        (free_storage("f", "20Gi", zone=None), {"a", "b"}),
    ],
)
def test_a_volume_needs_room_where_the_driver_keeps_account_of_it(report: Any, cramped: set[str]) -> None:
    objects = [claim("c"), storage_class(provisioner=DRIVER), csi_driver(storage_capacity=True), report]
    verdicts = filter_with(PLUGIN, POD, make_cluster(NODES, objects=objects))
    assert {node: verdict.reasons for node, verdict in verdicts.items()} == dict.fromkeys(cramped, (CRAMPED,))


@pytest.mark.parametrize("driver", [[], [csi_driver()], [csi_driver(storage_capacity=False)]], ids=len)
def test_otherwise_nobody_asks_for_room(driver: list[Any]) -> None:
    objects = [claim("c"), storage_class(provisioner=DRIVER), *driver]
    assert filter_with(PLUGIN, POD, make_cluster(NODES, objects=objects)) == {}


def test_a_claim_promised_to_a_node_goes_nowhere_else() -> None:
    objects = [claim("c", selected="a"), storage_class(provisioner=DRIVER), volume("v")]
    verdicts = filter_with(PLUGIN, POD, make_cluster(NODES, objects=objects))
    assert {node: verdict.reasons for node, verdict in verdicts.items()} == {"b": (NOTHING,)}
