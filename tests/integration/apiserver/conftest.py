"""A server that listens, over a store in memory, and a client that sends what it is told to."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import orjson
import pytest

from nominee.apiserver.assembly import rest_of
from nominee.apiserver.http.connection import Patience
from nominee.apiserver.http.front import Front
from nominee.apiserver.http.server import Limits, Server, tls_context
from nominee.apiserver.rest import Rest
from nominee.driver.clock import SystemClock
from nominee.embedded.pki import credentials
from nominee.store.history import Window
from nominee.store.memory import MemoryStore

TOKEN = "open-sesame"
WINDOW = 100
"""Changes of a kind that the server remembers."""

PATIENCE = Patience(head=0.3, body=0.3, idle=30.0, write=0.3, linger=0.3)


@dataclass
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


class Client:
    """Asks with the token, unless told otherwise."""

    def __init__(self, session: aiohttp.ClientSession, port: int) -> None:
        self._session = session
        self.port = port

    async def ask(
        self, method: str, path: str, body: Any = None, *, token: str = TOKEN, **headers: str
    ) -> Reply:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            named["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, bytes):
            body = orjson.dumps(body)
            named.setdefault("Content-Type", "application/json")
        url = f"http://127.0.0.1:{self.port}{path}"
        request = self._session.request(
            method, url, data=body, headers=named, skip_auto_headers=("Content-Type", "Accept")
        )
        async with request as answer:
            return Reply(answer.status, answer.headers, await answer.read())

    async def get(self, path: str, **headers: str) -> Reply:
        return await self.ask("GET", path, **headers)

    async def post(self, path: str, body: Any, **headers: str) -> Reply:
        return await self.ask("POST", path, body, **headers)

    async def put(self, path: str, body: Any, **headers: str) -> Reply:
        return await self.ask("PUT", path, body, **headers)

    async def delete(self, path: str, body: Any = None, **headers: str) -> Reply:
        return await self.ask("DELETE", path, body, **headers)

    async def patch(self, path: str, body: Any, kind: str = "merge") -> Reply:
        media = "application/apply-patch+yaml" if kind == "apply" else f"application/{kind}-patch+json"
        return await self.ask("PATCH", path, body, Content_Type=media)

    async def watch(self, path: str) -> AsyncIterator[Any]:
        """Events, until the server says that it is enough."""
        url = f"http://127.0.0.1:{self.port}{path}"
        async with self._session.get(url, headers={"Authorization": f"Bearer {TOKEN}"}) as answer:
            assert answer.status == 200, await answer.text()
            async for line in answer.content:
                yield orjson.loads(line)


@pytest.fixture
def rest() -> Rest:
    rest = rest_of(MemoryStore(window=Window(changes=WINDOW)), clock=SystemClock())
    for name in ("default", "kube-system"):
        rest.create("namespaces", "", {"metadata": {"name": name}}, rest.context())
    return rest


@pytest.fixture
async def server(rest: Rest) -> AsyncIterator[Server]:
    server = Server(Front(rest, TOKEN), Limits(patience=PATIENCE))
    await server.start("127.0.0.1", 0)
    yield server
    await server.stop()


@pytest.fixture
def port(server: Server) -> int:
    return server.port


@pytest.fixture
async def client(port: int) -> AsyncIterator[Client]:
    async with aiohttp.ClientSession() as session:
        yield Client(session, port)


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    directory = tmp_path_factory.mktemp("pki")
    made = credentials(directory, ())
    ca = directory / "ca-for-clients.crt"
    ca.write_bytes(made.ca)
    return made.certificate, made.key, ca


@dataclass
class Secure:
    """Where a server with TLS is, and how to talk to it."""

    url: str
    ca: Path
    kubeconfig: Path


@pytest.fixture
async def secure(rest: Rest, certificates: tuple[Path, Path, Path], tmp_path: Path) -> AsyncIterator[Secure]:
    certificate, key, ca = certificates
    server = Server(Front(rest, TOKEN), Limits(patience=PATIENCE))
    context: ssl.SSLContext = tls_context(certificate, key)
    url = f"https://127.0.0.1:{await server.start('127.0.0.1', 0, context)}"
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_bytes(orjson.dumps(_kubeconfig(url, ca)))
    yield Secure(url, ca, kubeconfig)
    await server.stop()


def _kubeconfig(url: str, ca: Path) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": url, "certificate-authority": str(ca)}}],
        "users": [{"name": "u", "user": {"token": TOKEN}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
