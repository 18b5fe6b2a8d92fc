"""Ownership of what is created, updated and patched: the changed fields are the writer's.

apimachinery/pkg/util/managedfields/internal/fieldmanager.go and managedfieldsupdater.go, v1.37.
"""

from __future__ import annotations

from typing import Any, Protocol

from nominee.apiserver.patches.managed_fields.appearance import object_appearance
from nominee.apiserver.patches.managed_fields.comparison import compare
from nominee.apiserver.patches.managed_fields.entries import (
    Managed,
    Owned,
    capped,
    read_entries,
    updater,
    write_entries,
)
from nominee.apiserver.patches.managed_fields.ownership import UNOWNED_METADATA, ownable, taken, without_reset
from nominee.apiserver.patches.managed_fields.sets import LEAF, Fields, recursive_difference, union
from nominee.apiserver.schema.type import Struct

JsonObject = dict[str, Any]

_IDENTITY = (".", "f:apiVersion", "f:kind")


class Writing(Protocol):
    """Who writes, what part of an object, when, in which version."""

    @property
    def manager(self) -> str: ...
    @property
    def subresource(self) -> str: ...
    @property
    def now(self) -> str | None: ...
    @property
    def api_version(self) -> str: ...


def note_update(
    new: JsonObject, old: JsonObject | None, type_: Struct, writing: Writing, reset: Fields
) -> None:
    """Set `metadata.managedFields` of a new state, in place; the write leaves `reset` fields alone."""
    metadata = new["metadata"]
    sent = metadata.pop("managedFields", None)
    if old is None and not sent:
        entries = _creation(new, type_, writing, reset)
    else:
        managed = _known(sent, old, writing)
        entries = write_entries(_updated(new, old, type_, writing, managed, reset))
    if entries:
        metadata["managedFields"] = entries


def _creation(new: JsonObject, type_: Struct, writing: Writing, reset: Fields) -> list[JsonObject]:
    """Everything that is there is the creator's."""
    fields = created_fields(new, type_, reset)
    if not fields:
        return []
    manager = updater(writing.manager, writing.api_version, writing.subresource)
    return write_entries({manager: Owned(fields, writing.api_version, writing.now)})


def created_fields(item: JsonObject, type_: Struct, reset: Fields) -> Fields:
    """Everything that an object has and that can be owned."""
    told = {name: value for name, value in item.items() if reset.get(f"f:{name}") is not LEAF}
    told["metadata"] = {
        name: value for name, value in item.get("metadata", {}).items() if name not in UNOWNED_METADATA
    }
    fields = {step: node for step, node in object_appearance(told, type_).items() if step not in _IDENTITY}
    return recursive_difference(fields, reset) if reset else fields


def _known(sent: Any, old: JsonObject | None, writing: Writing) -> Managed:
    """The managers so far: as the client sends them, if it does and may."""
    live = without_managers(old)[1] if old else None
    if writing.subresource:
        return _read_or_none(live)
    if sent in ([], [{}]):
        return {}
    return _read_or_none(sent) or _read_or_none(live)


def _read_or_none(entries: Any) -> Managed:
    try:
        return read_entries(entries)
    except (ValueError, TypeError, AttributeError):
        return {}


def without_managers(item: JsonObject) -> tuple[JsonObject, Any]:
    """An object without its managers, and the managers."""
    metadata = item.get("metadata", {})
    if "managedFields" not in metadata:
        return item, None
    rest = {name: value for name, value in metadata.items() if name != "managedFields"}
    return {**item, "metadata": rest}, metadata["managedFields"]


def _updated(
    new: JsonObject,
    old: JsonObject | None,
    type_: Struct,
    writing: Writing,
    managed: Managed,
    reset: Fields,
) -> Managed:
    """Objects whose managers nobody knows stay without, until they are applied or created anew."""
    if not managed and old is not None:
        return managed
    before = without_managers(old)[0] if old else {}
    seen = without_reset(compare(before, new, type_), reset)
    managed = taken(managed, None, seen)
    fields = ownable(seen.changed)
    if fields:
        manager = updater(writing.manager, writing.api_version, writing.subresource)
        earlier = managed.get(manager)
        if earlier is not None:
            fields = union(fields, earlier.fields)
        managed[manager] = Owned(fields, writing.api_version, writing.now)
    return capped(managed)
