"""Devices of simulated nodes and claims to them, in virtual time."""

from __future__ import annotations

from typing import Any

from nominee.embedded.devices.claims import TEMPLATES, ResourceClaims
from nominee.embedded.devices.driver import CLAIMS, DeviceDriver
from nominee.store.ports import JsonObject
from tests.unit.embedded.controllers.world import World, pod

SLICES = "resourceslices.resource.k8s.io"
DRIVER = "devices.nominee.dev"


def node(**annotations: str) -> JsonObject:
    named = {f"nominee.dev/{name.replace('_', '-')}": value for name, value in annotations.items()}
    return {"metadata": {"name": "node-1", "annotations": named}, "spec": {}}


def claim(name: str = "gpu") -> JsonObject:
    request = {
        "name": "one",
        "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1},
    }
    return {"metadata": {"name": name}, "spec": {"devices": {"requests": [request]}}}


def template() -> JsonObject:
    return {
        "metadata": {"name": "gpu"},
        "spec": {"metadata": {"labels": {"a": "b"}}, "spec": claim()["spec"]},
    }


def allocate(w: World, name: str, user: JsonObject | None = None, *, conditions: bool = False) -> None:
    """What the scheduler writes."""
    result: dict[str, Any] = {"request": "one", "driver": DRIVER, "pool": "node-1", "device": "gpu-0"}
    if conditions:
        result |= {
            "bindingConditions": [f"{DRIVER}/attached"],
            "bindingFailureConditions": [f"{DRIVER}/attach-failed"],
        }
    allocation = {"devices": {"results": [result]}, "allocationTimestamp": w.access.timestamp()}
    status: dict[str, Any] = {"allocation": allocation}
    if user is not None:
        metadata = user["metadata"]
        reference = {"resource": "pods", "name": metadata["name"], "uid": metadata["uid"]}
        status["reservedFor"] = [reference]
    w.access.update_status(CLAIMS, {**w.get(CLAIMS, name), "status": status})


def devices_of(w: World) -> list[str]:
    return [device["name"] for each in w.all(SLICES) for device in each["spec"]["devices"]]


def test_a_node_offers_what_its_annotation_says() -> None:
    w = World(DeviceDriver)
    w.create("nodes", node(devices="gpu=2, nic=1"))
    w.settle()
    assert devices_of(w) == ["gpu-0", "gpu-1", "nic-0"]
    [offered] = w.all(SLICES)
    assert (offered["spec"]["nodeName"], offered["spec"]["driver"]) == ("node-1", DRIVER)
    assert offered["spec"]["devices"][1]["attributes"]["index"] == {"int": 1}


def test_a_node_that_says_something_else_offers_something_else() -> None:
    w = World(DeviceDriver)
    made = w.create("nodes", node(devices="gpu=2"))
    w.settle()
    metadata = {**made["metadata"], "annotations": {"nominee.dev/devices": "gpu=1"}}
    changed = w.access.update("nodes", {**made, "metadata": metadata})
    w.settle()
    assert devices_of(w) == ["gpu-0"]
    assert w.all(SLICES)[0]["spec"]["pool"]["generation"] == 2
    w.access.update("nodes", {**changed, "metadata": {**changed["metadata"], "annotations": {}}})
    w.settle()
    assert w.all(SLICES) == []


def test_nonsense_offers_nothing() -> None:
    w = World(DeviceDriver)
    w.create("nodes", node(devices="gpu, =3, nic=many"))
    w.settle()
    assert w.all(SLICES) == []


def test_a_restarted_driver_goes_on_where_it_was() -> None:
    w = World(DeviceDriver)
    w.create("nodes", node(devices="gpu=1", device_delay="20s"))
    w.create(CLAIMS, claim())
    allocate(w, "gpu", conditions=True)
    w.pass_time(15)
    w.restart(DeviceDriver)
    w.pass_time(4)
    assert "devices" not in w.get(CLAIMS, "gpu")["status"]
    w.pass_time(3)
    assert w.get(CLAIMS, "gpu")["status"]["devices"]


