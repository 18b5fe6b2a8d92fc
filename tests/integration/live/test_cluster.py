"""What the driver asks of the cluster, as requests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from nominee.client import Access, Client
from nominee.driver.ports import Cluster
from nominee.errors import Conflict, TransportError
from nominee.framework import Pod
from nominee.live.cluster import ApiCluster
from nominee.testing import make_cluster, make_pod
from tests.integration.client.stub import StubServer, answer, cut, serving, status

POD = "/api/v1/namespaces/default/pods/a"
EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"


async def no_pause(_: float) -> None:
    """Wait for nothing."""


@pytest.fixture
async def server() -> AsyncIterator[StubServer]:
    async with serving() as stub:
        yield stub


@pytest.fixture
async def cluster(server: StubServer) -> AsyncIterator[ApiCluster]:
    async with Client(Access(server=server.url), sleep=no_pause) as client:
        yield ApiCluster(client)


@pytest.fixture
def pod() -> Pod:
    return make_cluster().pod(make_pod("a").uid("u").build())


def test_it_is_what_drivers_ask_for() -> None:
    cluster: Cluster = ApiCluster(Client(Access(server="http://nowhere")))
    assert isinstance(cluster, ApiCluster)


async def test_bind(server: StubServer, cluster: ApiCluster, pod: Pod) -> None:
    server.on("POST", f"{POD}/binding", answer({"kind": "Status", "status": "Success"}, 201))
    await cluster.bind(pod, "n")
    body = server.asked[0].json
    assert body["metadata"] == {"namespace": "default", "name": "a", "uid": "u"}
    assert body["target"] == {"kind": "Node", "name": "n"}
    assert (body["apiVersion"], body["kind"]) == ("v1", "Binding")


async def test_a_refused_binding(server: StubServer, cluster: ApiCluster, pod: Pod) -> None:
    server.on("POST", f"{POD}/binding", status(409, 'pod a is already assigned to node "m"', "Conflict"))
    with pytest.raises(Conflict, match="already assigned"):
        await cluster.bind(pod, "n")


async def test_a_binding_without_an_answer_is_not_repeated(
    server: StubServer, cluster: ApiCluster, pod: Pod
) -> None:
    server.on("POST", f"{POD}/binding", cut)
    with pytest.raises(TransportError) as caught:
        await cluster.bind(pod, "n")
    assert caught.value.sent
    assert len(server.asked) == 1


async def test_a_patch_of_the_status_is(server: StubServer, cluster: ApiCluster, pod: Pod) -> None:
    server.on("PATCH", f"{POD}/status", cut, answer({}))
    patch = {"metadata": {"uid": "u"}, "status": {"nominatedNodeName": "n"}}
    await cluster.patch_pod_status(pod, patch)
    assert server.asked[-1].json == patch
    assert server.asked[-1].headers["Content-Type"] == "application/strategic-merge-patch+json"


async def test_delete_a_pod(server: StubServer, cluster: ApiCluster, pod: Pod) -> None:
    server.on("DELETE", POD, answer({}))
    await cluster.delete_pod(pod)
    assert server.asked[0].json["preconditions"] == {"uid": "u"}
    assert "gracePeriodSeconds" not in server.asked[0].json


async def test_the_status_of_other_kinds_is_merged(server: StubServer, cluster: ApiCluster) -> None:
    path = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/c/status"
    server.on("PATCH", path, answer({"kind": "ResourceClaim"}))
    patch = {"status": {"reservedFor": None}}
    assert await cluster.patch_status("ResourceClaim", "ns/c", patch) == {"kind": "ResourceClaim"}
    assert server.asked[0].json == patch
    assert server.asked[0].headers["Content-Type"] == "application/merge-patch+json"


async def test_events(server: StubServer, cluster: ApiCluster) -> None:
    server.on("POST", EVENTS, answer({}, 201))
    server.on("PATCH", f"{EVENTS}/e", answer({}))
    await cluster.create_event("default", {"reason": "Scheduled"})
    await cluster.patch_event("default", "e", {"series": {"count": 2}})
    assert [each.json for each in server.asked] == [{"reason": "Scheduled"}, {"series": {"count": 2}}]


async def test_objects_of_all_kinds(server: StubServer, cluster: ApiCluster) -> None:
    claims = "/api/v1/namespaces/ns/persistentvolumeclaims"
    claim = {"metadata": {"namespace": "ns", "name": "c", "resourceVersion": "1"}}
    server.on("POST", claims, answer(claim, 201))
    for method in ("GET", "PUT", "DELETE"):
        server.on(method, f"{claims}/c", answer(claim))
    assert await cluster.create("PersistentVolumeClaim", claim) == claim
    assert await cluster.get("PersistentVolumeClaim", "ns/c") == claim
    assert await cluster.update("PersistentVolumeClaim", claim) == claim
    await cluster.delete("PersistentVolumeClaim", "ns/c")
