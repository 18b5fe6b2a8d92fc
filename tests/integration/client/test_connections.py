"""Connections: kept, dropped, made through a proxy."""

from __future__ import annotations

import asyncio
import base64
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from nominee.client import Access, Client, Trust
from nominee.client.credentials import Fixed, Proof
from nominee.errors import ConfigError, InputError, TransportError
from tests.integration.client.conftest import Pauses
from tests.integration.client.stub import StubServer, answer, cut, serving, silence
from tests.integration.client.test_tls import CA, SERVER, server_context

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(talk: Talk) -> AsyncIterator[int]:
    """A port of loopback at which somebody talks."""
    tasks: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await talk(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


# -- kept and dropped -----------------------------------------------------------------------------


async def test_side_by_side_requests_have_connections_of_their_own(
    server: StubServer, client: Client
) -> None:
    server.on("GET", "/version", answer({}))
    await asyncio.gather(*(client.raw("/version") for _ in range(5)))
    await asyncio.gather(*(client.raw("/version") for _ in range(5)))
    assert 1 <= len(server.connections) <= 5


async def test_a_connection_the_server_closed_is_not_used_again(client: Client, server: StubServer) -> None:
    server.on("GET", "/version", answer({}, headers={"Connection": "close"}))
    await client.raw("/version")
    await client.raw("/version")
    assert len(server.connections) == 2


async def test_an_old_connection_is_not_used_again(
    client: Client, server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nominee.client.transport.IDLE_SECONDS", -1.0)
    server.on("GET", "/version", answer({}))
    await client.raw("/version")
    await client.raw("/version")
    assert len(server.connections) == 2


async def test_a_request_that_was_given_up_takes_its_connection_along(
    client: Client, server: StubServer
) -> None:
    server.on("GET", "/slow", silence)
    server.on("GET", "/version", answer({}))
    task = asyncio.create_task(client.raw("/slow"))
    await server.until(lambda: bool(server.asked))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await client.raw("/version") == b"{}"
    assert len(server.connections) == 2


async def test_a_cut_connection_is_not_used_again(client: Client, server: StubServer) -> None:
    server.on("GET", "/version", cut, answer({}))
    assert await client.raw("/version") == b"{}"
    assert len(server.connections) == 2


async def test_a_watch_closes_its_connection() -> None:
    ended = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nline\n")
        await writer.drain()
        with suppress(ConnectionError):
            await reader.read()
        ended.set()

    async with listening(talk) as port, Client(Access(server=f"http://127.0.0.1:{port}")) as client:
        lines = client.lines("/watch", 60, 60)
        assert await anext(lines) == b"line"
        await lines.aclose()
        async with asyncio.timeout(5):
            await ended.wait()


async def test_a_reader_that_does_not_keep_up_holds_the_server_back() -> None:
    line, sent = b"x" * 65535 + b"\n", 0

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(1000):
            writer.write(line)
            await writer.drain()
            sent += 1

    async with listening(flood) as port, Client(Access(server=f"http://127.0.0.1:{port}")) as client:
        lines = client.lines("/watch", 60, 60)
        received = (await anext(lines)).count(b"x" * 65535)
        before = -1
        while sent != before:  # until it stands still
            before = sent
            await asyncio.sleep(0.05)
        assert sent < 500
        async for batch in lines:
            received += batch.count(b"x" * 65535)
        assert received == 1000


async def test_what_talks_no_http() -> None:
    async def hello(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"220 mail.example.com ESMTP\r\n\r\n")
        await writer.drain()
        await reader.read()

    async with listening(hello) as port:
        access = Access(server=f"http://127.0.0.1:{port}")
        async with Client(access, attempts=1) as client:
            with pytest.raises(TransportError, match="not HTTP"):
                await client.raw("/version")


# -- what is sent ---------------------------------------------------------------------------------


async def test_the_path_of_the_server_comes_first(server: StubServer, pauses: Pauses) -> None:
    server.on("GET", "/k8s/clusters/c-1/version", answer({}))
    async with Client(Access(server=f"{server.url}/k8s/clusters/c-1"), sleep=pauses) as client:
        assert await client.raw("/version") == b"{}"


@pytest.mark.parametrize("target", ["/a b", "/a\r\nX: y", "/ä"])
async def test_a_path_must_be_quoted(client: Client, target: str) -> None:
    with pytest.raises(InputError, match="quoted"):
        await client.raw(target)


async def test_names_are_quoted(client: Client, server: StubServer) -> None:
    server.on("GET", "/api/v1/nodes/a%2Fb", answer({}))
    server.on("GET", "/api/v1/nodes/ä b", answer({"ä": 1}))
    assert await client.get("Node", "ä b") == {"ä": 1}


async def test_a_token_with_a_line_break_is_no_header(server: StubServer) -> None:
    access = Access(server=server.url, credentials=Fixed(Proof("Bearer a\r\nX: y")), source="file")
    async with Client(access) as client:
        with pytest.raises(ConfigError, match="file: what goes into the header Authorization"):
            await client.raw("/version")


async def test_headers_of_the_access_are_sent(server: StubServer, client: Client) -> None:
    server.on("GET", "/version", answer({}))
    headers = (("Impersonate-User", "jane"), ("Impersonate-Group", "a"))
    async with Client(replace(client.access, headers=headers)) as made:
        await made.raw("/version")
    assert server.asked[0].headers["Impersonate-User"] == "jane"
    assert server.asked[0].headers["Host"] == server.url.removeprefix("http://")


# -- proxies --------------------------------------------------------------------------------------


class Proxy:
    """Passes everything on, and keeps what it was asked."""

    def __init__(self, refusal: bytes = b"") -> None:
        self.heads: list[bytes] = []
        self._refusal = refusal

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head)
        if self._refusal:
            writer.write(self._refusal)
            await writer.drain()
            return
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        address = target if method == "CONNECT" else target.split("/")[2]
        host, _, port = address.rpartition(":")
        there_reader, there_writer = await asyncio.open_connection(host, int(port))
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            there_writer.write(head.replace(f"http://{address}".encode(), b"", 1))
        try:
            await asyncio.gather(pump(reader, there_writer), pump(there_reader, writer))
        finally:
            there_writer.close()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


async def test_tls_through_a_proxy(tmp_path: Path) -> None:
    proxy = Proxy()
    async with serving(server_context(tmp_path, SERVER)) as server, listening(proxy.talk) as port:
        server.on("GET", "/version", answer({}))
        trust = Trust(authorities=CA.pem)
        access = Access(server=server.url, trust=trust, proxy=f"http://jane:p%40ss@127.0.0.1:{port}")
        async with Client(access, attempts=1) as client:
            assert await client.raw("/version") == b"{}"
            assert await client.raw("/version") == b"{}"
    (head,) = proxy.heads
    address = server.url.removeprefix("https://")
    assert head.startswith(f"CONNECT {address} HTTP/1.1\r\nHost: {address}\r\n".encode())
    assert b"Proxy-Authorization: Basic " + base64.b64encode(b"jane:p@ss") in head


async def test_plain_http_through_a_proxy(server: StubServer) -> None:
    proxy = Proxy()
    server.on("GET", "/version", answer({}))
    async with listening(proxy.talk) as port:
        access = Access(server=server.url, proxy=f"http://127.0.0.1:{port}")
        async with Client(access, attempts=1) as client:
            assert await client.raw("/version") == b"{}"
    assert proxy.heads[0].startswith(f"GET {server.url}/version HTTP/1.1\r\n".encode())


async def test_a_proxy_that_refuses() -> None:
    proxy = Proxy(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
    async with listening(proxy.talk) as port:
        access = Access(server="https://somewhere:6443", proxy=f"http://jane:secret@127.0.0.1:{port}")
        async with Client(access, attempts=1) as client:
            with pytest.raises(TransportError, match=r"the proxy 127.0.0.1:\d+ answered 407") as caught:
                await client.raw("/version")
    assert not caught.value.sent
    assert "secret" not in str(caught.value)


async def test_a_proxy_that_is_not_there() -> None:
    """It is the proxy that is named: the server was never spoken to."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        proxy = f"127.0.0.1:{closed.getsockname()[1]}"
    access = Access(server="https://somewhere:6443", proxy=f"http://jane:secret@{proxy}")
    async with Client(access, attempts=1) as client:
        with pytest.raises(TransportError, match=f"through the proxy {proxy}: connection refused"):
            await client.raw("/version")
