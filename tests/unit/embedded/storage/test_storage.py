"""Claims, volumes and the provisioner together, in virtual time."""

from __future__ import annotations

from typing import Any

from nominee.embedded.storage.binder import VolumeBinder
from nominee.embedded.storage.ephemeral import EphemeralVolumes
from nominee.embedded.storage.protection import ClaimProtection, VolumeProtection
from nominee.embedded.storage.provisioner import VolumeProvisioner
from nominee.store.ports import JsonObject
from tests.unit.embedded.controllers.world import World, pod

CLAIMS, VOLUMES, CLASSES = "persistentvolumeclaims", "persistentvolumes", "storageclasses.storage.k8s.io"
SELECTED = "volume.kubernetes.io/selected-node"


def world() -> World:
    return World(VolumeBinder, VolumeProvisioner, ClaimProtection, VolumeProtection, EphemeralVolumes)


def storage_class(name: str = "fast", mode: str = "Immediate", **fields: Any) -> JsonObject:
    return {
        "metadata": {"name": name},
        "provisioner": "nominee.dev/simulated",
        "volumeBindingMode": mode,
        "reclaimPolicy": "Delete",
        **fields,
    }


def claim(name: str = "data", storage_class: str = "fast", size: str = "5Gi", **spec: Any) -> JsonObject:
    return {
        "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": size}},
            "storageClassName": storage_class,
            **spec,
        },
    }


def volume(name: str, size: str = "10Gi", storage_class: str = "fast", **spec: Any) -> JsonObject:
    return {
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": size},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": storage_class,
            "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": "/tmp/x"},
            **spec,
        },
    }


def phase(world: World, name: str = "data") -> str:
    return str(world.get(CLAIMS, name)["status"]["phase"])


def annotate(world: World, name: str, **annotations: str) -> None:
    item = world.get(CLAIMS, name)
    metadata = item["metadata"]
    metadata = {**metadata, "annotations": {**metadata.get("annotations", {}), **annotations}}
    world.access.update(CLAIMS, {**item, "metadata": metadata})


def test_a_restarted_provisioner_goes_on_where_it_was() -> None:
    w = world()
    w.create(CLASSES, storage_class(mode="WaitForFirstConsumer", parameters={"delay": "30s"}))
    w.create("nodes", {"metadata": {"name": "node-1"}, "spec": {}})
    w.create(CLAIMS, claim())
    annotate(w, "data", **{SELECTED: "node-1"})
    w.pass_time(20)
    w.restart(VolumeBinder, VolumeProvisioner)
    w.pass_time(9)
    assert phase(w) == "Pending"
    w.pass_time(2)
    assert phase(w) == "Bound"


def test_another_node_is_another_order() -> None:
    w = world()
    w.create(CLASSES, storage_class(mode="WaitForFirstConsumer", parameters={"delay": "30s"}))
    for name in ("node-1", "node-2"):
        w.create("nodes", {"metadata": {"name": name}, "spec": {}})
    w.create(CLAIMS, claim())
    annotate(w, "data", **{SELECTED: "node-1"})
    w.pass_time(20)
    annotate(w, "data", **{SELECTED: "node-2"})
    w.pass_time(29)
    assert phase(w) == "Pending"
    w.pass_time(2)
    assert phase(w) == "Bound"


def test_a_claim_gets_a_volume_after_the_delay_of_its_class() -> None:
    w = world()
    w.create(CLASSES, storage_class(parameters={"delay": "30s"}))
    w.create(CLAIMS, claim())
    w.pass_time(29)
    assert phase(w) == "Pending"
    w.pass_time(2)
    assert phase(w) == "Bound"
    [made] = w.all(VOLUMES)
    assert made["spec"]["capacity"] == {"storage": "5Gi"}
    assert made["spec"]["claimRef"]["name"] == "data"
    assert made["status"]["phase"] == "Bound"
    assert w.get(CLAIMS, "data")["status"]["capacity"] == {"storage": "5Gi"}
    assert any("Successfully provisioned" in text for text in w.events("ProvisioningSucceeded"))


