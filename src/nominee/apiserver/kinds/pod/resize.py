"""Resizing a pod in place: cpu and memory of its containers, and of itself.

The rules of podResizeStrategy of pkg/registry/core/pod/strategy.go and ValidatePodResize of
pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.field_errors import forbidden, invalid
from nominee.apiserver.kinds.pod.pod_level import default_pod_level
from nominee.apiserver.kinds.pod.qos import qos_class
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

_GROUPS = ("containers", "initContainers")
_FIELDS = ("resources", "resizePolicy")


def prepare_resize(item: JsonObject, old: Item) -> None:
    """Take nothing from the client but resources and the policies of their change."""
    spec, before = item.get("spec") or {}, old.get("spec") or {}
    if any(len(spec.get(name) or ()) != len(before.get(name) or ()) for name in _GROUPS):
        return  # containers come or go: validation tells
    merged = dict(before)
    for name in _GROUPS:
        if name in before:
            merged[name] = _merged(spec[name], before[name])
    if "resources" in spec:
        merged["resources"] = spec["resources"]
        default_pod_level(merged)
    item["spec"] = merged
    item["metadata"] = kept_metadata(item["metadata"], old["metadata"])
    item["status"] = old.get("status") or {}


def kept_metadata(metadata: Item, before: Item) -> JsonObject:
    """Metadata as it was, but for what makes the write one of its own."""
    kept = dict(before)
    for name in ("resourceVersion", "managedFields"):
        if name in metadata:
            kept[name] = metadata[name]
    return kept


def _merged(new: Sequence[Item], old: Sequence[Item]) -> list[Item]:
    if [one.get("name") for one in new] != [one.get("name") for one in old]:
        return list(new)
    merged: list[Item] = []
    for one, was in zip(new, old, strict=True):
        container = {name: value for name, value in was.items() if name not in _FIELDS}
        container.update((name, one[name]) for name in _FIELDS if name in one)
        merged.append(container)
    return merged


def validate_resize(item: Item, old: Item) -> Iterator[FieldError]:
    """What is wrong with the change; the specification is good in itself."""
    spec, before = item.get("spec") or {}, old.get("spec") or {}
    if "kubernetes.io/config.mirror" in (old["metadata"].get("annotations") or {}):
        yield forbidden("", "static pods cannot be resized")
        return
    if (before.get("os") or {}).get("name") == "windows":
        yield forbidden("", "windows pods cannot be resized")
        return
    qos = (old.get("status") or {}).get("qosClass") or qos_class(before)
    if qos != qos_class(spec):
        yield invalid("spec", qos, "Pod QOS Class may not change as a result of resizing")
    if not _is_supported(old):
        yield forbidden("spec", "Pod running on node without support for resize")
    yield from _validate_pod_level(spec.get("resources"), before.get("resources"))
    order = list(_validate_order(spec, before))
    yield from order
    if not order:
        yield from _validate_containers(spec, before)


def _is_supported(pod: Item) -> bool:
    """Whether the node of a pod has shown that it can resize."""
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        if "running" in (status.get("state") or {}):
            return "resources" in status
    return True


def _validate_pod_level(new: Item | None, old: Item | None) -> Iterator[FieldError]:
    if old is None and new is None:
        return
    if new is None:
        yield forbidden("spec.resources", "pod-level resources cannot be removed")
        return
    for name in ("requests", "limits"):
        if set((old or {}).get(name) or ()) - set(new.get(name) or ()):
            yield forbidden(f"spec.resources.{name}", f"pod-level resource {name} cannot be removed")
    if _fixed(new) != _fixed(old or {}):
        yield forbidden("spec", "only cpu and memory resources are mutable at pod-level")


def _validate_order(spec: Item, old: Item) -> Iterator[FieldError]:
    for group in _GROUPS:
        new, before = spec.get(group) or (), old.get(group) or ()
        if len(new) != len(before):
            yield forbidden(f"spec.{group}", f"{group} may not be added or removed on resize")
            continue
        for position, (one, was) in enumerate(zip(new, before, strict=True)):
            if one.get("name") != was.get("name"):
                why = "containers may not be renamed or reordered on resize"
                if group == "initContainers":
                    why = "initContainers may not be renamed or reordered on resize"
                yield forbidden(f"spec.{group}[{position}].name", why)


def _validate_containers(spec: Item, old: Item) -> Iterator[FieldError]:
    for group in reversed(_GROUPS):
        for position, was in enumerate(old.get(group) or ()):
            path = f"spec.{group}[{position}].resources"
            new, before = spec[group][position].get("resources") or {}, was.get("resources") or {}
            for name in ("requests", "limits"):
                if set(before.get(name) or ()) - set(new.get(name) or ()):
                    yield forbidden(f"{path}.{name}", f"resource {name} cannot be removed")
    for position, was in enumerate(old.get("containers") or ()):
        if _fixed_container(spec["containers"][position]) != _fixed_container(was):
            yield forbidden("spec", "only cpu and memory resources are mutable")
    for position, was in enumerate(old.get("initContainers") or ()):
        if _fixed_container(spec["initContainers"][position]) != _fixed_container(was):
            why = "only cpu and memory resources for init or sidecar containers are mutable"
            yield forbidden(f"spec.initContainers[{position}]", why)


def _fixed_container(container: Item) -> Item:
    """All of a container that a resize leaves as it is."""
    return {**container, "resources": _fixed(container.get("resources") or {})}


def _fixed(resources: Item) -> Item:
    kept = {name: value for name, value in resources.items() if name not in ("requests", "limits")}
    for name in ("requests", "limits"):
        amounts = resources.get(name) or {}
        kept[name] = {key: value for key, value in amounts.items() if key not in ("cpu", "memory")}
    return kept
