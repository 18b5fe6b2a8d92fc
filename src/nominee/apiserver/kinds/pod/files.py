"""Volumes that hold files which Kubernetes writes: secrets, config maps, fields of the pod, tokens.

The rules of validateSecretVolumeSource, validateDownwardAPIVolumeSource and validateProjectionSources of
pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nominee.apiserver.kinds.field_errors import forbidden, invalid, not_supported, required
from nominee.apiserver.kinds.pod.env import VOLUME_FIELDS, validate_field_ref, validate_resource_field_ref
from nominee.apiserver.kinds.pod.paths import validate_local_path
from nominee.apiserver.kinds.selectors import validate_label_selector
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_CONFLICT = "conflicting duplicate paths"
_SOURCES = (
    "secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate",
)  # fmt: skip
_KEY_TYPES = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
_CERTIFICATE_PATHS = ("credentialBundlePath", "keyPath", "certificateChainPath")


def validate_secret(source: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with a volume of a secret's keys."""
    if not source.get("secretName"):
        yield required(f"{path}.secretName")
    yield from _validate_mode(source, "defaultMode", path)
    yield from _validate_items(source, path)


def validate_config_map(source: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with a volume of a config map's keys."""
    if not source.get("name"):
        yield required(f"{path}.name")
    yield from _validate_mode(source, "defaultMode", path)
    yield from _validate_items(source, path)


def validate_downward(source: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with a volume of the pod's own fields."""
    yield from _validate_mode(source, "defaultMode", path)
    for file in source.get("items") or ():
        yield from _validate_file(file, path)


def _validate_mode(source: Item, name: str, path: str) -> Iterator[FieldError]:
    mode = source.get(name)
    if mode is not None and not 0 <= mode <= 0o777:
        yield invalid(f"{path}.{name}", mode, _MODE)


def _validate_items(source: Item, path: str) -> Iterator[FieldError]:
    for position, item in enumerate(source.get("items") or ()):
        yield from _validate_item(item, f"{path}.items[{position}]")


def _validate_item(item: Item, path: str) -> Iterator[FieldError]:
    for name in ("key", "path"):
        if not item.get(name):
            yield required(f"{path}.{name}")
    yield from validate_local_path(item.get("path") or "", f"{path}.path")
    yield from _validate_mode(item, "mode", path)


def _validate_file(file: Item, path: str) -> Iterator[FieldError]:
    if not file.get("path"):
        yield required(f"{path}.path")
    yield from validate_local_path(file.get("path") or "", f"{path}.path")
    if "fieldRef" in file:
        yield from validate_field_ref(file["fieldRef"], VOLUME_FIELDS, f"{path}.fieldRef")
        if "resourceFieldRef" in file:
            why = "fieldRef and resourceFieldRef can not be specified simultaneously"
            yield invalid(path, "resource", why)
    elif "resourceFieldRef" in file:
        yield from validate_resource_field_ref(
            file["resourceFieldRef"], f"{path}.resourceFieldRef", volume=True
        )
    else:
        yield required(path, "one of fieldRef and resourceFieldRef is required")
    yield from _validate_mode(file, "mode", path)


def validate_projected(source: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with a volume of several sources."""
    yield from _validate_mode(source, "defaultMode", path)
    taken: set[str] = set()
    for position, part in enumerate(source.get("sources") or ()):
        at = f"{path}.sources[{position}]"
        yield from _validate_part(part, path, at)
        for target, named in _targets(part):
            if target in taken:
                yield invalid(path, named, _CONFLICT)
            taken.add(target)
        if sum(name in part for name in _SOURCES) > 1:
            yield forbidden(at, "may not specify more than 1 volume type per source")


def _targets(part: Item) -> Iterator[tuple[str, str]]:
    """The paths that a source writes, each with what an error calls it."""
    for name in ("secret", "configMap"):
        for item in (part.get(name) or {}).get("items") or ():
            if item.get("path"):
                yield item["path"], part[name].get("name") or ""
    for file in (part.get("downwardAPI") or {}).get("items") or ():
        if file.get("path"):
            yield file["path"], file["path"]
    if "clusterTrustBundle" in part:
        target = part["clusterTrustBundle"].get("path") or ""
        yield target, target
    for name in _CERTIFICATE_PATHS:
        if target := (part.get("podCertificate") or {}).get(name):
            yield target, target


def _validate_part(part: Item, volume_path: str, path: str) -> Iterator[FieldError]:
    for name in ("secret", "configMap"):
        if name in part:
            if not part[name].get("name"):
                yield required(f"{path}.{name}.name")
            yield from _validate_items(part[name], f"{path}.{name}")
    for file in (part.get("downwardAPI") or {}).get("items") or ():
        yield from _validate_file(file, f"{path}.downwardAPI")
    if "serviceAccountToken" in part:
        yield from _validate_token(part["serviceAccountToken"], volume_path, f"{path}.serviceAccountToken")
    if "clusterTrustBundle" in part:
        yield from _validate_trust_bundle(part["clusterTrustBundle"], f"{path}.clusterTrustBundle")
    if "podCertificate" in part:
        yield from _validate_certificate(part["podCertificate"], f"{path}.podCertificate")


def _validate_token(token: Item, volume_path: str, path: str) -> Iterator[FieldError]:
    seconds = token.get("expirationSeconds")
    if seconds is None:
        yield required(f"{path}.expirationSeconds")
    elif seconds < 600:
        yield invalid(f"{path}.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
    elif seconds > 1 << 32:
        yield invalid(
            f"{path}.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds"
        )
    if not token.get("path"):
        yield required(f"{volume_path}.path")
    else:
        yield from validate_local_path(token["path"], f"{volume_path}.path")


def _validate_trust_bundle(bundle: Item, path: str) -> Iterator[FieldError]:
    named, signed = "name" in bundle, "signerName" in bundle
    if named and signed:
        yield invalid(path, bundle, "only one of name and signerName may be used")
    elif named:
        if not bundle["name"]:
            yield required(f"{path}.name", "must be a valid object name")
        if "labelSelector" in bundle:
            why = "labelSelector must be unset if name is specified"
            yield invalid(f"{path}.labelSelector", bundle["labelSelector"], why)
    elif signed:
        if not bundle["signerName"]:
            yield required(f"{path}.signerName", "must be a valid signer name")
        yield from validate_label_selector(bundle.get("labelSelector"), f"{path}.labelSelector")
    else:
        yield required(path, "either name or signerName must be specified")
    if not bundle.get("path"):
        yield required(f"{path}.path")
    yield from validate_local_path(bundle.get("path") or "", f"{path}.path")


def _validate_certificate(certificate: Item, path: str) -> Iterator[FieldError]:
    if certificate.get("keyType") not in _KEY_TYPES:
        yield not_supported(f"{path}.keyType", certificate.get("keyType") or "", _KEY_TYPES)
    seconds = certificate.get("maxExpirationSeconds")
    if seconds is not None and seconds < 3600:
        why = "if provided, maxExpirationSeconds must be >= 3600"
        yield invalid(f"{path}.maxExpirationSeconds", seconds, why)
    given = [name for name in _CERTIFICATE_PATHS if certificate.get(name)]
    for name in given:
        yield from validate_local_path(certificate[name], f"{path}.{name}")
    if not given:
        yield required(
            path, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
        )
