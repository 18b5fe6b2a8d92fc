"""The envelope around every object: what it is, and its bytes.

apimachinery/pkg/runtime/serializer/protobuf/protobuf.go and pkg/runtime/types_proto.go, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass

from nominee.apiserver.protobuf.wire import BrokenError, fields, text

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
_MAGIC = b"k8s\x00"


@dataclass(frozen=True, slots=True)
class Envelope:
    """An object in bytes, with what it says it is."""

    api_version: str
    kind: str
    raw: bytes


def open_envelope(data: bytes) -> Envelope:
    """Read the envelope; raises `BrokenError`."""
    if not data.startswith(_MAGIC):
        magic = " ".join(map(str, _MAGIC))
        raise BrokenError(
            f"provided data does not appear to be a protobuf message, expected prefix [{magic}]"
        )
    parts = {n: value for n, _, value in fields(data[len(_MAGIC) :]) if isinstance(value, bytes)}
    if parts.get(3):
        raise BrokenError("an encoding of the content is not supported")
    meta = {n: text(v) for n, _, v in fields(parts.get(1, b"")) if isinstance(v, bytes)}
    return Envelope(meta.get(1, ""), meta.get(2, ""), parts.get(2, b""))
