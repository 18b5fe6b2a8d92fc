"""Extenders over HTTP, against a small server: the wire format is Go's."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from nominee.client.extenders import HttpExtenders
from nominee.config.duration import Duration
from nominee.config.types import Extender
from nominee.errors import NomineeError
from nominee.scheduler.extenders import Refusal
from nominee.state.cluster import ClusterState
from nominee.testing import make_node, make_pod

POD = make_pod("web").label("app", "web")
NODES = {name: make_node(name).build() for name in ("a", "b")}
Serve = Callable[..., Awaitable[Extender]]


class Server:
    """Answers each path with what it was told to, and notes what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.asked: list[tuple[str, Any]] = []
        self.status = 200

    async def serve(self, request: web.Request) -> web.Response:
        self.asked.append((request.path, await request.json()))
        answer = self.answers[request.path.rpartition("/")[2]]
        if isinstance(answer, str):
            return web.Response(text=answer)
        return web.json_response(answer, status=self.status)


@pytest.fixture
async def server() -> AsyncIterator[tuple[Server, str]]:
    answers, app = Server(), web.Application()
    app.router.add_post("/{verb}", answers.serve)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    yield answers, f"http://{host}:{port}/"
    await runner.cleanup()


@pytest.fixture
async def calls() -> AsyncIterator[HttpExtenders]:
    made = HttpExtenders(())
    yield made
    await made.close()


def extender(url: str, *, cached: bool = False, **fields: Any) -> Extender:
    verbs = {
        "filter_verb": "filter",
        "prioritize_verb": "rank",
        "preempt_verb": "preempt",
        "bind_verb": "bind",
    }
    return Extender(url_prefix=url, node_cache_capable=cached, **{**verbs, **fields})


async def test_filter_sends_whole_nodes(server: tuple[Server, str], calls: HttpExtenders) -> None:
    answers, url = server
    answers.answers["filter"] = {
        "Nodes": {"items": [{"metadata": {"name": "b"}}]},
        "FailedNodes": {"a": "no"},
        "FailedAndUnresolvableNodes": {"c": "never"},
        "Error": "",
    }
    names, refused = await calls.filter(extender(url), {"kind": "Pod"}, NODES)
    assert (names, refused) == (["b"], {"a": Refusal("no"), "c": Refusal("never", unresolvable=True)})
    path, said = answers.asked[0]
    assert path == "/filter"
    assert said["Pod"] == {"kind": "Pod"}
    assert said["NodeNames"] is None
    assert [item["metadata"]["name"] for item in said["Nodes"]["items"]] == ["a", "b"]


async def test_filter_sends_names_to_those_that_know_the_nodes(
    server: tuple[Server, str], calls: HttpExtenders
) -> None:
    answers, url = server
    answers.answers["filter"] = {"nodenames": ["a"]}  # Go reads keys in any case
    names, _ = await calls.filter(extender(url, cached=True), {}, NODES)
    assert names == ["a"]
    assert answers.asked[0][1] == {"Pod": {}, "Nodes": None, "NodeNames": ["a", "b"]}


async def test_a_name_that_was_not_asked_about_is_an_error(
    server: tuple[Server, str], calls: HttpExtenders
) -> None:
    answers, url = server
    answers.answers["filter"] = {"NodeNames": ["z"]}
    with pytest.raises(
        NomineeError, match='claims a filtered node "z" which is not found in the input node list'
    ):
        await calls.filter(extender(url, cached=True), {}, NODES)


async def test_prioritize_reads_hosts_and_scores(server: tuple[Server, str], calls: HttpExtenders) -> None:
    answers, url = server
    answers.answers["rank"] = [{"Host": "a", "Score": 3}, {"Host": "b", "Score": 10}]
    assert await calls.prioritize(extender(url), {}, NODES) == {"a": 3, "b": 10}


