"""Which names Kubernetes accepts for labels and extended resources, and what it says of others.

staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go and
pkg/apis/core/v1/helper/helpers.go, v1.37.
"""

from __future__ import annotations

import re

_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_NAME = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = f"({_NAME})?"

_NAME_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character"
    f" (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_NAME}')"
)
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character"
    f" (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_LABEL_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character"
    f" (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '{_LABEL_VALUE}')"
)
_PREFIX_OPTION = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"


def qualified_name_faults(value: str) -> list[str]:
    """What keeps a string from being a qualified name such as ``example.com/gpu`` (IsQualifiedName)."""
    prefix, slash, name = value.rpartition("/")
    if "/" in prefix:
        return [f"a valid label key {_NAME_RULE}{_PREFIX_OPTION}"]
    faults = _prefix_faults(prefix) if slash else []
    if not name:
        faults.append("name part must be non-empty")
    elif len(name.encode()) > 63:
        faults.append("name part must be no more than 63 bytes")
    if not re.fullmatch(_NAME, name):
        faults.append(f"name part {_NAME_RULE}")
    return faults


def _prefix_faults(prefix: str) -> list[str]:
    if not prefix:
        return ["prefix part must be non-empty"]
    too_long = ["prefix part must be no more than 253 bytes"] if len(prefix.encode()) > 253 else []
    malformed = [] if re.fullmatch(_SUBDOMAIN, prefix) else [f"prefix part {_SUBDOMAIN_RULE}"]
    return too_long + malformed


def label_value_faults(value: str) -> list[str]:
    """What keeps a string from being the value of a label (IsValidLabelValue)."""
    too_long = ["must be no more than 63 bytes"] if len(value.encode()) > 63 else []
    return too_long + ([] if re.fullmatch(_LABEL_VALUE, value) else [_LABEL_VALUE_RULE])


def is_extended_resource_name(name: str) -> bool:
    """Whether the resource belongs to neither Kubernetes itself nor a quota (IsExtendedResourceName)."""
    is_native = "/" not in name or "kubernetes.io/" in name
    return (
        not is_native and not name.startswith("requests.") and not qualified_name_faults(f"requests.{name}")
    )
