"""Lists: pages, versions, selectors, tables."""

import base64
from typing import Any

import pytest

from nominee.apiserver.rest import DeleteOptions, Rest

MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
def seven(rest: Rest) -> None:
    for number in range(7):
        labels = {"odd": str(number % 2), "name": f"m{number}"}
        rest.create(
            "configmaps", "default", {"metadata": {"name": f"m{number}", "labels": labels}}, rest.context()
        )


def names(reply: Any) -> list[str]:
    return [item["metadata"]["name"] for item in reply.json["items"]]


@pytest.mark.usefixtures("seven")
async def test_a_list_is_of_one_moment(client: Any, rest: Rest) -> None:
    reply = await client.get(MAPS)
    assert (reply.json["kind"], reply.json["apiVersion"]) == ("ConfigMapList", "v1")
    assert reply.json["metadata"] == {"resourceVersion": str(rest.store.version)}
    assert names(reply) == [f"m{number}" for number in range(7)]


@pytest.mark.parametrize(
    "body",
    [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}},
        {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}},
        {"metadata": {"name": "a"}},
    ],
)
async def test_what_is_in_a_list_does_not_say_again_what_it_is(client: Any, body: Any) -> None:
    await client.post(MAPS, body)
    for path in (MAPS, f"{MAPS}?pretty=true"):
        assert list((await client.get(path)).json["items"][0]) == ["metadata"]
    assert (await client.get(f"{MAPS}/a")).json["kind"] == "ConfigMap"


@pytest.mark.usefixtures("seven")
async def test_pages_are_of_the_moment_of_the_first(client: Any, rest: Rest) -> None:
    first = await client.get(f"{MAPS}?limit=3")
    assert first.json["metadata"]["remainingItemCount"] == 4
    rest.delete("configmaps", "default/m4", DeleteOptions(), rest.context())
    rest.create("configmaps", "default", {"metadata": {"name": "m31"}}, rest.context())
    second = await client.get(f"{MAPS}?limit=3&continue={first.json['metadata']['continue']}")
    third = await client.get(f"{MAPS}?limit=3&continue={second.json['metadata']['continue']}")
    assert names(first) + names(second) + names(third) == [f"m{number}" for number in range(7)]
    versions = {page.json["metadata"]["resourceVersion"] for page in (first, second, third)}
    assert len(versions) == 1
    assert "continue" not in third.json["metadata"]


@pytest.mark.usefixtures("seven")
async def test_with_a_selector_nobody_counts_what_remains(client: Any) -> None:
    reply = await client.get(f"{MAPS}?limit=2&labelSelector=odd%3D0")
    assert names(reply) == ["m0", "m2"]
    assert "remainingItemCount" not in reply.json["metadata"]


@pytest.mark.usefixtures("seven")
async def test_a_page_that_comes_too_late_can_go_on_all_the_same(client: Any, rest: Rest) -> None:
    token = (await client.get(f"{MAPS}?limit=2")).json["metadata"]["continue"]
    for _ in range(300):
        rest.delete("configmaps", "default/m0", DeleteOptions(), rest.context())
        rest.create("configmaps", "default", {"metadata": {"name": "m0"}}, rest.context())
    reply = await client.get(f"{MAPS}?limit=2&continue={token}")
    assert (reply.status, reply.json["reason"]) == (410, "Expired")
    assert "too old to display a consistent list result" in reply.json["message"]
    late = await client.get(f"{MAPS}?limit=2&continue={reply.json['metadata']['continue']}")
    assert names(late) == ["m2", "m3"]


@pytest.mark.parametrize(
    "token", ["x", "!!", "e30", base64.urlsafe_b64encode(b'{"v":"meta.k8s.io/v1"}').decode()]
)
async def test_a_token_that_is_not_ours_is_refused(client: Any, token: str) -> None:
    reply = await client.get(f"{MAPS}?continue={token}")
    assert reply.status == 400
    assert "continue key is not valid" in reply.json["message"]


@pytest.mark.usefixtures("seven")
@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("odd=1", ["m1", "m3", "m5"]),
        ("odd!=1,name in (m0,m2)", ["m0", "m2"]),
        ("!odd", []),
        ("name notin (m0,m1,m2,m3,m4,m5)", ["m6"]),
    ],
)
async def test_labels_select(client: Any, selector: str, found: list[str]) -> None:
    assert names(await client.get(f"{MAPS}?labelSelector={selector.replace(' ', '%20')}")) == found


