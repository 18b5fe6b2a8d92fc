"""Whatever is asked, the server answers in Kubernetes' form, and goes on as if nothing had been.

NOMINEE_FUZZ is the number of faulty requests (a night's worth: 100000), NOMINEE_FUZZ_SEED where it starts.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import orjson
import pytest

from nominee.apiserver.http.connection import Patience
from nominee.apiserver.http.front import Front
from nominee.apiserver.http.server import Limits, Server
from nominee.apiserver.rest import Rest
from tests.integration.apiserver.fuzzing import CALLS, CORE, POD, TOKEN, Call, faulty

COUNT = int(os.environ.get("NOMINEE_FUZZ", "900"))
SEED = int(os.environ.get("NOMINEE_FUZZ_SEED", "1"))
BATCHES = 6
SECONDS = 20.0

# Who asks for containers gets 501, who asks for a version of the future 504; no request is worth a 500.
REFUSALS = {400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 501, 504}


@pytest.fixture
async def server(rest: Rest) -> AsyncIterator[Server]:
    """One that waits for heads even on a busy machine, but not for bodies that never come."""
    server = Server(Front(rest, TOKEN), Limits(patience=Patience(body=0.3, linger=0.3)))
    await server.start("127.0.0.1", 0)
    yield server
    await server.stop()


async def asked(port: int, call: Call) -> tuple[int, bytes, bytes]:
    """Status, head and body of the answer; 0 if there is none. Of a watch no more than the beginning."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(call.encode())
        async with asyncio.timeout(SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
            status = int(head.split(b" ", 2)[1])
            streams = call.watches and b"Transfer-Encoding" in head
            return status, head, b"" if streams else await reader.read()
    except TimeoutError:
        raise AssertionError(f"no answer: {call}") from None
    except (ConnectionError, asyncio.IncompleteReadError):
        return 0, b"", b""
    finally:
        writer.close()


def check(call: Call, status: int, head: bytes, body: bytes) -> None:
    if call.rough and (status == 0 or b"text/plain" in head):  # what is no HTTP never gets as far as the API
        return
    assert status in {200, 201, 202} | REFUSALS, (status, body[:300])
    if status not in REFUSALS or call.method == "HEAD":
        return
    assert b"Content-Type: application/json" in head or b"Content-Type: application/yaml" in head, head
    if b"yaml" not in head:
        check_status(orjson.loads(body), status)


def check_status(answer: Any, code: int) -> None:
    assert (answer["kind"], answer["apiVersion"], answer["status"]) == ("Status", "v1", "Failure")
    assert (answer["code"], answer["metadata"]) == (code, answer["metadata"] or {})
    assert answer["message"]
    assert answer["reason"]
    for cause in answer.get("details", {}).get("causes", ()):
        assert cause["message"]


async def is_well(client: Any, number: int) -> None:
    """It takes writes and gives them back, and a list is the sum of its pages."""
    created = await client.post(
        f"{CORE}/configmaps", {"metadata": {"name": f"well-{number}"}, "data": {"a": "b"}}
    )
    assert created.status == 201
    assert (await client.get(f"{CORE}/configmaps/well-{number}")).json == created.json
    whole = (await client.get(f"{CORE}/pods")).json["items"]
    first = (await client.get(f"{CORE}/pods?limit=3")).json
    token = first["metadata"].get("continue")
    rest = (await client.get(f"{CORE}/pods?continue={token}")).json["items"] if token else []
    assert first["items"] + rest == whole


@pytest.mark.parametrize("batch", range(BATCHES))
async def test_every_faulty_request_is_answered(
    batch: int, server: Server, client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    random = Random(SEED * 1000 + batch)
    await client.post(f"{CORE}/pods", {**POD, "metadata": {"name": "kept"}})
    await client.post(f"{CORE}/configmaps", {"metadata": {"name": "kept"}, "data": {"a": "b"}})
    seen: Counter[int] = Counter()
    for number in range(COUNT // BATCHES):
        call = faulty(random)
        status, head, body = await asked(server.port, call)
        try:
            check(call, status, head, body)
        except (AssertionError, KeyError, ValueError) as error:
            raise AssertionError(f"{call}: {status} {body[:500]!r}") from error
        seen[status] += 1
        if number % 100 == 0:
            await is_well(client, number)
    await is_well(client, COUNT)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert len(seen) > 6, f"most requests fail in the same way: {seen}"


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.method} {call.path}")
async def test_the_requests_that_faults_are_made_of_are_good(server: Server, client: Any, call: Call) -> None:
    await client.post(f"{CORE}/pods", {**POD, "metadata": {"name": "kept"}})
    await client.post(f"{CORE}/configmaps", {"metadata": {"name": "kept"}, "data": {"a": "b"}})
    status, _, body = await asked(server.port, call)
    gated = call.path.endswith("binding")
    assert status in ({409} if gated else {404} if "none" in call.path else {200, 201}), body[:300]
