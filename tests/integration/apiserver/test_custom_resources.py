"""Definitions of custom resources come, are used, change and go."""

from typing import Any

import pytest

from nominee.apiserver.assembly import rest_of
from nominee.apiserver.rest import Rest
from nominee.driver.clock import SystemClock

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TABS = "/apis/stable.example.com/v1/namespaces/default/crontabs"


def a_version(name: str = "v1", *, storage: bool = True, **more: Any) -> dict[str, Any]:
    spec = {
        "type": "object",
        "required": ["cron"],
        "properties": {
            "cron": {"type": "string", "pattern": "^[*0-9/ ]+$"},
            "replicas": {"type": "integer", "default": 1, "minimum": 0},
        },
    }
    status = {"type": "object", "properties": {"replicas": {"type": "integer"}, "is": {"type": "string"}}}
    schema = {"type": "object", "properties": {"spec": spec, "status": status}}
    return {
        "name": name,
        "served": True,
        "storage": storage,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {
            "status": {},
            "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
        },
        "additionalPrinterColumns": [{"name": "Cron", "type": "string", "jsonPath": ".spec.cron"}],
        "selectableFields": [{"jsonPath": ".spec.cron"}],
        **more,
    }


def a_definition(**spec: Any) -> dict[str, Any]:
    names = {"plural": "crontabs", "kind": "CronTab", "shortNames": ["ct"]}
    return {
        "metadata": {"name": "crontabs.stable.example.com"},
        "spec": {
            "group": "stable.example.com",
            "scope": "Namespaced",
            "names": names,
            "versions": [a_version()],
            **spec,
        },
    }


def a_tab(name: str = "a", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "stable.example.com/v1",
        "kind": "CronTab",
        "metadata": {"name": name},
        "spec": {"cron": "*/5", **spec},
    }


@pytest.fixture
async def defined(client: Any) -> Any:
    reply = await client.post(CRDS, a_definition())
    assert reply.status == 201, reply.text
    return reply.json


async def test_a_definition_is_established_at_once(client: Any, defined: Any) -> None:
    stored = (await client.get(f"{CRDS}/{defined['metadata']['name']}")).json
    conditions = {c["type"]: (c["status"], c["reason"]) for c in stored["status"]["conditions"]}
    assert conditions == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }
    assert stored["status"]["storedVersions"] == ["v1"]
    assert stored["status"]["acceptedNames"]["singular"] == "crontab"
    resources = (await client.get("/apis/stable.example.com/v1")).json["resources"]
    assert [r["name"] for r in resources] == ["crontabs", "crontabs/scale", "crontabs/status"]


@pytest.mark.usefixtures("defined")
async def test_instances_are_kept_as_their_schema_says(client: Any) -> None:
    reply = await client.post(TABS, a_tab(unheard="of"))
    assert reply.status == 201, reply.text
    assert reply.json["spec"] == {"cron": "*/5", "replicas": 1}
    assert reply.headers["Warning"] == '299 - "unknown field \\"spec.unheard\\""'
    strict = await client.post(f"{TABS}?fieldValidation=Strict", a_tab("b", unheard="of"))
    assert strict.json["message"] == (
        'CronTab in version "v1" cannot be handled as a CronTab: strict decoding error: '
        'unknown field "spec.unheard"'
    )


@pytest.mark.usefixtures("defined")
async def test_instances_that_do_not_fit_are_refused(client: Any) -> None:
    reply = await client.post(TABS, {**a_tab(), "spec": {"replicas": "many"}})
    assert reply.status == 422
    assert reply.json["message"] == (
        'CronTab.stable.example.com "a" is invalid: [spec.cron: Required value, '
        'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"]'
    )
    assert (await client.post(TABS, {**a_tab(), "metadata": {"name": 5}})).status == 400


@pytest.mark.usefixtures("defined")
async def test_the_status_is_a_part_of_its_own(client: Any) -> None:
    made = (await client.post(TABS, {**a_tab(), "status": {"is": "fine"}})).json
    assert "status" not in made
    reply = await client.put(f"{TABS}/a/status", {**made, "spec": {"cron": "0"}, "status": {"is": "fine"}})
    assert (reply.json["status"], reply.json["spec"]["cron"]) == ({"is": "fine"}, "*/5")
    assert reply.json["metadata"]["generation"] == 1


