"""A client that costs as little as it can, because it runs on the same cores as what it measures."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from base64 import b64decode
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import urlsplit

PODS_PATH = "/api/v1/namespaces/default/pods"


class Access:
    """Where the server is and what it wants to see."""

    def __init__(self, kubeconfig: dict[str, Any]) -> None:
        cluster = kubeconfig["clusters"][0]["cluster"]
        parts = urlsplit(cluster["server"])
        self.host, self.port = parts.hostname or "", parts.port or 443
        ca = b64decode(cluster["certificate-authority-data"]).decode()
        self.tls = ssl.create_default_context(cadata=ca)
        self.head = (
            f"Host: {self.host}\r\nAuthorization: Bearer {kubeconfig['users'][0]['user']['token']}\r\n"
            "Accept: application/json\r\n"
        )

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection of one's own."""
        return await asyncio.open_connection(self.host, self.port, ssl=self.tls, limit=2**22)

    def get(self, path: str) -> bytes:
        return f"GET {path} HTTP/1.1\r\n{self.head}\r\n".encode()

    def post(self, path: str, body: bytes) -> bytes:
        head = f"POST {path} HTTP/1.1\r\n{self.head}Content-Type: application/json\r\n"
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Poster(asyncio.Protocol):
    """Sends one request after the other over a connection, each when the one before is answered."""

    def __init__(self, requests: Iterator[bytes], done: asyncio.Future[None]) -> None:
        self._requests = requests
        self._done = done
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._next()

    def _next(self) -> None:
        request = next(self._requests, None)
        if request is None:
            self._transport.close()
            if not self._done.done():
                self._done.set_result(None)
        else:
            self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        low = head.lower()
        at = low.index(b"content-length:") + 15
        length = int(low[at : (low + b"\r\n").index(b"\r\n", at)])
        if len(body) < length:
            return
        if not head.startswith(b"HTTP/1.1 201"):
            self._done.set_exception(RuntimeError(f"{head!r} {body!r}"))
            return
        self._buffer = b""
        self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._done.done():
            self._done.set_exception(exc or RuntimeError("the server has closed the connection"))


class Bound:
    """Counts pods with a node, as a watch tells of them."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._names: set[bytes] = set()
        self.first = self.last = 0.0

    def __len__(self) -> int:
        return len(self._names)

    async def until(self, count: int) -> None:
        """Watch until so many are bound."""
        reader, writer = await self._access.connect()
        writer.write(self._access.get(f"{PODS_PATH}?watch=true&resourceVersion=0"))
        while len(self._names) < count:
            line = await reader.readline()
            if not line:
                raise RuntimeError("the watch has ended")
            if b'"nodeName":"' in line:
                self._note(line)
        writer.close()

    def _note(self, line: bytes) -> None:
        start = line.index(b'"name":"') + 8
        name = line[start : line.index(b'"', start)]
        if name not in self._names:
            self._names.add(name)
            self.last = time.perf_counter()
            self.first = self.first or self.last


def pod(number: int) -> bytes:
    """What somebody sends who creates a pod."""
    resources = {"requests": {"cpu": "10m", "memory": "20Mi"}}
    container = {"name": "pause", "image": "registry.k8s.io/pause:3.10", "resources": resources}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"pod-{number}", "labels": {"app": "bench"}},
            "spec": {"containers": [container]},
        }
    ).encode()


async def post_pods(access: Access, count: int, parallel: int) -> None:
    """Create pods, so many connections at a time."""
    loop = asyncio.get_running_loop()
    requests = (access.post(PODS_PATH, pod(number)) for number in range(count))
    done = [loop.create_future() for _ in range(parallel)]
    for each in done:
        await loop.create_connection(
            lambda f=each: Poster(requests, f), access.host, access.port, ssl=access.tls
        )
    await asyncio.gather(*done)


async def ready_nodes(access: Access) -> int:
    """How many nodes say that they are ready."""
    reader, writer = await access.connect()
    writer.write(access.get("/api/v1/nodes").replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    found = (await reader.read(-1)).count(b'"type":"Ready"')
    writer.close()
    return found


async def sleeper(access: Access) -> asyncio.StreamWriter:
    """Somebody who watches everything and never reads an answer."""
    _, writer = await access.connect()
    cast("asyncio.Transport", writer.transport).pause_reading()
    writer.write(access.get("/api/v1/pods?watch=true"))
    return writer
