"""The access that every pod is given: its service account, and the server's address in the environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from nominee.client.access import Access, Trust
from nominee.client.credentials import FileCredentials, Proof, bearer, read_file, read_token

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def in_cluster(environ: Mapping[str, str], account: Path = ACCOUNT) -> Access | None:
    """The access of the pod that this process runs in; None if it runs in none.

    Reproduces InClusterConfig (client-go/rest/config.go, v1.37). The token is replaced before it
    expires, so its file is read again and again.
    """
    host, port = environ.get("KUBERNETES_SERVICE_HOST"), environ.get("KUBERNETES_SERVICE_PORT")
    token = account / "token"
    if not host or not port or not token.exists():
        return None
    address = f"[{host}]" if ":" in host else host
    namespace = account / "namespace"
    return Access(
        server=f"https://{address}:{port}",
        trust=Trust(authorities=read_file(account / "ca.crt", "certificate-authority", "service account")),
        credentials=FileCredentials(lambda: Proof(bearer(read_token(token, "token", "service account")))),
        namespace=namespace.read_text().strip() if namespace.exists() else "default",
        source="service account",
    )