def test_a_claim_that_waits_for_a_consumer_waits_for_a_node() -> None:
    w = world()
    w.create(CLASSES, storage_class(mode="WaitForFirstConsumer"))
    w.create(CLAIMS, claim())
    w.pass_time(60)
    assert phase(w) == "Pending"
    assert w.events("WaitForFirstConsumer") == ["waiting for first consumer to be created before binding"]
    annotate(w, "data", **{SELECTED: "node-1"})
    w.pass_time(1)
    assert phase(w) == "Bound"


def test_a_volume_can_be_reached_from_where_its_class_says() -> None:
    w = world()
    labels = {"topology.kubernetes.io/zone": "zone-b"}
    w.create("nodes", {"metadata": {"name": "node-1", "labels": labels}, "spec": {}})
    parameters = {"topologyKey": "topology.kubernetes.io/zone"}
    w.create(CLASSES, storage_class(mode="WaitForFirstConsumer", parameters=parameters))
    w.create(CLAIMS, claim())
    annotate(w, "data", **{SELECTED: "node-1"})
    w.pass_time(1)
    [made] = w.all(VOLUMES)
    [term] = made["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    expected = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-b"]}
    assert term["matchExpressions"] == [expected]


def test_a_node_that_fails_is_given_back_to_the_scheduler() -> None:
    w = world()
    w.create(CLASSES, storage_class(mode="WaitForFirstConsumer", parameters={"failOnNodes": "node-1"}))
    w.create(CLAIMS, claim())
    annotate(w, "data", **{SELECTED: "node-1"})
    w.pass_time(1)
    assert SELECTED not in w.get(CLAIMS, "data")["metadata"]["annotations"]
    annotate(w, "data", **{SELECTED: "node-2"})
    w.pass_time(1)
    assert phase(w) == "Bound"


def test_another_node_while_a_volume_is_made_begins_it_anew() -> None:
    w = world()
    w.create(CLASSES, storage_class(mode="WaitForFirstConsumer", parameters={"delay": "30s"}))
    w.create(CLAIMS, claim())
    annotate(w, "data", **{SELECTED: "node-1"})
    w.pass_time(20)
    annotate(w, "data", **{SELECTED: "node-2"})
    w.pass_time(20)
    assert phase(w) == "Pending"
    w.pass_time(11)
    assert phase(w) == "Bound"


def test_a_volume_that_was_made_goes_with_its_claim() -> None:
    w = world()
    w.create(CLASSES, storage_class())
    w.create(CLAIMS, claim())
    w.pass_time(1)
    w.delete(CLAIMS, "data")
    w.pass_time(1)
    assert w.all(VOLUMES) == []


def test_a_volume_that_is_to_be_retained_is_released() -> None:
    w = world()
    w.create(CLASSES, storage_class(reclaimPolicy="Retain"))
    w.create(CLAIMS, claim())
    w.pass_time(1)
    w.delete(CLAIMS, "data")
    w.pass_time(1)
    [kept] = w.all(VOLUMES)
    assert kept["status"]["phase"] == "Released"


def test_a_claim_gets_the_smallest_volume_that_does() -> None:
    w = world()
    w.create(CLASSES, storage_class(provisioner="kubernetes.io/no-provisioner"))
    for name, size in (("large", "100Gi"), ("right", "10Gi"), ("small", "1Gi")):
        w.create(VOLUMES, volume(name, size))
    w.settle()
    w.create(CLAIMS, claim())
    w.settle()
    assert w.get(CLAIMS, "data")["spec"]["volumeName"] == "right"
    assert w.get(CLAIMS, "data")["metadata"]["annotations"] == {
        "pv.kubernetes.io/bound-by-controller": "yes",
        "pv.kubernetes.io/bind-completed": "yes",
    }


def test_a_claim_waits_for_a_volume_to_come() -> None:
    w = world()
    w.create(CLAIMS, claim(storage_class=""))
    w.settle()
    text = "no persistent volumes available for this claim and no storage class is set"
    assert w.events("FailedBinding") == [text]
    w.create(VOLUMES, volume("one", storage_class=""))
    w.settle()
    assert phase(w) == "Bound"


