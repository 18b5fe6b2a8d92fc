"""Containers of all three sorts.

The rules of validateContainers, validateInitContainers and validateEphemeralContainers of
pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import (
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
    too_many,
)
from nominee.apiserver.kinds.pod.env import validate_env, validate_env_from
from nominee.apiserver.kinds.pod.mounts import validate_devices, validate_mounts
from nominee.apiserver.kinds.pod.ports import validate_host_ports, validate_ports
from nominee.apiserver.kinds.pod.probes import PROBES, validate_lifecycle, validate_probes
from nominee.apiserver.kinds.pod.resources import validate_container_resources
from nominee.apiserver.kinds.pod.security import validate_container_security
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_RESTART_POLICIES = ("Always", "Never", "OnFailure")
_RESTART_ACTIONS = ("Restart", "RestartAllContainers")
_RESIZE_POLICIES = ("NotRequired", "RestartContainer")
_EPHEMERAL_FIELDS = frozenset(
    {
        "name", "image", "command", "args", "workingDir", "envFrom", "env", "volumeMounts", "volumeDevices",
        "terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy", "securityContext", "stdin",
        "stdinOnce", "tty", "targetContainerName",
    }
)  # fmt: skip
_SIDECARS_ONLY = "may not be set for init containers without restartPolicy=Always"
_EPHEMERAL = "cannot be set for an Ephemeral Container"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What of a pod its containers depend on: good volumes by name, names of claims, and the rest."""

    volumes: Mapping[str, Item]
    claims: Collection[str]
    grace: int | None
    os: str | None
    restart_policy: str
    host_users: bool


def validate_containers(containers: Sequence[Item], pod: Surroundings, path: str) -> Iterator[FieldError]:
    """What is wrong with the containers of a pod, of which there must be one."""
    if not containers:
        yield required(path)
        return
    names: set[str] = set()
    for position, container in enumerate(containers):
        at = f"{path}[{position}]"
        yield from _validate_common(container, pod, at)
        name = container.get("name") or ""
        if name in names:
            yield duplicate(f"{at}.name", name)
        names.add(name)
        yield from _validate_life(container, pod, at)
        yield from _validate_restart(container, at)
    yield from validate_host_ports(containers, path)


def validate_init_containers(
    containers: Sequence[Item], names: set[str], pod: Surroundings, path: str
) -> Iterator[FieldError]:
    """What is wrong with the containers that run first; `names` are taken, and theirs are added."""
    for position, container in enumerate(containers):
        at = f"{path}[{position}]"
        yield from _validate_common(container, pod, at)
        yield from _validate_restart(container, at)
        name = container.get("name") or ""
        if name in names:
            yield duplicate(f"{at}.name", name)
        names.add(name)
        yield from validate_host_ports([container], path)
        if container.get("restartPolicy") == "Always":
            yield from _validate_life(container, pod, at)
            continue
        for field in ("lifecycle", *PROBES):
            if field in container:
                yield forbidden(f"{at}.{field}", _SIDECARS_ONLY)
        for row, policy in enumerate(container.get("resizePolicy") or ()):
            if policy.get("restartPolicy") == "RestartContainer":
                why = "must not be set to 'RestartContainer' for non-sidecar initContainers"
                yield invalid(f"{at}.resizePolicy[{row}].restartPolicy", policy["restartPolicy"], why)


def validate_ephemeral_containers(
    containers: Sequence[Item], others: Collection[str], pod: Surroundings, path: str
) -> Iterator[FieldError]:
    """What is wrong with containers that were added to look at the others."""
    names = set(others)
    for position, container in enumerate(containers):
        at = f"{path}[{position}]"
        yield from _validate_common(container, pod, at)
        yield from validate_image_text(container, at)
        name, target = container.get("name") or "", container.get("targetContainerName")
        if name in names:
            yield duplicate(f"{at}.name", name)
        names.add(name)
        if target and target not in others:
            yield not_found(f"{at}.targetContainerName", target)
        for field, value in container.items():
            if value and field not in _EPHEMERAL_FIELDS:
                yield forbidden(f"{at}.{field}", _EPHEMERAL)
        for row, mount in enumerate(container.get("volumeMounts") or ()):
            for field in ("subPath", "subPathExpr"):
                if mount.get(field):
                    yield forbidden(f"{at}.volumeMounts[{row}].{field}", _EPHEMERAL)


