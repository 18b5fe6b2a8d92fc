"""The endpoints over real HTTP on loopback."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from nominee.errors import ConfigError
from nominee.live.endpoints import Answer, Asked, Endpoints, json_page, parse_address
from nominee.live.health import health_pages

Wrong = dict[str, str | None]


@pytest.fixture
def wrong() -> Wrong:
    return {"leaderElection": None, "sched-handler-sync": None}


@pytest.fixture
async def endpoints(wrong: Wrong) -> AsyncIterator[Endpoints]:
    healthy = {"leaderElection": lambda: wrong["leaderElection"]}
    ready = healthy | {"sched-handler-sync": lambda: wrong["sched-handler-sync"]}
    made = Endpoints(
        {
            **health_pages("/healthz", healthy),
            **health_pages("/livez", healthy),
            **health_pages("/readyz", ready),
            "/configz": json_page(lambda: {"x": 1}),
            "/broken": broken,
        }
    )
    await made.start("127.0.0.1:0")
    yield made
    await made.stop()


def broken(_: Asked) -> Answer:
    raise ZeroDivisionError


async def ask(endpoints: Endpoints, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", endpoints.port)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    return answer


async def get(endpoints: Endpoints, path: str) -> tuple[int, str]:
    answer = await ask(endpoints, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    head, _, body = answer.decode().partition("\r\n\r\n")
    assert f"Content-Length: {len(body)}" in head
    return int(head.split()[1]), body


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz"])
async def test_all_is_well(endpoints: Endpoints, path: str) -> None:
    assert await get(endpoints, path) == (200, "ok")


async def test_not_ready_is_not_ill(endpoints: Endpoints, wrong: Wrong) -> None:
    wrong["sched-handler-sync"] = "Pod"
    assert (await get(endpoints, "/livez"))[0] == 200
    assert await get(endpoints, "/readyz") == (
        500,
        "[+]ping ok\n[+]leaderElection ok\n[-]sched-handler-sync failed: Pod\nreadyz check failed\n",
    )


async def test_ill_is_neither_healthy_nor_ready(endpoints: Endpoints, wrong: Wrong) -> None:
    wrong["leaderElection"] = "overdue"
    assert [(await get(endpoints, path))[0] for path in ("/healthz", "/readyz")] == [500, 500]


async def test_verbose_names_the_checks(endpoints: Endpoints) -> None:
    assert await get(endpoints, "/healthz?verbose") == (
        200,
        "[+]ping ok\n[+]leaderElection ok\nhealthz check passed\n",
    )


async def test_a_check_may_be_left_out(endpoints: Endpoints, wrong: Wrong) -> None:
    """As with kube-scheduler: it is not asked at all, and a name that is none is remarked upon."""
    wrong["leaderElection"] = "overdue"
    assert await get(endpoints, "/livez?exclude=leaderElection") == (200, "ok")
    assert await get(endpoints, "/livez?exclude=leaderElection&exclude=etcd&verbose=1") == (
        200,
        (
            "[+]ping ok\n[+]leaderElection excluded: ok\n"
            'warn: some health checks cannot be excluded: no matches for "etcd"\nlivez check passed\n'
        ),
    )
    assert (await get(endpoints, "/livez?exclude=ping"))[0] == 500


async def test_each_check_has_a_page_of_its_own(endpoints: Endpoints, wrong: Wrong) -> None:
    wrong["sched-handler-sync"] = "Pod"
    assert await get(endpoints, "/readyz/ping") == (200, "ok")
    assert await get(endpoints, "/readyz/leaderElection") == (200, "ok")
    assert await get(endpoints, "/readyz/sched-handler-sync") == (500, "internal server error: Pod\n")
    assert (await get(endpoints, "/livez/sched-handler-sync"))[0] == 404


async def test_values_are_shown_as_json(endpoints: Endpoints) -> None:
    assert await get(endpoints, "/configz") == (200, '{"x":1}')


async def test_other_paths_and_methods_are_refused(endpoints: Endpoints) -> None:
    assert await get(endpoints, "/nothing") == (404, "404 not found\n")
    assert (await ask(endpoints, b"POST /healthz HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 405")
    assert (await ask(endpoints, b"HEAD /healthz HTTP/1.1\r\n\r\n")).endswith(b"\r\n\r\n")


@pytest.mark.parametrize("request_", [b"\r\n\r\n", b"GET\r\n\r\n", b"\xff\xfe\r\n\r\n", b"x" * 100_000])
async def test_what_is_no_request_does_no_harm(endpoints: Endpoints, request_: bytes) -> None:
    with suppress(ConnectionError):
        assert not (await ask(endpoints, request_)).startswith(b"HTTP/1.1 200")
    assert (await get(endpoints, "/healthz"))[0] == 200


async def test_a_page_that_breaks_costs_its_connection_only(
    endpoints: Endpoints, caplog: pytest.LogCaptureFixture
) -> None:
    assert await ask(endpoints, b"GET /broken HTTP/1.1\r\n\r\n") == b""
    assert "could not answer" in caplog.text
    assert (await get(endpoints, "/healthz"))[0] == 200


async def test_who_says_nothing_is_cut_off(endpoints: Endpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nominee.live.endpoints.PATIENCE", 0.05)
    assert await ask(endpoints, b"GET /healthz") == b""


async def test_a_port_in_use_is_said_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ConfigError, match="give another HOST:PORT") as raised:
            await Endpoints({}).start(address)
    assert address in str(raised.value)


@pytest.mark.parametrize("host", ["..", "a b", "no.such.host.invalid", "[:"])
async def test_a_host_that_is_none_is_said_so(host: str) -> None:
    with pytest.raises(ConfigError, match="give another HOST:PORT"):
        await Endpoints({}).start(f"{host}:0")


@pytest.mark.parametrize(
    ("address", "meant"),
    [("127.0.0.1:1", ("127.0.0.1", 1)), ("[::1]:80", ("::1", 80)), (":80", ("", 80))],
)
def test_addresses(address: str, meant: tuple[str, int]) -> None:
    assert parse_address(address) == meant


@pytest.mark.parametrize("address", ["localhost", "1.2.3.4:http", "x:99999", "x:²", "x:-1", ":"])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(ConfigError, match="expected HOST:PORT"):
        parse_address(address)
