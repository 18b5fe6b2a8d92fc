"""Every verb as it goes over the wire, and what is tried again."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.client import Access, Client, PatchType
from nominee.client.dialing import Dialer
from nominee.errors import (
    ApiError,
    Conflict,
    Expired,
    Forbidden,
    Invalid,
    NotFound,
    TooManyRequests,
    TransportError,
    Unauthorized,
)
from tests.integration.client.conftest import Pauses
from tests.integration.client.stub import StubServer, answer, cut, plain, pod, silence, status

POD = "/api/v1/namespaces/default/pods/a"
PODS = "/api/v1/namespaces/default/pods"


async def test_get(server: StubServer, client: Client) -> None:
    server.on("GET", POD, answer(pod("a")))
    assert await client.get("Pod", "default/a") == pod("a")
    sent = server.asked[0].headers
    assert sent["Accept"] == "application/json"
    assert sent["User-Agent"].startswith("nominee/")


async def test_create_goes_to_the_namespace_of_the_object(server: StubServer, client: Client) -> None:
    server.on("POST", PODS, answer(pod("a"), 201))
    assert await client.create("Pod", pod("a")) == pod("a")
    assert server.asked[0].json == pod("a")
    assert server.asked[0].headers["Content-Type"] == "application/json"


async def test_create_a_binding(server: StubServer, client: Client) -> None:
    server.on("POST", f"{POD}/binding", answer({"kind": "Status", "status": "Success"}, 201))
    await client.create_subresource("Pod", "default/a", "binding", {"target": {"name": "n"}})
    assert server.asked[0].json == {"target": {"name": "n"}}


async def test_update_of_a_subresource(server: StubServer, client: Client) -> None:
    server.on("PUT", f"{POD}/status", answer(pod("a", "2")))
    assert (await client.update("Pod", pod("a"), subresource="status")) == pod("a", "2")


@pytest.mark.parametrize("how", list(PatchType))
async def test_patch_says_how_it_is_meant(server: StubServer, client: Client, how: PatchType) -> None:
    server.on("PATCH", POD, answer(pod("a")))
    await client.patch("Pod", "default/a", {"x": 1}, how)
    assert server.asked[0].headers["Content-Type"] == how.value
    assert server.asked[0].json == {"x": 1}


async def test_apply_names_its_manager(server: StubServer, client: Client) -> None:
    server.on("PATCH", POD, answer(pod("a")))
    await client.patch("Pod", "default/a", {"x": 1}, PatchType.APPLY)
    assert server.asked[0].query == {"fieldManager": "nominee", "force": "true"}


async def test_delete_names_uid_and_grace(server: StubServer, client: Client) -> None:
    server.on("DELETE", POD, answer(pod("a")))
    await client.delete("Pod", "default/a", uid="u", grace_seconds=0)
    assert server.asked[0].json["preconditions"] == {"uid": "u"}
    assert server.asked[0].json["gracePeriodSeconds"] == 0


async def test_raw_paths(server: StubServer, client: Client) -> None:
    server.on("GET", "/version", answer({"major": "1"}))
    assert await client.raw("/version") == b'{"major": "1"}'


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (400, ApiError),
        (401, Unauthorized),
        (403, Forbidden),
        (404, NotFound),
        (409, Conflict),
        (410, Expired),
        (422, Invalid),
    ],
)
async def test_refusals_have_names(
    server: StubServer, client: Client, code: int, error: type[ApiError]
) -> None:
    server.on("POST", PODS, status(code, "no, for a reason", "Reason"))
    with pytest.raises(error, match=f"{code}: no, for a reason") as caught:
        await client.create("Pod", pod("a"))
    assert type(caught.value) is error
    assert caught.value.body is not None
    assert caught.value.body["reason"] == "Reason"
    assert len(server.asked) == 1


@pytest.mark.parametrize("text", ["<html>", "{", "[]", "null", "3"])
async def test_what_is_no_object_is_no_answer(server: StubServer, client: Client, text: str) -> None:
    server.on("GET", POD, plain(text))
    with pytest.raises(TransportError, match="the API server's answer is"):
        await client.get("Pod", "default/a")


async def test_a_redirect_is_no_answer(server: StubServer, client: Client) -> None:
    server.on("GET", POD, answer({}, 302, {"Location": "/elsewhere"}))
    with pytest.raises(ApiError, match="302"):
        await client.get("Pod", "default/a")


async def test_any_verb_waits_as_long_as_429_asks(server: StubServer, client: Client, pauses: Pauses) -> None:
    server.on("POST", PODS, status(429, "slowly", headers={"Retry-After": "3"}), answer(pod("a"), 201))
    assert await client.create("Pod", pod("a")) == pod("a")
    assert pauses.taken == [3.0]


async def test_patience_ends(server: StubServer, client: Client) -> None:
    server.on("POST", PODS, status(429, "slowly", headers={"Retry-After": "1"}))
    with pytest.raises(TooManyRequests) as caught:
        await client.create("Pod", pod("a"))
    assert caught.value.retry_after == 1.0
    assert len(server.asked) == 5


async def test_nobody_waits_for_an_hour(server: StubServer, client: Client, pauses: Pauses) -> None:
    server.on("GET", POD, status(429, "slowly", headers={"Retry-After": "3600"}))
    with pytest.raises(TooManyRequests):
        await client.get("Pod", "default/a")
    assert pauses.taken == []


@pytest.mark.parametrize("failure", [status(500, "oops"), status(503, "soon"), cut])
async def test_reads_are_tried_again(server: StubServer, client: Client, failure: Any) -> None:
    server.on("GET", POD, failure, answer(pod("a")))
    assert await client.get("Pod", "default/a") == pod("a")


@pytest.mark.parametrize(("failure", "error"), [(status(500, "oops"), ApiError), (cut, TransportError)])
async def test_writes_that_may_have_been_done_are_not(
    server: StubServer, client: Client, failure: Any, error: type[Exception]
) -> None:
    server.on("POST", PODS, failure, answer(pod("a")))
    with pytest.raises(error):
        await client.create("Pod", pod("a"))
    assert len(server.asked) == 1


async def test_unless_the_caller_says_so(server: StubServer, client: Client) -> None:
    server.on("PATCH", POD, cut, answer(pod("a")))
    assert await client.patch("Pod", "default/a", {}, repeatable=True) == pod("a")


async def test_a_server_that_says_when_to_come_back_has_not_acted(
    server: StubServer, client: Client, pauses: Pauses
) -> None:
    server.on("POST", PODS, status(503, "starting", headers={"Retry-After": "2"}), answer(pod("a")))
    await client.create("Pod", pod("a"))
    assert pauses.taken == [2.0]


async def test_slow_answers_are_not_waited_for(server: StubServer, client: Client) -> None:
    server.on("POST", PODS, silence)
    with pytest.raises(TransportError, match="did not answer in time") as caught:
        await client.send("POST", PODS, b"{}", seconds=0.05)
    assert caught.value.sent
    assert len(server.asked) == 1


async def test_a_refused_connection_is_tried_again_with_growing_pauses(
    client: Client, pauses: Pauses
) -> None:
    client.transport._dialer = Dialer(Access(server="http://127.0.0.1:1"))
    with pytest.raises(TransportError, match="no connection") as caught:
        await client.create("Pod", pod("a"))
    assert not caught.value.sent
    assert len(pauses.taken) == 4
    assert pauses.taken[-1] > 2 * pauses.taken[0]


async def test_connections_are_used_again(server: StubServer, client: Client) -> None:
    server.on("GET", POD, answer(pod("a")))
    for _ in range(5):
        await client.get("Pod", "default/a")
    assert len(server.connections) == 1
