"""Volumes as containers see them: mounted, or as devices.

The rules of ValidateVolumeMounts and ValidateVolumeDevices of pkg/apis/core/validation/validation.go,
v1.37, with the paths that they name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nominee.apiserver.kinds.field_errors import (
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from nominee.apiserver.kinds.pod.paths import climbs, validate_descending_path
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]
Volumes = Mapping[str, Item]

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE = ("Disabled", "Enabled", "IfPossible")
_BIND_OPTIONS = ("nodev", "noexec", "nosuid")


def validate_mounts(container: Item, volumes: Volumes, path: str) -> Iterator[FieldError]:
    """What is wrong with the mounts of a container."""
    devices = {one.get("name"): one.get("devicePath") for one in container.get("volumeDevices") or ()}
    seen: set[str] = set()
    for position, mount in enumerate(container.get("volumeMounts") or ()):
        at = f"{path}[{position}]"
        name, target = mount.get("name") or "", mount.get("mountPath") or ""
        if not name:
            yield required(f"{at}.name")
        if name not in volumes:
            yield not_found(f"{at}.name", name)
        if not target:
            yield required(f"{at}.mountPath")
        if target in seen:
            yield invalid(f"{at}.mountPath", target, "must be unique")
        seen.add(target)
        if devices:
            yield from _validate_no_overlap(name, target, devices, at, "volumeDevices")
        if len(mount) > 2:
            yield from _validate_details(mount, container, volumes.get(name) or {}, path, at)


def _validate_no_overlap(
    name: str, target: str, others: Mapping[Any, Any], path: str, where: str
) -> Iterator[FieldError]:
    field = "mountPath" if where == "volumeDevices" else "devicePath"
    if name in others:
        yield invalid(f"{path}.name", name, f"must not already exist in {where}")
    if target in others.values():
        yield invalid(f"{path}.{field}", target, f"must not already exist as a path in {where}")


def _validate_details(mount: Item, container: Item, volume: Item, path: str, at: str) -> Iterator[FieldError]:
    sub_path, expression = mount.get("subPath"), mount.get("subPathExpr")
    if sub_path:
        yield from validate_descending_path(sub_path, f"{path}.subPath")
    if expression:
        if sub_path:
            yield invalid(f"{at}.subPathExpr", expression, "subPathExpr and subPath are mutually exclusive")
        yield from validate_descending_path(expression, f"{path}.subPathExpr")
    if "mountPropagation" in mount:
        yield from _validate_propagation(mount["mountPropagation"], container, f"{path}.mountPropagation")
    if "recursiveReadOnly" in mount:
        yield from _validate_recursive(mount, f"{path}.recursiveReadOnly")
    if options := mount.get("bindMountOptions"):
        yield from _validate_bind_options(options, f"{at}.bindMountOptions")
        if "image" in volume:
            why = "bindMountOptions may not be used with image volumes"
            yield invalid(f"{at}.bindMountOptions", options, why)


def _validate_propagation(mode: str, container: Item, path: str) -> Iterator[FieldError]:
    if mode not in _PROPAGATIONS:
        yield not_supported(path, mode, _PROPAGATIONS)
    if mode == "Bidirectional" and not (container.get("securityContext") or {}).get("privileged"):
        yield forbidden(path, "Bidirectional mount propagation is available only to privileged containers")


def _validate_recursive(mount: Item, path: str) -> Iterator[FieldError]:
    mode = mount["recursiveReadOnly"]
    if mode not in _RECURSIVE:
        yield not_supported(path, mode, _RECURSIVE)
    elif mode != "Disabled":
        if not mount.get("readOnly"):
            yield forbidden(path, "may only be specified when readOnly is true")
        if mount.get("mountPropagation", "None") != "None":
            yield forbidden(path, "may only be specified when mountPropagation is None or not specified")


def _validate_bind_options(options: list[str], path: str) -> Iterator[FieldError]:
    for position, option in enumerate(options):
        if option not in _BIND_OPTIONS:
            yield not_supported(f"{path}[{position}]", option, _BIND_OPTIONS)
        if option in options[:position]:
            yield duplicate(f"{path}[{position}]", option)


def validate_devices(container: Item, volumes: Volumes, path: str) -> Iterator[FieldError]:
    """What is wrong with the block devices of a container."""
    mounts = {one.get("name"): one.get("mountPath") for one in container.get("volumeMounts") or ()}
    names: set[str] = set()
    targets: set[str] = set()
    for position, device in enumerate(container.get("volumeDevices") or ()):
        at = f"{path}[{position}]"
        yield from _validate_device_name(device.get("name") or "", names, volumes, f"{at}.name")
        yield from _validate_device_path(device.get("devicePath") or "", targets, f"{at}.devicePath")
        yield from _validate_no_overlap(
            device.get("name") or "", device.get("devicePath") or "", mounts, at, "volumeMounts"
        )


def _validate_device_name(name: str, names: set[str], volumes: Volumes, path: str) -> Iterator[FieldError]:
    if not name:
        yield required(path)
    if name in names:
        yield invalid(path, name, "must be unique")
    if name not in volumes:
        yield not_found(path, name)
    elif "persistentVolumeClaim" not in volumes[name] and "ephemeral" not in volumes[name]:
        why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
        yield invalid(path, name, why)
    if name:
        names.add(name)


def _validate_device_path(target: str, targets: set[str], path: str) -> Iterator[FieldError]:
    if not target:
        yield required(path)
    if target in targets:
        yield invalid(path, target, "must be unique")
    if climbs(target):
        yield invalid(path, target, "can not contain backsteps ('..')")
    else:
        targets.add(target)
