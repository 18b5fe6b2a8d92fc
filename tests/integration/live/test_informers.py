"""Informers against a server: what is asked, when they are synced, and that they live on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from nominee.client import Access, Client
from nominee.errors import Forbidden
from nominee.live.informers import LIVING_PODS, Informers
from nominee.model.meta import NamedObject
from nominee.model.node import Node
from nominee.model.pod import Pod
from nominee.scheduler.inputs import Gone, Input, Seen
from tests.integration.client.stub import StubServer, answer, event, listing, pod, serving, status, watch

PODS, NODES = "/api/v1/pods", "/api/v1/nodes"


async def stay(_: Any) -> None:
    await asyncio.Event().wait()


def list_then_watch(first: Any, *watches: Any) -> Any:
    """Answer a list with this, and watches with these, one after the other; the last one stays."""
    left = list(watches)

    async def handler(request: Any) -> Any:
        if "watch" not in request.query:
            return await first(request)
        return await (left.pop(0) if left else watch(then=stay))(request)

    return handler


class Told:
    """What was told, and a way to wait for it."""

    def __init__(self) -> None:
        self.inputs: list[Input] = []
        self.news = asyncio.Event()

    def __call__(self, happened: Input) -> None:
        self.inputs.append(happened)
        self.news.set()

    def names(self) -> list[str]:
        signs = {Seen: "+", Gone: "-"}
        return [f"{signs[type(i)]}{i.item.name}" for i in self.inputs if isinstance(i, Seen | Gone)]

    async def until(self, *names: str) -> None:
        async with asyncio.timeout(10):
            while self.names() != list(names):
                self.news.clear()
                await self.news.wait()


class Running:
    """Informers at work."""

    def __init__(self, client: Client) -> None:
        self.told = Told()
        self._client = client
        self._task: asyncio.Task[None] | None = None

    def start(self, *kinds: type[NamedObject]) -> Informers:
        informers = Informers(self._client, kinds, self.told)
        self._task = asyncio.create_task(informers.run())
        return informers

    async def result(self) -> None:
        assert self._task is not None
        async with asyncio.timeout(10):
            await self._task

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


async def no_pause(_: float) -> None:
    await asyncio.sleep(0)


@pytest.fixture
async def server() -> AsyncIterator[StubServer]:
    async with serving() as stub:
        yield stub


@pytest.fixture
async def running(server: StubServer) -> AsyncIterator[Running]:
    async with Client(Access(server=server.url), sleep=no_pause) as client:
        made = Running(client)
        yield made
        await made.stop()


async def test_only_what_is_needed_is_asked_for(server: StubServer, running: Running) -> None:
    server.on("GET", PODS, list_then_watch(listing([pod("a")])))
    server.on("GET", NODES, list_then_watch(listing([{"metadata": {"name": "n"}}])))
    informers = running.start(Pod, Node)
    assert informers.behind == ["Pod", "Node"]
    async with asyncio.timeout(10):
        await informers.synced()
    assert informers.is_synced
    assert sorted(running.told.names()) == ["+a", "+n"]
    assert {each.path for each in server.asked} == {PODS, NODES}
    selectors = {each.path: each.query.get("fieldSelector") for each in server.asked}
    assert selectors == {PODS: LIVING_PODS, NODES: None}


async def test_a_kind_that_is_late_holds_up_the_others(server: StubServer, running: Running) -> None:
    server.on("GET", PODS, list_then_watch(listing([])))
    server.on("GET", NODES, status(500, "not yet"))
    informers = running.start(Pod, Node)
    await server.until(lambda: len(server.asked_for("GET", NODES)) > 8)
    assert (informers.is_synced, informers.behind) == (False, ["Node"])


async def test_changes_are_told_across_broken_watches(server: StubServer, running: Running) -> None:
    first = watch(event("ADDED", pod("b", "11")))
    second = watch(event("MODIFIED", pod("b", "12")) + event("DELETED", pod("a", "13")))
    server.on("GET", PODS, list_then_watch(listing([pod("a")]), first, status(500, "oops"), second))
    running.start(Pod)
    await running.told.until("+a", "+b", "+b", "-a")


async def test_what_vanished_in_a_gap_is_gone(server: StubServer, running: Running) -> None:
    lists = [listing([pod("a"), pod("b")], "10"), listing([pod("b")], "20")]

    async def next_list(request: Any) -> Any:
        return await (lists.pop(0) if len(lists) > 1 else lists[0])(request)

    server.on("GET", PODS, list_then_watch(next_list, status(410, "too old")))
    running.start(Pod)
    await running.told.until("+a", "+b", "-a", "+b")


async def test_a_failure_of_whoever_is_told_ends_nothing(
    server: StubServer, running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    class OnceOdd(Told):
        broken = False

        def __call__(self, happened: Input) -> None:
            super().__call__(happened)
            if not self.broken:
                self.broken = True
                raise ZeroDivisionError

    running.told = OnceOdd()
    server.on("GET", PODS, list_then_watch(listing([pod("a"), pod("b")])))
    running.start(Pod)
    await running.told.until("+a", "+a", "+b")
    assert "following Pod broke" in caplog.text


async def test_who_may_not_read_hears_of_it_once(
    server: StubServer, running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    server.on("GET", PODS, status(403, 'pods is forbidden: User "jane" cannot list resource "pods"'))
    running.start(Pod)
    with pytest.raises(Forbidden, match="pods is forbidden"):
        await running.result()
    assert not caplog.records


async def test_a_server_that_has_just_begun_may_refuse_at_first(server: StubServer, running: Running) -> None:
    refusal = status(403, "no rules yet")
    answers = [refusal, refusal, listing([pod("a")])]

    async def next_list(request: Any) -> Any:
        return await (answers.pop(0) if len(answers) > 1 else answers[0])(request)

    server.on("GET", PODS, list_then_watch(next_list))
    running.start(Pod)
    await running.told.until("+a")


async def test_later_refusals_are_lived_with(server: StubServer, running: Running) -> None:
    refusals = [status(403, "for a while")] * 10
    server.on("GET", PODS, list_then_watch(listing([]), *refusals, watch(event("ADDED", pod("a", "11")))))
    running.start(Pod)
    await running.told.until("+a")


async def test_an_odd_object_costs_nobody_else(
    server: StubServer, running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    odd = {"metadata": {"name": "odd", "uid": "u"}, "spec": "what?"}
    server.on("GET", PODS, list_then_watch(answer({"metadata": {}, "items": [odd, pod("a")]})))
    running.start(Pod)
    await running.told.until("+a")
    assert caplog.text.count("can not read Pod odd, it is left out: spec: expected 'object'") == 1
