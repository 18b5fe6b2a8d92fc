"""Addresses and node ports of services.

Upstream's registry allocates them (pkg/registry/core/service/storage/alloc.go, v1.37); here admission is the
place from which other services can be seen.
"""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any
from zlib import crc32

from nominee.apiserver.admission.plugin import Request
from nominee.apiserver.kinds.field_errors import invalid
from nominee.apiserver.kinds.services import is_headless
from nominee.apiserver.status import invalid as invalid_object

RANGE = IPv4Network("10.96.0.0/16")
_FIRST = 256  # what lies below is given away by name alone: the API server's, the DNS server's
NODE_PORTS = range(30000, 32768)


def assign(request: Request) -> None:
    """Give a service an address and node ports, as its type demands; it keeps what it has."""
    spec = request.item["spec"]
    before = (request.old or {}).get("spec") or {}
    if spec["type"] != "ExternalName":
        _assign_address(request, spec, before)
    else:
        for name in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            if spec.get(name) == before.get(name):
                spec.pop(name, None)
    if spec["type"] == "NodePort" or (
        spec["type"] == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts") is not False
    ):
        _assign_ports(request, spec, before)


def _assign_address(request: Request, spec: dict[str, Any], before: dict[str, Any]) -> None:
    asked = [spec["clusterIP"]] if spec.get("clusterIP") else None
    addresses = spec.get("clusterIPs") or asked or before.get("clusterIPs")
    if not addresses:
        addresses = [_free_address(request)]
    elif request.old is None and addresses[0] != "None" and addresses[0] in _taken(request):
        why = f"failed to allocate IP {addresses[0]}: provided IP is already allocated"
        error = invalid("spec.clusterIPs", addresses, why)
        raise invalid_object("Service", "", request.item["metadata"].get("name") or "", [error])
    spec["clusterIP"], spec["clusterIPs"] = addresses[0], addresses
    if not is_headless(spec) or spec.get("selector"):
        spec.setdefault("ipFamilies", before.get("ipFamilies") or ["IPv4"])
        spec.setdefault("ipFamilyPolicy", before.get("ipFamilyPolicy") or "SingleStack")
    else:
        spec.setdefault("ipFamilies", before.get("ipFamilies") or ["IPv4", "IPv6"])
        spec.setdefault("ipFamilyPolicy", before.get("ipFamilyPolicy") or "RequireDualStack")


def _taken(request: Request) -> set[str]:
    services = request.rest.store.list("services")
    return {stored.object.get("spec", {}).get("clusterIP") or "" for stored in services}


def _free_address(request: Request) -> str:
    """One that nobody has, starting from a place that the uid chooses."""
    taken = _taken(request)
    free = RANGE.num_addresses - _FIRST - 1
    start = crc32(str(request.item["metadata"].get("uid")).encode())
    for step in range(free):
        address = str(RANGE.network_address + _FIRST + (start + step) % free)
        if address not in taken:
            return address
    raise request.forbidden("failed to allocate a serviceIP: range is full")


def _assign_ports(request: Request, spec: dict[str, Any], before: dict[str, Any]) -> None:
    had = {
        (port.get("protocol"), port.get("port")): port.get("nodePort") for port in before.get("ports") or ()
    }
    taken: set[int] | None = None
    for port in spec.get("ports") or ():
        if not port.get("nodePort"):
            port["nodePort"] = had.get((port.get("protocol"), port.get("port")))
        if port["nodePort"]:
            continue
        if taken is None:
            taken = _taken_ports(request) | {one.get("nodePort") or 0 for one in spec["ports"]}
        port["nodePort"] = _free_port(request, taken)
        taken.add(port["nodePort"])


def _taken_ports(request: Request) -> set[int]:
    return {
        port.get("nodePort") or 0
        for stored in request.rest.store.list("services")
        for port in stored.object.get("spec", {}).get("ports") or ()
    }


def _free_port(request: Request, taken: set[int]) -> int:
    start = crc32(str(request.item["metadata"].get("uid")).encode())
    for step in range(len(NODE_PORTS)):
        port = NODE_PORTS[(start + step) % len(NODE_PORTS)]
        if port not in taken:
            return port
    raise request.forbidden("failed to allocate a nodePort: range is full")
