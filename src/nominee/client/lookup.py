"""Kinds that nominee has no use for, and plugins may: where a server has them, asked when first needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TypeVar

import msgspec

from nominee.client.client import Client
from nominee.client.resources import Resource
from nominee.errors import InputError, TransportError
from nominee.model.base import ApiStruct

L = TypeVar("L")


class _Served(ApiStruct, frozen=True):
    name: str = ""
    kind: str = ""
    namespaced: bool = False


class _ResourceList(ApiStruct, frozen=True):
    resources: tuple[_Served, ...] = ()


class _Version(ApiStruct, frozen=True):
    version: str = ""


class _Group(ApiStruct, frozen=True):
    name: str = ""
    preferred_version: _Version = _Version()


class _GroupList(ApiStruct, frozen=True):
    groups: tuple[_Group, ...] = ()


async def look_up(client: Client, kind: str) -> Resource:
    """The resource of a kind, which the client knows from then on; raises InputError if the server has none.

    Where several groups have a kind of that name, the core group wins, then the first in the server's order.
    """
    if known := client.resources.get(kind):
        return known
    async for group, version in _groups(client):
        root = Resource(kind, "", group, (version,)).root
        for served in (await _read(client, root, _ResourceList)).resources:
            if served.kind == kind and "/" not in served.name:
                found = Resource(kind, served.name, group, (version,), served.namespaced)
                client.resources[kind] = found
                return found
    raise InputError(f"the server has no kind {kind!r}")


async def _groups(client: Client) -> AsyncIterator[tuple[str, str]]:
    yield "", "v1"
    for group in (await _read(client, "/apis", _GroupList)).groups:
        yield group.name, group.preferred_version.version


async def _read(client: Client, path: str, form: type[L]) -> L:
    try:
        return msgspec.json.decode(await client.send("GET", path), type=form)
    except msgspec.MsgspecError as error:
        raise TransportError(f"{path}: the server's answer is no list: {error}") from None
