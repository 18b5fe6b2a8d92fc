"""What a pod may not say once it says for which operating system it is.

The rules of validateOS, validateLinux and validateWindows of pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nominee.apiserver.kinds.field_errors import forbidden, not_supported, required
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

_LINUX_POD = (
    "appArmorProfile", "seLinuxOptions", "seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls",
    "runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy",
)  # fmt: skip
_LINUX_SPEC = ("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace")
_LINUX_CONTAINER = (
    "appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem",
    "privileged", "allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup",
)  # fmt: skip


def validate_os(spec: Item, path: str) -> Iterator[FieldError]:
    """What a pod may not say once it says for which system it is."""
    name = (spec.get("os") or {}).get("name") or ""
    if not name:
        yield required(f"{path}.os.name")
    elif name == "linux":
        yield from _validate_linux(spec, path)
    elif name == "windows":
        yield from _validate_windows(spec, path)
    else:
        yield not_supported(f"{path}.os", name, ("linux", "windows"))


def _validate_linux(spec: Item, path: str) -> Iterator[FieldError]:
    why = "windows options cannot be set for a linux pod"
    if "windowsOptions" in (spec.get("securityContext") or {}):
        yield forbidden(f"{path}.securityContext.windowsOptions", why)
    for container, at in containers_with_paths(spec, path):
        if "windowsOptions" in (container.get("securityContext") or {}):
            yield forbidden(f"{at}.securityContext.windowsOptions", why)


def _validate_windows(spec: Item, path: str) -> Iterator[FieldError]:
    why = "cannot be set for a windows pod"
    context = spec.get("securityContext") or {}
    for name in _LINUX_POD:
        if name in context:
            yield forbidden(f"{path}.securityContext.{name}", why)
    for name in _LINUX_SPEC:
        if name in spec and (spec[name] or name in ("hostUsers", "shareProcessNamespace")):
            yield forbidden(f"{path}.{name}", why)
    for container, at in containers_with_paths(spec, path):
        for name in _LINUX_CONTAINER:
            if name in (container.get("securityContext") or {}):
                yield forbidden(f"{at}.securityContext.{name}", why)


def containers_with_paths(spec: Item, path: str) -> Iterator[tuple[Item, str]]:
    """All containers of a spec, in upstream's order, each with its path."""
    for name in ("initContainers", "containers", "ephemeralContainers"):
        for position, container in enumerate(spec.get(name) or ()):
            yield container, f"{path}.{name}[{position}]"
