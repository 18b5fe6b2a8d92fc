"""Volumes of pods, and what may stand behind them.

The rules of ValidateVolumes and validateVolumeSource of pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import (
    duplicate,
    forbidden,
    invalid,
    not_supported,
    quoted,
    required,
    too_long,
)
from nominee.apiserver.kinds.metadata import validate_annotations, validate_labels
from nominee.apiserver.kinds.persistent_volume_claim_spec import validate_claim_spec
from nominee.apiserver.kinds.pod.files import (
    validate_config_map,
    validate_downward,
    validate_projected,
    validate_secret,
)
from nominee.apiserver.kinds.pod.paths import validate_descending_path, validate_no_backsteps
from nominee.apiserver.kinds.pod.volume_kinds import VOLUME_SOURCES, validate_plain_source
from nominee.apiserver.status import FieldError
from nominee.model.quantity import nano_value

Item = Mapping[str, Any]

_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_HOST_PATH_TYPES = (
    "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket",
)  # fmt: skip


def validate_volumes(
    volumes: Sequence[Item], metadata: Item | None, path: str
) -> tuple[dict[str, Item], list[FieldError]]:
    """The volumes that are as they should be, by name, and what is wrong with the others."""
    good: dict[str, Item] = {}
    errors: list[FieldError] = []
    pod_name = (metadata or {}).get("name") or ""
    for position, volume in enumerate(volumes):
        at = f"{path}[{position}]"
        name = volume.get("name") or ""
        wrong = [*validate_source(volume, name, pod_name, at), *_validate_name(name, good, f"{at}.name")]
        if wrong:
            errors += wrong
        else:
            good[name] = volume
    errors += _validate_claims(volumes, pod_name, path)
    return good, errors


def _validate_name(name: str, others: Mapping[str, Item], path: str) -> Iterator[FieldError]:
    if not name:
        yield required(path)
    for fault in syntax.dns_label(name) if name else ():
        yield invalid(path, name, fault)
    if name in others:
        yield duplicate(path, name)


def _validate_claims(volumes: Sequence[Item], pod_name: str, path: str) -> Iterator[FieldError]:
    """A claim that is made for an ephemeral volume is nobody else's."""
    made = {f"{pod_name}-{volume.get('name', '')}" for volume in volumes if "ephemeral" in volume}
    for position, volume in enumerate(volumes) if made and pod_name else ():
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if claim in made:
            why = "must not reference a PVC that gets created for an ephemeral volume"
            yield invalid(f"{path}[{position}].persistentVolumeClaim.claimName", claim, why)


def validate_source(volume: Item, name: str, pod_name: str, path: str) -> Iterator[FieldError]:
    """What is wrong with what stands behind a volume."""
    given = [source for source in VOLUME_SOURCES if source in volume]
    if not given:
        yield required(path, "must specify a volume type")
        return
    if "emptyDir" in volume:
        yield from _validate_empty_dir(volume["emptyDir"], f"{path}.emptyDir")
    first = given[0]
    if first in _RULES:
        yield from _RULES[first](volume[first], f"{path}.{first}")
    elif first == "ephemeral":
        yield from _validate_ephemeral(volume[first], f"{path}.ephemeral")
        yield from _validate_claim_name(name, pod_name, path)
    elif first != "emptyDir":
        yield from validate_plain_source(first, volume[first], f"{path}.{first}")
    for other in given[1:]:
        yield forbidden(f"{path}.{other}", "may not specify more than 1 volume type")


def _validate_empty_dir(source: Item, path: str) -> Iterator[FieldError]:
    if source.get("sizeLimit") is not None and nano_value(source["sizeLimit"]) < 0:
        yield forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")
    mode = source.get("mode")
    if mode is not None and not 0 <= mode <= 0o1777:
        yield invalid(f"{path}.mode", mode, "must be a number between 0 and 01777 (octal), both inclusive")


def validate_host_path(source: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with a path of the node."""
    target = source.get("path") or ""
    if not target:
        yield required(f"{path}.path")
        return
    yield from validate_no_backsteps(target, f"{path}.path")
    if source.get("type") not in (None, *_HOST_PATH_TYPES):
        yield not_supported(f"{path}.type", source["type"], _HOST_PATH_TYPES)


def _validate_git_repo(source: Item, path: str) -> Iterator[FieldError]:
    if not source.get("repository"):
        yield required(f"{path}.repository")
    yield from validate_descending_path(source.get("directory") or "", f"{path}.directory")


def _validate_csi(source: Item, path: str) -> Iterator[FieldError]:
    yield from validate_driver_name(source.get("driver") or "", f"{path}.driver")
    secret = source.get("nodePublishSecretRef")
    if secret is None:
        return
    name = secret.get("name") or ""
    if not name:
        yield required(f"{path}.nodePublishSecretRef.name")
    for fault in syntax.dns_subdomain(name) if name else ():
        yield invalid(f"{path}.name", name, fault)


def validate_driver_name(name: str, path: str) -> Iterator[FieldError]:
    """What is wrong with the name of a CSI or DRA driver."""
    if not name:
        yield required(path)
        return
    if len(name.encode()) > 63:
        yield too_long(path, 63)
    for fault in syntax.dns_subdomain(name.lower()):
        yield invalid(path, name, fault)


def _validate_image(source: Item, path: str) -> Iterator[FieldError]:
    if not source.get("reference"):
        yield required(f"{path}.reference")
    policy = source.get("pullPolicy")
    if policy not in _PULL_POLICIES:
        yield not_supported(f"{path}.pullPolicy", policy, _PULL_POLICIES)


def _validate_ephemeral(source: Item, path: str) -> Iterator[FieldError]:
    template = source.get("volumeClaimTemplate")
    if template is None:
        yield required(f"{path}.volumeClaimTemplate")
        return
    path = f"{path}.volumeClaimTemplate"
    yield from validate_template_metadata(template.get("metadata") or {}, f"{path}.metadata")
    yield from validate_claim_spec(template.get("spec") or {}, f"{path}.spec")


def validate_template_metadata(metadata: Item, path: str) -> Iterator[FieldError]:
    """Metadata of what is made from a template: labels and annotations alone.

    Reproduces ValidateTemplateObjectMeta of pkg/apis/core/validation/validation.go, v1.37.
    """
    yield from validate_annotations(metadata.get("annotations") or {}, f"{path}.annotations")
    yield from validate_labels(metadata.get("labels") or {}, f"{path}.labels")
    for name, value in metadata.items():
        if value and name not in ("annotations", "labels"):
            yield forbidden(f"{path}.{name}", "cannot be set")


def _validate_claim_name(name: str, pod_name: str, path: str) -> Iterator[FieldError]:
    claim = f"{pod_name}-{name}"
    for fault in syntax.dns_subdomain(claim) if pod_name and name else ():
        yield invalid(f"{path}.name", name, f"PVC name {quoted(claim)}: {fault}")


_RULES: Mapping[str, Callable[[Item, str], Iterator[FieldError]]] = {
    "hostPath": validate_host_path,
    "gitRepo": _validate_git_repo,
    "secret": validate_secret,
    "configMap": validate_config_map,
    "downwardAPI": validate_downward,
    "projected": validate_projected,
    "csi": _validate_csi,
    "image": _validate_image,
}
