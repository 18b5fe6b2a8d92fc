"""What a server serves: which kinds, in which versions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import msgspec

from nominee.client.client import Client
from nominee.client.resources import RESOURCES, Resource
from nominee.errors import Forbidden, NotFound, TransportError
from nominee.model.base import ApiStruct


class _Served(ApiStruct, frozen=True):
    name: str = ""


class _ResourceList(ApiStruct, frozen=True):
    resources: tuple[_Served, ...] = ()


async def discover(client: Client, kinds: Iterable[str] = RESOURCES) -> frozenset[str]:
    """Find out which of these kinds the server has; from then on the client uses the version found.

    Answers with the kinds that are served. A server that does not let us look is taken to have everything
    in the preferred version.
    """
    wanted = [RESOURCES[kind] for kind in kinds]
    roots = {resource.at(version).root for resource in wanted for version in resource.versions}
    served = dict(zip(roots, await asyncio.gather(*(_plurals(client, root) for root in roots)), strict=True))
    found = {resource.kind: _first_served(resource, served) for resource in wanted}
    client.resources |= {kind: resource for kind, resource in found.items() if resource is not None}
    return frozenset(kind for kind, resource in found.items() if resource is not None)


async def _plurals(client: Client, root: str) -> frozenset[str] | None:
    """What a group and version has; None if we may not know."""
    try:
        body = await client.send("GET", root)
        listed = msgspec.json.decode(body, type=_ResourceList)
    except NotFound:
        return frozenset()
    except Forbidden:
        return None
    except msgspec.MsgspecError as error:
        raise TransportError(f"{root}: the server's answer is no list of resources: {error}") from None
    return frozenset(served.name for served in listed.resources)


def _first_served(resource: Resource, served: dict[str, frozenset[str] | None]) -> Resource | None:
    for version in resource.versions:
        candidate = resource.at(version)
        plurals = served[candidate.root]
        if plurals is None or resource.plural in plurals:
            return candidate
    return None
