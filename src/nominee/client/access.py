"""Where an API server is and how one proves who one is: what a kubeconfig or a pod's surroundings say."""

from __future__ import annotations

from dataclasses import dataclass

from nominee.client.credentials import ANONYMOUS, Credentials


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Whom to believe to be the server.

    authorities   certificates in PEM; None stands for those of the system
    server_name   what the server's certificate must be issued to, where that is not the host's name
    insecure      believe anybody; only if the user asks for it in so many words
    """

    authorities: str | None = None
    server_name: str | None = None
    insecure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A way into a cluster.

    server      the address, `https://host:port`, possibly with a path
    proxy       the address of an HTTP proxy to go through
    namespace   the context's namespace
    source      the file it comes from, for messages
    headers     sent with each request, such as impersonation
    """

    server: str
    trust: Trust = Trust()
    credentials: Credentials = ANONYMOUS
    proxy: str | None = None
    namespace: str = "default"
    source: str = ""
    headers: tuple[tuple[str, str], ...] = ()
