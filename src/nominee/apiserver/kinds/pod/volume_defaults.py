"""What a volume of a pod has without asking for it.

Reproduces SetDefaults_Volume and the functions of its sources in pkg/apis/core/v1/defaults.go and
zz_generated.defaults.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.pod.images import default_pull_policy
from nominee.apiserver.kinds.quantities import canonical, canonical_milli, canonicalize

_FILE_MODE = 0o644
_TEXTS: Mapping[str, Mapping[str, Any]] = {
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
    "azureDisk": {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"},
    "hostPath": {"type": ""},
    "secret": {"defaultMode": _FILE_MODE},
    "configMap": {"defaultMode": _FILE_MODE},
    "downwardAPI": {"defaultMode": _FILE_MODE},
    "projected": {"defaultMode": _FILE_MODE},
}


def default_volume(volume: JsonObject) -> None:
    """Fill in a volume; one that says nothing is an empty directory."""
    if not any(isinstance(source, dict) for source in volume.values()):
        volume["emptyDir"] = {}
    for name in volume.keys() & _TEXTS.keys():
        source = volume[name]
        for field, value in _TEXTS[name].items():
            source.setdefault(field, value)
    for name in volume.keys() & _MORE.keys():
        _MORE[name](volume[name])


def default_claim_spec(spec: JsonObject) -> None:
    """Fill in the spec of a claim, or of a template of one."""
    if not spec.get("volumeMode"):
        spec["volumeMode"] = "Filesystem"
    resources = spec.setdefault("resources", {})
    canonicalize(resources.get("requests"))
    canonicalize(resources.get("limits"))


def _empty_dir(source: JsonObject) -> None:
    if source.get("sizeLimit") is not None:
        source["sizeLimit"] = canonical(source["sizeLimit"])


def _image(source: JsonObject) -> None:
    if not source.get("pullPolicy"):
        source["pullPolicy"] = default_pull_policy(source.get("reference") or "")


def _downward(source: JsonObject) -> None:
    for file in source.get("items") or ():
        if "fieldRef" in file and not file["fieldRef"].get("apiVersion"):
            file["fieldRef"]["apiVersion"] = "v1"
        if "resourceFieldRef" in file:
            reference = file["resourceFieldRef"]
            reference["divisor"] = canonical_milli(reference.get("divisor") or "0")


def _projected(source: JsonObject) -> None:
    for part in source.get("sources") or ():
        if "serviceAccountToken" in part:
            part["serviceAccountToken"].setdefault("expirationSeconds", 3600)
        if "podCertificate" in part:
            part["podCertificate"].setdefault("maxExpirationSeconds", 86400)
        _downward(part.get("downwardAPI") or {})


def _ephemeral(source: JsonObject) -> None:
    if template := source.get("volumeClaimTemplate"):
        template.setdefault("metadata", {})
        default_claim_spec(template.setdefault("spec", {}))


_MORE: Mapping[str, Callable[[JsonObject], None]] = {
    "emptyDir": _empty_dir,
    "image": _image,
    "downwardAPI": _downward,
    "projected": _projected,
    "ephemeral": _ephemeral,
}