@pytest.mark.usefixtures("seven")
@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("metadata.name=m3", ["m3"]),
        ("metadata.name=m9", []),
        ("metadata.namespace=default,metadata.name!=m0", ["m1", "m2", "m3", "m4", "m5", "m6"]),
        ("metadata.name=m1,metadata.name=m2", []),
    ],
)
async def test_fields_select(client: Any, selector: str, found: list[str]) -> None:
    assert names(await client.get(f"{MAPS}?fieldSelector={selector}")) == found


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "labelSelector=a%20b",
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
        ),
        ("fieldSelector=data.x%3D1", '"data.x" is not a known field selector: only "metadata.name", '),
        ("fieldSelector=x", "invalid selector: 'x'; can't understand 'x'"),
        ("limit=x", 'strconv.ParseInt: parsing "x": invalid syntax'),
        ("limit=99999999999999999999", "value out of range"),
        ("timeoutSeconds=x&watch=1", 'strconv.ParseInt: parsing "x": invalid syntax'),
        ("resourceVersion=x", 'strconv.ParseUint: parsing "x": invalid syntax'),
        ("resourceVersion=-1", 'strconv.ParseUint: parsing "-1": invalid syntax'),
        ("continue=e30&resourceVersion=5", "not allowed when using continue"),
    ],
)
async def test_questions_that_make_no_sense(client: Any, query: str, message: str) -> None:
    reply = await client.get(f"{MAPS}?{query}")
    assert reply.status == 400
    assert message in reply.json["message"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "resourceVersionMatch=Exact",
            "resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        ("resourceVersion=0&resourceVersionMatch=Exact", 'is forbidden for resourceVersion "0"'),
        ("resourceVersion=1&resourceVersionMatch=Newer", 'Unsupported value: "Newer"'),
        ("sendInitialEvents=true", "sendInitialEvents is forbidden for list"),
        ("watch=1&sendInitialEvents=true", "sendInitialEvents requires setting resourceVersionMatch"),
        (
            "watch=1&resourceVersionMatch=Exact",
            'Unsupported value: "Exact": supported values: "NotOlderThan"',
        ),
    ],
)
async def test_options_that_do_not_go_together(client: Any, query: str, message: str) -> None:
    reply = await client.get(f"{MAPS}?{query}")
    assert (reply.status, reply.json["details"]["kind"]) == (422, "ListOptions")
    assert message in reply.json["message"]


@pytest.mark.parametrize("path", [MAPS, "/api/v1/namespaces/default"])
async def test_a_version_of_the_future_is_not_there_yet(client: Any, path: str) -> None:
    reply = await client.get(f"{path}?resourceVersion=999999999")
    assert (reply.status, reply.json["reason"]) == (504, "Timeout")
    assert reply.json["message"].startswith("Timeout: Too large resource version: 999999999, current: ")
    assert reply.headers["Retry-After"] == "1"


@pytest.mark.usefixtures("seven")
async def test_an_exact_version_is_that_one(client: Any, rest: Rest) -> None:
    before = rest.store.version
    rest.delete("configmaps", "default/m0", DeleteOptions(), rest.context())
    exact = await client.get(f"{MAPS}?resourceVersion={before}&resourceVersionMatch=Exact")
    assert "m0" in names(exact)
    not_older = await client.get(f"{MAPS}?resourceVersion={before}&resourceVersionMatch=NotOlderThan")
    assert "m0" not in names(not_older)


@pytest.mark.usefixtures("seven")
async def test_a_table_has_a_row_for_each(client: Any) -> None:
    reply = await client.get(MAPS, Accept="application/json;as=Table;v=v1;g=meta.k8s.io")
    table = reply.json
    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Data", "Age"]
    assert table["rows"][0]["cells"][:2] == ["m0", 0]
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"


@pytest.mark.usefixtures("seven")
@pytest.mark.parametrize(("include", "kind"), [("Object", "ConfigMap"), ("None", None)])
async def test_rows_bring_as_much_as_is_wanted(client: Any, include: str, kind: str | None) -> None:
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    row = (await client.get(f"{MAPS}?includeObject={include}", Accept=accept)).json["rows"][0]
    assert row.get("object", {}).get("kind") == kind
    wrong = await client.get(f"{MAPS}?includeObject=Some", Accept=accept)
    assert wrong.status == 422


@pytest.mark.usefixtures("seven")
async def test_metadata_alone(client: Any) -> None:
    listed = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
    tree = (await client.get(MAPS, Accept=listed)).json
    assert (tree["kind"], tree["items"][0]["kind"]) == ("PartialObjectMetadataList", "PartialObjectMetadata")
    one = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
    assert set((await client.get(f"{MAPS}/m0", Accept=one)).json) == {"kind", "apiVersion", "metadata"}
    assert (await client.get(f"{MAPS}/m0", Accept=listed)).status == 406


async def test_a_long_list_comes_in_pieces(client: Any, rest: Rest) -> None:
    for number in range(500):
        item = {"metadata": {"name": f"m{number:03}"}, "data": {"x": "y" * 2000}}
        rest.create("configmaps", "default", item, rest.context())
    reply = await client.get(MAPS)
    assert reply.headers["Transfer-Encoding"] == "chunked"
    assert names(reply) == [f"m{number:03}" for number in range(500)]


async def test_events_are_served_in_two_forms(client: Any) -> None:
    event = {
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
        "reason": "Because",
        "message": "so",
        "type": "Normal",
    }
    created = await client.post("/api/v1/namespaces/default/events", event)
    assert created.status == 201, created.text
    other = (await client.get("/apis/events.k8s.io/v1/namespaces/default/events/e")).json
    assert (other["apiVersion"], other["note"], other["regarding"]["name"]) == ("events.k8s.io/v1", "so", "p")
    listed = (await client.get("/apis/events.k8s.io/v1/events")).json
    assert (listed["kind"], listed["apiVersion"]) == ("EventList", "events.k8s.io/v1")
    assert listed["items"][0]["note"] == "so"
