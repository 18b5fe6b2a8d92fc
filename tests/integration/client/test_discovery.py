"""What a server serves, and which version of it is used."""

from __future__ import annotations

import pytest

from nominee.client import Client, discover, look_up
from nominee.client.resources import RESOURCES
from nominee.errors import InputError, TransportError
from nominee.model.kinds import CLUSTER_SCOPED, KINDS
from tests.integration.client.stub import Handler, StubServer, answer, status


def resources(*plurals: str) -> Handler:
    return answer({"kind": "APIResourceList", "resources": [{"name": name} for name in plurals]})


async def test_kinds_that_are_not_served_are_absent(server: StubServer, client: Client) -> None:
    server.on("GET", "/api/v1", resources("pods", "nodes"))
    server.on("GET", "/apis/resource.k8s.io/v1", resources("resourceclaims"))
    found = await discover(client, ["Pod", "Node", "ResourceClaim", "DeviceClass", "PodGroup"])
    assert found == {"Pod", "Node", "ResourceClaim"}


async def test_the_first_version_that_is_served_is_used(server: StubServer, client: Client) -> None:
    server.on("GET", "/apis/resource.k8s.io/v1beta2", resources("resourceclaims"))
    assert await discover(client, ["ResourceClaim"]) == {"ResourceClaim"}
    path = "/apis/resource.k8s.io/v1beta2/namespaces/ns/resourceclaims/c"
    assert client.resource("ResourceClaim").item("ns/c") == path


async def test_a_version_may_have_some_of_the_kinds(server: StubServer, client: Client) -> None:
    server.on("GET", "/apis/resource.k8s.io/v1", resources("resourceclaims"))
    server.on("GET", "/apis/resource.k8s.io/v1alpha3", resources("devicetaintrules"))
    await discover(client, ["ResourceClaim", "DeviceTaintRule"])
    assert client.resource("ResourceClaim").version == "v1"
    assert client.resource("DeviceTaintRule").version == "v1alpha3"


async def test_who_may_not_look_assumes_the_best(server: StubServer, client: Client) -> None:
    server.on("GET", "/api/v1", status(403, "forbidden"))
    assert await discover(client, ["Pod"]) == {"Pod"}


async def test_what_is_no_api_server(server: StubServer, client: Client) -> None:
    server.on("GET", "/api/v1", answer([]))
    with pytest.raises(TransportError, match="no list of resources"):
        await discover(client, ["Pod"])


def test_every_known_kind_has_a_resource() -> None:
    assert set(RESOURCES) == set(KINDS)
    assert {kind for kind, resource in RESOURCES.items() if not resource.namespaced} == CLUSTER_SCOPED
    for kind, resource in RESOURCES.items():
        group = KINDS[kind].API_VERSION.rpartition("/")[0]
        assert (resource.kind, resource.group) == (kind, group)


def test_an_unknown_kind_is_named(client: Client) -> None:
    with pytest.raises(InputError, match="unknown kind 'Pot'"):
        client.resource("Pot")


GROUPS = {"groups": [{"name": "example.com", "preferredVersion": {"version": "v2"}}]}
WIDGETS = [
    {"name": "widgets/status", "kind": "Widget", "namespaced": True},
    {"name": "widgets", "kind": "Widget", "namespaced": True},
]


async def test_a_kind_that_only_a_plugin_knows_is_looked_up_once(server: StubServer, client: Client) -> None:
    server.on("GET", "/api/v1", resources("pods"))
    server.on("GET", "/apis", answer(GROUPS))
    server.on("GET", "/apis/example.com/v2", answer({"resources": WIDGETS}))
    found = await look_up(client, "Widget")
    assert found.item("ns/w") == "/apis/example.com/v2/namespaces/ns/widgets/w"
    server.on("GET", "/apis", status(500, "again?"))
    assert await look_up(client, "Widget") is found
    assert client.resource("Widget") is found


async def test_a_kind_of_the_core_group_and_of_the_cluster(server: StubServer, client: Client) -> None:
    server.on(
        "GET", "/api/v1", answer({"resources": [{"name": "componentstatuses", "kind": "ComponentStatus"}]})
    )
    assert (await look_up(client, "ComponentStatus")).item("etcd") == "/api/v1/componentstatuses/etcd"


async def test_a_kind_that_the_server_has_not(server: StubServer, client: Client) -> None:
    server.on("GET", "/api/v1", resources("pods"))
    server.on("GET", "/apis", answer({"groups": []}))
    with pytest.raises(InputError, match="the server has no kind 'Pot'"):
        await look_up(client, "Pot")


async def test_known_kinds_are_not_looked_up(client: Client) -> None:
    assert (await look_up(client, "Pod")).plural == "pods"
