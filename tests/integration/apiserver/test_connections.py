"""Connections as nobody should use them: each is answered or cut off, and the server stays."""

import asyncio
import contextlib
import time
from typing import Any

import pytest

AUTHORIZED = b"Host: x\r\nAuthorization: Bearer open-sesame\r\n"


async def exchange(port: int, *parts: bytes, seconds: float = 5.0) -> bytes:
    """Send bytes as they are; what comes back until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
        async with asyncio.timeout(seconds):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


def request(line: bytes, headers: bytes = b"", body: bytes = b"") -> bytes:
    return line + b" HTTP/1.1\r\nConnection: close\r\n" + AUTHORIZED + headers + b"\r\n" + body


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET nowhere HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: \x00\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n", 417),
        (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 300 + b"\r\n", 431),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 431),
        (b"A" * 70_000, 431),
    ],
)
async def test_what_is_no_http_is_refused(port: int, data: bytes, status: int) -> None:
    answer = await exchange(port, data)
    assert answer.startswith(b"HTTP/1.1 %d " % status), answer[:80]


async def test_a_body_that_is_too_long_is_not_read(port: int) -> None:
    head = request(b"POST /api/v1/namespaces/default/configmaps", b"Content-Length: 3145729\r\n")
    answer = await exchange(port, head)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"Request entity too large: limit is 3145728" in answer


async def test_neither_is_one_in_chunks(port: int) -> None:
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    head = request(b"POST /api/v1/namespaces/default/configmaps", b"Transfer-Encoding: chunked\r\n")
    answer = await exchange(port, head, chunk, chunk, chunk, chunk)
    assert answer.startswith(b"HTTP/1.1 413 ") or answer == b""


async def test_a_body_in_chunks_is_read(port: int) -> None:
    head = request(b"POST /api/v1/namespaces/default/configmaps", b"Transfer-Encoding: chunked\r\n")
    chunks = (b'd\r\n{"metadata":{\r\n', b'c;x=y\r\n"name":"a"}}\r\n', b"0\r\nTrailer: x\r\n\r\n")
    assert (await exchange(port, head, *chunks)).startswith(b"HTTP/1.1 201 ")


async def test_whoever_waits_to_send_is_told_to_go_on(port: int) -> None:
    body = b'{"metadata":{"name":"a"}}'
    headers = b"Expect: 100-continue\r\nContent-Length: %d\r\n" % len(body)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request(b"POST /api/v1/namespaces/default/configmaps", headers))
    assert await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5) == b"HTTP/1.1 100 Continue\r\n\r\n"
    writer.write(body)
    assert (await asyncio.wait_for(reader.read(), 5)).startswith(b"HTTP/1.1 201 ")
    writer.close()


async def test_requests_in_a_row_are_answered_in_order(port: int) -> None:
    ask = b"GET /%b HTTP/1.1\r\n" + AUTHORIZED + b"\r\n"
    last = request(b"GET /livez")
    answer = await exchange(port, ask % b"version" + ask % b"nowhere" + last)
    found = [answer.index(word) for word in (b"v1.37.0", b"could not find", b"\r\n\r\nok")]
    assert found == sorted(found)


async def test_a_request_may_come_byte_by_byte(port: int) -> None:
    data = request(b"GET /livez")
    assert (await exchange(port, *(bytes((byte,)) for byte in data))).endswith(b"ok")


async def test_http_1_0_closes(port: int) -> None:
    answer = await exchange(port, b"GET /livez HTTP/1.0\r\nAuthorization: Bearer open-sesame\r\n\r\n")
    assert answer.endswith(b"ok")


async def test_head_has_no_body(port: int) -> None:
    answer = await exchange(port, request(b"HEAD /livez"))
    assert answer.endswith(b"\r\n\r\n")
    assert b"Content-Length: 2\r\n" in answer


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"GET / HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ],
)
async def test_who_is_slow_is_cut_off(port: int, start: bytes) -> None:
    began = time.monotonic()
    assert await exchange(port, start) == b""
    assert time.monotonic() - began < 4


async def test_dripping_does_not_help(port: int) -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            writer.write(b"X-Drop: y\r\n")
            await asyncio.sleep(0.1)

    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\n")
    dripping = asyncio.create_task(drip(writer))
    async with asyncio.timeout(4):
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
    dripping.cancel()
    writer.close()


async def test_a_watcher_that_does_not_read_is_cut_off_and_slows_nobody(server: Any, client: Any) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1024)
    writer.write(request(b"GET /api/v1/configmaps?watch=1"))
    await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
    sent, deadline = 0, time.monotonic() + 10
    while server.connections != 1 or not sent:  # the other one is the client's own
        item = {"metadata": {"name": f"m{sent}"}, "data": {"x": "y" * 500_000}}
        reply = await client.post("/api/v1/namespaces/default/configmaps", item)
        assert (reply.status, time.monotonic() < deadline) == (201, True)
        sent += 1
    writer.close()


@pytest.mark.parametrize("name", ["%2e%2e", "a%2525", "..", "%00", "a%2Fb%2Fc", "%ff"])
async def test_a_name_that_can_not_be_is_refused(port: int, name: str) -> None:
    line = b"GET /api/v1/namespaces/default/configmaps/" + name.encode()
    answer = await exchange(port, request(line))
    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 404 "))
    assert b'"kind":"Status"' in answer
