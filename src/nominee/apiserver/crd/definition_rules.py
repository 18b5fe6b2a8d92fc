"""What a definition of a custom resource may say.

apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go, v1.37.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from nominee.apiserver.crd.json_path import json_path
from nominee.apiserver.crd.schema_rules import validate_schema
from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import IMMUTABLE, invalid, not_supported, required
from nominee.apiserver.status import FieldError

_APPROVAL = "api-approved.kubernetes.io"
_SCOPES = ("Cluster", "Namespaced")
_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_LABEL_1035 = re.compile("[a-z]([-a-z0-9]*[a-z0-9])?")
_KIND = re.compile(r"[A-Za-z]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?")


def _label_1035(text: str) -> tuple[str, ...]:
    if _LABEL_1035.fullmatch(text) and len(text) <= 63:
        return ()
    rule = (
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character"
    )
    return (syntax.regex_fault(rule, _LABEL_1035.pattern, "my-name", "abc-123"),)


def validate_definition(item: JsonObject) -> Iterator[FieldError]:
    """Everything that is wrong with a definition."""
    spec = item.get("spec")
    if not isinstance(spec, dict):
        yield required("spec")
        return
    yield from _validate_name(item["metadata"], spec)
    yield from _validate_group(item["metadata"], spec)
    if spec.get("scope") not in _SCOPES:
        yield not_supported("spec.scope", spec.get("scope") or "", _SCOPES)
    yield from _validate_names(spec.get("names") or {})
    yield from _validate_versions(spec)
    yield from _validate_conversion(spec.get("conversion") or {})
    if spec.get("preserveUnknownFields"):
        yield invalid(
            "spec.preserveUnknownFields",
            True,
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
            "spec.versions[*].schema instead",
        )


def validate_definition_update(item: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """Everything that is wrong with a change: what names the resource stays."""
    ours, before = item.get("spec") or {}, old.get("spec") or {}
    conditions = (old.get("status") or {}).get("conditions") or ()
    if not any(c.get("type") == "Established" and c.get("status") == "True" for c in conditions):
        return
    for field in ("group", "scope"):
        if ours.get(field) != before.get(field):
            yield invalid(f"spec.{field}", ours.get(field), IMMUTABLE)
    for field in ("kind", "plural"):
        new = (ours.get("names") or {}).get(field)
        if new != (before.get("names") or {}).get(field):
            yield invalid(f"spec.names.{field}", new, IMMUTABLE)


def _validate_name(metadata: JsonObject, spec: JsonObject) -> Iterator[FieldError]:
    expected = f"{(spec.get('names') or {}).get('plural', '')}.{spec.get('group', '')}"
    if metadata.get("name") != expected:
        yield invalid("metadata.name", metadata.get("name"), 'must be spec.names.plural+"."+spec.group')


def _validate_group(metadata: JsonObject, spec: JsonObject) -> Iterator[FieldError]:
    group = spec.get("group", "")
    if not group:
        yield required("spec.group")
        return
    for fault in syntax.dns_subdomain(group):
        yield invalid("spec.group", group, fault)
    if "." not in group:
        yield invalid("spec.group", group, "should be a domain with at least one dot")
    protected = group.endswith((".k8s.io", ".kubernetes.io")) or group in ("k8s.io", "kubernetes.io")
    if protected and not (metadata.get("annotations") or {}).get(_APPROVAL):
        yield required(
            f"metadata.annotations[{_APPROVAL}]",
            f'protected groups must have approval annotation "{_APPROVAL}", '
            "see https://github.com/kubernetes/enhancements/pull/1111",
        )


def _validate_names(names: JsonObject) -> Iterator[FieldError]:
    for field in ("plural", "singular"):
        name = names.get(field, "")
        for fault in _label_1035(name) if name else ("must not be empty",):
            yield invalid(f"spec.names.{field}", name, fault)
    for field in ("kind", "listKind"):
        name = names.get(field, "")
        if not name:
            yield required(f"spec.names.{field}")
        elif not _KIND.fullmatch(name):
            told = "may have mixed case, but should otherwise match: a DNS-1035 label"
            yield invalid(f"spec.names.{field}", name, told)
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        yield invalid("spec.names.listKind", names["listKind"], "kind and listKind may not be the same")
    for field in ("shortNames", "categories"):
        for row, name in enumerate(names.get(field) or ()):
            for fault in _label_1035(name):
                yield invalid(f"spec.names.{field}[{row}]", name, fault)


def _validate_versions(spec: JsonObject) -> Iterator[FieldError]:
    versions = spec.get("versions") or []
    if not versions:
        yield required("spec.versions")
        return
    names = [version.get("name", "") for version in versions]
    if len(set(names)) < len(names):
        yield invalid("spec.versions", names, "must contain unique version names")
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield invalid("spec.versions", names, "must have exactly one version marked as storage version")
    for row, version in enumerate(versions):
        yield from _validate_version(version, f"spec.versions[{row}]")


def _validate_version(version: JsonObject, path: str) -> Iterator[FieldError]:
    name = version.get("name", "")
    for fault in _label_1035(name):
        yield invalid(f"{path}.name", name, fault)
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    if schema is None:
        yield required(f"{path}.schema.openAPIV3Schema", "schemas are required")
    else:
        yield from validate_schema(schema, f"{path}.schema.openAPIV3Schema")
    for row, column in enumerate(version.get("additionalPrinterColumns") or ()):
        yield from _validate_column(column, f"{path}.additionalPrinterColumns[{row}]")
    scale = (version.get("subresources") or {}).get("scale")
    if scale is not None:
        yield from _validate_scale(scale, f"{path}.subresources.scale")
    for row, field in enumerate(version.get("selectableFields") or ()):
        yield from _validate_path(field.get("jsonPath"), f"{path}.selectableFields[{row}].jsonPath")


def _validate_column(column: JsonObject, path: str) -> Iterator[FieldError]:
    if not column.get("name"):
        yield required(f"{path}.name")
    if column.get("type") not in _COLUMN_TYPES:
        yield invalid(f"{path}.type", column.get("type"), f"must be one of {','.join(_COLUMN_TYPES)}")
    yield from _validate_path(column.get("jsonPath"), f"{path}.jsonPath")


def _validate_path(text: Any, path: str) -> Iterator[FieldError]:
    if not text:
        yield required(path)
        return
    try:
        json_path(text)
    except ValueError as error:
        yield invalid(path, text, f"is an invalid path: {error}")


def _validate_scale(scale: JsonObject, path: str) -> Iterator[FieldError]:
    for field, start in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        text = scale.get(field, "")
        if not text:
            yield required(f"{path}.{field}")
        elif not text.startswith(start):
            yield invalid(f"{path}.{field}", text, f"should be a json path under {start.rstrip('.')}")
        elif "[" in text:
            yield invalid(f"{path}.{field}", text, "is an invalid path: no arrays are allowed")


def _validate_conversion(conversion: JsonObject) -> Iterator[FieldError]:
    strategy = conversion.get("strategy")
    if strategy == "Webhook":
        yield invalid("spec.conversion.strategy", strategy, "webhooks are not called by this server")
    elif strategy != "None":
        yield not_supported("spec.conversion.strategy", strategy or "", ("None", "Webhook"))