@pytest.mark.parametrize(
    ("answer", "scores"),
    [
        ([{"Host": "a", "Score": 100}, {"Host": "b", "Score": -1}], {"a": 100, "b": -1}),
        ([{"Host": "a", "Score": 1}, {"Host": "a", "Score": 2}, {"Host": "b"}], {"a": 3, "b": 0}),
        (None, {}),
    ],
)
async def test_scores_are_taken_as_they_are(
    server: tuple[Server, str], calls: HttpExtenders, answer: Any, scores: dict[str, int]
) -> None:
    """Upstream does not look whether they keep to the rules, so nobody who breaks them would notice there."""
    answers, url = server
    answers.answers["rank"] = answer
    assert await calls.prioritize(extender(url), {}, NODES) == scores


@pytest.mark.parametrize("answer", [{}, [3], [{"Host": "a", "Score": 1.5}], [{"Score": True}]])
async def test_scores_that_are_none(server: tuple[Server, str], calls: HttpExtenders, answer: Any) -> None:
    answers, url = server
    answers.answers["rank"] = answer
    with pytest.raises(NomineeError):
        await calls.prioritize(extender(url), {}, NODES)


@pytest.mark.parametrize("cached", [True, False])
async def test_preempt_answers_with_uids(
    server: tuple[Server, str], calls: HttpExtenders, *, cached: bool
) -> None:
    answers, url = server
    victim = ClusterState().pod(POD.node("a").build())
    answers.answers["preempt"] = {
        "NodeNameToMetaVictims": {"a": {"Pods": [{"UID": victim.uid}], "NumPDBViolations": 1}}
    }
    said = await calls.preempt(extender(url, cached=cached), {}, {"a": ((victim,), 1)})
    assert said == {"a": ((victim.uid,), 1)}
    sent = answers.asked[0][1]
    if cached:
        assert sent["NodeNameToMetaVictims"]["a"]["Pods"] == [{"UID": victim.uid}]
    else:
        assert sent["NodeNameToVictims"]["a"]["Pods"][0]["metadata"]["name"] == "web"


async def test_bind_says_who_and_where(server: tuple[Server, str], calls: HttpExtenders) -> None:
    answers, url = server
    pod = ClusterState().pod(POD.build())
    answers.answers["bind"] = {"Error": ""}
    await calls.bind(extender(url), pod, "a")
    assert answers.asked == [
        ("/bind", {"PodName": "web", "PodNamespace": "default", "PodUID": pod.uid, "Node": "a"})
    ]


@pytest.mark.parametrize(
    ("answer", "status", "message"),
    [
        ({}, 500, r"failed filter with extender at URL http://.*/filter, code 500"),
        ({"Error": "out of licences"}, 200, "out of licences"),
        ("<html>", 200, "gave a malformed answer: unexpected character"),
        ([], 200, "answered with list where an object is due"),
        ({"FailedNodes": []}, 200, "FailedNodes that is no object"),
        ({"Nodes": {"items": [{"metadata": {}}]}}, 200, "malformed answer"),
        ({"Nodes": {"items": 3}}, 200, "malformed answer"),
    ],
)
async def test_what_goes_wrong_is_one_error(
    server: tuple[Server, str], calls: HttpExtenders, answer: Any, status: int, message: str
) -> None:
    answers, url = server
    answers.answers["filter"], answers.status = answer, status
    with pytest.raises(NomineeError, match=message):
        await calls.filter(extender(url), {}, NODES)


async def test_nobody_there_is_an_error_too(calls: HttpExtenders) -> None:
    """People read it in the pod's condition, where kube-scheduler has Go's words."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        place = f"127.0.0.1:{closed.getsockname()[1]}"
    with pytest.raises(NomineeError) as raised:
        await calls.filter(extender(f"http://{place}"), {}, NODES)
    assert str(raised.value) == f'Post "http://{place}/filter": dial tcp {place}: connect: connection refused'


async def test_who_says_nothing_is_not_waited_for(calls: HttpExtenders) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(NomineeError) as raised:
            await calls.filter(extender(url, http_timeout=Duration.parse("50ms")), {}, NODES)
    why = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    assert str(raised.value) == f'Post "{url}/filter": {why}'


async def test_who_speaks_no_tls_is_an_error_too(server: tuple[Server, str], calls: HttpExtenders) -> None:
    url = server[1].replace("http:", "https:").rstrip("/")
    with pytest.raises(NomineeError, match=f'Post "{url}/filter": .*(tls|ssl)'):
        await calls.filter(extender(url), {}, NODES)