def test_a_volume_that_is_meant_for_a_claim_goes_to_no_other() -> None:
    w = world()
    w.create(VOLUMES, volume("one", storage_class="", claimRef={"namespace": "default", "name": "mine"}))
    w.create(CLAIMS, claim("other", storage_class=""))
    w.settle()
    assert phase(w, "other") == "Pending"
    w.create(CLAIMS, claim("mine", storage_class=""))
    w.settle()
    assert phase(w, "mine") == "Bound"
    assert w.get(VOLUMES, "one")["spec"]["claimRef"]["uid"] == w.get(CLAIMS, "mine")["metadata"]["uid"]


def test_what_the_scheduler_has_chosen_is_bound() -> None:
    w = world()
    w.create(CLASSES, storage_class(provisioner="kubernetes.io/no-provisioner", mode="WaitForFirstConsumer"))
    w.create(VOLUMES, volume("one"))
    made = w.create(CLAIMS, claim())
    w.settle()
    assert phase(w) == "Pending"
    chosen = w.get(VOLUMES, "one")
    reference = {"namespace": "default", "name": "data", "uid": made["metadata"]["uid"]}
    w.access.update(VOLUMES, {**chosen, "spec": {**chosen["spec"], "claimRef": reference}})
    w.settle()
    assert phase(w) == "Bound"


def test_a_claim_names_a_volume_that_does_not_do() -> None:
    w = world()
    w.create(VOLUMES, volume("one", "1Gi", storage_class=""))
    w.create(CLAIMS, claim(storage_class="", volumeName="one"))
    w.settle()
    assert phase(w) == "Pending"
    assert w.events("VolumeMismatch") == ['Cannot bind to requested volume "one": requested PV is too small']


def test_a_claim_whose_volume_is_gone_is_lost() -> None:
    w = world()
    w.create(VOLUMES, volume("one", storage_class=""))
    w.create(CLAIMS, claim(storage_class=""))
    w.settle()
    w.store.delete(VOLUMES, "one")
    w.settle()
    assert phase(w) == "Lost"


def test_a_claim_in_use_is_kept_until_its_pod_is_gone() -> None:
    w = world()
    w.create(VOLUMES, volume("one", storage_class=""))
    held = claim(storage_class="")
    held["metadata"]["finalizers"] = ["kubernetes.io/pvc-protection"]
    w.create(CLAIMS, held)
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    w.create("pods", pod("user", nodeName="node-1", volumes=volumes))
    w.settle()
    w.delete(CLAIMS, "data")
    w.settle()
    assert "deletionTimestamp" in w.get(CLAIMS, "data")["metadata"]
    w.delete("pods", "user", grace_period_seconds=0)
    w.settle()
    assert w.find(CLAIMS, "data") is None


def test_a_bound_volume_is_kept_until_its_claim_is_gone() -> None:
    w = world()
    held = volume("one", storage_class="")
    held["metadata"]["finalizers"] = ["kubernetes.io/pv-protection"]
    w.create(VOLUMES, held)
    w.create(CLAIMS, claim(storage_class=""))
    w.settle()
    w.delete(VOLUMES, "one")
    w.settle()
    assert w.get(VOLUMES, "one")["status"]["phase"] == "Bound"
    w.delete(CLAIMS, "data")
    w.settle()
    assert w.all(VOLUMES) == []


def test_ephemeral_volumes_get_claims_that_belong_to_their_pod() -> None:
    w = world()
    w.create(CLASSES, storage_class())
    source = {"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": claim()["spec"]}}
    w.create("pods", pod("p", volumes=[{"name": "scratch", "ephemeral": source}]))
    w.pass_time(1)
    made = w.get(CLAIMS, "p-scratch")
    assert made["metadata"]["labels"] == {"a": "b"}
    assert made["metadata"]["ownerReferences"][0]["kind"] == "Pod"
    assert phase(w, "p-scratch") == "Bound"


def test_a_claim_of_somebody_else_is_not_taken_for_an_ephemeral_volume() -> None:
    w = world()
    w.create(CLAIMS, claim("p-scratch", storage_class=""))
    source = {"volumeClaimTemplate": {"spec": claim()["spec"]}}
    w.create("pods", pod("p", volumes=[{"name": "scratch", "ephemeral": source}]))
    w.settle()
    assert len(w.events("EphemeralVolumeCreationFailed")) == 1
