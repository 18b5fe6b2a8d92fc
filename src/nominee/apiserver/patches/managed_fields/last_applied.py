"""The annotation of client-side apply: what server-side apply by kubectl reads from it and keeps in it.

apimachinery/pkg/util/managedfields/internal/lastappliedmanager.go and lastappliedupdater.go, v1.37.
"""

from __future__ import annotations

from typing import Any

import orjson

from nominee.apiserver.patches.managed_fields.comparison import compare
from nominee.apiserver.patches.managed_fields.field_sets import fields_of
from nominee.apiserver.patches.managed_fields.sets import Fields, difference
from nominee.apiserver.patches.managed_fields.validation import complaint
from nominee.apiserver.schema.type import Struct

ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"

_MOST_BYTES = 256 * 1024

JsonObject = dict[str, Any]


def allowed_conflicts(live: JsonObject, type_: Struct, api_version: str) -> Fields:
    """Fields that client-side apply has set and that still have its values."""
    applied = _read(_annotation(live), type_, api_version)
    if applied is None:
        return {}
    seen = compare(applied, live, type_)
    return difference(difference(fields_of(applied, type_), seen.changed), seen.removed)


def _annotation(item: JsonObject) -> str:
    annotations = item.get("metadata", {}).get("annotations") or {}
    text = annotations.get(ANNOTATION)
    return text if isinstance(text, str) else ""


def _read(text: str, type_: Struct, api_version: str) -> JsonObject | None:
    if not text:
        return None
    try:
        applied = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(applied, dict) or applied.get("apiVersion") != api_version:
        return None
    return None if complaint(applied, type_) else applied


def with_last_applied(item: JsonObject, applied: JsonObject) -> JsonObject:
    """With the annotation brought up to date, where the object has one."""
    if not _annotation(item):
        return item
    text = orjson.dumps(_without_annotation(applied), option=orjson.OPT_SORT_KEYS).decode() + "\n"
    annotations = {**item["metadata"]["annotations"], ANNOTATION: text}
    if sum(len(key) + len(value) for key, value in annotations.items()) > _MOST_BYTES:
        del annotations[ANNOTATION]
    return {**item, "metadata": {**item["metadata"], "annotations": annotations}}


def _without_annotation(applied: JsonObject) -> JsonObject:
    metadata = applied.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    if ANNOTATION not in annotations:
        return applied
    rest = {key: value for key, value in annotations.items() if key != ANNOTATION}
    return {**applied, "metadata": {**metadata, "annotations": rest}}
