"""The specification of a pod as a whole.

The rules of ValidatePodSpec and ValidatePodCreate of pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.addresses import validate_ip
from nominee.apiserver.kinds.field_errors import (
    NEGATIVE,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
    too_long,
)
from nominee.apiserver.kinds.metadata import validate_labels
from nominee.apiserver.kinds.pod.affinity import validate_affinity
from nominee.apiserver.kinds.pod.containers import (
    Surroundings,
    validate_containers,
    validate_ephemeral_containers,
    validate_image_text,
    validate_init_containers,
)
from nominee.apiserver.kinds.pod.placement import (
    validate_gates,
    validate_readiness_gates,
    validate_spread,
    validate_tolerations,
)
from nominee.apiserver.kinds.pod.pod_level import validate_pod_level
from nominee.apiserver.kinds.pod.ports import validate_host_network
from nominee.apiserver.kinds.pod.resources import validate_container_resources
from nominee.apiserver.kinds.pod.security import validate_pod_security
from nominee.apiserver.kinds.pod.systems import containers_with_paths, validate_os
from nominee.apiserver.kinds.pod.volumes import validate_volumes
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

RESTART_POLICIES = ("Always", "OnFailure", "Never")
_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
_NAMES = (
    ("serviceAccountName", syntax.dns_subdomain),
    ("nodeName", syntax.dns_subdomain),
    ("hostname", syntax.dns_label),
    ("subdomain", syntax.dns_label),
    ("priorityClassName", syntax.dns_subdomain),
    ("runtimeClassName", syntax.dns_subdomain),
)
_RARER = frozenset(
    {
        "shareProcessNamespace",
        "hostAliases",
        "hostUsers",
        "hostnameOverride",
        "overhead",
        "os",
        "schedulingGroup",
    }
)
_MAX_INT32 = 2**31 - 1
_search_path = re.compile(r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*").fullmatch


def validate_pod(item: Item) -> Iterator[FieldError]:
    """What is wrong with the specification of a pod, be it new or changed."""
    metadata, spec = item["metadata"], item.get("spec") or {}
    if annotations := metadata.get("annotations"):
        yield from _validate_annotations(annotations, spec)
    yield from validate_pod_spec(spec, "spec", metadata, is_pod=True)
    if not spec.get("serviceAccountName") and "volumes" in spec:
        yield from _validate_no_tokens(spec["volumes"])
    grace = spec.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0:
        yield invalid("spec.terminationGracePeriodSeconds", grace, NEGATIVE)
    for name in ("containers", "initContainers"):
        for position, container in enumerate(spec.get(name) or ()):
            yield from validate_image_text(container, f"spec.{name}[{position}]")


def validate_new_pod(item: Item) -> Iterator[FieldError]:
    """What is wrong with a new pod."""
    yield from validate_pod(item)
    spec = item.get("spec") or {}
    if spec.get("ephemeralContainers"):
        yield forbidden("spec.ephemeralContainers", "cannot be set on create")
    if spec.get("nodeName") and spec.get("schedulingGates"):
        yield forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")


def _validate_annotations(annotations: Mapping[str, str], spec: Item) -> Iterator[FieldError]:
    mirror = annotations.get("kubernetes.io/config.mirror")
    if mirror is not None and not spec.get("nodeName"):
        why = "must set spec.nodeName if mirror pod annotation is set"
        yield invalid("metadata.annotations[kubernetes.io/config.mirror]", mirror, why)
    cost = annotations.get("controller.kubernetes.io/pod-deletion-cost")
    if cost is not None and not _is_int32(cost):
        path = "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]"
        yield invalid(path, cost, "must be a 32bit integer")


def _is_int32(text: str) -> bool:
    # No plus sign and no leading zeros, upstream says; whatever int() takes beyond digits is refused too.
    if not re.fullmatch(r"-?(0|[1-9][0-9]{0,9})", text) or text == "-0":
        return False
    return -(2**31) <= int(text) <= _MAX_INT32


def _validate_no_tokens(volumes: Sequence[Item]) -> Iterator[FieldError]:
    for position, volume in enumerate(volumes):
        for row, source in enumerate((volume.get("projected") or {}).get("sources") or ()):
            if "serviceAccountToken" in source:
                path = f"spec.volumes[{position}].projected.sources[{row}].serviceAccountToken"
                yield forbidden(path, "must not be specified when serviceAccountName is not set")


def validate_pod_spec(
    spec: Item, path: str, metadata: Item | None = None, *, is_pod: bool = False
) -> Iterator[FieldError]:
    """What is wrong with the specification of a pod, or with that in a template."""
    volumes, errors = (
        validate_volumes(spec["volumes"], metadata, f"{path}.volumes") if "volumes" in spec else ({}, ())
    )
    yield from errors
    claims = [claim["name"] for claim in spec.get("resourceClaims") or () if claim.get("name")]
    if "resourceClaims" in spec:
        yield from _validate_claims(spec["resourceClaims"], metadata, f"{path}.resourceClaims")
    yield from _validate_all_containers(spec, volumes, claims, path)
    yield from validate_pod_level(spec, claims, path)
    yield from validate_host_network(spec, path, is_pod=is_pod)
    yield from _validate_choices(spec, path)
    if labels := spec.get("nodeSelector"):
        yield from validate_labels(labels, f"{path}.nodeSelector")
    yield from validate_pod_security(spec, path)
    yield from _validate_placement(spec, path)
    yield from _validate_names(spec, path)
    if not _RARER.isdisjoint(spec):
        yield from _validate_rarer(spec, claims, path)
    yield from _validate_env_files(spec, path)


def _validate_all_containers(
    spec: Item, volumes: Mapping[str, Item], claims: Sequence[str], path: str
) -> Iterator[FieldError]:
    surroundings = Surroundings(
        volumes,
        claims,
        spec.get("terminationGracePeriodSeconds"),
        (spec.get("os") or {}).get("name"),
        spec.get("restartPolicy") or "",
        spec.get("hostUsers") is not False,
    )
    containers = spec.get("containers") or ()
    yield from validate_containers(containers, surroundings, f"{path}.containers")
    names = {container.get("name") or "" for container in containers}
    if first := spec.get("initContainers"):
        yield from validate_init_containers(first, names, surroundings, f"{path}.initContainers")
    if ephemeral := spec.get("ephemeralContainers"):
        at = f"{path}.ephemeralContainers"
        yield from validate_ephemeral_containers(ephemeral, names, surroundings, at)


def _validate_claims(claims: Sequence[Item], metadata: Item | None, path: str) -> Iterator[FieldError]:
    if "kubernetes.io/config.mirror" in ((metadata or {}).get("annotations") or {}):
        yield forbidden("", "static pods do not support resource claims")
        return
    names: set[str] = set()
    for position, claim in enumerate(claims):
        at, name = f"{path}[{position}]", claim.get("name") or ""
        if not name:
            yield required(f"{at}.name")
        elif name in names:
            yield duplicate(f"{at}.name", name)
        for fault in syntax.dns_label(name) if name else ():
            yield invalid(f"{at}.name", name, fault)
        names.add(name)
        yield from _validate_claim_source(claim, at)


def _validate_claim_source(claim: Item, path: str) -> Iterator[FieldError]:
    given = [name for name in ("resourceClaimName", "resourceClaimTemplateName") if name in claim]
    if len(given) > 1:
        why = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        yield invalid(path, claim, why)
    if not given:
        yield invalid(path, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")
    for name in given:
        for fault in syntax.dns_subdomain(claim[name]):
            yield invalid(f"{path}.{name}", claim[name], fault)


def _validate_choices(spec: Item, path: str) -> Iterator[FieldError]:
    policy = spec.get("restartPolicy")
    if policy not in RESTART_POLICIES:
        yield not_supported(f"{path}.restartPolicy", policy or "", RESTART_POLICIES)
    dns = spec.get("dnsPolicy")
    if dns not in _DNS_POLICIES:
        yield not_supported(f"{path}.dnsPolicy", dns or "", _DNS_POLICIES)
    if dns == "None" or "dnsConfig" in spec:
        yield from _validate_dns(spec.get("dnsConfig"), dns or "", f"{path}.dnsConfig")
    preemption = spec.get("preemptionPolicy")
    if preemption is not None and preemption not in _PREEMPTION_POLICIES:
        yield not_supported(f"{path}.preemptionPolicy", preemption, _PREEMPTION_POLICIES)


def _validate_dns(config: Item | None, policy: str, path: str) -> Iterator[FieldError]:
    servers = (config or {}).get("nameservers") or ()
    if policy == "None" and config is None:
        yield required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
    elif policy == "None" and not servers:
        why = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        yield required(f"{path}.nameservers", why)
    if config is None or (policy == "None" and not servers):
        return
    if len(servers) > 3:
        yield invalid(f"{path}.nameservers", servers, "must not have more than 3 nameservers")
    for position, server in enumerate(servers):
        yield from validate_ip(server, f"{path}.nameservers[{position}]")
    yield from _validate_searches(config.get("searches") or (), f"{path}.searches")
    for position, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            yield required(f"{path}.options[{position}]", "must not be empty")


def _validate_searches(searches: Sequence[str], path: str) -> Iterator[FieldError]:
    if len(searches) > 32:
        yield invalid(path, searches, "must not have more than 32 search paths")
    if len(" ".join(searches)) > 2048:
        why = "must not have more than 2048 characters (including spaces) in the search list"
        yield invalid(path, searches, why)
    for position, search in enumerate(searches):
        name = search.removesuffix(".")
        if search == "." or (len(name) <= 253 and _search_path(name)):
            continue
        rule = (
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or "
            "'.', and must start and end with an alphanumeric character"
        )
        label = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
        fault = syntax.regex_fault(rule, rf"{label}(\.{label})*", "example.com")
        yield invalid(f"{path}[{position}]", name, syntax.max_length(253) if _search_path(name) else fault)


def _validate_placement(spec: Item, path: str) -> Iterator[FieldError]:
    if affinity := spec.get("affinity"):
        yield from validate_affinity(affinity, f"{path}.affinity")
    if gates := spec.get("readinessGates"):
        yield from validate_readiness_gates(gates, f"{path}.readinessGates")
    if gates := spec.get("schedulingGates"):
        yield from validate_gates(gates, f"{path}.schedulingGates")
    if constraints := spec.get("topologySpreadConstraints"):
        yield from validate_spread(constraints, f"{path}.topologySpreadConstraints")
    if tolerations := spec.get("tolerations"):
        yield from validate_tolerations(tolerations, f"{path}.tolerations")


def _validate_names(spec: Item, path: str) -> Iterator[FieldError]:
    for field, rule in _NAMES:
        name = spec.get(field)
        if name or (name == "" and field == "runtimeClassName"):
            for fault in rule(name):
                yield invalid(f"{path}.{field}", name, fault)
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= _MAX_INT32:
        yield invalid(f"{path}.activeDeadlineSeconds", deadline, syntax.between(1, _MAX_INT32))


def _validate_rarer(spec: Item, claims: Sequence[str], path: str) -> Iterator[FieldError]:
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        why = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid(f"{path}.shareProcessNamespace", True, why)
    for position, alias in enumerate(spec.get("hostAliases") or ()):
        yield from _validate_host_alias(alias, f"{path}.hostAliases[{position}]")
    if spec.get("hostUsers") is False:
        yield from _validate_host_users(spec, path)
    if "hostnameOverride" in spec:
        yield from _validate_hostname(spec, f"{path}.hostnameOverride")
    if overhead := spec.get("overhead"):
        yield from validate_container_resources({"limits": overhead}, claims, f"{path}.overhead")
    if "os" in spec:
        yield from validate_os(spec, path)
    if "schedulingGroup" in spec:
        yield from _validate_group(spec["schedulingGroup"], f"{path}.schedulingGroup")


def _validate_host_alias(alias: Item, path: str) -> Iterator[FieldError]:
    yield from validate_ip(alias.get("ip") or "", f"{path}.ip")
    for position, name in enumerate(alias.get("hostnames") or ()):
        for fault in syntax.dns_subdomain(name):
            yield invalid(f"{path}.hostnames[{position}]", name, fault)


def _validate_host_users(spec: Item, path: str) -> Iterator[FieldError]:
    why = "when `hostUsers` is false"
    for field, shown in (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
        if spec.get(field):
            yield forbidden(f"{path}.{shown}", why)
    for container, at in containers_with_paths(spec, path):
        if container.get("volumeDevices"):
            yield forbidden(f"{at}.volumeDevices", why)


def _validate_hostname(spec: Item, path: str) -> Iterator[FieldError]:
    name = spec["hostnameOverride"]
    if spec.get("setHostnameAsFQDN"):
        yield forbidden(path, "may not be specified when setHostnameAsFQDN is true")
    if spec.get("hostNetwork"):
        yield forbidden(path, "may not be specified when hostNetwork is true")
    if len(name.encode()) > 64:
        yield too_long(path, 64)
    for fault in syntax.dns_subdomain(name):
        yield invalid(path, name, fault)


def _validate_group(group: Item, path: str) -> Iterator[FieldError]:
    name = group.get("podGroupName")
    if name is None:
        yield invalid(f"{path}.podGroupName", None, "must specify one of: `podGroupName`")
        return
    for fault in syntax.dns_subdomain(name):
        yield invalid(f"{path}.podGroupName", name, fault)


def _validate_env_files(spec: Item, path: str) -> Iterator[FieldError]:
    volumes = {volume.get("name"): volume for volume in spec.get("volumes") or ()}
    for container, at in containers_with_paths(spec, path):
        if "env" not in container:
            continue
        for position, variable in enumerate(container.get("env") or ()):
            reference = (variable.get("valueFrom") or {}).get("fileKeyRef")
            if reference is None:
                continue
            name = reference.get("volumeName") or ""
            where = f"{at}.env[{position}].valueFrom.fileKeyRef.volumeName"
            if name not in volumes:
                yield not_found(where, name)
            elif "emptyDir" not in volumes[name]:
                yield invalid(where, name, "referenced volume must be of type emptyDir")
