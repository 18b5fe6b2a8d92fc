"""Secrets.

The rules of ValidateSecret of pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.config_maps import SIZE_LIMIT, decoded_size, validate_immutable
from nominee.apiserver.kinds.field_errors import IMMUTABLE, invalid, required, too_long
from nominee.apiserver.kinds.table import AGE, NAME, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

_ACCOUNT = "kubernetes.io/service-account.name"
_REQUIRED_KEYS: Mapping[str, tuple[str, ...]] = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
_JSON_TYPES = ("kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson")


class SecretKind(Kind):
    """Secrets."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        if not item.get("type"):
            item["type"] = "Opaque"
        if plain := item.pop("stringData", None):
            encoded = {key: base64.b64encode(text.encode()).decode() for key, text in plain.items()}
            item["data"] = {**(item.get("data") or {}), **encoded}

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        errors = list(validate_immutable(item, old, "data"))
        if item.get("type") != old.get("type"):
            errors.insert(0, invalid("type", item.get("type") or "", IMMUTABLE))
        return [*errors, *_validate(item)]

    def fields(self, item: JsonObject) -> Mapping[str, str]:
        return {**super().fields(item), "type": item.get("type") or ""}

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        entries = len(item.get("data") or ())
        return [item["metadata"]["name"], item.get("type") or "", entries, age_of(item, now)]


def _validate(item: Mapping[str, Any]) -> Iterator[FieldError]:
    data, kind = item.get("data") or {}, item.get("type") or ""
    for key in data:
        for fault in syntax.config_key(key):
            yield invalid(f"data[{key}]", key, fault)
    if sum(map(decoded_size, data.values())) > SIZE_LIMIT:
        yield too_long("data", SIZE_LIMIT)
    for key in _REQUIRED_KEYS.get(kind, ()):
        if key not in data:
            yield required(f"data[{key}]")
        elif kind in _JSON_TYPES and not _holds_object(data[key]):
            yield invalid(f"data[{key}]", "<secret contents redacted>", "invalid character")
    yield from _validate_type(kind, item, data)


def _validate_type(kind: str, item: Mapping[str, Any], data: Mapping[str, str]) -> Iterator[FieldError]:
    if kind == "kubernetes.io/service-account-token":
        if not (item["metadata"].get("annotations") or {}).get(_ACCOUNT):
            yield required(f"metadata.annotations[{_ACCOUNT}]")
    elif kind == "kubernetes.io/basic-auth" and "username" not in data and "password" not in data:
        yield required("data[username]")
        yield required("data[password]")
    elif kind == "kubernetes.io/ssh-auth" and not data.get("ssh-privatekey"):
        yield required("data[ssh-privatekey]")


def _holds_object(encoded: str) -> bool:
    try:
        return isinstance(json.loads(base64.b64decode(encoded)), dict)
    except (ValueError, binascii.Error, RecursionError):
        return False


SECRETS = SecretKind(
    Names("Secret", "secrets", "secret"),
    schema="io.k8s.api.core.v1.Secret",
    columns=(NAME, *shown("Type", "Data"), AGE),
    field_labels=("metadata.name", "metadata.namespace", "type"),
)
