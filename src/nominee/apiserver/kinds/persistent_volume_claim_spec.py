"""What a claim may ask for; templates of claims in pods and stateful sets have these rules too.

The rules of ValidatePersistentVolumeClaimSpec of pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import forbidden, invalid, not_supported, required
from nominee.apiserver.kinds.selectors import validate_label_selector
from nominee.apiserver.status import FieldError
from nominee.model.quantity import nano_value

Item = Mapping[str, Any]

ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")


def validate_claim_spec(spec: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with what a claim asks for."""
    modes = spec.get("accessModes") or ()
    if not modes:
        yield required(f"{path}.accessModes", "at least 1 access mode is required")
    yield from validate_label_selector(spec.get("selector"), f"{path}.selector")
    yield from validate_access_modes(modes, f"{path}.accessModes")
    storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if storage is None:
        yield required(f"{path}.resources[storage]")
    elif nano_value(storage) <= 0:
        yield invalid(f"{path}.resources[storage]", str(storage), "must be greater than zero")
    for name in ("storageClassName", "volumeAttributesClassName"):
        for fault in syntax.dns_subdomain(spec[name]) if spec.get(name) else ():
            yield invalid(f"{path}.{name}", spec[name], fault)
    if spec.get("volumeMode") not in (None, *VOLUME_MODES):
        yield not_supported(f"{path}.volumeMode", spec["volumeMode"], VOLUME_MODES)
    yield from _validate_sources(spec, path)


def validate_access_modes(modes: Sequence[str], path: str) -> Iterator[FieldError]:
    """What is wrong with the ways in which a volume is to be used."""
    for mode in modes:
        if mode not in ACCESS_MODES:
            yield not_supported(path, mode, ACCESS_MODES)
    if "ReadWriteOncePod" in modes and any(m in ACCESS_MODES and m != "ReadWriteOncePod" for m in modes):
        yield forbidden(path, "may not use ReadWriteOncePod with other access modes")


def _validate_sources(spec: Item, path: str) -> Iterator[FieldError]:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None:
        yield from _validate_source(source, f"{path}.dataSource")
    if reference is not None:
        yield from _validate_source(reference, f"{path}.dataSourceRef")
        namespace = reference.get("namespace")
        for fault in syntax.dns_label(namespace) if namespace else ():
            yield invalid(f"{path}.dataSourceRef.namespace", namespace, fault)
    if source is None or reference is None:
        return
    if reference.get("namespace"):
        why = "may not be specified when dataSourceRef.namespace is specified"
        yield invalid(path, f"{path}.dataSource", why)
    elif any(source.get(name) != reference.get(name) for name in ("apiGroup", "kind", "name")):
        yield invalid(path, f"{path}.dataSource", "must match dataSourceRef")


def _validate_source(source: Item, path: str) -> Iterator[FieldError]:
    for name in ("name", "kind"):
        if not source.get(name):
            yield required(f"{path}.{name}")
    group, kind = source.get("apiGroup") or "", source.get("kind") or ""
    if not group and kind != "PersistentVolumeClaim":
        why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        yield invalid(path, kind, why)
    for fault in syntax.dns_subdomain(group) if group else ():
        yield invalid(f"{path}.apiGroup", group, fault)
