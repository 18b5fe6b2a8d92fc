"""Ports of containers.

The rules of validateContainerPorts and AccumulateUniqueHostPorts of
pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import duplicate, invalid, not_supported, required
from nominee.apiserver.status import FieldError

Items = Sequence[Mapping[str, Any]]
PROTOCOLS = ("SCTP", "TCP", "UDP")


def validate_ports(ports: Items, path: str) -> Iterator[FieldError]:
    """What is wrong with the ports of a container."""
    names: set[str] = set()
    for position, port in enumerate(ports):
        at = f"{path}[{position}]"
        if name := port.get("name"):
            yield from _validate_name(name, names, f"{at}.name")
        yield from _validate_numbers(port, at)
        protocol = port.get("protocol") or ""
        if not protocol:
            yield required(f"{at}.protocol")
        elif protocol not in PROTOCOLS:
            yield not_supported(f"{at}.protocol", protocol, PROTOCOLS)


def _validate_name(name: str, names: set[str], path: str) -> Iterator[FieldError]:
    faults = syntax.port_name(name)
    for fault in faults:
        yield invalid(path, name, fault)
    if faults:
        return
    if name in names:
        yield duplicate(path, name)
    names.add(name)


def _validate_numbers(port: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    number = port.get("containerPort") or 0
    if not number:
        yield required(f"{path}.containerPort")
    for fault in syntax.port_number(number) if number else ():
        yield invalid(f"{path}.containerPort", number, fault)
    host = port.get("hostPort") or 0
    for fault in syntax.port_number(host) if host else ():
        yield invalid(f"{path}.hostPort", host, fault)


def validate_host_ports(containers: Items, path: str) -> Iterator[FieldError]:
    """Containers that run side by side share no port of the host."""
    taken: set[str] = set()
    for position, container in enumerate(containers):
        for row, port in enumerate(container.get("ports") or ()):
            if not port.get("hostPort"):
                continue
            key = f"{port.get('protocol') or ''}/{port.get('hostIP') or ''}/{port['hostPort']}"
            if key in taken:
                yield duplicate(f"{path}[{position}].ports[{row}].hostPort", key)
            taken.add(key)


def validate_host_network(spec: Mapping[str, Any], path: str, *, is_pod: bool) -> Iterator[FieldError]:
    """On the host's network a container has the host's ports; a template may leave them open."""
    if not spec.get("hostNetwork"):
        return
    for position, container in enumerate(spec.get("containers") or ()):
        for row, port in enumerate(container.get("ports") or ()):
            host = port.get("hostPort") or 0
            if (is_pod or host) and host != (port.get("containerPort") or 0):
                at = f"{path}.containers[{position}].ports[{row}].hostPort"
                yield invalid(at, host, "must match `containerPort` when `hostNetwork` is true")


def validate_port_reference(port: Any, path: str) -> Iterator[FieldError]:
    """A port by number or name."""
    faults = syntax.port_name(port) if isinstance(port, str) else syntax.port_number(port or 0)
    for fault in faults:
        yield invalid(path, port or 0 if not isinstance(port, str) else port, fault)
