"""Patches: read, change, write; and apply, which may create.

apiserver/pkg/endpoints/handlers/patch.go, v1.37.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from nominee.apiserver.kind import Context, JsonObject, Kind
from nominee.apiserver.rest.creating import create
from nominee.apiserver.rest.draft import own
from nominee.apiserver.rest.go_text import go_text
from nominee.apiserver.rest.metadata import metadata_of, name_of
from nominee.apiserver.rest.rules import Writer
from nominee.apiserver.rest.updating import Part, check_uid, update
from nominee.apiserver.status import FieldError, bad_request, invalid, not_found, refusal
from nominee.errors import ApiError
from nominee.store.ports import Stored

if TYPE_CHECKING:
    from nominee.apiserver.rest.rest import Rest


@dataclass(frozen=True, slots=True)
class Patch:
    """What a client wants changed.

    type         json, merge, strategic or apply
    body         the patch; of an apply the object, with apiVersion and kind
    subresource  the part that it concerns
    api_version  the version of the object that it is written for; "" is that of storage
    force        apply takes fields over from other managers
    validation   Ignore, Warn or Strict: what is done about fields that nobody knows
    """

    type: str
    body: Any
    subresource: str = ""
    api_version: str = ""
    force: bool = False
    validation: str = "Ignore"


def patch(rest: Rest, kind: Kind, key: str, change: Patch, context: Context) -> Stored:
    """Apply a JSON, merge or strategic merge patch to what is there."""
    old = rest.get(kind.names.resource, key)
    item = patched(rest, kind, shown(kind, old.object, change.api_version), change)
    item = decoded(rest, kind, item, change, context)
    if not metadata_of(item).get("name"):
        raise nameless(name_of(key))
    return update(rest, kind, old, item, context, Part(change.subresource, by_uid=False))


def patched(rest: Rest, kind: Kind, live: JsonObject, change: Patch) -> JsonObject:
    """The object after the patch: a copy of its own, of the right kind."""
    function = rest.rules.patches.get(change.type)
    if function is None:
        raise refusal(415, "UnsupportedMediaType", f"patches of type {change.type!r} are not supported")
    item = own(function(kind, live, change.body))
    for name in ("apiVersion", "kind"):
        if item.get(name) != live[name]:
            raise _other_kind(item, live)
    return item


def _other_kind(item: JsonObject, live: JsonObject) -> Exception:
    told = f"{item.get('apiVersion')}, Kind={item.get('kind')}"
    return bad_request(f"the patch makes {live['kind']} {live['apiVersion']} into another kind: {told}")


def nameless(name: str) -> ApiError:
    """400: a patch or an update has left the object without its name."""
    return bad_request(
        f"the name of the object ({name} based on URL) was undeterminable: name must be provided"
    )


def decoded(rest: Rest, kind: Kind, item: JsonObject, change: Patch, context: Context) -> JsonObject:
    """The object as its type has it; fields that nobody knows are refused, or the client is told."""
    try:
        item, problems = rest.rules.decode(kind, item)
    except ApiError as error:
        if change.type == "apply":
            raise
        raise _unfit(item, change, str(error.__cause__ or error)) from error
    if not problems or change.validation == "Ignore":
        return item
    if change.validation == "Warn":
        context.warnings.extend(problems)
        return item
    told = "strict decoding error: " + ", ".join(problems)
    if change.type == "apply":
        raise bad_request(f"error decoding YAML: {told}")
    raise _unfit(item, change, told)


def _unfit(item: JsonObject, change: Patch, why: str) -> ApiError:
    """422: what a patch makes is no object of its kind. Shown is a strategic merge patch, else the result."""
    shown = go_text(change.body) if change.type == "strategic" else orjson.dumps(item).decode()
    error = FieldError("patch", "FieldValueInvalid", f"Invalid value: {json.dumps(shown)}: {why}")
    return invalid("", "", "", [error])


def shown(kind: Kind, item: JsonObject, api_version: str) -> JsonObject:
    """A stored object in the version of a request."""
    api_version = api_version or kind.names.api_version
    return item if item["apiVersion"] == api_version else kind.to_version(item, api_version)


def apply(rest: Rest, kind: Kind, key: str, change: Patch, context: Context) -> tuple[Stored, bool]:
    """Server-side apply; tells whether it has created the object."""
    if rest.rules.apply is None:
        raise refusal(415, "UnsupportedMediaType", "server-side apply is not supported")
    old = rest.store.get(kind.names.resource, key)
    api_version = change.body["apiVersion"]
    if old is None:
        _may_create(kind, key, change)
    live = shown(kind, old.object, api_version) if old else None
    writer = Writer(context.manager, change.subresource, context.now, api_version)
    applied = rest.rules.apply(kind, live, change.body, writer, force=change.force)
    item = decoded(rest, kind, own(applied), change, context)
    if old is None:
        metadata_of(item).setdefault("name", name_of(key))
        return create(rest, kind, key.rpartition("/")[0], item, context, noted=True), True
    return update(rest, kind, old, item, context, Part(change.subresource, noted=True)), False


def _may_create(kind: Kind, key: str, change: Patch) -> None:
    if change.subresource:
        raise not_found(kind.names.resource, name_of(key))
    metadata = change.body.get("metadata")
    uid = metadata.get("uid") if isinstance(metadata, dict) else None
    check_uid(kind.names.resource, None, uid, key)
