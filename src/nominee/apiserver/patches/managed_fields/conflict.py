"""The refusal of an apply that would take fields from others.

apimachinery/pkg/util/managedfields/internal/conflict.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from nominee.apiserver.patches.managed_fields.entries import Manager
from nominee.apiserver.patches.managed_fields.sets import Fields, paths
from nominee.apiserver.status import refusal
from nominee.errors import ApiError


def conflict_error(conflicts: Mapping[Manager, Fields]) -> ApiError:
    """409, with a cause for each field and manager."""
    found = [
        (_told(manager), list(paths(fields))) for manager, fields in sorted(conflicts.items(), key=_name)
    ]
    causes = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {manager}", "field": path}
        for manager, fields in found
        for path in fields
    ]
    return refusal(409, "Conflict", _message(found, len(causes)), details={"causes": causes})


def _name(entry: tuple[Manager, Fields]) -> tuple[str, str, str, str]:
    manager = entry[0]
    return manager.name, manager.operation, manager.api_version, manager.subresource


def _message(found: list[tuple[str, list[str]]], count: int) -> str:
    if count == 1:
        manager, (path,) = found[0]
        return f"Apply failed with 1 conflict: conflict with {manager}: {path}"
    lines = []
    for manager, fields in found:
        lines += [f"conflicts with {manager}:", *(f"- {path}" for path in fields)]
    return f"Apply failed with {count} conflicts: " + "\n".join(lines)


def _told(manager: Manager) -> str:
    told = orjson.dumps(manager.name).decode()
    if manager.subresource:
        told += f' with subresource "{manager.subresource}"'
    return f"{told} using {manager.api_version}" if manager.operation == "Update" else told
