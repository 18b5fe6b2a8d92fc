"""How ownership moves when an object changes.

structured-merge-diff's merge/update.go, v6.4, and what is never owned: managedfields/internal/stripmeta.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nominee.apiserver.patches.managed_fields.comparison import Comparison
from nominee.apiserver.patches.managed_fields.entries import Managed, Manager, Owned
from nominee.apiserver.patches.managed_fields.sets import (
    LEAF,
    Fields,
    difference,
    intersection,
    recursive_difference,
    union,
)

UNOWNED_METADATA = (
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
)
_NEVER_OWNED: Fields = {
    "f:apiVersion": LEAF,
    "f:kind": LEAF,
    "f:metadata": {".": LEAF, **{f"f:{name}": LEAF for name in UNOWNED_METADATA}},
}


def ownable(fields: Fields) -> Fields:
    """Without what identifies an object or is the server's business."""
    return difference(fields, _NEVER_OWNED)


def without_reset(seen: Comparison, reset: Fields) -> Comparison:
    """A difference without the fields that the write does not touch."""
    if not reset:
        return seen
    return Comparison(recursive_difference(seen.changed, reset), recursive_difference(seen.removed, reset))


def conflicts(managed: Managed, writer: Manager, seen: Comparison) -> Mapping[Manager, Fields]:
    """The fields of others that a change gives another value."""
    found = {
        manager: intersection(owned.fields, seen.changed)
        for manager, owned in managed.items()
        if manager != writer
    }
    return {manager: fields for manager, fields in found.items() if fields}


def taken(managed: Managed, writer: Manager | None, seen: Comparison) -> Managed:
    """Others lose what has changed or is gone; who owns nothing any more is no manager."""
    lost = union(seen.changed, seen.removed)
    result: Managed = {}
    for manager, owned in managed.items():
        left = owned.fields if manager == writer else _left(owned, seen, lost)
        if left:
            result[manager] = owned if left is owned.fields else replace(owned, fields=left)
    return result


def _left(owned: Owned, seen: Comparison, lost: Fields) -> Fields:
    if not lost:
        return owned.fields
    return difference(difference(owned.fields, seen.changed), seen.removed)
