"""The API server seen from outside: a plain HTTP client that shares no code with nominee."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

Object = dict[str, Any]

# kind -> (group and version, plural, namespaced)
KINDS = {
    "Binding": ("v1", "bindings", True),
    "ClusterRole": ("rbac.authorization.k8s.io/v1", "clusterroles", False),
    "ClusterRoleBinding": ("rbac.authorization.k8s.io/v1", "clusterrolebindings", False),
    "CSIDriver": ("storage.k8s.io/v1", "csidrivers", False),
    "CSINode": ("storage.k8s.io/v1", "csinodes", False),
    "Deployment": ("apps/v1", "deployments", True),
    "DeviceClass": ("resource.k8s.io/v1", "deviceclasses", False),
    "Event": ("events.k8s.io/v1", "events", True),
    "Lease": ("coordination.k8s.io/v1", "leases", True),
    "Namespace": ("v1", "namespaces", False),
    "Node": ("v1", "nodes", False),
    "PersistentVolume": ("v1", "persistentvolumes", False),
    "PersistentVolumeClaim": ("v1", "persistentvolumeclaims", True),
    "Pod": ("v1", "pods", True),
    "PodDisruptionBudget": ("policy/v1", "poddisruptionbudgets", True),
    "PriorityClass": ("scheduling.k8s.io/v1", "priorityclasses", False),
    "ResourceClaim": ("resource.k8s.io/v1", "resourceclaims", True),
    "ResourceSlice": ("resource.k8s.io/v1", "resourceslices", False),
    "RoleBinding": ("rbac.authorization.k8s.io/v1", "rolebindings", True),
    "StorageClass": ("storage.k8s.io/v1", "storageclasses", False),
}
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


class Refused(Exception):  # noqa: N818  (the server's word for it)
    """The API server said no."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text[:400]}")
        self.status = status


class Missing(Refused):
    """There is no such object."""


class Expired(Exception):  # noqa: N818  (likewise)
    """The server no longer knows what happened since: list again."""


class Api:
    """Objects are JSON trees; a path is built of kind, namespace, name and subresource."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self.url = url
        self._session = session

    @classmethod
    @asynccontextmanager
    async def connect(cls, url: str, token: str, authority: Path) -> AsyncIterator[Api]:
        tls = ssl.create_default_context(cafile=str(authority))
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=tls, limit=128),
            headers={"Authorization": f"Bearer {token}"},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=120),
            read_bufsize=1 << 22,
        ) as session:
            yield cls(url, session)

    async def call(self, method: str, path: str, body: Any = None, **options: Any) -> Object:
        try:
            return await self._call(method, path, body, **options)
        except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
            # The connection was one to a server that was since restarted.
            return await self._call(method, path, body, **options)

    async def _call(self, method: str, path: str, body: Any, **options: Any) -> Object:
        async with self._session.request(method, self.url + path, json=body, **options) as answer:
            text = await answer.text()
            if answer.status >= 400:
                raise (Missing if answer.status == 404 else Refused)(answer.status, text)
            parsed: Object = json.loads(text)
            return parsed

    async def get(self, kind: str, name: str, namespace: str = "") -> Object:
        return await self.call("GET", path_of(kind, namespace, name))

    async def all(self, kind: str, namespace: str = "") -> list[Object]:
        """All objects of a namespace, or of the cluster."""
        return (await self.list_at(kind, namespace))[0]

    async def list_at(self, kind: str, namespace: str = "") -> tuple[list[Object], str]:
        """All objects and the version from which a watch goes on."""
        answer = await self.call("GET", path_of(kind, namespace))
        return answer["items"], answer["metadata"]["resourceVersion"]

    async def create(self, item: Object) -> Object:
        return await self.call("POST", path_of(item["kind"], item["metadata"].get("namespace", "")), item)

    async def create_all(self, items: Iterable[Object], width: int = 32) -> None:
        todo = iter(items)

        async def work() -> None:
            for item in todo:
                await self.create(item)

        await asyncio.gather(*(work() for _ in range(width)))

    async def patch(
        self, kind: str, name: str, patch: Object, *, namespace: str = "", subresource: str = ""
    ) -> Object:
        """A merge patch."""
        headers = {"Content-Type": MERGE}
        return await self.call("PATCH", path_of(kind, namespace, name, subresource), patch, headers=headers)

    async def update(self, item: Object, subresource: str = "") -> Object:
        meta = item["metadata"]
        path = path_of(item["kind"], meta.get("namespace", ""), meta["name"], subresource)
        return await self.call("PUT", path, item)

    async def delete(self, kind: str, name: str, namespace: str = "", *, grace: int | None = None) -> None:
        query = "" if grace is None else f"?gracePeriodSeconds={grace}"
        await self.call("DELETE", path_of(kind, namespace, name) + query)

    async def delete_all(self, kind: str, namespace: str = "") -> None:
        await self.call("DELETE", path_of(kind, namespace) + "?gracePeriodSeconds=0")

    async def watch(self, kind: str, since: str, namespace: str = "") -> AsyncIterator[tuple[str, Object]]:
        """(type, object) from that version on, over all ends of connections; bookmarks included."""
        while True:
            query = f"?watch=1&resourceVersion={since}&allowWatchBookmarks=true"
            try:
                async with self._session.get(self.url + path_of(kind, namespace) + query) as answer:
                    answer.raise_for_status()
                    async for line in answer.content:
                        event = json.loads(line)
                        if event["type"] == "ERROR":
                            raise Expired(event["object"])
                        since = event["object"]["metadata"]["resourceVersion"]
                        yield event["type"], event["object"]
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)  # the server is away or still waking up: ask again until it is back


def path_of(kind: str, namespace: str = "", name: str = "", subresource: str = "") -> str:
    version, plural, namespaced = KINDS[kind]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    scope = f"/namespaces/{namespace}" if namespaced and namespace else ""
    return "/".join([f"{root}{scope}/{plural}", *(part for part in (name, subresource) if part)])
