"""Deleting: at once, or after a period of grace, or when the last finalizer is gone.

apiserver/pkg/registry/rest/delete.go and pkg/registry/generic/registry/store.go, v1.37.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nominee.apiserver.kind import Context, JsonObject, Kind
from nominee.apiserver.rest.draft import Draft
from nominee.apiserver.rest.options import DeleteOptions, Deletion
from nominee.apiserver.rest.updating import write
from nominee.apiserver.status import conflict
from nominee.model.timestamps import format_time, parse_time
from nominee.store.ports import Stored

if TYPE_CHECKING:
    from nominee.apiserver.rest.rest import Rest

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"


def delete(rest: Rest, kind: Kind, old: Stored, options: DeleteOptions, context: Context) -> Deletion:
    """Delete an object as far as it goes now."""
    _check_preconditions(kind, old, options)
    rest.rules.check(rest, kind, old.object, old.object, context, "DELETE")
    metadata = old.object["metadata"]
    grace = _grace(kind, old.object, options)
    if _pending(metadata, options):
        return Deletion(old, gone=False)
    finalizers = _finalizers(kind, metadata, options)
    marked = old
    if grace is not None or finalizers or kind.held(old.object):
        marked = _mark(rest, kind, old, context, grace, finalizers)
        if grace or marked.object["metadata"].get("finalizers") or kind.held(marked.object):
            return Deletion(marked, gone=False)
    if context.dry_run:
        return Deletion(marked, gone=True)
    return Deletion(rest.store.delete(old.resource, old.key, marked.version), gone=True)


def _check_preconditions(kind: Kind, old: Stored, options: DeleteOptions) -> None:
    metadata = old.object["metadata"]
    names = kind.names
    qualified = f"{names.kind}.{names.group}" if names.group else names.kind
    if options.uid is not None and options.uid != metadata.get("uid", ""):
        raise conflict(
            qualified,
            metadata["name"],
            f"the UID in the precondition ({options.uid}) does not match the UID in record "
            f"({metadata.get('uid', '')}). The object might have been deleted and then recreated",
        )
    if options.resource_version is not None and options.resource_version != str(old.version):
        raise conflict(
            qualified,
            metadata["name"],
            f"the ResourceVersion in the precondition ({options.resource_version}) does not match the "
            f"ResourceVersion in record ({old.version}). The object might have been modified",
        )


def _grace(kind: Kind, item: JsonObject, options: DeleteOptions) -> int | None:
    """Seconds of grace that are asked for or usual; None if the kind knows none, or they are over."""
    asked = options.grace_period_seconds
    if asked is not None and asked < 0:
        asked = 1
    grace = kind.grace_period(item, asked)
    metadata = item["metadata"]
    if grace is None or "deletionTimestamp" not in metadata:
        return grace
    if not metadata.get("deletionGracePeriodSeconds"):
        return None
    return asked


def _pending(metadata: JsonObject, options: DeleteOptions) -> bool:
    """Whether it is being deleted with grace already, and no less is asked for now."""
    left = metadata.get("deletionGracePeriodSeconds")
    if "deletionTimestamp" not in metadata or not left:
        return False
    asked = options.grace_period_seconds
    return asked is None or (asked if asked >= 0 else 1) >= left


def _finalizers(kind: Kind, metadata: JsonObject, options: DeleteOptions) -> list[str]:
    """The finalizers with which it is deleted; those of the garbage collector follow the options."""
    before: list[str] = metadata.get("finalizers") or []
    kept = [name for name in before if name not in (ORPHAN, FOREGROUND)]
    if _wants(kind, before, options) is not None:
        kept.append(str(_wants(kind, before, options)))
    return before if set(kept) == set(before) else kept


def _wants(kind: Kind, before: list[str], options: DeleteOptions) -> str | None:
    if options.orphan_dependents is not None:
        return ORPHAN if options.orphan_dependents else None
    if options.propagation:
        return {"Orphan": ORPHAN, "Foreground": FOREGROUND}.get(options.propagation)
    for name in before:
        if name in (ORPHAN, FOREGROUND):
            return name
    return ORPHAN if kind.orphans else None


def _mark(
    rest: Rest, kind: Kind, old: Stored, context: Context, grace: int | None, finalizers: list[str]
) -> Stored:
    """Write down that it is being deleted."""
    metadata = dict(old.object["metadata"])
    item = {**old.object, "metadata": metadata}
    if "deletionTimestamp" not in metadata and metadata.get("generation"):
        metadata["generation"] += 1
    metadata["deletionTimestamp"], metadata["deletionGracePeriodSeconds"] = _end(metadata, context, grace)
    if finalizers:
        metadata["finalizers"] = finalizers
    else:
        metadata.pop("finalizers", None)
    if "deletionTimestamp" not in old.object["metadata"]:
        kind.prepare_deletion(item, context)
    if item == old.object:
        return old
    return _marked(rest, old, item, context)


def _marked(rest: Rest, old: Stored, item: JsonObject, context: Context) -> Stored:
    return (
        Draft(old.resource, old.key, old.version, item)
        if context.dry_run
        else write(rest, old, item, context)
    )


def _end(metadata: JsonObject, context: Context, grace: int | None) -> tuple[str, int]:
    """When its grace is over, and how long it is."""
    now = parse_time(context.now)
    before = metadata.get("deletionTimestamp")
    if grace is None:
        return (before if before and parse_time(before) <= now else context.now), 0
    if before is None:
        return format_time(now + grace), grace
    end = parse_time(before) - metadata["deletionGracePeriodSeconds"] + grace
    if end < now:
        return context.now, min(grace, 1)
    return format_time(end), grace
