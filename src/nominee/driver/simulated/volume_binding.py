"""Claims and volumes find each other, and part again.

Reproduces syncClaim, syncVolume and bind of pkg/controller/volume/persistentvolume/pv_controller.go, v1.37.
"""

from __future__ import annotations

from nominee.driver.simulated.volume_matching import class_of, find_match, is_bound_to, misfit
from nominee.driver.simulated.writes import (
    Delete,
    Look,
    Tell,
    Tree,
    Update,
    Writes,
    annotated,
    annotations_of,
    key_of,
)

VOLUME, CLAIM, CLASS = "PersistentVolume", "PersistentVolumeClaim", "StorageClass"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
STORAGE_PROVISIONER = "volume.kubernetes.io/storage-provisioner"
BETA_STORAGE_PROVISIONER = "volume.beta.kubernetes.io/storage-provisioner"
NO_PROVISIONER = "kubernetes.io/no-provisioner"


def sync_claim(look: Look, claim: Tree) -> Writes:
    """The next thing for a claim."""
    if annotations_of(claim).get(BIND_COMPLETED):
        yield from _sync_bound(look, claim)
    elif claim["spec"].get("volumeName"):
        yield from _sync_naming(look, claim)
    else:
        yield from _sync_unbound(look, claim)


def sync_volume(look: Look, volume: Tree) -> Writes:
    """The next thing for a volume."""
    reference = volume["spec"].get("claimRef")
    if not reference or not reference.get("uid"):
        yield from _in_phase(VOLUME, volume, "Available")
        return
    claim = look.get(CLAIM, f"{reference.get('namespace')}/{reference.get('name')}")
    if claim is None or claim["metadata"]["uid"] != reference["uid"]:
        yield from _in_phase(VOLUME, volume, "Released")
        yield from _reclaim(volume)
        return
    name = claim["spec"].get("volumeName")
    if name == volume["metadata"]["name"]:
        yield from _in_phase(VOLUME, volume, "Bound")
    elif name and annotations_of(volume).get(PROVISIONED_BY):
        yield from _reclaim(volume)
    elif name and annotations_of(volume).get(BOUND_BY_CONTROLLER):
        yield Update(VOLUME, _unbound(volume))


# -- claims -----------------------------------------------------------------------------------------


def _sync_unbound(look: Look, claim: Tree) -> Writes:
    name = class_of(claim)
    storage_class = look.get(CLASS, name) if name else None
    waits = storage_class is not None and storage_class.get("volumeBindingMode") == "WaitForFirstConsumer"
    selected = annotations_of(claim).get(SELECTED_NODE)
    volume = find_match(look.list(VOLUME), claim, delayed=waits)
    if volume is not None:
        yield from _bind(volume, claim)
        return
    yield from _in_phase(CLAIM, claim, "Pending")
    if waits and not selected:
        text = "waiting for first consumer to be created before binding"
        yield Tell(CLAIM, claim, "WaitForFirstConsumer", text)
    elif not name:
        text = "no persistent volumes available for this claim and no storage class is set"
        yield Tell(CLAIM, claim, "FailedBinding", text)
    elif storage_class is None:
        text = f'storageclass.storage.k8s.io "{name}" not found'
        yield Tell(CLAIM, claim, "ProvisioningFailed", text, warning=True)
    else:
        yield from _ask_provisioner(claim, storage_class["provisioner"])


def _ask_provisioner(claim: Tree, provisioner: str) -> Writes:
    """Whoever makes volumes of this class recognises its claims by an annotation."""
    if provisioner == NO_PROVISIONER:
        text = "no volume plugin matched name: kubernetes.io/no-provisioner"
        yield Tell(CLAIM, claim, "ProvisioningFailed", text, warning=True)
        return
    if annotations_of(claim).get(STORAGE_PROVISIONER) != provisioner:
        named = {STORAGE_PROVISIONER: provisioner, BETA_STORAGE_PROVISIONER: provisioner}
        yield Update(CLAIM, annotated(claim, **named))
    text = (
        f"Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually "
        "by the system administrator. If volume creation is delayed, please verify that the provisioner is "
        "running and correctly registered."
    )
    yield Tell(CLAIM, claim, "ExternalProvisioning", text)


