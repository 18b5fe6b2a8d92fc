"""Ingresses, their classes, and network policies: kept for whoever looks after them; nobody here does.

Columns are those of pkg/printers/internalversion/printers.go, rules those of
pkg/apis/networking/validation/validation.go, v1.37.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.addresses import validate_cidr
from nominee.apiserver.kinds.apps_shared import selector_text
from nominee.apiserver.kinds.field_errors import IMMUTABLE, forbidden, invalid, not_supported, required
from nominee.apiserver.kinds.selectors import validate_label_selector
from nominee.apiserver.kinds.table import AGE, NAME, NONE, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

Item = Mapping[str, Any]

GROUP = "networking.k8s.io"
_DEFAULT_CLASS = "ingressclass.kubernetes.io/is-default-class"
_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_NO_PARTS = ("//", "/./", "/../", "%2f", "%2F")
_NO_ENDS = ("/..", "/.")
_POLICIES = ("Ingress", "Egress")
_PROTOCOLS = ("TCP", "UDP", "SCTP")
_WIDTH = 16
_PREFIXED = re.compile(r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+").fullmatch


class IngressKind(Kind):
    """Ingresses."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        item.setdefault("status", {}).setdefault("loadBalancer", {})

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        item["status"] = {"loadBalancer": {}}

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate_ingress(item.get("spec") or {}, "spec"))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return self.validate(item)

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec = item.get("spec") or {}
        return [
            item["metadata"]["name"],
            spec.get("ingressClassName") or NONE,
            _hosts(spec.get("rules") or ()),
            _addresses(item.get("status") or {}),
            "80, 443" if spec.get("tls") else "80",
            age_of(item, now),
        ]


def _hosts(rules: Sequence[Item]) -> str:
    hosts = [rule["host"] for rule in rules if rule.get("host")]
    if not hosts:
        return "*"
    more = f" + {len(hosts) - 3} more..." if len(hosts) > 3 else ""
    return ",".join(hosts[:3]) + more


def _addresses(status: Item) -> str:
    given = (status.get("loadBalancer") or {}).get("ingress") or ()
    text = ",".join(sorted({one.get("ip") or one.get("hostname") or "" for one in given} - {""}))
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


def _validate_ingress(spec: Item, path: str) -> Iterator[FieldError]:
    rules, backend = spec.get("rules") or (), spec.get("defaultBackend")
    if not rules and backend is None:
        yield invalid(path, None, "either `defaultBackend` or `rules` must be specified")
    if backend is not None:
        yield from _validate_backend(backend, f"{path}.defaultBackend")
    for i, rule in enumerate(rules):
        yield from _validate_rule(rule, f"{path}.rules[{i}]")
    for i, tls in enumerate(spec.get("tls") or ()):
        place = f"{path}.tls[{i}]"
        for j, host in enumerate(tls.get("hosts") or ()):
            yield from _validate_host(host, f"{place}.hosts[{j}]")
        secret = tls.get("secretName")
        for fault in syntax.dns_subdomain(secret) if secret else ():
            yield invalid(f"{place}.secretName", secret, fault)
    name = spec.get("ingressClassName")
    for fault in syntax.dns_subdomain(name) if name is not None else ():
        yield invalid(f"{path}.ingressClassName", name, fault)


def _validate_rule(rule: Item, path: str) -> Iterator[FieldError]:
    host, http = rule.get("host") or "", rule.get("http")
    if _is_address(host):
        yield invalid(f"{path}.host", host, "must be a DNS name, not an IP address")
    if host:
        yield from _validate_host(host, f"{path}.host")
    if http is None:
        return
    paths = http.get("paths") or ()
    if not paths:
        yield required(f"{path}.http.paths")
    for i, one in enumerate(paths):
        yield from _validate_path(one, f"{path}.http.paths[{i}]")


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _validate_host(host: str, path: str) -> Iterator[FieldError]:
    for fault in syntax.wildcard_subdomain(host) if "*" in host else syntax.dns_subdomain(host):
        yield invalid(path, host, fault)


