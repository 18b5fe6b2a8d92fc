"""NamespaceLifecycle: objects are created in namespaces that are there and not about to go.

Reproduces apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go, v1.37.
"""

from __future__ import annotations

from nominee.apiserver.admission.plugin import Request
from nominee.apiserver.status import forbidden, not_found

IMMORTAL = frozenset({"default", "kube-system", "kube-public"})


def admit_content(request: Request) -> None:
    """Refuse what is created in a namespace that is missing or going."""
    if not request.kind.names.namespaced:
        return
    name = request.item["metadata"].get("namespace") or ""
    stored = request.rest.store.get("namespaces", name)
    if stored is None:
        raise not_found("namespaces", name)
    if (stored.object.get("status") or {}).get("phase") != "Terminating":
        return
    error = request.forbidden(
        f"unable to create new content in namespace {name} because it is being terminated"
    )
    if error.body is not None:
        cause = {
            "reason": "NamespaceTerminating",
            "message": f"namespace {name} is being terminated",
            "field": "metadata.namespace",
        }
        error.body["details"]["causes"] = [cause]
    raise error


def keep_immortal(request: Request) -> None:
    """Refuse to delete the namespaces without which there is no cluster."""
    name = request.item["metadata"]["name"]
    if name in IMMORTAL:
        raise forbidden("namespaces", name, "this namespace may not be deleted")
