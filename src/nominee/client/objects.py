"""Lists and watch events, from bytes straight to structs; what can not be decoded is named and left out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, TypeVar

import msgspec

from nominee.client.failures import error_of_status
from nominee.errors import ApiError, InputError, TransportError
from nominee.model.base import ApiStruct
from nominee.model.codec import decode
from nominee.model.meta import NamedObject, ObjectMeta

T = TypeVar("T", bound=NamedObject)
Change = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]


@dataclass(frozen=True, slots=True)
class Undecodable:
    """An object that the server has and that nominee can not read; `key` is empty if not even that much."""

    kind: str
    key: str
    uid: str
    version: str
    problem: str
    change: Change = "ADDED"


class ListMeta(ApiStruct, frozen=True):
    """What a list says of itself; its names are those of the API."""

    resource_version: str = ""
    continue_: str = msgspec.field(name="continue", default="")


class Page(ApiStruct, Generic[T], frozen=True):
    """A list, or a part of one."""

    metadata: ListMeta = ListMeta()
    items: tuple[T, ...] | None = None


class Event(ApiStruct, Generic[T], frozen=True):
    """A change, as a watch tells it."""

    type: Change
    object: T


class _RawPage(ApiStruct, frozen=True):
    metadata: ListMeta = ListMeta()
    items: tuple[msgspec.Raw, ...] | None = None


class _RawEvent(ApiStruct, frozen=True):
    type: str
    object: msgspec.Raw


class _Named(ApiStruct, frozen=True):
    metadata: ObjectMeta = ObjectMeta()


@cache
def _page_decoder(struct: type[T]) -> msgspec.json.Decoder[Page[T]]:
    return msgspec.json.Decoder(Page[struct])  # type: ignore[valid-type]


@cache
def _event_decoder(struct: type[T]) -> msgspec.json.Decoder[Event[T]]:
    return msgspec.json.Decoder(Event[struct])  # type: ignore[valid-type]


def decode_page(struct: type[T], body: bytes) -> tuple[ListMeta, list[T], list[Undecodable]]:
    """The items of a list. One by one only if that fails for all of them together."""
    try:
        page = _page_decoder(struct).decode(body)
    except msgspec.ValidationError:
        return _decode_one_by_one(struct, body)
    except msgspec.DecodeError as error:
        raise TransportError(f"the server's list is not JSON: {error}") from None
    return page.metadata, list(page.items or ()), []


def _decode_one_by_one(struct: type[T], body: bytes) -> tuple[ListMeta, list[T], list[Undecodable]]:
    try:
        page = msgspec.json.decode(body, type=_RawPage)
    except msgspec.DecodeError as error:
        raise TransportError(f"the server's answer is no list: {error}") from None
    items: list[T] = []
    faults: list[Undecodable] = []
    for raw in page.items or ():
        item = _decode_item(struct, raw, "ADDED")
        if isinstance(item, Undecodable):
            faults.append(item)
        else:
            items.append(item)
    return page.metadata, items, faults


def decode_events(
    struct: type[T], lines: bytes
) -> tuple[list[Event[T] | Undecodable], ApiError | TransportError | None]:
    """The events in complete lines, and the error that comes after them, if they end in one."""
    try:
        return _event_decoder(struct).decode_lines(lines), None  # type: ignore[return-value]
    except msgspec.MsgspecError:
        return _decode_line_by_line(struct, lines)


def _decode_line_by_line(
    struct: type[T], lines: bytes
) -> tuple[list[Event[T] | Undecodable], ApiError | TransportError | None]:
    events: list[Event[T] | Undecodable] = []
    for line in filter(None, lines.split(b"\n")):
        event = _decode_event(struct, line)
        if isinstance(event, ApiError | TransportError):
            return events, event
        events.append(event)
    return events, None


def _decode_event(struct: type[T], line: bytes) -> Event[T] | Undecodable | ApiError | TransportError:
    try:
        return _event_decoder(struct).decode(line)
    except msgspec.MsgspecError:
        pass
    try:
        raw = msgspec.json.decode(line, type=_RawEvent)
        if raw.type == "ERROR":
            return error_of_status(_tree(raw.object))
        change = msgspec.convert(raw.type, Change)
    except msgspec.MsgspecError as error:
        return TransportError(f"what the server sends is no watch: {error}")
    item = _decode_item(struct, raw.object, change)
    return item if isinstance(item, Undecodable) else Event(change, item)


def _decode_item(struct: type[T], raw: msgspec.Raw, change: Change) -> T | Undecodable:
    try:
        return decode(struct, bytes(raw))
    except InputError as error:
        meta = _metadata(raw)
        key = f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name
        return Undecodable(struct.KIND, key, meta.uid, meta.resource_version, str(error), change)


def _metadata(raw: msgspec.Raw) -> ObjectMeta:
    """As much of an object's identity as can be read: the rest may be what is wrong with it."""
    try:
        return msgspec.json.decode(raw, type=_Named).metadata
    except msgspec.MsgspecError:
        meta = _tree(raw).get("metadata")
        named = meta if isinstance(meta, dict) else {}
        texts = {"name", "namespace", "uid", "resourceVersion"} & named.keys()
        return msgspec.convert(
            {text: named[text] for text in texts if isinstance(named[text], str)}, ObjectMeta
        )


def _tree(raw: msgspec.Raw) -> dict[str, Any]:
    tree = msgspec.json.decode(raw)
    return tree if isinstance(tree, dict) else {}
