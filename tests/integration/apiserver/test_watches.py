"""Watches: what a client sees of what happens."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import orjson

from nominee.apiserver.rest import DeleteOptions, Rest

MAPS = "/api/v1/namespaces/default/configmaps"


def make(rest: Rest, name: str, **labels: str) -> int:
    item = {"metadata": {"name": name, "labels": labels}}
    return rest.create("configmaps", "default", item, rest.context()).version


def relabel(rest: Rest, name: str, **labels: str) -> None:
    stored = rest.get("configmaps", f"default/{name}")
    item = {**stored.object, "metadata": {**stored.object["metadata"], "labels": labels}}
    rest.update("configmaps", f"default/{name}", item, rest.context())


def delete(rest: Rest, name: str) -> None:
    rest.delete("configmaps", f"default/{name}", DeleteOptions(), rest.context())


async def take(events: AsyncIterator[Any], count: int) -> list[tuple[str, str]]:
    async with asyncio.timeout(5):
        return [_seen(await anext(events)) for _ in range(count)]


def _seen(event: Any) -> tuple[str, str]:
    item = event["object"]
    if item["kind"] == "Table":
        return event["type"], item["rows"][0]["cells"][0]
    return event["type"], item["metadata"].get("name", "")


async def test_what_is_there_comes_first(client: Any, rest: Rest) -> None:
    make(rest, "a")
    events = client.watch(f"{MAPS}?watch=1")
    assert await take(events, 1) == [("ADDED", "a")]
    relabel(rest, "a", x="y")
    delete(rest, "a")
    assert await take(events, 2) == [("MODIFIED", "a"), ("DELETED", "a")]
    await events.aclose()


async def test_from_a_version_on(client: Any, rest: Rest) -> None:
    version = make(rest, "a")
    make(rest, "b")
    delete(rest, "a")
    events = client.watch(f"{MAPS}?watch=true&resourceVersion={version}&timeoutSeconds=1")
    assert [_seen(event) async for event in events] == [("ADDED", "b"), ("DELETED", "a")]


async def test_it_ends_when_its_time_is_over(client: Any) -> None:
    assert [event async for event in client.watch(f"{MAPS}?watch=1&timeoutSeconds=1")] == []


async def test_a_selection_is_entered_and_left(client: Any, rest: Rest) -> None:
    make(rest, "a", of="no")
    events = client.watch(f"{MAPS}?watch=1&labelSelector=of%3Dyes")
    pending = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    relabel(rest, "a", of="yes")
    assert _seen(await asyncio.wait_for(pending, 5)) == ("ADDED", "a")
    relabel(rest, "a", of="yes", more="1")
    relabel(rest, "a", of="no")
    make(rest, "b", of="no")
    make(rest, "c", of="yes")
    delete(rest, "c")
    assert await take(events, 4) == [("MODIFIED", "a"), ("DELETED", "a"), ("ADDED", "c"), ("DELETED", "c")]
    await events.aclose()


async def test_one_object_can_be_watched(client: Any, rest: Rest) -> None:
    make(rest, "a")
    make(rest, "b")
    for path in (
        f"{MAPS}?watch=1&fieldSelector=metadata.name%3Db",
        "/api/v1/watch/namespaces/default/configmaps/b",
    ):
        events = client.watch(path)
        assert await take(events, 1) == [("ADDED", "b")]
        await events.aclose()


async def test_initial_events_end_with_a_bookmark(client: Any, rest: Rest) -> None:
    make(rest, "a")
    query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    events = client.watch(f"{MAPS}?{query}")
    assert await take(events, 1) == [("ADDED", "a")]
    bookmark = await asyncio.wait_for(anext(events), 5)
    assert bookmark["type"] == "BOOKMARK"
    assert bookmark["object"]["kind"] == "ConfigMap"
    assert bookmark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert bookmark["object"]["metadata"]["resourceVersion"] == str(rest.store.version)
    await events.aclose()


async def test_without_initial_events_nothing_comes_first(client: Any, rest: Rest) -> None:
    make(rest, "a")
    query = "watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&timeoutSeconds=1"
    assert [event async for event in client.watch(f"{MAPS}?{query}")] == []


async def test_rows_can_be_watched(client: Any, rest: Rest) -> None:
    make(rest, "a")
    url = f"http://127.0.0.1:{client.port}{MAPS}?watch=1"
    headers = {
        "Authorization": "Bearer open-sesame",
        "Accept": "application/json;as=Table;v=v1;g=meta.k8s.io",
    }
    async with client._session.get(url, headers=headers) as answer:
        first = orjson.loads(await answer.content.readline())
        make(rest, "b")
        second = orjson.loads(await answer.content.readline())
    assert (_seen(first), _seen(second)) == (("ADDED", "a"), ("ADDED", "b"))
    assert first["object"]["columnDefinitions"][0]["name"] == "Name"
    assert second["object"]["columnDefinitions"] is None


async def test_a_watch_from_too_long_ago_is_told_to_list_again(client: Any, rest: Rest) -> None:
    make(rest, "a")
    for number in range(300):
        relabel(rest, "a", number=str(number))
    events = [event async for event in client.watch(f"{MAPS}?watch=1&resourceVersion=1")]
    assert [event["type"] for event in events] == ["ERROR"]
    status = events[0]["object"]
    assert (status["kind"], status["code"], status["reason"]) == ("Status", 410, "Expired")
    assert status["message"] == f"too old resource version: 1 ({rest.store.version})"
