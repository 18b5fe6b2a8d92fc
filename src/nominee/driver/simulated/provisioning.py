"""A volume provisioner that takes the time that a storage class says.

Reproduces what sig-storage-lib-external-provisioner does (controller/controller.go): which claims are
provisioned for, what the volume says, and how a claim is given back to the scheduler.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nominee.config.duration import Duration
from nominee.driver.simulated.volume_binding import (
    BETA_STORAGE_PROVISIONER,
    CLAIM,
    CLASS,
    PROVISIONED_BY,
    SELECTED_NODE,
    STORAGE_PROVISIONER,
    VOLUME,
)
from nominee.driver.simulated.volume_matching import class_of
from nominee.driver.simulated.writes import (
    Create,
    Look,
    Tell,
    Tree,
    Update,
    Writes,
    annotated,
    annotations_of,
    key_of,
)
from nominee.errors import InputError
from nominee.model.timestamps import format_micro_time, parse_time

PROVISIONER = "nominee.dev/simulated"
"""What storage classes call it."""

DRIVER = "volumes.nominee.dev"
"""The CSI driver that its volumes name; it needs no node of its own."""

SINCE = "nominee.dev/provisioning-since"
"""Annotation of a claim: when its volume was begun, and for which node. A restart goes on from there."""

DELAY, TOPOLOGY_KEY, FAIL_ON_NODES = "delay", "topologyKey", "failOnNodes"
"""Parameters of a storage class: how long it takes; which label of nodes its volumes are bound to; nodes
(names, with commas between them, or *) for which it fails."""


@dataclass(frozen=True, slots=True)
class Order:
    """A volume that is to be made. `node` is the one that the scheduler has chosen, if it was asked.

    uid and node together say which order it is: another node is another order.
    """

    claim: str
    uid: str
    node: str
    delay: float


def order_for(look: Look, claim: Tree) -> Order | None:
    """What is to be made for a claim, if anything is (shouldProvision)."""
    annotations = annotations_of(claim)
    asked = annotations.get(STORAGE_PROVISIONER) or annotations.get(BETA_STORAGE_PROVISIONER)
    if claim["spec"].get("volumeName") or "deletionTimestamp" in claim["metadata"]:
        return None
    storage_class = look.get(CLASS, class_of(claim))
    if storage_class is None or storage_class.get("provisioner") != PROVISIONER or asked != PROVISIONER:
        return None
    node = annotations.get(SELECTED_NODE, "")
    if storage_class.get("volumeBindingMode") == "WaitForFirstConsumer" and not node:
        return None
    return Order(key_of(claim), claim["metadata"]["uid"], node, _delay(storage_class))


def begin(look: Look, order: Order, now: float) -> Writes:
    """Note when the order was begun, where it survives whoever carries it out."""
    claim = look.get(CLAIM, order.claim)
    if claim is not None:
        yield Update(CLAIM, annotated(claim, **{SINCE: f"{format_micro_time(now)} {order.node}".rstrip()}))


def begun_at(claim: Tree, order: Order) -> float | None:
    """When the order was begun, if it was."""
    time, _, node = annotations_of(claim).get(SINCE, "").partition(" ")
    if node != order.node:
        return None
    try:
        return parse_time(time)
    except InputError:
        return None


def carry_out(look: Look, order: Order) -> Writes:
    """The order's time is over: the volume is there, or it is not to be had on that node."""
    claim = look.get(CLAIM, order.claim)
    if claim is None or order_for(look, claim) != order:
        return  # it was deleted, bound or sent elsewhere meanwhile
    storage_class = look.get(CLASS, class_of(claim))
    if storage_class is None:
        return
    if _fails(storage_class, order.node):
        yield from _give_back(claim, storage_class, order.node)
        return
    volume = new_volume(claim, storage_class, look.get("Node", order.node) if order.node else None)
    name = volume["metadata"]["name"]
    if look.get(VOLUME, name) is None:
        yield Create(VOLUME, volume)
        yield Tell(CLAIM, claim, "ProvisioningSucceeded", f"Successfully provisioned volume {name}")


def new_volume(claim: Tree, storage_class: Tree, node: Tree | None) -> Tree:
    """The volume for a claim, reachable from where the class and the node say."""
    metadata, spec = claim["metadata"], claim["spec"]
    name = f"pvc-{metadata['uid']}"
    volume: Tree = {
        "apiVersion": "v1",
        "kind": VOLUME,
        "metadata": {"name": name, "annotations": {PROVISIONED_BY: PROVISIONER}},
        "spec": {
            "capacity": {"storage": spec["resources"]["requests"]["storage"]},
            "accessModes": spec.get("accessModes", []),
            "volumeMode": spec.get("volumeMode") or "Filesystem",
            "persistentVolumeReclaimPolicy": storage_class.get("reclaimPolicy") or "Delete",
            "storageClassName": storage_class["metadata"]["name"],
            "csi": {"driver": DRIVER, "volumeHandle": name},
            "claimRef": {
                "apiVersion": "v1",
                "kind": CLAIM,
                "namespace": metadata["namespace"],
                "name": metadata["name"],
                "uid": metadata["uid"],
                "resourceVersion": metadata.get("resourceVersion", ""),
            },
        },
    }
    terms = list(_terms(storage_class, node))
    if terms:
        volume["spec"]["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    return volume


def _terms(storage_class: Tree, node: Tree | None) -> Iterator[Tree]:
    """That of the chosen node, if the class binds its volumes to nodes; else what the class allows."""
    key = _parameters(storage_class).get(TOPOLOGY_KEY)
    value = (node["metadata"].get("labels") or {}).get(key) if node is not None and key else None
    if value is not None:
        yield {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}
        return
    for term in storage_class.get("allowedTopologies") or ():
        said = term.get("matchLabelExpressions") or ()
        yield {"matchExpressions": [{"key": s["key"], "operator": "In", "values": s["values"]} for s in said]}


def _give_back(claim: Tree, storage_class: Tree, node: str) -> Writes:
    """The scheduler is to choose another node; an immediate claim is tried for ever."""
    name = storage_class["metadata"]["name"]
    text = f'failed to provision volume with StorageClass "{name}": not to be had on node "{node}"'
    yield Tell(CLAIM, claim, "ProvisioningFailed", text, warning=True)
    if node:
        yield Update(CLAIM, annotated(claim, **{SELECTED_NODE: None, SINCE: None}))


def _fails(storage_class: Tree, node: str) -> bool:
    names = [name.strip() for name in _parameters(storage_class).get(FAIL_ON_NODES, "").split(",")]
    return "*" in names or (bool(node) and node in names)


def _delay(storage_class: Tree) -> float:
    try:
        return max(Duration.parse(_parameters(storage_class).get(DELAY, "0s")).seconds, 0.0)
    except ValueError:
        return 0.0


def _parameters(storage_class: Tree) -> dict[str, str]:
    return storage_class.get("parameters") or {}
