"""Binds pods to nodes in turn, without scheduling: what a client in Python can get out of an API server.

    python -m tools.ceiling KUBECONFIG

Lists and watches pods, binds each that has no node, and writes the event of it. A race between schedulers
(docs/performance.md) is read against this one: the rest is what deciding costs.
"""

from __future__ import annotations

import asyncio
import itertools
import ssl
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any

import aiohttp
import orjson
import uvloop
import yaml

WIDTH = 64
"""Bindings under way; events have as many of their own."""


Pods = asyncio.Queue[dict[str, Any]]


class Client:
    """One session with one server."""

    def __init__(self, session: aiohttp.ClientSession, base: str) -> None:
        self._session = session
        self._base = base

    async def get(self, path: str) -> Any:
        async with self._session.get(self._base + path) as answer:
            return orjson.loads(await answer.read())

    async def post(self, path: str, body: dict[str, Any]) -> None:
        data = orjson.dumps(body)
        headers = {"Content-Type": "application/json"}
        async with self._session.post(self._base + path, data=data, headers=headers) as answer:
            await answer.read()

    async def follow(self, path: str, pods: Pods) -> None:
        """Queue what is there, and what comes."""
        found = await self.get(path)
        for pod in found["items"]:
            pods.put_nowait(pod)
        version = found["metadata"]["resourceVersion"]
        async with self._session.get(f"{self._base}{path}?watch=1&resourceVersion={version}") as answer:
            async for line in answer.content:
                event = orjson.loads(line)
                if event["type"] == "ADDED":
                    pods.put_nowait(event["object"])


async def _bind(
    client: Client, pods: asyncio.Queue[dict[str, Any]], done: asyncio.Queue[Any], nodes: Any
) -> None:
    while True:
        pod = await pods.get()
        if pod["spec"].get("nodeName"):
            continue
        metadata, node = pod["metadata"], next(nodes)
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/binding"
        target = {"kind": "Node", "name": node}
        named = {key: metadata[key] for key in ("namespace", "name", "uid")}
        await client.post(path, {"apiVersion": "v1", "kind": "Binding", "metadata": named, "target": target})
        done.put_nowait((pod, node))


async def _tell(client: Client, done: asyncio.Queue[Any], numbers: Any) -> None:
    while True:
        pod, node = await done.get()
        metadata = pod["metadata"]
        regarding = {key: metadata[key] for key in ("namespace", "name", "uid")}
        event = {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"namespace": metadata["namespace"], "name": f"{metadata['name']}.{next(numbers)}"},
            "eventTime": "2026-01-01T00:00:00.000000Z",
            "type": "Normal",
            "reason": "Scheduled",
            "action": "Binding",
            "note": f"Successfully assigned {metadata['namespace']}/{metadata['name']} to {node}",
            "reportingController": "ceiling",
            "reportingInstance": "ceiling",
            "regarding": {"apiVersion": "v1", "kind": "Pod", **regarding},
        }
        await client.post(f"/apis/events.k8s.io/v1/namespaces/{metadata['namespace']}/events", event)


async def main(kubeconfig: dict[str, Any]) -> None:
    """Bind until somebody ends it."""
    cluster, user = kubeconfig["clusters"][0]["cluster"], kubeconfig["users"][0]["user"]
    if "certificate-authority" in cluster:
        authority = ssl.create_default_context(cafile=cluster["certificate-authority"])
    else:
        data = b64decode(cluster["certificate-authority-data"]).decode()
        authority = ssl.create_default_context(cadata=data)
    connector = aiohttp.TCPConnector(limit=2 * WIDTH + 2, ssl=authority)
    headers = {"Authorization": f"Bearer {user['token']}"}
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(
        connector=connector, headers=headers, timeout=timeout, read_bufsize=1 << 24
    ) as session:
        client = Client(session, cluster["server"])
        nodes = itertools.cycle(
            [node["metadata"]["name"] for node in (await client.get("/api/v1/nodes"))["items"]]
        )
        pods: Pods = asyncio.Queue()
        done: asyncio.Queue[Any] = asyncio.Queue()
        numbers = itertools.count()
        await asyncio.gather(
            client.follow("/api/v1/pods", pods),
            *(_bind(client, pods, done, nodes) for _ in range(WIDTH)),
            *(_tell(client, done, numbers) for _ in range(WIDTH)),
        )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tools.ceiling KUBECONFIG")
    uvloop.run(main(yaml.safe_load(Path(sys.argv[1]).read_text())))