def _validate_path(one: Item, path: str) -> Iterator[FieldError]:
    given, matching = one.get("path") or "", one.get("pathType")
    if matching is None:
        yield required(f"{path}.pathType", "pathType must be specified")
        return
    if matching not in _PATH_TYPES:
        yield not_supported(f"{path}.pathType", matching, _PATH_TYPES)
    elif not given.startswith("/") and (given or matching != "ImplementationSpecific"):
        yield invalid(f"{path}.path", given, "must be an absolute path")
    if matching in ("Exact", "Prefix"):
        for part in _NO_PARTS:
            if part in given:
                yield invalid(f"{path}.path", given, f"must not contain '{part}'")
        for end in _NO_ENDS:
            if given.endswith(end):
                yield invalid(f"{path}.path", given, f"cannot end with '{end}'")
    yield from _validate_backend(one.get("backend") or {}, f"{path}.backend")


def _validate_backend(backend: Item, path: str) -> Iterator[FieldError]:
    service, resource = backend.get("service"), backend.get("resource")
    if service is not None and resource is not None:
        yield invalid(path, "", "cannot set both resource and service backends")
    elif service is not None:
        yield from _validate_service(service, path)
    elif resource is None:
        yield invalid(path, "", "resource or service backend is required")
    else:
        for name in ("kind", "name"):
            if not resource.get(name):
                yield required(f"{path}.resource.{name}")


def _validate_service(service: Item, path: str) -> Iterator[FieldError]:
    name, port = service.get("name") or "", service.get("port") or {}
    if not name:
        yield required(f"{path}.service.name")
    for fault in syntax.dns_label(name) if name else ():
        yield invalid(f"{path}.service.name", name, fault)
    if port.get("name") and port.get("number"):
        yield invalid(path, "", "cannot set both port name & port number")
    elif port.get("name"):
        for fault in syntax.port_name(port["name"]):
            yield invalid(f"{path}.service.port.name", port["name"], fault)
    elif port.get("number"):
        for fault in syntax.port_number(port["number"]):
            yield invalid(f"{path}.service.port.number", port["number"], fault)
    else:
        yield required(path, "port name or number is required")


class IngressClassKind(Kind):
    """Classes of ingresses."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        parameters = (item.get("spec") or {}).get("parameters")
        if parameters is not None:
            parameters.setdefault("scope", "Cluster")

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate_class(item.get("spec") or {}))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        told, before = ((one.get("spec") or {}).get("controller") or "" for one in (item, old))
        changed = [invalid("spec.controller", told, IMMUTABLE)] if told != before else []
        return [*self.validate(item), *changed]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec, metadata = item.get("spec") or {}, item["metadata"]
        is_default = (metadata.get("annotations") or {}).get(_DEFAULT_CLASS) == "true"
        parameters = spec.get("parameters")
        told = NONE
        if parameters:
            group = f".{parameters['apiGroup']}" if parameters.get("apiGroup") else ""
            told = f"{parameters.get('kind', '')}{group}/{parameters.get('name', '')}"
        name = f"{metadata['name']} (default)" if is_default else metadata["name"]
        return [name, spec.get("controller") or "", told, age_of(item, now)]


def _validate_class(spec: Item) -> Iterator[FieldError]:
    controller, parameters = spec.get("controller") or "", spec.get("parameters")
    if not controller:
        yield required("spec.controller")
    elif not _PREFIXED(controller):
        why = 'must be a domain-prefixed path (such as "acme.io/foo")'
        yield invalid("spec.controller", controller, why)
    if parameters is None:
        return
    for name in ("kind", "name"):
        if not parameters.get(name):
            yield required(f"spec.parameters.{name}")


class NetworkPolicyKind(Kind):
    """Network policies."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        spec = item.setdefault("spec", {})
        spec.setdefault("podSelector", {})
        if not spec.get("policyTypes"):
            spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
        for port, _ in _policy_ports(spec, ""):
            port.setdefault("protocol", "TCP")

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate_policy(item.get("spec") or {}, "spec"))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return self.validate(item)

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        selector = (item.get("spec") or {}).get("podSelector") or {}
        return [item["metadata"]["name"], selector_text(selector), age_of(item, now)]


