"""ServiceAccount and DefaultTolerationSeconds: what a pod has unless it says otherwise."""

from __future__ import annotations

from nominee.apiserver.admission.plugin import Request

_SECONDS = 300
_TOLERATED = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def set_service_account(request: Request) -> None:
    """Let a pod run as its namespace's default account; any other that it names must be there.

    After plugin/pkg/admission/serviceaccount/admission.go, v1.37, without the volume of its token: there is
    nobody here who would mount it.
    """
    spec = request.item["spec"]
    name = spec.get("serviceAccountName")
    if not name:
        spec["serviceAccountName"] = spec["serviceAccount"] = "default"
    elif name != "default":
        namespace = request.item["metadata"].get("namespace") or ""
        if request.rest.store.get("serviceaccounts", f"{namespace}/{name}") is None:
            missing = f'serviceaccount "{name}" not found'
            raise request.forbidden(f"error looking up service account {namespace}/{name}: {missing}")


def add_default_tolerations(request: Request) -> None:
    """Let a pod stay for five minutes where its node is not ready or out of reach.

    Reproduces plugin/pkg/admission/defaulttolerationseconds/admission.go, v1.37.
    """
    spec = request.item.get("spec") or {}
    tolerations = spec.get("tolerations") or []
    tolerated = {one.get("key") or "" for one in tolerations if one.get("effect") in (None, "", "NoExecute")}
    added = [] if "" in tolerated else [key for key in _TOLERATED if key not in tolerated]
    if added:
        spec["tolerations"] = [*tolerations, *map(_toleration, added)]


def _toleration(key: str) -> dict[str, object]:
    return {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _SECONDS}
