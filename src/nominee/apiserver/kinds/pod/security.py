"""Security contexts of pods and containers.

The rules of validatePodSpecSecurityContext and ValidateSecurityContext of
pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nominee.apiserver.kinds.field_errors import (
    duplicate,
    invalid,
    not_supported,
    required,
    too_long,
)
from nominee.apiserver.kinds.pod.paths import validate_descending_path
from nominee.apiserver.kinds.syntax import in_range
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

_MAX_ID = 2**31 - 1
_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL = rf"({_SEGMENT}[\./])*{_SEGMENT}"
_sysctl = re.compile(_SYSCTL).fullmatch
_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
_POD_CHOICES = (
    ("fsGroupChangePolicy", ("Always", "OnRootMismatch")),
    ("supplementalGroupsPolicy", ("Merge", "Strict")),
    ("seLinuxChangePolicy", ("MountOption", "Recursive")),
)


def validate_pod_security(spec: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with the security context of a pod."""
    context = spec.get("securityContext")
    if not context:
        return
    path = f"{path}.securityContext"
    for name in ("fsGroup", "runAsUser", "runAsGroup"):
        yield from _validate_id(context.get(name), f"{path}.{name}")
    for position, group in enumerate(context.get("supplementalGroups") or ()):
        yield from _validate_id(group, f"{path}.supplementalGroups[{position}]")
    if context.get("sysctls"):
        yield from _validate_sysctls(context["sysctls"], spec, f"{path}.sysctls")
    for name, allowed in _POD_CHOICES:
        if context.get(name) not in (None, *allowed):
            yield not_supported(f"{path}.{name}", context[name], allowed)
    yield from _validate_profiles(context, path)


def validate_container_security(context: Item, path: str, *, host_users: bool) -> Iterator[FieldError]:
    """What is wrong with the security context of a container."""
    for name in ("runAsUser", "runAsGroup"):
        yield from _validate_id(context.get(name), f"{path}.{name}")
    mount = context.get("procMount")
    if mount is not None:
        if mount not in ("Default", "Unmasked"):
            yield not_supported(f"{path}.procMount", mount, ("Default", "Unmasked"))
        if host_users and mount == "Unmasked":
            yield invalid(f"{path}.procMount", mount, "`hostUsers` must be false to use `Unmasked`")
    if context.get("allowPrivilegeEscalation") is False:
        yield from _validate_no_escalation(context, path)
    yield from _validate_profiles(context, path)


def _validate_no_escalation(context: Item, path: str) -> Iterator[FieldError]:
    why = "cannot set `allowPrivilegeEscalation` to false and "
    if context.get("privileged"):
        yield invalid(path, context, f"{why}`privileged` to true")
    for capability in (context.get("capabilities") or {}).get("add") or ():
        if capability == "CAP_SYS_ADMIN":
            yield invalid(path, context, f"{why}`capabilities.Add` CAP_SYS_ADMIN")


def _validate_id(number: int | None, path: str) -> Iterator[FieldError]:
    if number is not None:
        for fault in in_range(number, 0, _MAX_ID):
            yield invalid(path, number, fault)


def _validate_sysctls(sysctls: list[Item], spec: Item, path: str) -> Iterator[FieldError]:
    names: set[str] = set()
    for position, sysctl in enumerate(sysctls):
        name, at = sysctl.get("name") or "", f"{path}[{position}].name"
        if not name:
            yield required(at)
        elif len(name) > 253 or not _sysctl(name):
            yield invalid(at, name, f"must have at most 253 characters and match regex ^{_SYSCTL}$")
        elif name in names:
            yield duplicate(at, name)
        names.add(name)
        dotted = name.replace("/", ".")
        if spec.get("hostNetwork") and dotted.startswith("net."):
            yield invalid(at, name, "may not be specified when 'hostNetwork' is true")
        elif spec.get("hostIPC") and dotted.startswith(
            ("kernel.msg", "kernel.sem", "kernel.shm", "fs.mqueue.")
        ):
            yield invalid(at, name, "may not be specified when 'hostIPC' is true")


def _validate_profiles(context: Item, path: str) -> Iterator[FieldError]:
    if "seccompProfile" in context:
        yield from _validate_seccomp(context["seccompProfile"], f"{path}.seccompProfile")
    if "appArmorProfile" in context:
        yield from _validate_app_armor(context["appArmorProfile"], f"{path}.appArmorProfile")


def _validate_seccomp(profile: Item, path: str) -> Iterator[FieldError]:
    kind, file = profile.get("type") or "", profile.get("localhostProfile")
    yield from _validate_profile_type(kind, "seccompProfile", path)
    if kind == "Localhost":
        if file is None:
            yield required(f"{path}.localhostProfile", "must be set when seccomp type is Localhost")
        else:
            yield from validate_descending_path(file, f"{path}.localhostProfile")
    elif file is not None:
        why = "can only be set when seccomp type is Localhost"
        yield invalid(f"{path}.localhostProfile", profile, why)


def _validate_app_armor(profile: Item, path: str) -> Iterator[FieldError]:
    kind, file = profile.get("type") or "", profile.get("localhostProfile")
    at = f"{path}.localhostProfile"
    if kind == "Localhost":
        if file is not None and file.strip() != file:
            yield invalid(at, file, "must not be padded with whitespace")
        elif not file:
            yield required(at, "must be set when AppArmor type is Localhost")
        if len((file or "").encode()) > 4095:
            yield too_long(at, 4095)
        return
    yield from _validate_profile_type(kind, "appArmorProfile", path)
    if file is not None and kind in _PROFILES:
        yield invalid(at, file, "can only be set when AppArmor type is Localhost")


def _validate_profile_type(kind: str, field: str, path: str) -> Iterator[FieldError]:
    if not kind:
        yield required(f"{path}.type", f"type is required when {field} is set")
    elif kind not in _PROFILES:
        yield not_supported(f"{path}.type", kind, _PROFILES)
