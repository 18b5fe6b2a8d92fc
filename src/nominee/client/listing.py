"""Lists and watches of a client: all objects there are, and what changes from then on."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from nominee.client.client import Client, query
from nominee.client.objects import Event, Undecodable, decode_events, decode_page
from nominee.client.resources import Resource
from nominee.errors import Expired
from nominee.model.meta import NamedObject

T = TypeVar("T", bound=NamedObject)

PAGE_SIZE = 500
WATCH_SECONDS = 300
"""A watch lasts this long to twice as long, so that many do not end at the same time
(client-go/tools/cache/reflector.go, v1.37)."""
SILENCE_SECONDS = 150.0
"""A server sends bookmarks every minute; one that says nothing at all for so long is not there any more."""


@dataclass(frozen=True, slots=True)
class Selection(Generic[T]):
    """Which objects: all of a kind, or those in a namespace, with these labels, with these fields."""

    struct: type[T]
    namespace: str = ""
    labels: str = ""
    fields: str = ""


@dataclass(slots=True)
class Listing(Generic[T]):
    """All objects of a selection as they were at a version."""

    version: str
    items: list[T]
    undecodable: list[Undecodable] = field(default_factory=list)


async def list_objects(client: Client, selection: Selection[T], version: str = "") -> Listing[T]:
    """List in pages.

    version   "" asks for the newest state, "0" for any that the server has at hand, which is quicker
    """
    resource = client.resource(selection.struct.KIND)
    try:
        return await _list_pages(client, selection, resource, version)
    except Expired:
        # The pages' common version is past the server's window: all of it at once, then.
        return await _list_pages(client, selection, resource, "", limit=None)


async def _list_pages(
    client: Client,
    selection: Selection[T],
    resource: Resource,
    version: str,
    limit: int | None = PAGE_SIZE,
) -> Listing[T]:
    listing: Listing[T] = Listing("", [])
    token = ""
    while True:
        parameters = query(
            labelSelector=selection.labels,
            fieldSelector=selection.fields,
            limit=limit,
            resourceVersion="" if token else version,
            **{"continue": token},
        )
        body = await client.send("GET", resource.collection(selection.namespace) + parameters)
        meta, items, faults = decode_page(selection.struct, body)
        listing.items += items
        listing.undecodable += faults
        listing.version = meta.resource_version
        token = meta.continue_
        if not token:
            return listing


async def watch_objects(
    client: Client,
    selection: Selection[T],
    version: str,
    *,
    seconds: int | None = None,
    silence: float = SILENCE_SECONDS,
) -> AsyncGenerator[list[Event[T] | Undecodable]]:
    """What happens after a version, as it arrives; ends when the server ends it.

    Raises Expired if the version is past the server's window, TransportError if the connection breaks or
    nothing at all arrives for `silence` seconds.
    """
    lasting = seconds or int(WATCH_SECONDS * (1 + random.random()))  # noqa: S311 - spreads load, no secret
    target = client.resource(selection.struct.KIND).collection(selection.namespace) + query(
        watch="true",
        allowWatchBookmarks="true",
        resourceVersion=version,
        timeoutSeconds=lasting,
        labelSelector=selection.labels,
        fieldSelector=selection.fields,
    )
    async for lines in client.lines(target, lasting + silence, silence):
        events, error = decode_events(selection.struct, lines)
        if events:
            yield events
        if error is not None:
            raise error