def _policy_ports(spec: Item, path: str) -> Iterator[tuple[JsonObject, str]]:
    for way in ("ingress", "egress"):
        for i, rule in enumerate(spec.get(way) or ()):
            for j, port in enumerate(rule.get("ports") or ()):
                yield port, f"{path}.{way}[{i}].ports[{j}]"


def _policy_peers(spec: Item, path: str) -> Iterator[tuple[Item, str]]:
    for way, side in (("ingress", "from"), ("egress", "to")):
        for i, rule in enumerate(spec.get(way) or ()):
            for j, peer in enumerate(rule.get(side) or ()):
                yield peer, f"{path}.{way}[{i}].{side}[{j}]"


def _validate_policy(spec: Item, path: str) -> Iterator[FieldError]:
    yield from validate_label_selector(spec.get("podSelector"), f"{path}.podSelector")
    for port, place in _policy_ports(spec, path):
        yield from _validate_policy_port(port, place)
    for peer, place in _policy_peers(spec, path):
        yield from _validate_peer(peer, place)
    for i, kind in enumerate(spec.get("policyTypes") or ()):
        if kind not in _POLICIES:
            yield not_supported(f"{path}.policyTypes[{i}]", kind, _POLICIES)


def _validate_policy_port(port: Item, path: str) -> Iterator[FieldError]:
    number, last = port.get("port"), port.get("endPort")
    if port.get("protocol") not in _PROTOCOLS:
        yield not_supported(f"{path}.protocol", port.get("protocol"), _PROTOCOLS)
    if number is not None:
        for fault in syntax.port_name(number) if isinstance(number, str) else syntax.port_number(number):
            yield invalid(f"{path}.port", number, fault)
    if last is None:
        return
    if number is None:
        yield invalid(f"{path}.endPort", last, "may not be specified when `port` is not specified")
    elif isinstance(number, str):
        yield invalid(f"{path}.endPort", last, "may not be specified when `port` is non-numeric")
    elif last < number:
        yield invalid(f"{path}.endPort", last, "must be greater than or equal to `port`")
    for fault in syntax.port_number(last) if number is not None else ():
        yield invalid(f"{path}.endPort", last, fault)


def _validate_peer(peer: Item, path: str) -> Iterator[FieldError]:
    block = peer.get("ipBlock")
    selectors = [name for name in ("podSelector", "namespaceSelector") if peer.get(name) is not None]
    for name in selectors:
        yield from validate_label_selector(peer[name], f"{path}.{name}")
    if block is not None:
        if not block.get("cidr"):
            yield required(f"{path}.ipBlock.cidr")
        else:
            yield from validate_cidr(block["cidr"], f"{path}.ipBlock.cidr")
        for i, cidr in enumerate(block.get("except") or ()):
            yield from validate_cidr(cidr, f"{path}.ipBlock.except[{i}]")
        if selectors:
            yield forbidden(path, "may not specify both ipBlock and another peer")
    elif not selectors:
        yield required(path, "must specify a peer")


INGRESSES = IngressKind(
    Names("Ingress", "ingresses", "ingress", group=GROUP, short=("ing",)),
    schema="io.k8s.api.networking.v1.Ingress",
    subresources=("status",),
    generation=True,
    columns=(NAME, *shown("Class", "Hosts", "Address", "Ports"), AGE),
)

INGRESS_CLASSES = IngressClassKind(
    Names("IngressClass", "ingressclasses", "ingressclass", group=GROUP, namespaced=False),
    schema="io.k8s.api.networking.v1.IngressClass",
    generation=True,
    columns=(NAME, *shown("Controller", "Parameters"), AGE),
)

NETWORK_POLICIES = NetworkPolicyKind(
    Names("NetworkPolicy", "networkpolicies", "networkpolicy", group=GROUP, short=("netpol",)),
    schema="io.k8s.api.networking.v1.NetworkPolicy",
    generation=True,
    columns=(NAME, *shown("Pod-Selector"), AGE),
)
