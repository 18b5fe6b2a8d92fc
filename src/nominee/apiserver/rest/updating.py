"""Replacing an object or a part of it, in the order of Kubernetes' registry.

apiserver/pkg/endpoints/handlers/update.go, pkg/registry/rest/update.go and
pkg/registry/generic/registry/store.go, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nominee.apiserver.kind import Context, JsonObject, Kind
from nominee.apiserver.rest.draft import Draft
from nominee.apiserver.rest.metadata import carry_over, dedup_owners, metadata_of, name_of, settle_namespace
from nominee.apiserver.rest.rules import Writer
from nominee.apiserver.status import FieldError, bad_request, conflict, invalid
from nominee.store.ports import Stored

if TYPE_CHECKING:
    from nominee.apiserver.rest.rest import Rest

MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


@dataclass(frozen=True, slots=True)
class Part:
    """What is replaced: everything, or a subresource.

    noted      managedFields tell of it already
    through    the subresource that managedFields name, though it is the whole object that changes
    by_uid     a uid in the item is a precondition; in a patch it is a field that may not change
    """

    subresource: str = ""
    noted: bool = False
    by_uid: bool = True
    through: str = ""


WHOLE = Part()


def update(
    rest: Rest, kind: Kind, old: Stored, item: JsonObject, context: Context, part: Part = WHOLE
) -> Stored:
    """Put `item`, which is the caller's own, in the place of `old`."""
    subresource = part.subresource
    writer = Writer(context.manager, subresource or part.through, context.now, item["apiVersion"])
    if part.through:
        writer = replace(writer, now=None)
    if kind.converts:
        item = kind.to_stored(item)
    _settle(kind, old, item, part)
    item["apiVersion"] = kind.names.api_version
    if not part.noted:
        rest.rules.note(kind, item, old.object, writer)
    if not subresource:  # admission leaves parts of objects alone
        rest.rules.mutate(rest, kind, item, old.object, context)
    part_kind = kind.part(subresource) if subresource else kind
    _prepare(part_kind, item, old.object, context, subresource)
    _validate(rest, part_kind, item, old.object, context, subresource)
    rest.rules.check(rest, kind, item, old.object, context, "UPDATE")
    if _finished(kind, item, old.object):
        return _remove(rest, old, item, context)
    if same(item, old.object):
        return old
    return write(rest, old, item, context)


def _settle(kind: Kind, old: Stored, item: JsonObject, part: Part) -> None:
    """Make sure that the item is meant for the object that is there, and fill it in."""
    metadata = metadata_of(item)
    settle_namespace(kind, metadata, old.object["metadata"].get("namespace", ""))
    name = name_of(old.key)
    if metadata.setdefault("name", name) != name:
        raise bad_request(
            f"the name of the object ({metadata['name']}) does not match the name on the URL ({name})"
        )
    if part.by_uid:
        check_uid(kind.names.resource, old, metadata.get("uid"))
    _check_version(kind, old, metadata)
    kind.default(item)


def check_uid(resource: str, old: Stored | None, uid: str | None, key: str = "") -> None:
    """An object that names a uid is meant for that one and no other of the same name."""
    there = old.object["metadata"].get("uid", "") if old else ""
    if uid and uid != there:
        key = old.key if old else key
        raise conflict(
            resource,
            name_of(key),
            f"StorageError: invalid object, Code: 4, Key: /registry/{resource.partition('.')[0]}/{key}, "
            "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: "
            f"UID in precondition: {uid}, UID in object meta: {there}",
        )


def _check_version(kind: Kind, old: Stored, metadata: JsonObject) -> None:
    version = metadata.get("resourceVersion")
    name = name_of(old.key)
    if version in (None, "", "0"):
        if not kind.unconditional:
            error = FieldError(
                "metadata.resourceVersion",
                "FieldValueInvalid",
                "Invalid value: 0: must be specified for an update",
            )
            raise invalid(kind.names.plural, kind.names.group, name, [error])
        metadata["resourceVersion"] = str(old.version)
    elif version != str(old.version):
        if not (isinstance(version, str) and version.isascii() and version.isdigit()):
            raise bad_version(kind, name, version)
        raise conflict(kind.names.resource, name, MODIFIED)


def bad_version(kind: Kind, name: str, version: object) -> Exception:
    """422 for a resourceVersion that is no number."""
    told = f'Invalid value: "{version}": must be an unsigned integer'
    error = FieldError("metadata.resourceVersion", "FieldValueInvalid", told)
    return invalid(kind.names.kind, kind.names.group, name, [error])


def _prepare(kind: Kind, item: JsonObject, old: JsonObject, context: Context, subresource: str) -> None:
    metadata = item["metadata"]
    dedup_owners(metadata, context)
    managed = metadata.get("managedFields")
    if subresource == "status":
        kind.prepare_status(item, old, context)
    else:
        kind.prepare_update(item, old, context)
    metadata = item["metadata"]
    carry_over(metadata, old["metadata"])
    if managed is not None:
        metadata["managedFields"] = managed
    if kind.generation and subresource != "status" and kind.counted(item) != kind.counted(old):
        metadata["generation"] = old["metadata"].get("generation", 0) + 1


def _validate(
    rest: Rest, kind: Kind, item: JsonObject, old: JsonObject, context: Context, subresource: str
) -> None:
    validate = kind.validate_status if subresource == "status" else kind.validate_update
    errors = [
        *rest.rules.validate_metadata(item, kind),
        *rest.rules.validate_metadata_update(item, old),
        *validate(item, old, context),
    ]
    if errors:
        raise invalid(kind.names.kind, kind.names.group, item["metadata"]["name"], errors)
    if not subresource:
        context.warnings.extend(kind.update_warnings(item, old))


def _finished(kind: Kind, item: JsonObject, old: JsonObject) -> bool:
    """Whether the update has taken away the last thing that kept a deleted object."""
    before = old["metadata"]
    return (
        "deletionTimestamp" in before
        and not before.get("deletionGracePeriodSeconds")
        and not item["metadata"].get("finalizers")
        and not kind.held(item)
    )


def _remove(rest: Rest, old: Stored, item: JsonObject, context: Context) -> Stored:
    if context.dry_run:
        return Draft(old.resource, old.key, old.version, item)
    gone = rest.store.delete(old.resource, old.key, old.version)
    return Draft(old.resource, old.key, gone.version, item)


def same(item: JsonObject, old: JsonObject) -> bool:
    """Whether nothing has changed but the version and the times at which managers wrote."""
    ours, theirs = item["metadata"], old["metadata"]
    return {**item, "metadata": None} == {**old, "metadata": None} and _timeless(ours) == _timeless(theirs)


def _timeless(metadata: JsonObject) -> JsonObject:
    managed = [
        {name: value for name, value in entry.items() if name != "time"}
        for entry in metadata.get("managedFields", ())
    ]
    return {**metadata, "managedFields": managed, "resourceVersion": None}


def write(rest: Rest, old: Stored, item: JsonObject, context: Context) -> Stored:
    """Into the store, or, on a dry run, not."""
    if context.dry_run:
        item["metadata"]["resourceVersion"] = str(old.version)
        return Draft(old.resource, old.key, old.version, item)
    return rest.store.update(old.resource, old.key, item, old.version)
