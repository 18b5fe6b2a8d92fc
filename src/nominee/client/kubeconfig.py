"""From a kubeconfig to an access: the context's cluster and user, checked before anything is sent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TypeVar
from urllib.parse import quote, urlsplit

from nominee.client.access import Access, Trust
from nominee.client.credentials import read_file
from nominee.client.kubeconfig_file import ClusterEntry, ContextEntry, Kubeconfig, Placed, UserEntry
from nominee.client.proxies import EXPECTED, checked_proxy, proxy_of_environment
from nominee.client.user import credentials_of
from nominee.errors import ConfigError


def access_of(config: Kubeconfig, name: str | None = None) -> Access:
    """The access that a context gives, the current one if none is named; raises ConfigError."""
    context = _context(config, name)
    cluster = _referred(config.clusters, context, "cluster")
    user = _referred(config.users, context, "user") if context.entry.user else None
    server = _server(cluster)
    trust = _trust(cluster)
    return Access(
        server=server,
        trust=trust,
        credentials=credentials_of(user, cluster, trust),
        proxy=_proxy(cluster, server),
        namespace=context.entry.namespace or "default",
        source=cluster.source,
        headers=tuple(_impersonation(user)),
    )


def _context(config: Kubeconfig, name: str | None) -> Placed[ContextEntry]:
    wanted = name or config.current_context
    if not wanted:
        named = f"give --context, one of {_names(config.contexts)}" if config.contexts else "there is none"
        raise ConfigError(
            f"no context is chosen: {named}",
            source=config.source,
            field="current-context",
        )
    if found := config.contexts.get(wanted):
        return found
    message = f"no context named {wanted!r}: there is {_names(config.contexts)}"
    raise ConfigError(message, source=config.source, field="--context" if name else "current-context")


def _names(known: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in sorted(known)) or "none"


E = TypeVar("E", ClusterEntry, UserEntry)


def _referred(known: Mapping[str, Placed[E]], context: Placed[ContextEntry], what: str) -> Placed[E]:
    name = getattr(context.entry, what)
    if found := known.get(name):
        return found
    raise context.error(f"no {what} named {name!r}: there is {_names(known)}", what)


def _server(cluster: Placed[ClusterEntry]) -> str:
    server = cluster.entry.server
    try:
        parts = urlsplit(server)
        fine = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        fine = False
    if not fine:
        raise cluster.error(f"{server!r} is not an address: expected https://HOST:PORT", "server")
    return server.rstrip("/")


def _trust(cluster: Placed[ClusterEntry]) -> Trust:
    entry = cluster.entry
    if entry.insecure_skip_tls_verify:
        if entry.certificate_authority or entry.certificate_authority_data:
            message = "can not be true beside a certificate-authority: remove one of them"
            raise cluster.error(message, "insecure-skip-tls-verify")
        return Trust(insecure=True, server_name=entry.tls_server_name or None)
    return Trust(authorities=_authorities(cluster), server_name=entry.tls_server_name or None)


def _authorities(cluster: Placed[ClusterEntry]) -> str | None:
    if data := cluster.entry.certificate_authority_data:
        try:
            return data.decode("ascii")
        except UnicodeDecodeError:
            raise cluster.error("holds no certificate in PEM", "certificate-authority-data") from None
    if not cluster.entry.certificate_authority:
        return None
    path = cluster.path(cluster.entry.certificate_authority)
    return read_file(path, f"{cluster.place}.certificate-authority", cluster.source)


def _proxy(cluster: Placed[ClusterEntry], server: str) -> str | None:
    """The cluster's own proxy, else that of the environment, as Go's programs have it."""
    if own := cluster.entry.proxy_url:
        if found := checked_proxy(own):
            return found
        raise cluster.error(f"{own!r} is not supported: {EXPECTED}", "proxy-url")
    return proxy_of_environment(urlsplit(server), os.environ)


def _impersonation(user: Placed[UserEntry] | None) -> Iterable[tuple[str, str]]:
    """Headers that ask to be treated as somebody else (client-go/transport/round_trippers.go, v1.37)."""
    if user is None:
        return
    entry = user.entry
    if not entry.as_user and (entry.as_uid or entry.as_groups or entry.as_user_extra):
        raise user.error("needs `as` beside it", "as-groups" if entry.as_groups else "as-uid")
    if entry.as_user:
        yield "Impersonate-User", entry.as_user
    if entry.as_uid:
        yield "Impersonate-Uid", entry.as_uid
    yield from (("Impersonate-Group", group) for group in entry.as_groups)
    for key, values in entry.as_user_extra.items():
        yield from ((f"Impersonate-Extra-{quote(key, safe='')}", value) for value in values)
