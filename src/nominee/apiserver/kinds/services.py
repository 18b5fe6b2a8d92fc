"""Services, as objects: there is no network behind them.

The rules of ValidateServiceCreate of pkg/apis/core/validation/validation.go, v1.37. Addresses and ports are
assigned by `admission.services`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.addresses import validate_ip
from nominee.apiserver.kinds.field_errors import (
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from nominee.apiserver.kinds.metadata import validate_labels
from nominee.apiserver.kinds.pod.ports import PROTOCOLS, validate_port_reference
from nominee.apiserver.kinds.table import AGE, NAME, NONE, UNKNOWN, age_of, labels_text, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

Item = Mapping[str, Any]

TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_AFFINITIES = ("ClientIP", "None")
_POLICIES = ("Cluster", "Local")
_DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")
_BALANCERS_ONLY = (
    ("allocateLoadBalancerNodePorts", "allocateLoadBalancerNodePorts"),
    ("loadBalancerSourceRanges", "LoadBalancerSourceRanges"),
    ("loadBalancerClass", "loadBalancerClass"),
)
_LONGEST_AFFINITY = 86400
_AFFINITY_SECONDS = 10800


class ServiceKind(Kind):
    """Services."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        item.setdefault("status", {}).setdefault("loadBalancer", {})
        _default(item.setdefault("spec", {}))

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        item["status"] = {"loadBalancer": {}}

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        super().prepare_update(item, old, context)
        leave_behind(item.get("spec") or {}, old.get("spec") or {})
        if (item.get("spec") or {}).get("type") != "LoadBalancer":
            item["status"] = {**(item.get("status") or {}), "loadBalancer": {}}

    def warnings(self, item: JsonObject) -> Sequence[str]:
        return list(_warnings(item.get("spec") or {}))

    def update_warnings(self, item: JsonObject, old: JsonObject) -> Sequence[str]:
        return self.warnings(item)

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item.get("spec") or {}, ()))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        spec, before = item.get("spec") or {}, old.get("spec") or {}
        errors = []
        names = "ExternalName" in (spec.get("type"), before.get("type"))
        if (
            before.get("clusterIPs")
            and not names
            and spec.get("clusterIPs", [])[:1] != before["clusterIPs"][:1]
        ):
            why = "may not change once set"
            errors.append(invalid("spec.clusterIPs[0]", spec.get("clusterIPs"), why))
        if _is_balanced(before) and _is_balanced(spec) and before.get("loadBalancerClass"):
            told = spec.get("loadBalancerClass")
            if told != before["loadBalancerClass"]:
                errors.append(invalid("spec.loadBalancerClass", told, "may not change once set"))
        return [*errors, *_validate(spec, before.get("externalIPs") or ())]

    def fields(self, item: JsonObject) -> Mapping[str, str]:
        spec = item.get("spec") or {}
        own = {"spec.clusterIP": spec.get("clusterIP") or "", "spec.type": spec.get("type") or ""}
        return {**super().fields(item), **own}

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec = item.get("spec") or {}
        return [
            item["metadata"]["name"],
            spec.get("type") or "",
            (spec.get("clusterIPs") or [NONE])[0],
            _external(item, spec),
            ",".join(map(_port_text, spec.get("ports") or ())) or NONE,
            age_of(item, now),
            labels_text(spec.get("selector")),
        ]


def _default(spec: JsonObject) -> None:
    spec["type"] = spec.get("type") or "ClusterIP"
    affinity = spec["sessionAffinity"] = spec.get("sessionAffinity") or "None"
    if affinity == "None":
        spec.pop("sessionAffinityConfig", None)
    elif affinity == "ClientIP":
        config = spec.setdefault("sessionAffinityConfig", {}).setdefault("clientIP", {})
        config.setdefault("timeoutSeconds", _AFFINITY_SECONDS)
    for port in spec.get("ports") or ():
        port["protocol"] = port.get("protocol") or "TCP"
        if not port.get("targetPort") and "port" in port:
            port["targetPort"] = port["port"]
    if _is_external(spec) and not spec.get("externalTrafficPolicy"):
        spec["externalTrafficPolicy"] = "Cluster"
    if spec["type"] in ("NodePort", "LoadBalancer", "ClusterIP"):
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)