def test_allocated_devices_are_ready_after_the_delay_of_their_node() -> None:
    w = World(DeviceDriver)
    w.create("nodes", node(devices="gpu=1", device_delay="20s"))
    w.create(CLAIMS, claim())
    w.settle()
    assert w.all(SLICES)[0]["spec"]["devices"][0]["bindingConditions"] == [f"{DRIVER}/attached"]
    allocate(w, "gpu", conditions=True)
    w.pass_time(19)
    assert "devices" not in w.get(CLAIMS, "gpu")["status"]
    w.pass_time(2)
    [device] = w.get(CLAIMS, "gpu")["status"]["devices"]
    assert [(c["type"], c["status"]) for c in device["conditions"]] == [(f"{DRIVER}/attached", "True")]


def test_devices_fail_where_the_node_says_so() -> None:
    w = World(DeviceDriver)
    w.create("nodes", node(devices="gpu=1", device_fails="true"))
    w.create(CLAIMS, claim())
    allocate(w, "gpu", conditions=True)
    w.pass_time(1)
    [device] = w.get(CLAIMS, "gpu")["status"]["devices"]
    assert device["conditions"][0]["type"] == f"{DRIVER}/attach-failed"


def test_a_pod_gets_a_claim_of_its_own_from_a_template() -> None:
    w = World(ResourceClaims)
    w.create(TEMPLATES, template())
    w.create("pods", pod("p", resourceClaims=[{"name": "g", "resourceClaimTemplateName": "gpu"}]))
    w.settle()
    [made] = w.all(CLAIMS)
    assert made["metadata"]["name"].startswith("p-g-")
    assert made["metadata"]["labels"] == {"a": "b"}
    assert made["metadata"]["ownerReferences"][0]["name"] == "p"
    expected = [{"name": "g", "resourceClaimName": made["metadata"]["name"]}]
    assert w.get("pods", "p")["status"]["resourceClaimStatuses"] == expected


def test_a_pod_waits_for_its_template() -> None:
    w = World(ResourceClaims)
    w.create("pods", pod("p", resourceClaims=[{"name": "g", "resourceClaimTemplateName": "gpu"}]))
    w.pass_time(1)
    assert w.all(CLAIMS) == []
    w.create(TEMPLATES, template())
    w.pass_time(60)
    assert len(w.all(CLAIMS)) == 1


def test_a_claim_is_free_again_when_its_pod_has_ended() -> None:
    w = World(ResourceClaims)
    w.create(CLAIMS, claim())
    user = w.create(
        "pods", pod("p", nodeName="node-1", resourceClaims=[{"name": "g", "resourceClaimName": "gpu"}])
    )
    allocate(w, "gpu", user)
    w.settle()
    assert "allocation" in w.get(CLAIMS, "gpu")["status"]
    w.finish(user)
    w.settle()
    status = w.get(CLAIMS, "gpu").get("status", {})
    assert "allocation" not in status
    assert "reservedFor" not in status


def test_a_generated_claim_goes_when_its_pod_has_ended() -> None:
    w = World(ResourceClaims)
    w.create(TEMPLATES, template())
    user = w.create(
        "pods",
        pod("p", nodeName="node-1", resourceClaims=[{"name": "g", "resourceClaimTemplateName": "gpu"}]),
    )
    w.settle()
    [made] = w.all(CLAIMS)
    allocate(w, made["metadata"]["name"], user)
    w.settle()
    w.finish(w.get("pods", "p"))
    w.settle()
    assert w.all(CLAIMS) == []


def test_a_claim_that_is_deleted_goes_when_nobody_uses_it() -> None:
    w = World(ResourceClaims)
    held = claim()
    held["metadata"]["finalizers"] = ["resource.kubernetes.io/delete-protection"]
    w.create(CLAIMS, held)
    user = w.create(
        "pods", pod("p", nodeName="node-1", resourceClaims=[{"name": "g", "resourceClaimName": "gpu"}])
    )
    allocate(w, "gpu", user)
    w.delete(CLAIMS, "gpu")
    w.settle()
    assert w.find(CLAIMS, "gpu") is not None
    w.delete("pods", "p", grace_period_seconds=0)
    w.settle()
    assert w.find(CLAIMS, "gpu") is None