def _sync_naming(look: Look, claim: Tree) -> Writes:
    """It names a volume, but they are not bound yet."""
    volume = look.get(VOLUME, claim["spec"]["volumeName"])
    if volume is None:
        yield from _in_phase(CLAIM, claim, "Pending")
    elif not volume["spec"].get("claimRef"):
        problem = misfit(volume, claim)
        if problem:
            name = volume["metadata"]["name"]
            text = f'Cannot bind to requested volume "{name}": {problem}'
            yield Tell(CLAIM, claim, "VolumeMismatch", text, warning=True)
            yield from _in_phase(CLAIM, claim, "Pending")
        else:
            yield from _bind(volume, claim)
    elif is_bound_to(volume, claim):
        yield from _bind(volume, claim)
    else:
        yield from _in_phase(CLAIM, claim, "Pending")


def _sync_bound(look: Look, claim: Tree) -> Writes:
    name = claim["spec"].get("volumeName")
    if not name:
        text = "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!"
        yield from _lost(claim, "ClaimLost", text)
        return
    volume = look.get(VOLUME, name)
    if volume is None:
        text = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
        yield from _lost(claim, "ClaimLost", text)
    elif not volume["spec"].get("claimRef") or is_bound_to(volume, claim):
        yield from _bind(volume, claim)
    else:
        text = "Two claims are bound to the same volume, this one is bound incorrectly"
        yield from _lost(claim, "ClaimMisbound", text)


def _lost(claim: Tree, reason: str, text: str) -> Writes:
    if claim.get("status", {}).get("phase") != "Lost":
        yield from _in_phase(CLAIM, claim, "Lost")
        yield Tell(CLAIM, claim, reason, text, warning=True)


# -- both -------------------------------------------------------------------------------------------


def _bind(volume: Tree, claim: Tree) -> Writes:
    """Each gets the name of the other; what is written already is not written again."""
    bound_volume = _bound_volume(volume, claim)
    if bound_volume != volume:
        yield Update(VOLUME, bound_volume)
    bound_claim = _bound_claim(volume, claim)
    if bound_claim != claim:
        yield Update(CLAIM, bound_claim)


def _bound_volume(volume: Tree, claim: Tree) -> Tree:
    spec, metadata = volume["spec"], claim["metadata"]
    if not is_bound_to(volume, claim):
        volume = annotated(volume, **{BOUND_BY_CONTROLLER: "yes"})
    if (spec.get("claimRef") or {}).get("uid") != metadata["uid"]:
        reference = {
            "apiVersion": "v1",
            "kind": CLAIM,
            "namespace": metadata["namespace"],
            "name": metadata["name"],
            "uid": metadata["uid"],
            "resourceVersion": metadata.get("resourceVersion", ""),
        }
        spec = {**spec, "claimRef": reference}
    return {**volume, "spec": spec, "status": {**volume.get("status", {}), "phase": "Bound"}}


def _bound_claim(volume: Tree, claim: Tree) -> Tree:
    spec, name = claim["spec"], volume["metadata"]["name"]
    if not spec.get("volumeName"):
        claim = annotated(claim, **{BOUND_BY_CONTROLLER: "yes"})
        spec = {**spec, "volumeName": name}
    if not annotations_of(claim).get(BIND_COMPLETED):
        claim = annotated(claim, **{BIND_COMPLETED: "yes"})
    status = {
        **claim.get("status", {}),
        "phase": "Bound",
        "accessModes": volume["spec"].get("accessModes", []),
        "capacity": {**(claim.get("status", {}).get("capacity") or {}), **volume["spec"].get("capacity", {})},
    }
    return {**claim, "spec": spec, "status": status}


def _unbound(volume: Tree) -> Tree:
    spec = {name: value for name, value in volume["spec"].items() if name != "claimRef"}
    freed = annotated({**volume, "spec": spec}, **{BOUND_BY_CONTROLLER: None})
    return {**freed, "status": {**volume.get("status", {}), "phase": "Available"}}


def _reclaim(volume: Tree) -> Writes:
    """What has been made for a claim goes with it, if the class said so; the rest is the user's affair."""
    policy = volume["spec"].get("persistentVolumeReclaimPolicy", "Retain")
    made = annotations_of(volume).get(PROVISIONED_BY)
    if policy == "Delete" and made and "deletionTimestamp" not in volume["metadata"]:
        yield Delete(VOLUME, key_of(volume))


def _in_phase(kind: str, item: Tree, phase: str) -> Writes:
    status = item.get("status", {})
    if status.get("phase") != phase:
        yield Update(kind, {**item, "status": {**status, "phase": phase}})
