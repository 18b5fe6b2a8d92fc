"""Server-side apply, by the examples of its documentation, and by its refusals."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import orjson
import pytest

from nominee.apiserver.patches.managed_fields.apply import Application, apply
from nominee.apiserver.patches.managed_fields.tracking import note_update
from nominee.apiserver.schema.catalogue import CATALOGUE
from nominee.apiserver.schema.type import Struct
from nominee.errors import ApiError, Conflict

DEPLOYMENT = CATALOGUE.type("io.k8s.api.apps.v1.Deployment")
CONFIG_MAP = CATALOGUE.type("io.k8s.api.core.v1.ConfigMap")
TYPES = {"Deployment": DEPLOYMENT, "ConfigMap": CONFIG_MAP}

NOT_NUMERIC = "expected numeric (int or float), got string"
NO_KEYS = (
    'associative list with keys has an element that omits all key fields ["name"] '
    "(and doesn't have default values for any key fields)"
)

Item = dict[str, Any]


@dataclass
class Write:
    manager: str
    api_version: str
    subresource: str = ""
    now: str = "2026-01-01T00:00:00Z"


def applied(live: Item | None, item: Item, manager: str = "a", *, force: bool = False, **more: str) -> Item:
    write = Write(manager, item.get("apiVersion", "v1"), **more)
    return apply(live, item, Application(type_of(item), write, {}, force))


def updated(live: Item | None, item: Item, manager: str = "u", **more: str) -> Item:
    new = copy.deepcopy(item)
    note_update(new, live, type_of(item), Write(manager, item["apiVersion"], **more), {})
    return new


def type_of(item: Item) -> Struct:
    return TYPES.get(item.get("kind", ""), CONFIG_MAP)


def deployment(**spec: Any) -> Item:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def config_map(**data: str) -> Item:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}


def template(*containers: Item) -> Item:
    return {"spec": {"containers": list(containers)}}


def owners(item: Item) -> dict[tuple[str, str], Any]:
    entries = item["metadata"].get("managedFields", [])
    return {(entry["manager"], entry["operation"]): entry["fieldsV1"] for entry in entries}


def test_who_applies_owns_what_is_applied_and_nothing_else() -> None:
    item = applied(None, deployment(replicas=3, template=template({"name": "a", "image": "x"})))
    assert item["metadata"]["managedFields"] == [
        {
            "manager": "a",
            "operation": "Apply",
            "apiVersion": "apps/v1",
            "time": "2026-01-01T00:00:00Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:spec": {
                    "f:replicas": {},
                    "f:template": {
                        "f:spec": {"f:containers": {'k:{"name":"a"}': {".": {}, "f:name": {}, "f:image": {}}}}
                    },
                }
            },
        }
    ]


def test_a_field_of_another_manager_is_a_conflict_that_names_both() -> None:
    live = updated(None, deployment(replicas=1), "kubectl-client-side-apply")
    with pytest.raises(Conflict) as refused:
        applied(live, deployment(replicas=3), "someone")
    told = 'conflict with "kubectl-client-side-apply" using apps/v1'
    assert refused.value.reason == f"Apply failed with 1 conflict: {told}: .spec.replicas"
    assert refused.value.body is not None
    assert refused.value.body["details"]["causes"] == [
        {"reason": "FieldManagerConflict", "message": told, "field": ".spec.replicas"}
    ]


def test_several_conflicts_are_grouped_by_manager() -> None:
    live = applied(None, config_map(a="1", b="1"), "one")
    live = applied(live, config_map(c="1"), "two")
    with pytest.raises(Conflict) as refused:
        applied(live, config_map(a="2", b="2", c="2"), "three")
    assert refused.value.reason == (
        'Apply failed with 3 conflicts: conflicts with "one":\n- .data.a\n- .data.b\n'
        'conflicts with "two":\n- .data.c'
    )


def test_force_takes_the_field_over() -> None:
    live = applied(None, config_map(a="1", b="1"), "one")
    item = applied(live, config_map(a="2"), "two", force=True)
    assert item["data"] == {"a": "2", "b": "1"}
    assert owners(item)[("one", "Apply")] == {"f:data": {"f:b": {}}}
    assert owners(item)[("two", "Apply")] == {"f:data": {"f:a": {}}}


def test_the_same_value_is_shared_and_stays_until_nobody_applies_it() -> None:
    live = applied(None, config_map(a="1"), "one")
    live = applied(live, config_map(a="1"), "two")
    live = applied(live, config_map(), "one")
    assert live["data"] == {"a": "1"}
    assert applied(live, config_map(), "two").get("data") in (None, {})


def test_what_is_not_applied_any_more_goes() -> None:
    containers = {"name": "a", "image": "x"}, {"name": "b", "image": "y"}
    live = applied(None, deployment(replicas=3, template=template(*containers)))
    item = applied(live, deployment(template=template(containers[1])))
    assert item["spec"] == {"template": template(containers[1])}


def test_what_an_update_has_set_in_between_stays() -> None:
    live = applied(None, config_map(a="1"))
    live = updated(live, {**live, "data": {"a": "1", "b": "2"}})
    item = applied(live, config_map(a="3"))
    assert item["data"] == {"a": "3", "b": "2"}
    assert owners(item)[("u", "Update")] == {"f:data": {"f:b": {}}}


def test_lists_merge_by_key_in_the_applied_order() -> None:
    live = applied(None, deployment(template=template({"name": "a"}, {"name": "b"})), "one")
    item = applied(live, deployment(template=template({"name": "c"}, {"name": "b", "image": "x"})), "two")
    names = [container["name"] for container in item["spec"]["template"]["spec"]["containers"]]
    assert names == ["a", "c", "b"]


def test_applying_the_same_again_changes_nothing_not_even_the_time() -> None:
    first = applied(None, config_map(a="1"))
    assert applied(first, config_map(a="1"), now="2027-01-01T00:00:00Z") == first


def test_quantities_are_compared_by_value() -> None:
    containers = template({"name": "a", "resources": {"limits": {"cpu": "1"}}})
    live = applied(None, deployment(template=containers), "one")
    same = template({"name": "a", "resources": {"limits": {"cpu": "1000m"}}})
    assert applied(live, deployment(template=same), "two")["spec"] == live["spec"]


def test_an_object_without_managers_belonged_to_whoever_was_before() -> None:
    with pytest.raises(Conflict) as refused:
        applied(config_map(a="1"), config_map(a="2"))
    assert 'conflict with "before-first-apply" using v1: .data.a' in refused.value.reason


def test_kubectl_may_take_over_what_client_side_apply_has_set() -> None:
    annotation = "kubectl.kubernetes.io/last-applied-configuration"
    live = config_map(a="1")
    live["metadata"]["annotations"] = {annotation: orjson.dumps(config_map(a="1")).decode()}
    live = updated(None, live, "kubectl-client-side-apply")
    item = applied(live, config_map(a="2"), "kubectl")
    assert item["data"] == {"a": "2"}
    kept = orjson.loads(item["metadata"]["annotations"][annotation])
    assert kept == config_map(a="2")
    with pytest.raises(Conflict):
        applied(live, config_map(a="2"), "somebody-else")


def test_a_null_empties_the_field_and_owns_that() -> None:
    live = applied(None, deployment(replicas=3), "one")
    nothing = deployment(replicas=None)
    item = applied(live, nothing, "two", force=True)
    assert "replicas" not in item["spec"]
    assert owners(item)[("two", "Apply")] == {"f:spec": {"f:replicas": {}}}


def test_two_who_apply_a_null_where_nothing_is_have_no_conflict() -> None:
    item = deployment(template={"metadata": {"creationTimestamp": None}})
    live = applied(None, item, "one")
    assert applied(live, item, "two")["spec"] == live["spec"]


def test_appliers_of_a_subresource_are_managers_of_their_own() -> None:
    live = applied(None, deployment(replicas=3))
    item = applied(live, deployment(replicas=3), subresource="status")
    assert {entry.get("subresource") for entry in item["metadata"]["managedFields"]} == {None, "status"}


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (deployment(foo=1), ".spec.foo: field not declared in schema"),
        (deployment(replicas="3"), f".spec.replicas: {NOT_NUMERIC}"),
        (deployment(paused=1), ".spec.paused: expected boolean, got &{1}"),
        (deployment(template=[]), ".spec.template: expected map, got &{[]}"),
        (
            deployment(template=template({"name": "a"}, {"name": "a"})),
            '.spec.template.spec.containers: duplicate entries for key [name="a"]',
        ),
        (
            deployment(template=template({"image": "a"})),
            f".spec.template.spec.containers: element 0: {NO_KEYS}",
        ),
        (
            {**deployment(replicas="3"), "spam": 1},
            f"errors:\n  .spec.replicas: {NOT_NUMERIC}\n  .spam: field not declared in schema",
        ),
    ],
)
def test_what_is_not_of_the_type_is_a_bad_request(item: Item, why: str) -> None:
    with pytest.raises(ApiError) as refused:
        applied(None, item)
    assert refused.value.status == 400
    place = "/web; apps/v1, Kind=Deployment"
    assert refused.value.reason == f"failed to create typed patch object ({place}): {why}"


def test_managed_fields_can_not_be_applied() -> None:
    item = config_map()
    item["metadata"]["managedFields"] = [{}]
    with pytest.raises(ApiError) as refused:
        applied(None, item)
    assert refused.value.reason == "metadata.managedFields must be nil"
