"""IP addresses and ranges of them.

The rules of apimachinery/pkg/util/validation/ip.go, v1.37, with the gate StrictIPCIDRValidation on.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Iterator

from nominee.apiserver.kinds.field_errors import invalid
from nominee.apiserver.status import FieldError

_LEADING_ZERO = re.compile(r"(?:^|\.)0[0-9]+(?:\.|$)|:0[0-9]+\.")


def validate_ip(text: str, path: str, before: Collection[str] = ()) -> Iterator[FieldError]:
    """What is wrong with an address; those that an object had before may stay as they are."""
    if text in before:
        return
    address = _parse(text)
    if address is None:
        yield invalid(path, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")
    else:
        if _LEADING_ZERO.search(text):
            yield invalid(path, text, "must not have leading 0s")
        if _is_mapped(address):
            yield invalid(path, text, "must not be an IPv4-mapped IPv6 address")


def _parse(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(_without_zeros(text)) if "%" not in text else None
    except ValueError:
        return None


def _without_zeros(text: str) -> str:
    return ".".join(part.lstrip("0") or "0" if part.isdigit() else part for part in text.split("."))


def _is_mapped(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None


def validate_cidr(text: str, path: str, before: Collection[str] = ()) -> Iterator[FieldError]:
    """What is wrong with a range of addresses."""
    if text in before:
        return
    address, slash, length = text.partition("/")
    parsed = _parse(address)
    if parsed is None or not slash or not length.isdigit() or int(length) > parsed.max_prefixlen:
        yield invalid(path, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")
        return
    if _LEADING_ZERO.search(address) or (len(length) > 1 and length[0] == "0"):
        yield invalid(path, text, "must not have leading 0s in IP or prefix length")
    if _is_mapped(parsed):
        yield invalid(path, text, "must not have an IPv4-mapped IPv6 address")
    network = ipaddress.ip_network(f"{parsed}/{length}", strict=False)
    if network.network_address != parsed:
        yield invalid(path, text, "must not have bits set beyond the prefix length")


def version_of(text: str) -> int:
    """4 or 6; 0 for what is no address."""
    address = _parse(text)
    return address.version if address else 0