def _is_external(spec: Item) -> bool:
    kind = spec.get("type")
    return kind in ("LoadBalancer", "NodePort") or (kind == "ClusterIP" and bool(spec.get("externalIPs")))


def _is_balanced(spec: Item) -> bool:
    return spec.get("type") == "LoadBalancer"


def has_node_ports(spec: Item) -> bool:
    """Whether a service of its type has ports on nodes."""
    return spec.get("type") in ("NodePort", "LoadBalancer")


def leave_behind(spec: JsonObject, before: Item) -> None:
    """Drop what a service had for its type before, and nobody has changed.

    Reproduces dropTypeDependentFields of pkg/registry/core/service/strategy.go, v1.37.
    """
    gone = []
    if before.get("type") != "ExternalName" and spec.get("type") == "ExternalName":
        gone += ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]
    if _is_balanced(before) and not _is_balanced(spec):
        gone += ["allocateLoadBalancerNodePorts", "loadBalancerClass"]
    if _checks_nodes(before) and not _checks_nodes(spec):
        gone.append("healthCheckNodePort")
    if _is_external(before) and not _is_external(spec):
        gone.append("externalTrafficPolicy")
    for name in gone:
        if spec.get(name) == before.get(name):
            spec.pop(name, None)
    if has_node_ports(before) and not has_node_ports(spec) and _node_ports(spec) <= _node_ports(before):
        for port in spec.get("ports") or ():
            port.pop("nodePort", None)


def _checks_nodes(spec: Item) -> bool:
    return _is_balanced(spec) and spec.get("externalTrafficPolicy") == "Local"


