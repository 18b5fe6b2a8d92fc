"""Server-side apply: a client says what it wants of an object, and owns that.

apimachinery/pkg/util/managedfields/internal (structuredmerge.go, skipnonapplied.go, versioncheck.go,
lastappliedmanager.go, lastappliedupdater.go), v1.37, and structured-merge-diff's merge/update.go, v6.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from nominee.apiserver.patches.managed_fields.comparison import compare
from nominee.apiserver.patches.managed_fields.conflict import conflict_error
from nominee.apiserver.patches.managed_fields.entries import (
    Managed,
    Manager,
    Owned,
    applier,
    read_entries,
    updater,
    write_entries,
)
from nominee.apiserver.patches.managed_fields.field_sets import fields_of
from nominee.apiserver.patches.managed_fields.last_applied import allowed_conflicts, with_last_applied
from nominee.apiserver.patches.managed_fields.merging import merge
from nominee.apiserver.patches.managed_fields.ownership import conflicts, ownable, taken, without_reset
from nominee.apiserver.patches.managed_fields.removal import remove
from nominee.apiserver.patches.managed_fields.sets import (
    Fields,
    difference,
    intersection,
    recursive_difference,
    union,
    with_named_fields,
)
from nominee.apiserver.patches.managed_fields.tracking import Writing, created_fields, without_managers
from nominee.apiserver.patches.managed_fields.validation import complaint
from nominee.apiserver.patches.merge_patch import without_nulls
from nominee.apiserver.schema.decoding import decode
from nominee.apiserver.schema.scalars import MalformedError
from nominee.apiserver.schema.type import Struct
from nominee.apiserver.status import bad_request

JsonObject = dict[str, Any]

_BEFORE_FIRST_APPLY = "before-first-apply"
_KUBECTL = "kubectl"


@dataclass(frozen=True, slots=True)
class Application:
    """An apply: the type of the object, who applies, and fields that the write leaves alone."""

    type: Struct
    writing: Writing
    reset: Fields
    force: bool = False


def apply(live: JsonObject | None, applied: JsonObject, how: Application) -> JsonObject:
    """The object after an apply, with its managers; raises 409 if it takes fields from others unforced."""
    wanted = _typed(applied, how)
    before, entries = without_managers(live or {})
    managed = _read(entries) or _found_before(before, how)
    who = applier(how.writing.manager, how.writing.subresource)
    item, managed = _applied(before, wanted, managed, who, how)
    if how.writing.manager == _KUBECTL:
        item = with_last_applied(item, applied)
    metadata = dict(item.get("metadata") or {})
    if managed:
        metadata["managedFields"] = write_entries(managed)
    return {**item, "metadata": metadata}


def _typed(applied: JsonObject, how: Application) -> JsonObject:
    """What is applied, in canonical form, if it is of the type."""
    metadata = applied.get("metadata")
    if isinstance(metadata, dict) and metadata.get("managedFields"):
        raise bad_request("metadata.managedFields must be nil")
    wrong = complaint(applied, how.type)
    if not wrong:
        try:
            typed: JsonObject = _as_said(decode(applied, how.type).item, applied)
            return typed
        except MalformedError as error:
            wrong = error.message
    raise bad_request(f"failed to create typed patch object ({_named(applied)}): {wrong}")


def _as_said(decoded: Any, applied: Any) -> Any:
    """Decoding drops what is null or empty, but who applies that wants the field so, and owns it.

    Nor is what decoding adds anything that the applier has said.
    """
    if isinstance(decoded, dict) and isinstance(applied, dict):
        return {
            name: _as_said(decoded[name], value) if name in decoded else value
            for name, value in applied.items()
        }
    if isinstance(decoded, list) and isinstance(applied, list):
        return [_as_said(inner, value) for inner, value in zip(decoded, applied, strict=True)]
    return decoded


def _named(item: JsonObject) -> str:
    """`default/web; apps/v1, Kind=Deployment`."""
    metadata = item.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    version = item.get("apiVersion", "")
    group_version = version if "/" in version else f"/{version}"
    place = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
    return f"{place}; {group_version}, Kind={item.get('kind', '')}"


def _read(entries: Any) -> Managed:
    try:
        return read_entries(entries)
    except (ValueError, TypeError, AttributeError):
        return {}


def _found_before(live: JsonObject, how: Application) -> Managed:
    """An object that nobody has kept track of: what is there belongs to whoever was before."""
    fields = created_fields(live, how.type, how.reset)
    if not fields:
        return {}
    manager = updater(_BEFORE_FIRST_APPLY, how.writing.api_version, how.writing.subresource)
    return {manager: Owned(fields, how.writing.api_version, how.writing.now)}


def _applied(
    live: JsonObject, wanted: JsonObject, managed: Managed, who: Manager, how: Application
) -> tuple[JsonObject, Managed]:
    """The new object and its managers."""
    last = managed.get(who)
    claimed = recursive_difference(fields_of(wanted, how.type), how.reset)
    managed = {**managed, who: Owned(claimed, how.writing.api_version, last.time if last else None)}
    merged = merge(live, wanted, how.type)
    if last is not None and last.fields:
        merged = _pruned(merged, managed, last.fields, how.type)
    seen = without_reset(compare(live, merged, how.type), how.reset)
    if not how.force:
        _refuse_conflicts(conflicts(managed, who, seen), live, how)
    managed = taken(managed, who, seen)
    item = without_nulls(merged)
    return item, _with_claims(managed, who, how.writing.now if item != live else None)


def _refuse_conflicts(found: Mapping[Manager, Fields], live: JsonObject, how: Application) -> None:
    """Through kubectl, a user may take over what they have applied client-side before."""
    if found and how.writing.manager == _KUBECTL:
        allowed = allowed_conflicts(live, how.type, how.writing.api_version)
        left = {manager: difference(fields, allowed) for manager, fields in found.items()}
        found = {manager: fields for manager, fields in left.items() if fields}
    if found:
        raise conflict_error(found)


def _with_claims(managed: Managed, who: Manager, now: str | None) -> Managed:
    if who not in managed:
        return managed
    fields = ownable(managed[who].fields)
    if not fields:
        return {manager: owned for manager, owned in managed.items() if manager != who}
    return {**managed, who: replace(managed[who], fields=fields, time=now or managed[who].time)}


def _pruned(merged: JsonObject, managed: Managed, last: Fields, type_: Struct) -> JsonObject:
    """Without what its applier claimed last time and does not any more, if nobody else does."""
    last = with_named_fields(last, type_)
    everything = with_named_fields(fields_of(merged, type_), type_)
    rest = with_named_fields(fields_of(remove(merged, last, type_), type_), type_)
    owned: Fields = {}
    for each in managed.values():
        owned = union(owned, each.fields)
    kept = union(rest, with_named_fields(owned, type_))
    pruned = remove(merged, difference(everything, kept), type_)
    rest = with_named_fields(fields_of(pruned, type_), type_)
    return remove(merged, intersection(difference(everything, rest), last), type_)
