"""What claims of storage get and may become, and what keeps those in use.

Reproduces plugin/pkg/admission/storage, v1.37.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nominee.apiserver.admission.plugin import Request
from nominee.model.quantity import nano_value

CLASSES = "storageclasses.storage.k8s.io"
DEFAULT_CLASS = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
_FINALIZERS = {
    "persistentvolumeclaims": "kubernetes.io/pvc-protection",
    "persistentvolumes": "kubernetes.io/pv-protection",
}


def set_default_class(request: Request) -> None:
    """Give a claim without a class the newest default one."""
    annotations = request.item["metadata"].get("annotations") or {}
    spec = request.item["spec"]
    if CLASS_ANNOTATION in annotations or spec.get("storageClassName") is not None:
        return
    defaults = [s.object["metadata"] for s in request.rest.store.list(CLASSES) if _is_default(s.object)]
    if defaults:
        newest = max(one.get("creationTimestamp") or "" for one in defaults)
        names = [one["name"] for one in defaults if (one.get("creationTimestamp") or "") == newest]
        spec["storageClassName"] = min(names)


def _is_default(item: Mapping[str, Any]) -> bool:
    annotations = item["metadata"].get("annotations") or {}
    return any(annotations.get(name) == "true" for name in DEFAULT_CLASS)


def protect(request: Request) -> None:
    """Keep a claim or volume until its protection is lifted."""
    metadata = request.item["metadata"]
    finalizer = _FINALIZERS[request.kind.names.resource]
    finalizers = metadata.get("finalizers") or []
    if finalizer not in finalizers:
        metadata["finalizers"] = [*finalizers, finalizer]


def admit_resize(request: Request) -> None:
    """Let a claim grow only if it is bound, and of a class that allows it."""
    old = request.old or {}
    if _size(request.item) <= _size(old):
        return
    if (old.get("status") or {}).get("phase") != "Bound":
        raise request.forbidden("Only bound persistent volume claims can be expanded")
    name = _class_of(request.item)
    stored = request.rest.store.get(CLASSES, name) if name and name == _class_of(old) else None
    if stored is None or not stored.object.get("allowVolumeExpansion"):
        raise request.forbidden(
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc "
            "must support resize"
        )


def _size(item: Mapping[str, Any]) -> int:
    requests = ((item.get("spec") or {}).get("resources") or {}).get("requests") or {}
    return nano_value(requests.get("storage") or "0")


def _class_of(item: Mapping[str, Any]) -> str:
    annotations = item["metadata"].get("annotations") or {}
    return annotations.get(CLASS_ANNOTATION) or (item.get("spec") or {}).get("storageClassName") or ""
