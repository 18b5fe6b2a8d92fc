"""Requests to an API server: every verb, retried where that is safe, failing with nominee's errors."""

from __future__ import annotations

import asyncio
import enum
import time
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

import orjson

from nominee import __version__
from nominee.client.access import Access
from nominee.client.failures import error_of, retry_after
from nominee.client.http1 import Headers
from nominee.client.pace import Backoff, RateLimit, Sleep
from nominee.client.resources import RESOURCES, Resource
from nominee.client.transport import Answer, Request, Transport
from nominee.errors import ApiError, InputError, TransportError

USER_AGENT = f"nominee/{__version__}"
JSON = "application/json"
ATTEMPTS = 5
LONGEST_RETRY_AFTER = 30.0


class PatchType(enum.Enum):
    """How a patch is meant."""

    STRATEGIC_MERGE = "application/strategic-merge-patch+json"
    MERGE = "application/merge-patch+json"
    JSON = "application/json-patch+json"
    APPLY = "application/apply-patch+yaml"


class Client:
    """An API server, by its verbs. Belongs to one event loop; close it, or use it with `async with`.

    limit      how many requests a second, None for any number
    timeout    seconds that a request may take
    attempts   how often to send a request at most
    sleep      how to wait, for tests

    `kind` is the name of a kind that nominee knows, or a `Resource`; `key` is `namespace/name`, or the name
    alone where the kind has no namespaces. Objects are JSON trees.

    Raises ApiError if the server refuses and TransportError if it does not answer. What the server has
    certainly not acted on is tried again: a refused connection, 429 with the pause that it asks for. After
    a broken connection or a time-out nobody knows, and only what is harmless twice is sent twice: reads, and
    writes whose caller says `repeatable`.
    """

    def __init__(
        self,
        access: Access,
        *,
        user_agent: str = USER_AGENT,
        limit: RateLimit | None = None,
        timeout: float = 30.0,
        attempts: int = ATTEMPTS,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.access = access
        self.resources: dict[str, Resource] = dict(RESOURCES)
        self.transport = Transport(access, user_agent)
        self.sleep = sleep
        self._limit = limit
        self._timeout = timeout
        self._attempts = attempts

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self.transport.close()

    def resource(self, kind: str | Resource) -> Resource:
        """The resource of a kind, in the version in use."""
        if isinstance(kind, Resource):
            return kind
        if found := self.resources.get(kind):
            return found
        raise InputError(f"unknown kind {kind!r}: the server has {', '.join(sorted(self.resources))}")

    # -- verbs ----------------------------------------------------------------------------------

    async def get(self, kind: str | Resource, key: str, *, subresource: str = "") -> dict[str, Any]:
        """The object as it is now."""
        return object_in(await self.send("GET", self.resource(kind).item(key, subresource)))

    async def create(
        self, kind: str | Resource, item: dict[str, Any], *, namespace: str = "", repeatable: bool = False
    ) -> dict[str, Any]:
        """Create an object, in its own namespace or in the given one; answers with what was created."""
        namespace = namespace or item.get("metadata", {}).get("namespace", "")
        path = self.resource(kind).collection(namespace)
        return object_in(await self.send("POST", path, orjson.dumps(item), repeatable=repeatable))

    async def create_subresource(
        self, kind: str | Resource, key: str, subresource: str, item: dict[str, Any]
    ) -> dict[str, Any]:
        """Create a subresource of an object: a binding, an eviction."""
        path = self.resource(kind).item(key, subresource)
        return object_in(await self.send("POST", path, orjson.dumps(item)))

    async def update(
        self, kind: str | Resource, item: dict[str, Any], *, subresource: str = ""
    ) -> dict[str, Any]:
        """Replace an object, or a subresource; only if the `resourceVersion` that it names is current."""
        path = self.resource(kind).item(_key_of(item), subresource)
        return object_in(await self.send("PUT", path, orjson.dumps(item)))

    async def patch(
        self,
        kind: str | Resource,
        key: str,
        patch: Any,
        how: PatchType = PatchType.MERGE,
        *,
        subresource: str = "",
        repeatable: bool = False,
    ) -> dict[str, Any]:
        """Change an object, or a subresource of it."""
        path = self.resource(kind).item(key, subresource)
        if how is PatchType.APPLY:
            path += "?fieldManager=nominee&force=true"
        body = orjson.dumps(patch)
        return object_in(await self.send("PATCH", path, body, how.value, repeatable=repeatable))

    async def delete(
        self,
        kind: str | Resource,
        key: str,
        *,
        uid: str = "",
        grace_seconds: int | None = None,
    ) -> dict[str, Any]:
        """Delete an object, if it is the one with that uid, with its own grace period or the given one."""
        options: dict[str, Any] = {"apiVersion": "v1", "kind": "DeleteOptions"}
        if uid:
            options["preconditions"] = {"uid": uid}
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        path = self.resource(kind).item(key)
        # Deleting the very object a second time does nothing, or finds it gone.
        return object_in(await self.send("DELETE", path, orjson.dumps(options), repeatable=bool(uid)))

    async def raw(self, path: str) -> bytes:
        """Whatever the server has at a path: `/readyz`, `/version`."""
        return await self.send("GET", path)

    # -- one request ----------------------------------------------------------------------------

    async def send(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        content_type: str = JSON,
        *,
        repeatable: bool = False,
        seconds: float | None = None,
    ) -> bytes:
        """Send a request, again where that is safe; answers with the body. `seconds` limits each attempt."""
        request = Request(method, target, body, content_type)
        repeatable = repeatable or method == "GET"
        backoff = Backoff(first=0.1, longest=5.0)
        attempt = 1
        while True:
            try:
                answer = await self._ask(request, seconds or self._timeout)
            except TransportError as error:
                if attempt >= self._attempts or (error.sent and not repeatable):
                    raise
                pause = backoff.pause()
            else:
                if answer.status < 300:
                    return answer.body
                refusal = error_of(answer.status, answer.headers, answer.body, time.time())
                wait = _pause(refusal, answer.headers, backoff, repeatable=repeatable)
                if wait is None or attempt >= self._attempts:
                    raise refusal
                pause = wait
            attempt += 1
            await self.sleep(pause)

    async def lines(self, target: str, seconds: float, silence: float) -> AsyncGenerator[bytes]:
        """The answer to a GET without an end, as it arrives: one or more whole lines at a time."""
        if self._limit is not None:
            await self._limit.take()
        async with self.transport.stream(Request("GET", target), seconds, silence) as stream:
            if stream.status >= 300:
                raise error_of(stream.status, stream.headers, await stream.read(), time.time())
            rest: list[bytes] = []
            async for piece in stream.pieces():
                whole, newline, begun = piece.rpartition(b"\n")
                if not newline:
                    rest.append(piece)
                    continue
                yield b"".join((*rest, whole))
                rest = [begun] if begun else []

    async def _ask(self, request: Request, seconds: float) -> Answer:
        if self._limit is not None:
            await self._limit.take()
        return await self.transport.send(request, seconds)


def _pause(refusal: ApiError, headers: Headers, backoff: Backoff, *, repeatable: bool) -> float | None:
    """The seconds after which the same request may succeed; None if it will not, or must not be sent twice.

    A server that says when to come back has not acted (client-go/rest/with_retry.go, v1.37).
    """
    if refusal.status != 429 and refusal.status < 500:
        return None
    asked = retry_after(headers, refusal.body, time.time())
    if asked is not None:
        return max(asked, backoff.pause()) if asked <= LONGEST_RETRY_AFTER else None
    return backoff.pause() if refusal.status == 429 or repeatable else None


def object_in(body: bytes) -> dict[str, Any]:
    """The object that an answer holds; what is none counts as no answer. Raises TransportError."""
    try:
        tree = orjson.loads(body) if body else {}
    except orjson.JSONDecodeError as error:
        raise TransportError(f"the API server's answer is not JSON: {error}") from None
    if not isinstance(tree, dict):
        raise TransportError("the API server's answer is no object")
    return tree


def _key_of(item: dict[str, Any]) -> str:
    meta = item.get("metadata", {})
    name: str = meta.get("name", "")
    namespace = meta.get("namespace")
    return f"{namespace}/{name}" if namespace else name


def query(**parameters: str | int | None) -> str:
    """A query string, with its question mark, of those parameters that are given; empty for none."""
    given = {name: value for name, value in parameters.items() if value not in (None, "")}
    return "?" + urlencode(given) if given else ""
