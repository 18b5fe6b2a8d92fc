"""Addresses: of hosts, of networks, of pages.

Reproduces staging/src/k8s.io/apiserver/pkg/cel/library/{ip,cidr,urls}.go, v1.37.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any
from urllib.parse import SplitResult, parse_qs, quote, urlsplit

from nominee.model.cel.values import CelError, no_overload

_BITS = re.compile(r"0|[1-9][0-9]{0,2}")
_NOT_IN_URLS = re.compile(r"[\x00-\x1f\x7f]|%(?![0-9A-Fa-f]{2})")
_IN_PATHS = "/%:@!$&'()*+,;=~-._[]"


@dataclass(frozen=True, slots=True)
class IP:
    """The address of a host."""

    address: IPv4Address | IPv6Address

    def __str__(self) -> str:
        return str(self.address)


@dataclass(frozen=True, slots=True)
class CIDR:
    """An address and how many of its bits name the network."""

    address: IPv4Address | IPv6Address
    bits: int

    def __str__(self) -> str:
        return f"{self.address}/{self.bits}"

    def masked(self) -> CIDR:
        return CIDR(ip_network(str(self), strict=False).network_address, self.bits)

    def has(self, address: IPv4Address | IPv6Address) -> bool:
        return address in ip_network(str(self), strict=False)


@dataclass(frozen=True, slots=True)
class URL:
    """The address of a page."""

    parts: SplitResult


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise no_overload()
    return value


def ip(value: Any) -> IP:
    """`ip('10.0.0.1')`, or the address of a network."""
    return IP(value.address) if isinstance(value, CIDR) else IP(_address(_text(value)))


def _address(text: str) -> IPv4Address | IPv6Address:
    try:
        address = ip_address(text)
    except ValueError:
        raise CelError(f"IP Address {text!r} parse error during conversion from string") from None
    if isinstance(address, IPv6Address) and (address.scope_id is not None or address.ipv4_mapped is not None):
        raise CelError(f"IP address {text!r} with zone value or mapped from IPv4 is not allowed")
    return address


def cidr(value: Any) -> CIDR:
    """`cidr('10.0.0.0/8')`."""
    text, _, bits = _text(value).rpartition("/")
    address = _address(text)
    if not _BITS.fullmatch(bits) or int(bits) > address.max_prefixlen:
        raise CelError(f"network address parse error during conversion from string: {value!r}")
    return CIDR(address, int(bits))


def _contains_ip(network: Any, other: Any) -> bool:
    if not isinstance(network, CIDR):
        raise no_overload()
    return network.has(other.address if isinstance(other, IP) else _address(_text(other)))


def _contains_cidr(network: Any, other: Any) -> bool:
    if not isinstance(network, CIDR):
        raise no_overload()
    inner = other if isinstance(other, CIDR) else cidr(other)
    return inner.bits >= network.bits and network.has(inner.address)


_LINK_LOCAL_MULTICAST = IPv6Network("ff02::/16")


def _is_link_local_multicast(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address):
        return address in _LINK_LOCAL_MULTICAST
    return str(address).startswith("224.0.0.")


def _is_global_unicast(address: IPv4Address | IPv6Address) -> bool:
    """Go's notion: private addresses are global too."""
    return not (
        address.is_unspecified
        or str(address) == "255.255.255.255"
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
    )


def _of_ip(asked: Callable[[IPv4Address | IPv6Address], Any]) -> Callable[[Any], Any]:
    def answer(value: Any) -> Any:
        if not isinstance(value, IP):
            raise no_overload()
        return asked(value.address)

    return answer


# -- pages ------------------------------------------------------------------------------------------


def url(value: Any) -> URL:
    """`url('https://example.com/path')`: a whole URL or an absolute path."""
    text = _text(value)
    try:
        parts = urlsplit(text)
        _ = parts.port  # is checked only now
    except ValueError:
        raise CelError(f"URL parse error during conversion from string: {text!r}") from None
    if not (parts.scheme or text.startswith("/")) or " " in parts.netloc or _NOT_IN_URLS.search(text):
        raise CelError(f"URL parse error during conversion from string: {text!r}")
    return URL(parts)


def _of_url(asked: Callable[[SplitResult], Any]) -> Callable[[Any], Any]:
    def answer(value: Any) -> Any:
        if not isinstance(value, URL):
            raise no_overload()
        return asked(value.parts)

    return answer


def _host(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def _hostname(parts: SplitResult) -> str:
    host = _host(parts)
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _query(parts: SplitResult) -> dict[str, tuple[str, ...]]:
    return {key: tuple(values) for key, values in parse_qs(parts.query, keep_blank_values=True).items()}


def _is(parse: Callable[[Any], Any]) -> Callable[[Any], bool]:
    def asked(value: Any) -> bool:
        try:
            parse(_text(value))
        except CelError as error:
            if error.message == no_overload().message:
                raise
            return False
        return True

    return asked


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "ip": ip,
    "isIP": _is(ip),
    "ip.isCanonical": lambda text: str(_address(_text(text))) == text,
    "cidr": cidr,
    "isCIDR": _is(cidr),
    "url": url,
    "isURL": _is(url),
}
METHODS: Mapping[str, Callable[..., Any]] = {
    "family": _of_ip(lambda address: address.version),
    "isUnspecified": _of_ip(lambda address: address.is_unspecified),
    "isLoopback": _of_ip(lambda address: address.is_loopback),
    "isLinkLocalMulticast": _of_ip(_is_link_local_multicast),
    "isLinkLocalUnicast": _of_ip(lambda address: address.is_link_local),
    "isGlobalUnicast": _of_ip(_is_global_unicast),
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "ip": lambda network: IP(network.address) if isinstance(network, CIDR) else _text(network),
    "masked": lambda network: network.masked(),
    "prefixLength": lambda network: network.bits,
    "getScheme": _of_url(lambda parts: parts.scheme),
    "getHost": _of_url(_host),
    "getHostname": _of_url(_hostname),
    "getPort": _of_url(lambda parts: str(parts.port) if parts.port is not None else ""),
    "getEscapedPath": _of_url(lambda parts: quote(parts.path, safe=_IN_PATHS)),
    "getQuery": _of_url(_query),
}
