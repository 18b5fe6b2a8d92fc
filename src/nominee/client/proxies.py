"""Which proxy leads to a server, as the environment has it.

Reproduces golang.org/x/net/http/httpproxy, by which kubectl finds its proxy: Python's own reading of
`no_proxy` knows no networks, and takes no address without a scheme.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from nominee.errors import ConfigError

EXPECTED = "expected http://HOST:PORT"
_PORTS = {"http": 80, "https": 443}


def checked_proxy(text: str) -> str | None:
    """The address of a proxy, or None if it is not one that nominee can go through."""
    try:
        parts = urlsplit(text)
        fine = parts.scheme == "http" and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        fine = False
    return text if fine else None


def proxy_of_environment(server: SplitResult, environ: Mapping[str, str]) -> str | None:
    """The proxy for this server, None for none. Raises ConfigError if it is not a supported kind."""
    name, text = _first(environ, f"{server.scheme.upper()}_PROXY", f"{server.scheme}_proxy")
    if not text or _goes_straight(server, _first(environ, "NO_PROXY", "no_proxy")[1]):
        return None
    if found := checked_proxy(text if "://" in text else f"http://{text}"):
        return found
    raise ConfigError(f"{text!r} is not supported: {EXPECTED}", source=f"${name}")


def _first(environ: Mapping[str, str], *names: str) -> tuple[str, str]:
    return next(((name, text) for name in names if (text := environ.get(name, "").strip())), ("", ""))


def _goes_straight(server: SplitResult, exceptions: str) -> bool:
    host = (server.hostname or "").rstrip(".")
    if host == "localhost" or _is_loopback(host):
        return True
    port = server.port or _PORTS[server.scheme]
    return any(
        _excepts(entry.strip().lower(), host, port) for entry in exceptions.split(",") if entry.strip()
    )


def _excepts(entry: str, host: str, port: int) -> bool:
    """Whether an entry of `no_proxy` means this host: `*`, a network, an address or a domain."""
    if entry == "*":
        return True
    if "/" in entry:
        return _is_in_network(host, entry)
    name, wanted = _with_port(entry)
    if wanted and wanted != str(port):
        return False
    name = name.removeprefix("*")
    if name.startswith("."):
        return host.endswith(name)
    return host == name or (host.endswith(f".{name}") and not _is_address(host))


def _with_port(entry: str) -> tuple[str, str]:
    """An entry's name and port; an IPv6 address with a port stands in brackets."""
    if entry.startswith("["):
        name, _, port = entry[1:].partition("]")
        return name, port.removeprefix(":")
    if entry.count(":") == 1:
        name, _, port = entry.partition(":")
        return name, port
    return entry, ""


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    return _is_address(host) and ip_address(host).is_loopback


def _is_in_network(host: str, entry: str) -> bool:
    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        return False
