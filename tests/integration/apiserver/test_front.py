"""What is no resource: who may ask, discovery, health, reviews, refusals."""

from typing import Any

import pytest

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList,application/json"


@pytest.mark.parametrize("path", ["/", "/api", "/healthz", "/version", "/api/v1/pods", "/nowhere"])
@pytest.mark.parametrize("token", ["", "wrong", "open-sesam", "open-sesame!"])
async def test_without_the_token_nothing_is_said(client: Any, path: str, token: str) -> None:
    reply = await client.ask("GET", path, token=token)
    assert reply.status == 401
    assert reply.json == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "Unauthorized",
        "reason": "Unauthorized",
        "code": 401,
    }


async def test_another_scheme_is_no_token(client: Any) -> None:
    reply = await client.ask("GET", "/version", token="", Authorization="Basic open-sesame")
    assert reply.status == 401


async def test_the_version_is_that_of_a_kubernetes(client: Any) -> None:
    version = (await client.get("/version")).json
    assert (version["major"], version["minor"], version["gitVersion"]) == ("1", "37", "v1.37.0+nominee")


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/livez/ping"])
async def test_it_is_well(client: Any, path: str) -> None:
    assert (await client.get(path)).body == b"ok"


async def test_it_tells_why_it_is_well(client: Any) -> None:
    text = (await client.get("/readyz?verbose&exclude=log")).text
    assert text.splitlines() == ["[+]ping ok", "[+]log excluded: ok", "[+]store ok", "readyz check passed"]


async def test_groups_are_found_one_by_one(client: Any) -> None:
    assert (await client.get("/api")).json["versions"] == ["v1"]
    groups = {group["name"]: group for group in (await client.get("/apis")).json["groups"]}
    assert groups["apps"]["preferredVersion"] == {"groupVersion": "apps/v1", "version": "v1"}
    assert (await client.get("/apis/apps")).json["kind"] == "APIGroup"
    resources = (await client.get("/apis/apps/v1")).json["resources"]
    found = {resource["name"]: resource for resource in resources}
    assert found["deployments"]["shortNames"] == ["deploy"]
    assert found["deployments/scale"]["kind"] == "Scale"
    assert found["deployments/scale"]["group"] == "autoscaling"


@pytest.mark.parametrize("version", ["v2", "v2beta1"])
async def test_everything_is_found_at_once(client: Any, version: str) -> None:
    reply = await client.get("/apis", Accept=AGGREGATED.format(version))
    assert reply.headers["Content-Type"] == (
        f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"
    )
    groups = {item["metadata"]["name"]: item for item in reply.json["items"]}
    kinds = [r["responseKind"]["kind"] for r in groups["apps"]["versions"][0]["resources"]]
    assert "Deployment" in kinds
    core = (await client.get("/api", Accept=AGGREGATED.format(version))).json["items"]
    assert [version["version"] for version in core[0]["versions"]] == ["v1"]


@pytest.mark.parametrize(
    "path", ["/nowhere", "/apis/nowhere", "/apis/apps/v9", "/api/v2", "/api/v1/nothings", "/apis//v1"]
)
async def test_an_unknown_path_is_a_status(client: Any, path: str) -> None:
    reply = await client.get(path)
    assert (reply.status, reply.json["message"]) == (404, "the server could not find the requested resource")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/version"),
        ("PUT", "/api/v1/namespaces/default/pods"),
        ("POST", "/api/v1/namespaces/default/pods/a"),
        ("POST", "/api/v1/pods"),
        ("GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
        ("BREW", "/api/v1/nodes"),
    ],
)
async def test_a_method_that_is_not_there_is_refused(client: Any, method: str, path: str) -> None:
    reply = await client.ask(method, path, {})
    assert reply.status == 405
    assert reply.json["reason"] == "MethodNotAllowed"


async def test_the_one_user_may_do_everything(client: Any) -> None:
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    review = await client.post(path, {"spec": {"resourceAttributes": {"verb": "get"}}})
    assert (review.status, review.json["status"]["allowed"]) == (201, True)
    who = await client.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {})
    assert who.json["status"]["userInfo"]["username"] == "system:admin"


@pytest.mark.parametrize("accept", ["application/vnd.kubernetes.protobuf", "text/html", "image/png, text/*"])
async def test_a_language_that_is_not_spoken_is_refused(client: Any, accept: str) -> None:
    reply = await client.get("/api/v1/nodes", Accept=accept)
    assert (reply.status, reply.json["reason"]) == (406, "NotAcceptable")


async def test_json_is_the_second_choice_of_those_who_like_protobuf(client: Any) -> None:
    reply = await client.get("/api/v1/nodes", Accept="application/vnd.kubernetes.protobuf,application/json")
    assert reply.headers["Content-Type"] == "application/json"


async def test_yaml_is_spoken_too(client: Any) -> None:
    reply = await client.get("/api/v1/namespaces/default", Accept="application/yaml")
    assert reply.text.startswith("apiVersion: v1\nkind: Namespace\n")


async def test_people_get_it_pretty(client: Any) -> None:
    assert b'\n  "kind"' in (await client.get("/api/v1/nodes?pretty=true")).body
    assert b'\n  "kind"' in (await client.get("/api/v1/nodes", User_Agent="curl/8.0")).body
    assert b"\n" not in (await client.get("/api/v1/nodes")).body
