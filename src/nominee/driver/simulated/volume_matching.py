"""Which of the volumes that are there a claim gets.

Reproduces FindMatchingVolume (component-helpers/storage/volume/pv_helpers.go) and the index of
pkg/controller/volume/persistentvolume/index.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable

from nominee.driver.simulated.writes import Tree
from nominee.model.codec import decode
from nominee.model.meta import LabelSelector
from nominee.model.quantity import value
from nominee.model.selectors import label_selector

CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"


def class_of(item: Tree) -> str:
    """The storage class of a claim or a volume; "" for none."""
    annotated = (item["metadata"].get("annotations") or {}).get(CLASS_ANNOTATION)
    named = item["spec"].get("storageClassName") if annotated is None else annotated
    return str(named or "")


def requested(claim: Tree) -> int:
    """Bytes that a claim asks for."""
    return value((claim["spec"].get("resources", {}).get("requests") or {}).get("storage", 0))


def is_bound_to(volume: Tree, claim: Tree) -> bool:
    """Whether a volume is meant for this claim, or was made for one of its name."""
    reference, metadata = volume["spec"].get("claimRef"), claim["metadata"]
    if not reference:
        return False
    if (reference.get("namespace"), reference.get("name")) != (metadata["namespace"], metadata["name"]):
        return False
    return not reference.get("uid") or reference["uid"] == metadata["uid"]


def find_match(volumes: Iterable[Tree], claim: Tree, *, delayed: bool) -> Tree | None:
    """One that is meant for the claim, or else the smallest that does; delayed: the first sort only."""
    size = requested(claim)
    best: tuple[int, str] | None = None
    found: Tree | None = None
    for volume in volumes:
        capacity = _capacity(volume)
        if capacity < size or "deletionTimestamp" in volume["metadata"]:
            continue
        if is_bound_to(volume, claim):
            return volume
        place = (capacity, volume["metadata"]["name"])
        if not delayed and (best is None or place < best) and _is_free(volume) and _suits(volume, claim):
            best, found = place, volume
    return found


def _capacity(volume: Tree) -> int:
    return value((volume["spec"].get("capacity") or {}).get("storage", 0))


def _is_free(volume: Tree) -> bool:
    return not volume["spec"].get("claimRef") and volume.get("status", {}).get("phase") == "Available"


def _suits(volume: Tree, claim: Tree) -> bool:
    wanted, offered = claim["spec"], volume["spec"]
    if class_of(volume) != class_of(claim) or not offers_modes(volume, claim):
        return False
    if wanted.get("volumeAttributesClassName") != offered.get("volumeAttributesClassName"):
        return False
    selector = wanted.get("selector")
    if not selector:
        return True
    return label_selector(decode(LabelSelector, selector)).matches(volume["metadata"].get("labels") or {})


def offers_modes(volume: Tree, claim: Tree) -> bool:
    """Whether the volume can be used in the ways that the claim asks for."""
    wanted, offered = claim["spec"], volume["spec"]
    if (wanted.get("volumeMode") or "Filesystem") != (offered.get("volumeMode") or "Filesystem"):
        return False
    return set(wanted.get("accessModes") or ()) <= set(offered.get("accessModes") or ())


def misfit(volume: Tree, claim: Tree) -> str:
    """Why a claim can not have the volume that it names; "" if it can.

    Reproduces checkVolumeSatisfyClaim (pv_controller.go, v1.37).
    """
    if _capacity(volume) < requested(claim):
        return "requested PV is too small"
    if class_of(volume) != class_of(claim):
        return "storageClassName does not match"
    if (claim["spec"].get("volumeMode") or "Filesystem") != (
        volume["spec"].get("volumeMode") or "Filesystem"
    ):
        return "incompatible volumeMode"
    return "" if offers_modes(volume, claim) else "incompatible accessMode"