@pytest.mark.usefixtures("defined")
async def test_patches_scales_tables_and_selectors(client: Any) -> None:
    await client.post(TABS, a_tab())
    await client.post(TABS, a_tab("b", cron="0"))
    patched = await client.patch(f"{TABS}/a", {"spec": {"replicas": 2}})
    assert patched.json["metadata"]["generation"] == 2
    assert (await client.patch(f"{TABS}/a", {"spec": {}}, "strategic-merge")).status == 415
    assert (await client.patch(f"{TABS}/a/scale", {"spec": {"replicas": 5}})).json["spec"] == {"replicas": 5}
    table = (await client.get(TABS, Accept="application/json;as=Table;v=v1;g=meta.k8s.io")).json
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Cron"]
    assert [row["cells"] for row in table["rows"]] == [["a", "*/5"], ["b", "0"]]
    chosen = (await client.get(f"{TABS}?fieldSelector=spec.cron%3D0")).json["items"]
    assert [item["metadata"]["name"] for item in chosen] == ["b"]
    assert (await client.get(f"{TABS}?fieldSelector=spec.x%3D0")).status == 400


@pytest.mark.usefixtures("defined")
async def test_applying_on_the_server_side(client: Any) -> None:
    path = f"{TABS}/a?fieldManager=me"
    created = await client.patch(path, a_tab(), "apply")
    assert created.status == 201, created.text
    other = await client.patch(f"{TABS}/a?fieldManager=you", a_tab(cron="1"), "apply")
    assert (other.status, other.json["reason"]) == (409, "Conflict")
    forced = await client.patch(f"{TABS}/a?fieldManager=you&force=true", a_tab(cron="1"), "apply")
    assert forced.json["spec"]["cron"] == "1"


async def test_versions_are_served_side_by_side(client: Any, defined: Any) -> None:
    await client.post(TABS, a_tab())
    stored = (await client.get(f"{CRDS}/{defined['metadata']['name']}")).json
    stored["spec"]["versions"] = [a_version("v2"), a_version("v1", storage=False)]
    reply = await client.put(f"{CRDS}/{defined['metadata']['name']}", stored)
    assert reply.status == 200, reply.text
    assert reply.json["status"]["storedVersions"] == ["v1", "v2"]
    for version in ("v1", "v2"):
        path = f"/apis/stable.example.com/{version}/namespaces/default/crontabs"
        found = (await client.get(path)).json
        assert (found["apiVersion"], found["items"][0]["apiVersion"]) == (
            f"stable.example.com/{version}",
        ) * 2


async def test_instances_go_with_their_definition(client: Any, defined: Any) -> None:
    made = await client.post(TABS, {**a_tab(), "metadata": {"name": "a", "finalizers": ["x/y"]}})
    path = f"{CRDS}/{defined['metadata']['name']}"
    await client.delete(path)
    terminating = (await client.get(path)).json
    assert "Terminating" in [c["type"] for c in terminating["status"]["conditions"]]
    assert (await client.post(TABS, a_tab("b"))).status == 405
    assert (await client.get(f"{TABS}/a")).json["metadata"]["deletionTimestamp"]
    assert made.status == 201
    await client.patch(f"{TABS}/a", {"metadata": {"finalizers": None}})
    assert (await client.get(path)).status == 404
    assert (await client.get(TABS)).json["message"] == "the server could not find the requested resource"


async def test_names_that_are_taken_are_not_accepted(client: Any, defined: Any) -> None:
    assert defined["kind"] == "CustomResourceDefinition"
    names = {"plural": "others", "kind": "CronTab"}
    other = {**a_definition(names=names), "metadata": {"name": "others.stable.example.com"}}
    assert (await client.post(CRDS, other)).status == 201
    stored = (await client.get(f"{CRDS}/others.stable.example.com")).json
    condition = stored["status"]["conditions"][0]
    assert (condition["status"], condition["reason"]) == ("False", "ListKindConflict")
    assert condition["message"] == '"CronTabList" is already in use'
    assert (await client.get("/apis/stable.example.com/v1/others")).status == 404


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ({"metadata": {"name": "x"}}, 'must be spec.names.plural+"."+spec.group'),
        ({"spec": None}, "spec: Required value"),
        (a_definition(group="example"), "should be a domain with at least one dot"),
        (a_definition(group="x.k8s.io"), "protected groups must have approval annotation"),
        (a_definition(scope="Everywhere"), 'spec.scope: Unsupported value: "Everywhere"'),
        (a_definition(versions=[]), "spec.versions: Required value"),
        (a_definition(versions=[a_version(storage=False)]), "exactly one version marked as storage version"),
        (a_definition(versions=[a_version(schema=None)]), "schemas are required"),
        (
            a_definition(versions=[a_version(schema={"openAPIV3Schema": {"type": "string"}})]),
            "must be object at the root",
        ),
        (a_definition(conversion={"strategy": "Webhook"}), "webhooks are not called by this server"),
    ],
)
async def test_definitions_that_can_not_be(client: Any, definition: Any, message: str) -> None:
    reply = await client.post(CRDS, {**a_definition(), **definition})
    assert reply.status == 422, reply.text
    assert message in reply.json["message"]


@pytest.mark.usefixtures("defined")
async def test_what_was_defined_is_served_after_a_restart(rest: Rest) -> None:
    again = rest_of(rest.store, clock=SystemClock())
    assert "crontabs.stable.example.com" in again.registry
