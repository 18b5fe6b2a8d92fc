"""Lists in pages, watches in pieces, and a follower that never gives up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from nominee.client import (
    Backoff,
    Client,
    Event,
    Follower,
    Listing,
    Selection,
    Undecodable,
    list_objects,
    watch_objects,
)
from nominee.client.following import ERRORS
from nominee.errors import ApiError, Expired, Forbidden, TransportError
from nominee.model.pod import Pod
from tests.integration.client.conftest import Pauses
from tests.integration.client.stub import (
    Handler,
    StubServer,
    answer,
    cut,
    event,
    listing,
    plain,
    pod,
    silence,
    status,
    watch,
)

PODS = "/api/v1/pods"
ALL = Selection(Pod)


def bookmark(version: str) -> bytes:
    return event("BOOKMARK", {"kind": "Pod", "metadata": {"resourceVersion": version}})


def error_event(code: int, message: str) -> bytes:
    return event("ERROR", {"kind": "Status", "status": "Failure", "code": code, "message": message})


async def stay(_: Any) -> None:
    """Keep a watch open."""
    await asyncio.Event().wait()


# -- lists ----------------------------------------------------------------------------------------


async def test_all_objects_and_their_version(server: StubServer, client: Client) -> None:
    server.on("GET", PODS, listing([pod("a"), pod("b")], version="7"))
    found = await list_objects(client, ALL)
    assert ([each.name for each in found.items], found.version) == (["a", "b"], "7")
    assert server.asked[0].query == {"limit": "500"}


async def test_an_empty_list_may_be_null(server: StubServer, client: Client) -> None:
    server.on("GET", PODS, answer({"metadata": {"resourceVersion": "7"}, "items": None}))
    assert await list_objects(client, ALL) == Listing("7", [], [])


async def test_a_selection_is_asked_for(server: StubServer, client: Client) -> None:
    server.on("GET", "/api/v1/namespaces/ns/pods", listing([]))
    await list_objects(client, Selection(Pod, namespace="ns", labels="a=b", fields="status.phase!=Failed"))
    asked = server.asked[0].query
    assert (asked["labelSelector"], asked["fieldSelector"]) == ("a=b", "status.phase!=Failed")


async def test_pages_are_put_together(server: StubServer, client: Client) -> None:
    pages = (
        listing([pod("a")], "7", token="t1"),
        listing([pod("b")], "7", token="t2"),
        listing([pod("c")], "7"),
    )
    server.on("GET", PODS, *pages)
    found = await list_objects(client, ALL, version="0")
    assert [each.name for each in found.items] == ["a", "b", "c"]
    assert [each.query.get("continue") for each in server.asked] == [None, "t1", "t2"]
    assert [each.query.get("resourceVersion") for each in server.asked] == ["0", None, None]


async def test_pages_that_have_expired_are_asked_for_all_at_once(server: StubServer, client: Client) -> None:
    server.on("GET", PODS, listing([pod("a")], token="t"), status(410, "too old"), listing([pod("b")], "9"))
    found = await list_objects(client, ALL, version="0")
    assert ([each.name for each in found.items], found.version) == (["b"], "9")
    assert server.asked[2].query == {}


async def test_one_unreadable_object_costs_no_other(server: StubServer, client: Client) -> None:
    odd = {"metadata": {"name": "odd", "namespace": "ns", "uid": "u"}, "spec": {"priority": "high"}}
    server.on("GET", PODS, listing([pod("a"), odd, pod("b")]))
    found = await list_objects(client, ALL)
    assert [each.name for each in found.items] == ["a", "b"]
    assert found.undecodable == [Undecodable("Pod", "ns/odd", "u", "", found.undecodable[0].problem)]
    assert found.undecodable[0].problem.startswith("spec.priority: expected 'int")


async def test_nulls_are_read_as_go_reads_them(server: StubServer, client: Client) -> None:
    server.on("GET", PODS, listing([pod("a", nodeSelector=None, containers=None)]))
    found = await list_objects(client, ALL)
    assert (found.items[0].spec.containers, found.undecodable) == ((), [])


@pytest.mark.parametrize("text", ['{"items": [{"metadata": 3}, {"meta', "<html>", "[]", ""])
async def test_half_a_list_is_an_error(server: StubServer, client: Client, text: str) -> None:
    server.on("GET", PODS, plain(text))
    with pytest.raises(TransportError):
        await list_objects(client, ALL)


async def test_what_is_no_list_is_an_error(server: StubServer, client: Client) -> None:
    server.on("GET", PODS, answer("hello"))
    with pytest.raises(TransportError, match="no list"):
        await list_objects(client, ALL)


# -- watches --------------------------------------------------------------------------------------


async def watched(client: Client, **how: Any) -> list[Event[Pod] | Undecodable]:
    async with aclosing(watch_objects(client, ALL, "7", **how)) as batches:
        return [each async for batch in batches for each in batch]


def shorts(events: list[Event[Pod] | Undecodable]) -> list[str]:
    return [f"{each.type} {each.object.name}" for each in events if isinstance(each, Event)]


async def test_events_arrive_in_order(server: StubServer, client: Client) -> None:
    server.on(
        "GET", PODS, watch(event("ADDED", pod("a")) + event("MODIFIED", pod("a")), event("DELETED", pod("b")))
    )
    assert shorts(await watched(client, seconds=9)) == ["ADDED a", "MODIFIED a", "DELETED b"]
    assert server.asked[0].query == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "7",
        "timeoutSeconds": "9",
    }


@pytest.mark.parametrize("size", [1, 7, 100])
async def test_events_may_arrive_in_any_pieces(server: StubServer, client: Client, size: int) -> None:
    lines = b"".join(event("ADDED", pod(f"é{i}")) for i in range(5))
    server.on("GET", PODS, watch(*(lines[at : at + size] for at in range(0, len(lines), size))))
    assert shorts(await watched(client)) == [f"ADDED é{i}" for i in range(5)]


async def test_half_an_event_at_the_end_is_left_to_the_next_watch(server: StubServer, client: Client) -> None:
    server.on("GET", PODS, watch(event("ADDED", pod("a")), event("ADDED", pod("b"))[:-9]))
    assert shorts(await watched(client)) == ["ADDED a"]


async def test_an_unreadable_event_is_named(server: StubServer, client: Client) -> None:
    server.on("GET", PODS, watch(event("ADDED", pod("a")) + event("MODIFIED", pod("b", "5", priority="x"))))
    first, second = await watched(client)
    assert isinstance(first, Event)
    assert isinstance(second, Undecodable)
    assert (second.key, second.uid, second.version, second.change) == (
        "default/b",
        "uid-b",
        "5",
        "MODIFIED",
    )


async def test_even_metadata_may_be_unreadable(server: StubServer, client: Client) -> None:
    odd = {"metadata": {"name": "a", "namespace": 3, "uid": "u", "resourceVersion": "8"}}
    server.on("GET", PODS, watch(event("ADDED", odd)))
    (only,) = await watched(client)
    assert isinstance(only, Undecodable)
    assert (only.key, only.uid, only.version) == ("a", "u", "8")


@pytest.mark.parametrize(("code", "error"), [(410, Expired), (500, ApiError)])
async def test_an_error_event_is_raised(
    server: StubServer, client: Client, code: int, error: type[Exception]
) -> None:
    server.on("GET", PODS, watch(error_event(code, "no more")))
    with pytest.raises(error, match="no more"):
        await watched(client)


async def test_a_refused_watch_is_raised(server: StubServer, client: Client) -> None:
    server.on("GET", PODS, status(403, "pods is forbidden"))
    with pytest.raises(Forbidden, match="pods is forbidden"):
        await watched(client)


async def test_a_silent_server_is_noticed(server: StubServer, client: Client) -> None:
    server.on("GET", PODS, watch(event("ADDED", pod("a")), then=stay))
    with pytest.raises(TransportError, match="in time"):
        await watched(client, silence=0.05)


async def test_a_server_that_never_begins_to_answer_is_noticed(server: StubServer, client: Client) -> None:
    server.on("GET", PODS, silence)
    with pytest.raises(TransportError, match="in time"):
        await watched(client, silence=0.05)


async def test_noise_is_an_error(server: StubServer, client: Client) -> None:
    server.on("GET", PODS, watch(b"<html>\n"))
    with pytest.raises(TransportError, match="no watch"):
        await watched(client)


# -- following ------------------------------------------------------------------------------------


class Followed:
    """Follows all pods, and keeps what comes."""

    def __init__(self, client: Client) -> None:
        backoff = Backoff(dice=lambda: 0.5)
        self.follower = Follower(client=client, selection=ALL, backoff=backoff, silence=5)
        self.updates = self.follower.updates()

    async def next(self, count: int = 1) -> list[str]:
        return [self._short(await anext(self.updates)) for _ in range(count)]

    @staticmethod
    def _short(update: Listing[Pod] | list[Event[Pod] | Undecodable]) -> str:
        if isinstance(update, Listing):
            return "LIST " + " ".join(item.name for item in update.items)
        return ", ".join(shorts(update))


@pytest.fixture
async def followed(client: Client) -> AsyncIterator[Followed]:
    made = Followed(client)
    async with aclosing(made.updates):
        yield made


def on_pods(server: StubServer, lists: list[Handler], watches: list[Handler]) -> None:
    """Answer lists and watches of pods each with the next of their answers."""

    async def either(request: Any) -> Any:
        handlers = watches if "watch" in request.query else lists
        return await (handlers.pop(0) if len(handlers) > 1 else handlers[0])(request)

    server.on("GET", PODS, either)


def versions(server: StubServer) -> list[str]:
    return [
        f"{'watch' if 'watch' in each.query else 'list'} {each.query.get('resourceVersion', '')}".strip()
        for each in server.asked
    ]


async def test_a_list_then_its_changes(server: StubServer, followed: Followed) -> None:
    on_pods(server, [listing([pod("a")], "7")], [watch(event("ADDED", pod("b", "8")), then=stay)])
    assert await followed.next(2) == ["LIST a", "ADDED b"]
    assert versions(server) == ["list 0", "watch 7"]


@pytest.mark.parametrize("end", [watch(), cut, status(500, "oops"), status(429, "slowly")])
async def test_a_broken_watch_goes_on_from_the_last_version(
    server: StubServer, followed: Followed, end: Handler
) -> None:
    first = watch(event("ADDED", pod("b", "8")) + bookmark("12"))
    on_pods(server, [listing([], "7")], [first, end, watch(event("ADDED", pod("c", "13")), then=stay)])
    assert await followed.next(3) == ["LIST ", "ADDED b, BOOKMARK ", "ADDED c"]
    assert versions(server) == ["list 0", "watch 7", "watch 12", "watch 12"]


@pytest.mark.parametrize("end", [status(410, "too old"), watch(error_event(410, "too old"))])
async def test_a_version_that_has_expired_is_listed_anew(
    server: StubServer, followed: Followed, end: Handler
) -> None:
    on_pods(server, [listing([pod("a")], "7"), listing([pod("b")], "9")], [end, watch(then=stay)])
    assert await followed.next(2) == ["LIST a", "LIST b"]
    assert versions(server) == ["list 0", "watch 7", "list"]


@pytest.mark.parametrize(
    "end", [status(400, "no such version"), watch(error_event(400, "no such version")), status(403, "no")]
)
async def test_what_will_not_pass_by_itself_is_listed_anew(
    server: StubServer, followed: Followed, end: Handler
) -> None:
    on_pods(server, [listing([pod("a")], "7"), listing([pod("b")], "9")], [end, watch(then=stay)])
    assert await followed.next(2) == ["LIST a", "LIST b"]


async def test_a_server_that_can_not_go_on_from_a_version_is_asked_for_a_list(
    server: StubServer, followed: Followed
) -> None:
    """Or this would go on for ever: it may have lost what we saw."""
    lists = [listing([pod("a")], "7"), listing([pod("b")], "5")]
    on_pods(server, lists, [*[watch(error_event(504, "too large"))] * ERRORS, watch(then=stay)])
    assert await followed.next(2) == ["LIST a", "LIST b"]
    assert versions(server) == ["list 0", *["watch 7"] * ERRORS, "list"]


async def test_events_before_an_expiry_are_not_lost(server: StubServer, followed: Followed) -> None:
    both = event("ADDED", pod("b", "8")) + error_event(410, "too old")
    on_pods(server, [listing([], "7"), listing([pod("b", "8")], "9")], [watch(both), watch(then=stay)])
    assert await followed.next(3) == ["LIST ", "ADDED b", "LIST b"]


async def test_a_watch_that_ends_after_events_is_resumed_without_a_pause(
    server: StubServer, followed: Followed, pauses: Pauses
) -> None:
    lines = [watch(event("ADDED", pod(name, str(i)))) for i, name in enumerate("abc")]
    on_pods(server, [listing([], "7")], [*lines, watch(then=stay)])
    await followed.next(4)
    assert pauses.taken == []


async def test_pauses_grow_until_all_is_well(server: StubServer, followed: Followed, pauses: Pauses) -> None:
    failures = [status(500, "oops")] * 3
    well = watch(event("ADDED", pod("a", "8")))
    on_pods(server, [listing([], "7")], [*failures, well, status(500, "oops"), well, watch(then=stay)])
    await followed.next(3)
    assert pauses.taken == [0.2, 0.4, 0.8, 0.2]


async def test_watches_that_end_at_once_are_not_asked_for_without_end(
    server: StubServer, followed: Followed, pauses: Pauses
) -> None:
    on_pods(server, [listing([], "7")], [watch(), watch(), watch(event("ADDED", pod("a", "8")), then=stay)])
    await followed.next(2)
    assert len(pauses.taken) == 2


async def test_it_waits_as_long_as_the_server_asks(
    server: StubServer, followed: Followed, pauses: Pauses
) -> None:
    slowly = status(429, "slowly", headers={"Retry-After": "17"})
    on_pods(server, [listing([], "7")], [slowly, watch(event("ADDED", pod("a", "8")), then=stay)])
    await followed.next(2)
    assert pauses.taken == [17.0]


async def test_nobody_waits_for_an_hour_to_go_on(
    server: StubServer, followed: Followed, pauses: Pauses
) -> None:
    slowly = status(429, "slowly", headers={"Retry-After": "3600"})
    on_pods(server, [listing([], "7")], [slowly, watch(event("ADDED", pod("a", "8")), then=stay)])
    await followed.next(2)
    assert pauses.taken == [30.0]


async def test_a_failed_list_is_tried_again(server: StubServer, followed: Followed) -> None:
    on_pods(server, [status(403, "no"), listing([pod("a")])], [watch(then=stay)])
    assert await followed.next() == ["LIST a"]


async def test_unless_it_is_fatal(server: StubServer, followed: Followed) -> None:
    followed.follower.fatal = lambda error: isinstance(error, Forbidden)
    on_pods(server, [status(403, "no")], [])
    with pytest.raises(Forbidden):
        await followed.next()
