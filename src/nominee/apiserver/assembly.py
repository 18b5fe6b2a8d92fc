"""The verbs with all that they ask for: who checks metadata, who admits, who patches, who knows the types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nominee.apiserver import admission
from nominee.apiserver.crd.custom_kind import CustomKind
from nominee.apiserver.crd.definition import CUSTOM_RESOURCE_DEFINITIONS
from nominee.apiserver.crd.definitions import Definitions
from nominee.apiserver.kind import JsonObject, Kind
from nominee.apiserver.kinds import BUILTIN
from nominee.apiserver.kinds.metadata import validate_metadata, validate_metadata_update
from nominee.apiserver.patches.json_patch import json_patch
from nominee.apiserver.patches.managed_fields.apply import Application, apply
from nominee.apiserver.patches.managed_fields.reset import reset_fields
from nominee.apiserver.patches.managed_fields.tracking import note_update
from nominee.apiserver.patches.merge_patch import merge_patch
from nominee.apiserver.patches.strategic_merge_patch import strategic_merge_patch
from nominee.apiserver.registry import Registry
from nominee.apiserver.rest import Rest, Rules
from nominee.apiserver.rest.identity import Identity
from nominee.apiserver.rest.rules import Connect, Writer
from nominee.apiserver.schema.catalogue import CATALOGUE
from nominee.apiserver.schema.decoding import decode_or_refuse
from nominee.apiserver.schema.type import Struct
from nominee.apiserver.subresources.binding import bind
from nominee.apiserver.subresources.eviction import evict
from nominee.clock import Clock
from nominee.store.ports import Store

CONNECTS: Mapping[tuple[str, str], Connect] = {
    ("pods", "binding"): bind,
    ("pods", "eviction"): evict,
}
"""Subresources that are verbs of their own."""


def rest_of(
    store: Store,
    *,
    clock: Clock,
    features: Mapping[str, bool] | None = None,
    identity: Identity | None = None,
) -> Rest:
    """The verbs over a store, with the kinds that are built in and those that definitions have brought."""
    registry = Registry((*BUILTIN, CUSTOM_RESOURCE_DEFINITIONS))
    rest = Rest(store, registry, clock=clock, features=features, rules=rules(), identity=identity)
    Definitions(rest).start()
    return rest


def rules() -> Rules:
    """Everybody in their places."""
    return Rules(
        mutate=admission.mutate,
        check=admission.check,
        decode=_decode,
        validate_metadata=validate_metadata,
        validate_metadata_update=validate_metadata_update,
        note=_note,
        apply=_apply,
        patches={"json": _json_patch, "merge": _merge_patch, "strategic": _strategic_merge_patch},
        connects=CONNECTS,
    )


def _decode(kind: Kind, item: JsonObject) -> tuple[JsonObject, Sequence[str]]:
    if isinstance(kind, CustomKind):
        return kind.decode(item)
    decoded = decode_or_refuse(item, _struct(kind, item["apiVersion"]))
    return decoded.item, decoded.unknown


def _struct(kind: Kind, api_version: str) -> Struct:
    if isinstance(kind, CustomKind):
        return kind.type_in(api_version)
    return CATALOGUE.type(kind.schema_of(api_version))


def _note(kind: Kind, item: JsonObject, old: JsonObject | None, writer: Writer) -> None:
    note_update(item, old, _struct(kind, writer.api_version), writer, reset_fields(kind, writer.subresource))


def _apply(
    kind: Kind, live: JsonObject | None, applied: JsonObject, writer: Writer, *, force: bool
) -> JsonObject:
    struct = _struct(kind, applied["apiVersion"])
    how = Application(struct, writer, reset_fields(kind, writer.subresource), force)
    return apply(live, applied, how)


def _json_patch(_: Kind, item: JsonObject, patch: Any) -> JsonObject:
    patched: JsonObject = json_patch(item, patch)
    return patched


def _merge_patch(_: Kind, item: JsonObject, patch: Any) -> JsonObject:
    return merge_patch(item, patch)


def _strategic_merge_patch(kind: Kind, item: JsonObject, patch: Any) -> JsonObject:
    return strategic_merge_patch(item, patch, _struct(kind, item["apiVersion"]))
