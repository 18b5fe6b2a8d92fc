"""Fields that a write leaves as they are, whoever sends them: nobody gets to own them by it.

The strategies of pkg/registry/*/strategy.go (GetResetFields), v1.37.
"""

from __future__ import annotations

from collections.abc import Mapping

from nominee.apiserver.kind import Kind
from nominee.apiserver.patches.managed_fields.sets import LEAF, Fields

_STATUS: Fields = {"f:status": LEAF}
_SPEC: Fields = {"f:spec": LEAF}
_ALL_BUT_STATUS: Fields = {"f:metadata": LEAF, "f:spec": LEAF}

_STATUS_WRITES: Mapping[str, Fields] = {
    "pods": {"f:spec": LEAF, "f:metadata": {"f:deletionTimestamp": LEAF, "f:ownerReferences": LEAF}},
    "deployments.apps": {"f:spec": LEAF, "f:metadata": {"f:labels": LEAF}},
}
_BARE_STATUS_GROUPS = ("resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io")

NOTHING: Fields = {}


def reset_fields(kind: Kind, subresource: str) -> Fields:
    """What a write to an object, or to a part of it, does not change."""
    if subresource == "status":
        by_group = _ALL_BUT_STATUS if kind.names.group in _BARE_STATUS_GROUPS else _SPEC
        return _STATUS_WRITES.get(kind.names.resource, by_group)
    if subresource == "" and "status" in kind.subresources:
        return _STATUS
    return NOTHING
