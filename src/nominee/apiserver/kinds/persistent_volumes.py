"""Persistent volumes.

The rules of ValidatePersistentVolumeSpec of pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import (
    IMMUTABLE,
    forbidden,
    invalid,
    not_supported,
    required,
)
from nominee.apiserver.kinds.persistent_volume_claim_spec import VOLUME_MODES, validate_access_modes
from nominee.apiserver.kinds.pod.affinity import validate_node_selector
from nominee.apiserver.kinds.pod.paths import validate_no_backsteps
from nominee.apiserver.kinds.pod.updates import difference
from nominee.apiserver.kinds.pod.volume_kinds import VOLUME_SOURCES, validate_plain_source
from nominee.apiserver.kinds.pod.volumes import validate_driver_name, validate_host_path
from nominee.apiserver.kinds.quantities import canonicalize
from nominee.apiserver.kinds.table import AGE, NAME, UNSET, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.model.quantity import nano_value
from nominee.store.ports import Stored

Item = Mapping[str, Any]

CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
_SOURCES = (*(name for name in VOLUME_SOURCES if name not in ("emptyDir", "secret", "configMap")), "local")
_RECLAIM = ("Delete", "Recycle", "Retain")
_SHORT_MODES = (
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
)


_CSI_SECRETS = (
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
)


class PersistentVolumeKind(Kind):
    """Persistent volumes."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        spec, status = item.setdefault("spec", {}), item.setdefault("status", {})
        status["phase"] = status.get("phase") or "Pending"
        if not spec.get("persistentVolumeReclaimPolicy"):
            spec["persistentVolumeReclaimPolicy"] = "Retain"
        spec.setdefault("volumeMode", "Filesystem")
        canonicalize(spec.get("capacity"))
        if "hostPath" in spec:
            spec["hostPath"].setdefault("type", "")

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        item["status"] = {"phase": "Pending", "lastPhaseTransitionTime": context.now}

    def prepare_status(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        item["spec"] = old.get("spec") or {}
        status, before = item.setdefault("status", {}), old.get("status") or {}
        if status.get("phase") != before.get("phase"):
            status.setdefault("lastPhaseTransitionTime", context.now)
            if status["lastPhaseTransitionTime"] == before.get("lastPhaseTransitionTime"):
                status["lastPhaseTransitionTime"] = context.now

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(validate_volume_spec(item.get("spec") or {}, "spec"))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        spec, before = item.get("spec") or {}, old.get("spec") or {}
        errors = list(validate_volume_spec(spec, "spec"))
        source, was = _source_of(spec), _source_of(before)
        if source != was:
            why = f"spec.persistentvolumesource is immutable after creation\n{difference(was, source)}"
            errors.append(forbidden("spec.persistentvolumesource", why))
        if spec.get("volumeMode") != before.get("volumeMode"):
            errors.append(invalid("volumeMode", spec.get("volumeMode"), IMMUTABLE))
        if "nodeAffinity" in before and spec.get("nodeAffinity") != before["nodeAffinity"]:
            why = f"{IMMUTABLE}, except for updating from beta label to GA"
            errors.append(invalid("nodeAffinity", spec.get("nodeAffinity"), why))
        return errors

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec, status = item.get("spec") or {}, item.get("status") or {}
        reference = spec.get("claimRef")
        deleted = "deletionTimestamp" in item["metadata"]
        return [
            item["metadata"]["name"],
            (spec.get("capacity") or {}).get("storage") or "0",
            access_modes_text(spec.get("accessModes") or ()),
            spec.get("persistentVolumeReclaimPolicy") or "",
            "Terminating" if deleted else status.get("phase") or "",
            f"{reference.get('namespace', '')}/{reference.get('name', '')}" if reference else "",
            class_of(item),
            spec.get("volumeAttributesClassName") or UNSET,
            status.get("reason") or "",
            age_of(item, now),
            spec.get("volumeMode") or UNSET,
        ]


def class_of(item: Item) -> str:
    """The storage class of a volume or claim."""
    annotations = item["metadata"].get("annotations") or {}
    return annotations.get(CLASS_ANNOTATION) or (item.get("spec") or {}).get("storageClassName") or ""


def access_modes_text(modes: Sequence[str]) -> str:
    """Access modes as kubectl shows them: `RWO,ROX`."""
    return ",".join(short for mode, short in _SHORT_MODES if mode in modes)


def _source_of(spec: Item) -> Item:
    source = {name: spec[name] for name in _SOURCES if name in spec}
    if "csi" in source:  # this one may be added later
        source["csi"] = {k: v for k, v in source["csi"].items() if k != "controllerExpandSecretRef"}
    return source


def validate_volume_spec(spec: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with a volume."""
    modes = spec.get("accessModes") or ()
    if not modes:
        yield required(f"{path}.accessModes")
    yield from validate_access_modes(modes, f"{path}.accessModes")
    yield from _validate_capacity(spec.get("capacity") or {}, f"{path}.capacity")
    policy = spec.get("persistentVolumeReclaimPolicy")
    if policy and policy not in _RECLAIM:
        yield not_supported(f"{path}.persistentVolumeReclaimPolicy", policy, _RECLAIM)
    affinity = spec.get("nodeAffinity")
    if affinity is not None:
        if "required" in affinity:
            yield from validate_node_selector(affinity["required"], f"{path}.nodeAffinity.required")
        else:
            yield required(f"{path}.nodeAffinity.required", "must specify required node constraints")
    yield from _validate_source(spec, path)
    if spec.get("storageClassName"):
        yield from _validate_class(spec, "storageClassName", path)
    if spec.get("volumeMode") not in (None, *VOLUME_MODES):
        yield not_supported(f"{path}.volumeMode", spec["volumeMode"], VOLUME_MODES)
    if spec.get("volumeAttributesClassName") is not None:
        yield from _validate_attributes_class(spec, path)


def _validate_class(spec: Item, name: str, path: str) -> Iterator[FieldError]:
    for fault in syntax.dns_subdomain(spec[name]):
        yield invalid(f"{path}.{name}", spec[name], fault)


def _validate_attributes_class(spec: Item, path: str) -> Iterator[FieldError]:
    if not spec["volumeAttributesClassName"]:
        yield required(f"{path}.volumeAttributesClassName", "an empty string is disallowed")
    else:
        yield from _validate_class(spec, "volumeAttributesClassName", path)
    if "csi" not in spec:
        yield required(f"{path}.csi", "has to be specified when using volumeAttributesClassName")


def _validate_capacity(capacity: Item, path: str) -> Iterator[FieldError]:
    if not capacity:
        yield required(path)
    if set(capacity) != {"storage"}:
        yield not_supported(path, capacity, ("storage",))
    for name, quantity in capacity.items():
        if nano_value(quantity) < 0:
            yield invalid(f"{path}[{name}]", quantity, "must be a valid resource quantity")
        if nano_value(quantity) <= 0:
            yield invalid(f"{path}[{name}]", str(quantity), "must be greater than zero")


def _validate_source(spec: Item, path: str) -> Iterator[FieldError]:
    given = [name for name in _SOURCES if name in spec]
    if not given:
        yield required(path, "must specify a volume type")
        return
    first = given[0]
    at = f"{path}.{first}"
    if first == "hostPath":
        yield from validate_host_path(spec[first], at)
    elif first == "local":
        yield from _validate_local(spec, path)
    elif first == "csi":
        yield from validate_driver_name(spec[first].get("driver") or "", f"{at}.driver")
        yield from _validate_csi(spec[first], at)
    else:
        yield from validate_plain_source(first, spec[first], at)
    for other in given[1:]:
        yield forbidden(f"{path}.{other}", "may not specify more than 1 volume type")


def _validate_csi(source: Item, path: str) -> Iterator[FieldError]:
    if not source.get("volumeHandle"):
        yield required(f"{path}.volumeHandle")
    for name in _CSI_SECRETS:
        reference = source.get(name)
        if reference is not None:
            yield from _validate_secret(reference, f"{path}.{name}")


def _validate_secret(reference: Item, path: str) -> Iterator[FieldError]:
    for name, faults_of in (("name", syntax.dns_subdomain), ("namespace", syntax.dns_label)):
        value = reference.get(name)
        if not value:
            yield required(f"{path}.{name}")
        for fault in faults_of(value) if value else ():
            yield invalid(f"{path}.{name}", value, fault)


def _validate_local(spec: Item, path: str) -> Iterator[FieldError]:
    target = spec["local"].get("path") or ""
    if not target:
        yield required(f"{path}.local.path")
    yield from validate_no_backsteps(target, f"{path}.local.path")
    if not (spec.get("nodeAffinity") or {}).get("required"):
        yield required(f"{path}.nodeAffinity", "Local volume requires node affinity")


PERSISTENT_VOLUMES = PersistentVolumeKind(
    Names("PersistentVolume", "persistentvolumes", "persistentvolume", short=("pv",), namespaced=False),
    schema="io.k8s.api.core.v1.PersistentVolume",
    subresources=("status",),
    columns=(
        NAME,
        *shown("Capacity", "Access Modes", "Reclaim Policy", "Status", "Claim", "StorageClass"),
        *shown("VolumeAttributesClass", "Reason"),
        AGE,
        *shown("VolumeMode", wide=True),
    ),
)
