"""The Lease by which replicas agree on a leader: read, and written if nobody else wrote meanwhile.

Reproduces client-go/tools/leaderelection/resourcelock/leaselock.go, v1.37.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from nominee.client import Client, object_in
from nominee.errors import InputError, NotFound, TransportError
from nominee.model.codec import decode
from nominee.model.coordination import Lease, LeaseSpec


@dataclass(frozen=True, slots=True)
class Record:
    """A lease as it stands: what an election reads of it, and the whole object around that."""

    spec: LeaseSpec
    item: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def holder(self) -> str:
        return self.spec.holder_identity or ""

    @property
    def transitions(self) -> int:
        return self.spec.lease_transitions or 0


class LeaseLock(Protocol):
    """Where a lease is kept. Calls raise ApiError, or TransportError if they took longer than `seconds`."""

    async def get(self, seconds: float) -> Record | None:
        """The lease, None if there is none."""
        ...

    async def create(self, spec: LeaseSpec, seconds: float) -> Record:
        """Create it. Raises Conflict if somebody else was first."""
        ...

    async def update(self, record: Record, spec: LeaseSpec, seconds: float) -> Record:
        """Replace it, if it is as it was read. Raises Conflict if it is not."""
        ...


class ApiLease:
    """A Lease object at the API server.

    client   of its own, without a limit and without repeated attempts: an election has its own rhythm
    key      its namespace and name
    """

    def __init__(self, client: Client, key: str) -> None:
        self._client = client
        self._key = key
        self._path = client.resource("Lease").item(key)

    def __str__(self) -> str:
        return self._key

    async def get(self, seconds: float) -> Record | None:
        try:
            return await self._ask(seconds, "GET", self._path)
        except NotFound:
            return None

    async def create(self, spec: LeaseSpec, seconds: float) -> Record:
        namespace, _, name = self._key.rpartition("/")
        item = {
            "apiVersion": Lease.API_VERSION,
            "kind": Lease.KIND,
            "metadata": {"namespace": namespace, "name": name},
            "spec": _fields(spec),
        }
        return await self._ask(seconds, "POST", self._path.rpartition("/")[0], item)

    async def update(self, record: Record, spec: LeaseSpec, seconds: float) -> Record:
        kept = {name: value for name, value in record.item.get("spec", {}).items() if name in _NOT_OURS}
        item = {**record.item, "spec": {**kept, **_fields(spec)}}
        return await self._ask(seconds, "PUT", self._path, item)

    async def _ask(
        self, seconds: float, method: str, path: str, item: dict[str, Any] | None = None
    ) -> Record:
        body = orjson.dumps(item) if item is not None else None
        try:
            async with asyncio.timeout(seconds):  # around everything, renewing credentials too
                tree = object_in(await self._client.send(method, path, body, seconds=seconds))
        except TimeoutError:
            raise TransportError("the API server did not answer in time") from None
        try:
            return Record(decode(Lease, tree, self._key).spec, tree)
        except InputError:
            # Whatever stands there, nobody can be said to hold it; the next write puts it in order.
            return Record(LeaseSpec(), tree)


_NOT_OURS = ("strategy", "preferredHolder")


def _fields(spec: LeaseSpec) -> dict[str, Any]:
    return {
        "holderIdentity": spec.holder_identity or "",
        "leaseDurationSeconds": spec.lease_duration_seconds,
        "acquireTime": spec.acquire_time,
        "renewTime": spec.renew_time,
        "leaseTransitions": spec.lease_transitions or 0,
    }