def _node_ports(spec: Item) -> set[int]:
    return {port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")}


def is_headless(spec: Item) -> bool:
    """Whether a service has no address, by its own wish."""
    addresses = spec.get("clusterIPs")
    return (addresses[0] if addresses else spec.get("clusterIP")) == "None"


def _validate(spec: Item, external_before: Sequence[str]) -> Iterator[FieldError]:
    kind, ports = spec.get("type"), spec.get("ports") or ()
    if not ports and not is_headless(spec) and kind != "ExternalName":
        yield required("spec.ports")
    if kind not in TYPES:
        yield not_supported("spec.type", kind, TYPES)
    yield from _validate_type(spec, kind or "")
    yield from _validate_ports(ports, kind or "")
    yield from validate_labels(spec.get("selector") or {}, "spec.selector")
    yield from _validate_affinity(spec)
    for position, address in enumerate(spec.get("externalIPs") or ()):
        yield from validate_ip(address, f"spec.externalIPs[{position}]", external_before)
    yield from _validate_policies(spec)


def _validate_type(spec: Item, kind: str) -> Iterator[FieldError]:
    if kind in ("LoadBalancer", "NodePort") and is_headless(spec):
        yield invalid("spec.clusterIPs[0]", "None", f"may not be set to 'None' for {kind} services")
    if kind == "ExternalName":
        yield from _validate_external_name(spec)
    elif not is_headless(spec):
        for position, address in enumerate(spec.get("clusterIPs") or ()):
            yield from validate_ip(address, f"spec.clusterIPs[{position}]")
    if kind != "LoadBalancer":
        only = "may only be used when `type` is 'LoadBalancer'"
        for field, told in _BALANCERS_ONLY:
            if field in spec:
                yield forbidden(f"spec.{told}", only)


def _validate_external_name(spec: Item) -> Iterator[FieldError]:
    for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if spec.get(name):
            yield forbidden(f"spec.{name}", "may not be set for ExternalName services")
    name = (spec.get("externalName") or "").removesuffix(".")
    if not name:
        yield required("spec.externalName")
    for fault in syntax.dns_subdomain(name) if name else ():
        yield invalid("spec.externalName", name, fault)


def _validate_ports(ports: Sequence[Item], kind: str) -> Iterator[FieldError]:
    names: set[str] = set()
    taken: set[tuple[str, str, int]] = set()
    for position, port in enumerate(ports):
        at, name, protocol = f"spec.ports[{position}]", port.get("name") or "", port.get("protocol") or ""
        yield from _validate_port_name(name, names, at, needed=len(ports) > 1)
        number, node_port = port.get("port") or 0, port.get("nodePort") or 0
        for fault in syntax.port_number(number):
            yield invalid(f"{at}.port", number, fault)
        if protocol not in PROTOCOLS:
            yield not_supported(f"{at}.protocol", protocol, PROTOCOLS)
        yield from validate_port_reference(port.get("targetPort"), f"{at}.targetPort")
        if kind == "ClusterIP" and node_port:
            yield forbidden(f"{at}.nodePort", "may not be used when `type` is 'ClusterIP'")
        if node_port and ("node", protocol, node_port) in taken:
            yield duplicate(f"{at}.nodePort", node_port)
        if ("port", protocol, number) in taken:
            yield duplicate(at, {"protocol": protocol, "port": number})
        taken |= {("node", protocol, node_port), ("port", protocol, number)}


def _validate_port_name(name: str, names: set[str], path: str, *, needed: bool) -> Iterator[FieldError]:
    if needed and not name:
        yield required(f"{path}.name")
    if not name:
        return
    for fault in syntax.dns_label(name):
        yield invalid(f"{path}.name", name, fault)
    if name in names:
        yield duplicate(f"{path}.name", name)
    names.add(name)


def _validate_affinity(spec: Item) -> Iterator[FieldError]:
    affinity = spec.get("sessionAffinity")
    if affinity not in _AFFINITIES:
        yield not_supported("spec.sessionAffinity", affinity, _AFFINITIES)
    if affinity != "ClientIP":
        return
    config = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
    seconds = config.get("timeoutSeconds") or 0
    if not 0 < seconds <= _LONGEST_AFFINITY:
        why = f"must be greater than 0 and less than {_LONGEST_AFFINITY}"
        yield invalid("spec.sessionAffinityConfig.clientIP.timeoutSeconds", seconds, why)


def _warnings(spec: Item) -> Iterator[str]:
    """GetWarningsForService of pkg/api/service/warnings.go, v1.37, but for annotations and addresses."""
    named = spec.get("type") == "ExternalName"
    if spec.get("clusterIP") == "None":
        for name in ("loadBalancerIP", "externalIPs"):
            if spec.get(name):
                yield f"spec.{name} is ignored for headless services"
        if spec.get("sessionAffinity") != "None":
            yield "spec.SessionAffinity is ignored for headless services"
    elif spec.get("externalIPs") and not named:
        yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
    if named and spec.get("externalIPs"):
        yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
    if not named and spec.get("externalName"):
        yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
    if spec.get("trafficDistribution") == "PreferClose":
        yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'


def _validate_policies(spec: Item) -> Iterator[FieldError]:
    policy = spec.get("externalTrafficPolicy")
    if policy and not _is_external(spec):
        why = "may only be set for externally-accessible services"
        yield invalid("spec.externalTrafficPolicy", policy, why)
    elif policy and policy not in _POLICIES:
        yield not_supported("spec.externalTrafficPolicy", policy, _POLICIES)
    if spec.get("internalTrafficPolicy") not in (None, *_POLICIES):
        yield not_supported("spec.internalTrafficPolicy", spec["internalTrafficPolicy"], _POLICIES)
    if spec.get("trafficDistribution") not in (None, *_DISTRIBUTIONS):
        yield not_supported("spec.trafficDistribution", spec["trafficDistribution"], _DISTRIBUTIONS)


def _external(item: Item, spec: Item) -> str:
    kind, addresses = spec.get("type"), list(spec.get("externalIPs") or ())
    if kind in ("ClusterIP", "NodePort"):
        return ",".join(addresses) or NONE
    if kind == "LoadBalancer":
        balancer = (item.get("status") or {}).get("loadBalancer") or {}
        given = [one.get("ip") or one.get("hostname") or "" for one in balancer.get("ingress") or ()]
        return ",".join([*given, *addresses]) or "<pending>"
    return spec.get("externalName") or "" if kind == "ExternalName" else UNKNOWN


def _port_text(port: Item) -> str:
    node_port = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port.get('port') or 0}{node_port}/{port.get('protocol') or ''}"


SERVICES = ServiceKind(
    Names("Service", "services", "service", short=("svc",), categories=("all",)),
    schema="io.k8s.api.core.v1.Service",
    subresources=("status",),
    columns=(
        NAME,
        *shown("Type", "Cluster-IP", "External-IP", "Port(s)"),
        AGE,
        *shown("Selector", wide=True),
    ),
    name_rule="label",
    create_on_put=True,
    field_labels=("metadata.name", "metadata.namespace", "spec.clusterIP", "spec.type"),
)
