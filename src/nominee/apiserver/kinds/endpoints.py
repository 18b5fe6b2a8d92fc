"""Endpoints: addresses behind a service, as somebody writes them; nobody here does.

Columns are those of pkg/printers/internalversion/printers.go, rules those of ValidateEndpoints of
pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.addresses import validate_ip
from nominee.apiserver.kinds.field_errors import invalid, not_supported, required
from nominee.apiserver.kinds.table import AGE, NAME, NONE, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

Item = Mapping[str, Any]

_PROTOCOLS = ("SCTP", "TCP", "UDP")
_SHOWN = 3


class EndpointsKind(Kind):
    """Endpoints."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        for subset in item.get("subsets") or ():
            for port in subset.get("ports") or ():
                port["protocol"] = port.get("protocol") or "TCP"

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return [
            error
            for i, subset in enumerate(item.get("subsets") or ())
            for error in _validate(subset, f"subsets[{i}]")
        ]

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return self.validate(item)

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        return [item["metadata"]["name"], _text(item.get("subsets") or ()), age_of(item, now)]


def _validate(subset: Item, path: str) -> Iterator[FieldError]:
    addresses = {name: subset.get(name) or () for name in ("addresses", "notReadyAddresses")}
    if not any(addresses.values()):
        yield required(path, "must specify `addresses` or `notReadyAddresses`")
    for name, given in addresses.items():
        for i, address in enumerate(given):
            yield from _validate_address(address, f"{path}.{name}[{i}]")
    ports = subset.get("ports") or ()
    for i, port in enumerate(ports):
        yield from _validate_port(port, f"{path}.ports[{i}]", named=len(ports) > 1)


def _validate_address(address: Item, path: str) -> Iterator[FieldError]:
    text, host, node = (address.get(name) for name in ("ip", "hostname", "nodeName"))
    if not text:
        yield invalid(f"{path}.ip", "", "must be a valid IP address")
    else:
        yield from validate_ip(text, f"{path}.ip")
    for fault in syntax.dns_label(host) if host else ():
        yield invalid(f"{path}.hostname", host, fault)
    for fault in syntax.dns_subdomain(node) if node is not None else ():
        yield invalid(f"{path}.nodeName", node, fault)


def _validate_port(port: Item, path: str, *, named: bool) -> Iterator[FieldError]:
    name, number, protocol = port.get("name") or "", port.get("port") or 0, port.get("protocol")
    if named and not name:
        yield required(f"{path}.name")
    for fault in syntax.dns_label(name) if name else ():
        yield invalid(f"{path}.name", name, fault)
    for fault in syntax.port_number(number):
        yield invalid(f"{path}.port", number, fault)
    if protocol not in _PROTOCOLS:
        yield not_supported(f"{path}.protocol", protocol, _PROTOCOLS)


def _text(subsets: Sequence[Item]) -> str:
    """The first three, as `10.0.0.1:80,10.0.0.2:80`."""
    if not subsets:
        return NONE
    found = [text for subset in subsets for text in _pairs(subset)]
    more = f" + {len(found) - _SHOWN} more..." if len(found) > _SHOWN else ""
    return ",".join(found[:_SHOWN]) + more


def _pairs(subset: Item) -> Iterator[str]:
    addresses = [address.get("ip") or "" for address in subset.get("addresses") or ()]
    ports = subset.get("ports") or ()
    if not ports:
        yield from addresses
    for port in ports:
        for address in addresses:
            host = f"[{address}]" if ":" in address else address
            yield f"{host}:{port.get('port') or 0}"


ENDPOINTS = EndpointsKind(
    Names("Endpoints", "endpoints", "endpoints", short=("ep",)),
    schema="io.k8s.api.core.v1.Endpoints",
    columns=(NAME, *shown("Endpoints"), AGE),
    create_on_put=True,
)
