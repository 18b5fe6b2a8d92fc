"""Environment variables of containers, and the fields of pods that they may name.

The rules of ValidateEnv and ValidateEnvFrom of pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import invalid, not_supported, required
from nominee.apiserver.kinds.metadata import validate_name
from nominee.apiserver.kinds.pod.paths import validate_no_backsteps
from nominee.apiserver.kinds.quantities import canonical
from nominee.apiserver.status import FieldError
from nominee.model.quantity import nano_value

_ENV_FIELDS = (
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
)  # fmt: skip
VOLUME_FIELDS = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
_KNOWN_FIELDS = frozenset({*_ENV_FIELDS, *VOLUME_FIELDS, "spec.restartPolicy", "spec.schedulerName",
                           "status.phase", "spec.host"})  # fmt: skip
_RESOURCES = (
    "limits.cpu", "limits.ephemeral-storage", "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory",
)  # fmt: skip
_PAGES = ("limits.hugepages-", "requests.hugepages-")
_BYTES = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")


def validate_env(variables: Sequence[Mapping[str, Any]], path: str) -> Iterator[FieldError]:
    """What is wrong with the variables of a container."""
    for position, variable in enumerate(variables):
        name = variable.get("name") or ""
        if not name:
            yield required(f"{path}[{position}].name")
        else:
            for fault in syntax.env_name(name):
                yield invalid(f"{path}[{position}].name", name, fault)
        source = variable.get("valueFrom")
        if source is not None:
            yield from _validate_source(source, variable.get("value"), f"{path}[{position}].valueFrom")


def validate_env_from(sources: Sequence[Mapping[str, Any]], path: str) -> Iterator[FieldError]:
    """What is wrong with the maps that a container takes its variables from."""
    for position, source in enumerate(sources):
        at = f"{path}[{position}]"
        prefix = source.get("prefix")
        for fault in syntax.env_name(prefix) if prefix else ():
            yield invalid(f"{at}.prefix", prefix, fault)
        given = [name for name in ("configMapRef", "secretRef") if name in source]
        for name in given:
            yield from _validate_env_source(source[name], f"{at}.{name}")
        if not given:
            yield invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
        elif len(given) > 1:
            yield invalid(path, "", "may not have more than one field specified at a time")


def _validate_env_source(source: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    name = source.get("name") or ""
    if not name:
        yield required(f"{path}.name")
        return
    for fault in validate_name(name, "subdomain", prefix=True):
        yield invalid(f"{path}.name", name, fault)


def _validate_source(source: Mapping[str, Any], value: Any, path: str) -> Iterator[FieldError]:
    given = [name for name in _SOURCES if name in source]
    for name in given:
        yield from _validate_one_source(name, source[name], f"{path}.{name}")
    if not given:
        listed = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        yield invalid(path, "", f"must specify one of: {listed}")
    elif value:
        yield invalid(path, "", "may not be specified when `value` is not empty")
    elif len(given) > 1:
        yield invalid(path, "", "may not have more than one field specified at a time")


def _validate_one_source(name: str, source: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    if name == "fieldRef":
        return validate_field_ref(source, _ENV_FIELDS, path)
    if name == "resourceFieldRef":
        return validate_resource_field_ref(source, path)
    if name == "fileKeyRef":
        return _validate_file_key(source, path)
    return _validate_key(source, path)


def _validate_key(source: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    name, key = source.get("name") or "", source.get("key") or ""
    for fault in syntax.dns_subdomain(name):
        yield invalid(f"{path}.name", name, fault)
    if not key:
        yield required(f"{path}.key")
    for fault in syntax.config_key(key) if key else ():
        yield invalid(f"{path}.key", key, fault)


def _validate_file_key(source: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    key, volume, file = (source.get(name) or "" for name in ("key", "volumeName", "path"))
    if not key:
        yield required(f"{path}.key")
    for fault in syntax.env_name(key) if key else ():
        yield invalid(f"{path}.key", key, fault)
    if not volume:
        yield required(f"{path}.volumeName")
    for fault in syntax.dns_label(volume) if volume else ():
        yield invalid(f"{path}.volumeName", volume, fault)
    if not file:
        yield required(f"{path}.path")
    yield from validate_no_backsteps(file, f"{path}.path")


def validate_field_ref(source: Mapping[str, Any], known: Sequence[str], path: str) -> Iterator[FieldError]:
    """What is wrong with the name of a field of the pod; `known` are those that may be named here."""
    field = source.get("fieldPath") or ""
    if not field:
        yield required(f"{path}.fieldPath")
        return
    base, subscript = _subscripted(field)
    if why := _conversion_fault(source.get("apiVersion") or "v1", field, base, subscript):
        yield invalid(f"{path}.fieldPath", field, f"error converting fieldPath: {why}")
    elif subscript is not None:
        for fault in syntax.label_key(subscript.lower() if base == "metadata.annotations" else subscript):
            yield invalid(path, subscript, fault)
    elif (named := "spec.nodeName" if base == "spec.host" else base) not in known:
        yield not_supported(f"{path}.fieldPath", named, known)


def _conversion_fault(version: str, field: str, base: str, subscript: str | None) -> str:
    """Why a field is none that the downward API has ever known.

    Reproduces ConvertDownwardAPIFieldLabel of pkg/apis/core/pods/helpers.go, v1.37.
    """
    if version != "v1":
        return f"unsupported pod version: {version}"
    if subscript is not None and base not in ("metadata.annotations", "metadata.labels"):
        return f"field label does not support subscript: {field}"
    return "" if base in _KNOWN_FIELDS else f"field label not supported: {field}"


def _subscripted(field: str) -> tuple[str, str | None]:
    """`metadata.labels['a']` in two parts."""
    base, opening, rest = field.partition("['")
    if opening and rest.endswith("']"):
        return base, rest[:-2]
    return field, None


def validate_resource_field_ref(
    source: Mapping[str, Any], path: str, *, volume: bool = False
) -> Iterator[FieldError]:
    """What is wrong with the name of a resource of a container."""
    resource = source.get("resource") or ""
    if volume and not source.get("containerName"):
        yield required(f"{path}.containerName")
    elif not resource:
        yield required(f"{path}.resource")
    elif resource not in _RESOURCES and not resource.startswith(_PAGES):
        yield not_supported(f"{path}.resource", resource, _RESOURCES)
    if nano_value(source.get("divisor") or "0"):
        yield from _validate_divisor(resource, canonical(source["divisor"]), f"{path}.divisor")


def _validate_divisor(resource: str, divisor: str, path: str) -> Iterator[FieldError]:
    kind = resource.partition(".")[2]
    if kind == "cpu":
        if divisor not in ("1m", "1"):
            yield invalid(
                path, resource, "only divisor's values 1m and 1 are supported with the cpu resource"
            )
    elif divisor not in _BYTES:
        named = {"memory": "memory", "ephemeral-storage": "local ephemeral storage"}.get(kind, "hugepages")
        listed = ", ".join(_BYTES)
        yield invalid(
            path, resource, f"only divisor's values {listed} are supported with the {named} resource"
        )
