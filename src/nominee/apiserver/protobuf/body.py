"""A body in protobuf as the tree that it would be in JSON."""

from __future__ import annotations

from functools import cache

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.protobuf.envelope import open_envelope
from nominee.apiserver.protobuf.numbers import messages
from nominee.apiserver.protobuf.reading import read_message
from nominee.apiserver.schema.catalogue import CATALOGUE
from nominee.apiserver.schema.type import Struct

_DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"


def read_protobuf(data: bytes) -> JsonObject | None:
    """The object, or None if nobody knows its kind in protobuf; raises `BrokenError`."""
    envelope = open_envelope(data)
    struct = _struct(envelope.api_version, envelope.kind)
    if struct is None:
        return None
    tree = read_message(envelope.raw, struct)
    return {"apiVersion": envelope.api_version, "kind": envelope.kind, **tree}


@cache
def _kinds() -> dict[tuple[str, str], str]:
    """Full names of types by apiVersion and kind."""
    found = {}
    for name in messages():
        kind = CATALOGUE.type(name).kind if name in CATALOGUE else None
        if kind is not None:
            group, version, short = kind
            found[f"{group}/{version}" if group else version, short] = name
    return found


def _struct(api_version: str, kind: str) -> Struct | None:
    name = _DELETE_OPTIONS if kind == "DeleteOptions" else _kinds().get((api_version, kind))
    return CATALOGUE.type(name) if name else None