def validate_image_text(container: Item, path: str) -> Iterator[FieldError]:
    """Templates may name images with spaces around them, pods may not."""
    image = container.get("image") or ""
    if image != image.strip():
        yield invalid(f"{path}.image", image, "must not have leading or trailing whitespace")


def _validate_common(container: Item, pod: Surroundings, path: str) -> Iterator[FieldError]:
    name = container.get("name") or ""
    if not name:
        yield required(f"{path}.name")
    elif faults := syntax.dns_label(name):
        for fault in faults:
            yield invalid(f"{path}.name", name, fault)
    if not container.get("image"):
        yield required(f"{path}.image")
    policy = container.get("terminationMessagePolicy")
    if policy not in _MESSAGE_POLICIES:
        yield not_supported(f"{path}.terminationMessagePolicy", policy, _MESSAGE_POLICIES)
    yield from _validate_parts(container, pod, path)
    yield from _validate_policies(container, pod, path)


def _validate_parts(container: Item, pod: Surroundings, path: str) -> Iterator[FieldError]:
    if "ports" in container:
        yield from validate_ports(container["ports"], f"{path}.ports")
    if "env" in container:
        yield from validate_env(container["env"], f"{path}.env")
    if "envFrom" in container:
        yield from validate_env_from(container["envFrom"], f"{path}.envFrom")
    if "volumeMounts" in container:
        yield from validate_mounts(container, pod.volumes, f"{path}.volumeMounts")
    if "volumeDevices" in container:
        yield from validate_devices(container, pod.volumes, f"{path}.volumeDevices")


def _validate_policies(container: Item, pod: Surroundings, path: str) -> Iterator[FieldError]:
    policy = container.get("imagePullPolicy")
    if policy not in _PULL_POLICIES:
        yield not_supported(f"{path}.imagePullPolicy", policy, _PULL_POLICIES)
    if resources := container.get("resources"):
        yield from validate_container_resources(resources, pod.claims, f"{path}.resources")
    if "resizePolicy" in container:
        yield from _validate_resize_policy(container["resizePolicy"], pod, f"{path}.resizePolicy")
    if context := container.get("securityContext"):
        yield from validate_container_security(context, f"{path}.securityContext", host_users=pod.host_users)


def _validate_life(container: Item, pod: Surroundings, path: str) -> Iterator[FieldError]:
    if "lifecycle" in container:
        yield from validate_lifecycle(container["lifecycle"], pod.grace, pod.os, f"{path}.lifecycle")
    yield from validate_probes(container, path)


def _validate_resize_policy(policies: Sequence[Item], pod: Surroundings, path: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for position, policy in enumerate(policies):
        name, restart = policy.get("resourceName") or "", policy.get("restartPolicy") or ""
        if name in seen:
            yield duplicate(f"{path}[{position}]", name)
        seen.add(name)
        yield from _validate_choice(name, ("cpu", "memory"), path)
        yield from _validate_choice(restart, _RESIZE_POLICIES, path)
        if pod.restart_policy == "Never" and restart != "NotRequired":
            why = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            yield invalid(path, restart, why)


def _validate_choice(value: str, allowed: Sequence[str], path: str) -> Iterator[FieldError]:
    if not value:
        yield required(path)
    elif value not in allowed:
        yield not_supported(path, value, allowed)


def _validate_restart(container: Item, path: str) -> Iterator[FieldError]:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is None:
        if rules:
            yield required(f"{path}.restartPolicy", "must specify restartPolicy when restart rules are used")
    elif policy not in _RESTART_POLICIES:
        yield not_supported(f"{path}.restartPolicy", policy, _RESTART_POLICIES)
    path = f"{path}.restartPolicyRules"
    if len(rules) > 20:
        yield too_many(path, len(rules), 20)
    for position, rule in enumerate(rules):
        yield from _validate_restart_rule(rule, f"{path}[{position}]")


def _validate_restart_rule(rule: Item, path: str) -> Iterator[FieldError]:
    if rule.get("action") not in _RESTART_ACTIONS:
        yield not_supported(f"{path}.action", rule.get("action") or "", _RESTART_ACTIONS)
    codes = rule.get("exitCodes")
    if codes is None:
        yield required(f"{path}.exitCodes", "must be specified")
        return
    if codes.get("operator") not in ("In", "NotIn"):
        yield not_supported(f"{path}.exitCodes.operator", codes.get("operator") or "", ("In", "NotIn"))
    values = codes.get("values") or ()
    if len(values) > 255:
        yield too_many(f"{path}.exitCodes.values", len(values), 255)
