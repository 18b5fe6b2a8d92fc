"""Creating an object, in the order of Kubernetes' registry.

apiserver/pkg/endpoints/handlers/create.go and pkg/registry/generic/registry/store.go, v1.37.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nominee.apiserver.kind import Context, JsonObject, Kind
from nominee.apiserver.rest.draft import Draft
from nominee.apiserver.rest.metadata import dedup_owners, fill, key_of, metadata_of, settle_namespace
from nominee.apiserver.rest.rules import Writer
from nominee.apiserver.status import already_exists, invalid, refusal
from nominee.errors import ApiError
from nominee.store.ports import Stored

if TYPE_CHECKING:
    from nominee.apiserver.rest.rest import Rest

_ATTEMPTS = 8
"""How often a name is drawn before giving up (maxNameGenerationCreateAttempts)."""


def create(
    rest: Rest, kind: Kind, namespace: str, item: JsonObject, context: Context, *, noted: bool = False
) -> Stored:
    """Create `item`, which is the caller's own; `noted` if its managed fields are written already."""
    api_version = item["apiVersion"]
    if kind.converts:
        item = kind.to_stored(item)
    metadata = metadata_of(item)
    settle_namespace(kind, metadata, namespace)
    fill(kind, metadata, context, rest.identity)
    dedup_owners(metadata, context)
    kind.default(item)
    item["apiVersion"] = kind.names.api_version
    if not noted:
        rest.rules.note(kind, item, None, Writer(context.manager, "", context.now, api_version))
    rest.rules.mutate(rest, kind, item, None, context)
    _name(rest, kind, metadata)
    kind.prepare_create(item, context)
    _validate(rest, kind, item)
    context.warnings.extend(kind.warnings(item))
    rest.rules.check(rest, kind, item, None, context, "CREATE")
    return _store(rest, kind, key_of(metadata.get("namespace", ""), metadata["name"]), item, context)


def record(rest: Rest, kind: Kind, namespace: str, item: JsonObject, context: Context) -> Stored:
    """Create what a part of this process has made whole and by the rules: it is admitted and stored.

    For what is written with every pod. Measured on events: decoding, checking and noting the fields' owner
    once more takes longer than all the rest.
    """
    if kind.converts:
        item = kind.to_stored(item)
    metadata = metadata_of(item)
    settle_namespace(kind, metadata, namespace)
    fill(kind, metadata, context, rest.identity)
    rest.rules.mutate(rest, kind, item, None, context)
    return _store(rest, kind, key_of(namespace, metadata["name"]), item, context)


def _name(rest: Rest, kind: Kind, metadata: JsonObject) -> None:
    base = metadata.get("generateName")
    if metadata.get("name") or not base:
        return
    for _ in range(_ATTEMPTS):
        name = rest.identity.name(base)
        if rest.store.get(kind.names.resource, key_of(metadata.get("namespace", ""), name)) is None:
            metadata["name"] = name
            return
    raise _names_used_up(kind, name)


def _names_used_up(kind: Kind, name: str) -> ApiError:
    taken = already_exists(kind.names.resource, name)
    body = taken.body or {}
    message = f"{body['message']}, the server was not able to generate a unique name for the object"
    return refusal(409, "AlreadyExists", message, details={**body["details"], "retryAfterSeconds": 1})


def _validate(rest: Rest, kind: Kind, item: JsonObject) -> None:
    errors = [*rest.rules.validate_metadata(item, kind), *kind.validate(item)]
    if errors:
        name = item["metadata"].get("name") or ""
        raise invalid(kind.names.kind, kind.names.group, name, errors)


def _store(rest: Rest, kind: Kind, key: str, item: JsonObject, context: Context) -> Stored:
    resource = kind.names.resource
    item["metadata"].pop("resourceVersion", None)
    try:
        if not context.dry_run:
            return rest.store.create(resource, key, item)
        there = rest.store.get(resource, key)
    except KeyError:
        there = rest.store.get(resource, key)
    if there is not None:
        raise _exists(resource, there)
    return Draft(resource, key, rest.store.version, item)


def _exists(resource: str, there: Stored) -> ApiError:
    metadata = there.object["metadata"]
    error = already_exists(resource, metadata["name"])
    if "deletionTimestamp" not in metadata or error.body is None:
        return error
    message = f"object is being deleted: {error.reason}"
    return refusal(409, "AlreadyExists", message, details=error.body["details"])
