"""From JSON (bytes, or a parsed dict) to structs and back, with errors that name the field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from nominee.errors import InputError
from nominee.model.kinds import CLUSTER_SCOPED, EARLIER_VERSIONS, KINDS, group_of
from nominee.model.meta import NamedObject
from nominee.model.validate import validate_object

__all__ = ["KINDS", "decode", "decode_object", "decode_objects", "encode_object"]

T = TypeVar("T")

_NULLS: Mapping[str, str] = {
    **dict.fromkeys(("labels", "annotations", "matchLabels", "nodeSelector"), ""),
    **dict.fromkeys(("requests", "limits", "allocatable", "capacity", "overhead", "allocatedResources"), "0"),
}
"""Maps whose entries may be null, and what Go reads a null entry as."""

_JSON_NAMES = {str: "str", bool: "bool", int: "int", float: "float", list: "array", dict: "object"}
_PLACE = re.compile(r"(?P<problem>.*) - at `\$\.?(?P<path>.*)`", re.DOTALL)
_GOT = re.compile(r"got `(\w+)`")
_STEP = re.compile(r"\[\.\.\.\]|\[[0-9]+\]|[^.\[]+")


def decode(struct: type[T], data: bytes | Mapping[str, Any], source: str | None = None) -> T:
    """Decode JSON bytes or an already parsed object; raises InputError with source and field.

    A `null` for a list, map or text means an empty one, as it does in Go. That is repaired only
    when decoding fails, so that the usual object pays nothing for it.
    """
    try:
        return _decode(struct, data)
    except msgspec.ValidationError:
        return _decode_repaired(struct, data, source)
    except msgspec.DecodeError as error:
        raise InputError(f"not JSON: {error}", source=source) from None


def _decode(struct: type[T], data: bytes | Mapping[str, Any]) -> T:
    if isinstance(data, bytes):
        return msgspec.json.decode(data, type=struct)
    return msgspec.convert(data, struct)


def _decode_repaired(struct: type[T], data: bytes | Mapping[str, Any], source: str | None) -> T:
    plain = _without_nulls(msgspec.json.decode(data) if isinstance(data, bytes) else data)
    try:
        return msgspec.convert(plain, struct)
    except msgspec.ValidationError as error:
        problem, field = _located(str(error), plain)
        raise InputError(problem, source=source, field=field) from None


def _without_nulls(value: Any, parent: str = "") -> Any:
    if isinstance(value, list | tuple):
        return [_without_nulls(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    kept = {}
    for key, item in value.items():
        if item is not None:
            kept[key] = _without_nulls(item, key)
        elif parent in _NULLS:
            kept[key] = _NULLS[parent]
    return kept


def _located(message: str, plain: Any) -> tuple[str, str | None]:
    """Split a msgspec message into what is wrong and where, in Kubernetes' way to write a field."""
    match = _PLACE.fullmatch(message)
    if match is None:
        return _lowered(message), None
    got = _GOT.search(match["problem"])
    steps = _STEP.findall(match["path"])
    found = _resolve(plain, steps, got[1] if got else "")
    return _lowered(match["problem"]), _written(steps if found is None else found)


def _lowered(problem: str) -> str:
    return (problem[:1].lower() + problem[1:]).replace("`", "'")


def _resolve(value: Any, steps: list[str], got: str) -> list[str] | None:
    """Find the key that msgspec leaves out as `[...]`: the first that leads to a value of that type."""
    if not steps:
        return [] if not got or _JSON_NAMES.get(type(value)) == got else None
    for step, item in _follow(value, steps[0]):
        rest = _resolve(item, steps[1:], got)
        if rest is not None:
            return [step, *rest]
    return None


def _follow(value: Any, step: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        keys = value if step == "[...]" else [step]
        yield from ((f"[{key}]" if step == "[...]" else key, value[key]) for key in keys if key in value)
    elif isinstance(value, list) and step.startswith("["):
        places = range(len(value)) if step == "[...]" else [int(step[1:-1])]
        yield from ((f"[{place}]", value[place]) for place in places if place < len(value))


def _written(steps: list[str]) -> str:
    text = "".join(step if step.startswith("[") else f".{step}" for step in steps)
    return text.removeprefix(".")


def decode_object(data: Mapping[str, Any], source: str | None = None) -> NamedObject:
    """Decode and check an object by its `apiVersion` and `kind`.

    An object of a namespaced kind that names no namespace belongs to `default`, as with kubectl.
    """
    struct = _struct_of(data, source)
    item = decode(struct, data, source)
    try:
        validate_object(item)
    except InputError as error:
        raise error.at(source=source) from None
    if item.namespace or struct.KIND in CLUSTER_SCOPED:
        return item
    metadata = msgspec.structs.replace(item.metadata, namespace="default")
    return msgspec.structs.replace(item, metadata=metadata)


def decode_objects(data: Mapping[str, Any], source: str | None = None) -> Iterator[NamedObject]:
    """Decode an object, or each object of a `kind: List`."""
    if data.get("kind") != "List":
        yield decode_object(data, source)
        return
    items = data.get("items") or []
    if not isinstance(items, list):
        raise InputError("must be a list of objects", source=source, field="items")
    for position, item in enumerate(items):
        try:
            yield decode_object(item, source)
        except InputError as error:
            raise error.at(field=f"items[{position}]") from None


def _struct_of(data: Mapping[str, Any], source: str | None) -> type[NamedObject]:
    if not isinstance(data, Mapping):
        raise InputError(f"expected an object with a kind, got {_quoted(data)}", source=source)
    kind = data.get("kind")
    struct = KINDS.get(kind) if isinstance(kind, str) else None
    if struct is None:
        known = ", ".join(sorted(KINDS))
        fault = "an object needs a kind" if kind is None else f"unknown kind {_quoted(kind)}"
        raise InputError(f"{fault}: expected one of {known}", source=source, field="kind")
    version = data.get("apiVersion")
    if not isinstance(version, str) or not _is_version_of(struct, version):
        fault = (
            "an object needs an apiVersion" if version is None else f"{_quoted(version)} has no kind {kind!r}"
        )
        message = f"{fault}: expected {struct.API_VERSION!r}"
        raise InputError(message, source=source, field="apiVersion")
    return struct


def _is_version_of(struct: type[NamedObject], version: str) -> bool:
    same_group = group_of(version) == group_of(struct.API_VERSION)
    return same_group and (version == struct.API_VERSION or version in EARLIER_VERSIONS)


def _quoted(value: Any) -> str:
    """What stands in the object, as one would write it there."""
    return repr(value) if isinstance(value, str) else f"{msgspec.json.encode(value).decode():.60}"


def encode_object(item: NamedObject) -> dict[str, Any]:
    """Return an object as JSON values, with `apiVersion` and `kind`, without fields at their default."""
    # By way of JSON, because to_builtins leaves tuples, which equal no list.
    fields = msgspec.json.decode(msgspec.json.encode(item))
    return {"apiVersion": item.API_VERSION, "kind": item.KIND, **fields}
