"""Who owns what after creates, updates and patches."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import pytest

from nominee.apiserver.kinds import BUILTIN
from nominee.apiserver.patches.managed_fields.reset import reset_fields
from nominee.apiserver.patches.managed_fields.sets import Fields
from nominee.apiserver.patches.managed_fields.tracking import note_update
from nominee.apiserver.schema.catalogue import CATALOGUE

POD = CATALOGUE.type("io.k8s.api.core.v1.Pod")
PODS = next(kind for kind in BUILTIN if kind.names.resource == "pods")

Item = dict[str, Any]


@dataclass
class Write:
    manager: str
    subresource: str = ""
    now: str = "2026-01-01T00:00:00Z"
    api_version: str = "v1"


def noted(old: Item | None, new: Item, write: Write, reset: Fields | None = None) -> Item:
    item = copy.deepcopy(new)
    note_update(item, old, POD, write, reset or {})
    return item


def pod(**spec: Any) -> Item:
    metadata = {"name": "p", "namespace": "d", "uid": "u", "labels": {"app": "web"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def entries(item: Item) -> list[Item]:
    found: list[Item] = item["metadata"].get("managedFields", [])
    return found


def test_a_creator_owns_everything_but_what_is_the_servers() -> None:
    ports = [{"containerPort": 80}]
    created = noted(None, pod(containers=[{"name": "c", "ports": ports}], nodeSelector={}), Write("kubectl"))
    assert entries(created) == [
        {
            "manager": "kubectl",
            "operation": "Update",
            "apiVersion": "v1",
            "time": "2026-01-01T00:00:00Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
                "f:spec": {
                    "f:containers": {
                        'k:{"name":"c"}': {
                            ".": {},
                            "f:name": {},
                            "f:ports": {
                                ".": {},
                                'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:containerPort": {}},
                            },
                        }
                    },
                    "f:nodeSelector": {},
                },
            },
        }
    ]


def test_an_update_takes_what_it_changes() -> None:
    created = noted(None, pod(nodeName="a", priority=1), Write("one"))
    item = noted(created, {**created, "spec": {"nodeName": "b", "priority": 1}}, Write("two"))
    owned = {entry["manager"]: entry["fieldsV1"] for entry in entries(item)}
    assert owned["two"] == {"f:spec": {"f:nodeName": {}}}
    assert owned["one"]["f:spec"] == {"f:priority": {}}


def test_an_update_that_changes_nothing_leaves_the_managers_alone() -> None:
    created = noted(None, pod(nodeName="a"), Write("one"))
    assert noted(created, created, Write("two", now="2027-01-01T00:00:00Z")) == created


def test_what_is_removed_is_nobodys() -> None:
    created = noted(None, pod(nodeName="a", priority=1), Write("one"))
    item = noted(created, {**created, "spec": {"priority": 1}}, Write("two"))
    assert [entry["manager"] for entry in entries(item)] == ["one"]
    assert entries(item)[0]["fieldsV1"]["f:spec"] == {"f:priority": {}}


def test_a_write_of_the_status_is_an_entry_of_its_own() -> None:
    created = noted(None, pod(nodeName="a"), Write("one"))
    status = {"conditions": [{"type": "Ready", "status": "True"}]}
    write = Write("kubelet", subresource="status", now="2026-01-01T00:00:01Z")
    item = noted(created, {**created, "status": status}, write, reset_fields(PODS, "status"))
    assert entries(item)[1]["subresource"] == "status"
    assert entries(item)[1]["fieldsV1"] == {
        "f:status": {"f:conditions": {".": {}, 'k:{"type":"Ready"}': {".": {}, "f:type": {}, "f:status": {}}}}
    }


def test_fields_that_a_write_resets_are_not_owned() -> None:
    item = noted(None, {**pod(), "status": {"phase": "x"}}, Write("one"), reset_fields(PODS, ""))
    assert "f:status" not in entries(item)[0]["fieldsV1"]


@pytest.mark.parametrize("sent", [[], [{}]])
def test_clients_can_clear_the_managers(sent: list[Item]) -> None:
    created = noted(None, pod(nodeName="a"), Write("one"))
    new = copy.deepcopy(created)
    new["metadata"]["managedFields"] = sent
    cleared = noted(created, new, Write("two"))
    assert entries(cleared) == []
    assert entries(noted(cleared, {**cleared, "spec": {"nodeName": "b"}}, Write("two"))) == []


def test_senseless_entries_are_ignored() -> None:
    created = noted(None, pod(nodeName="a"), Write("one"))
    new = copy.deepcopy(created)
    new["metadata"]["managedFields"] = [{"manager": "x", "operation": "Update", "apiVersion": "v1"}]
    assert entries(noted(created, new, Write("two"))) == entries(created)


def test_managers_who_update_are_at_most_ten() -> None:
    item = noted(None, pod(nodeName="0"), Write("m0"))
    for number in range(1, 14):
        labels = {str(n): "x" for n in range(number)}
        new = {**item, "metadata": {**item["metadata"], "labels": labels}}
        item = noted(item, new, Write(f"m{number}", now=f"2026-01-01T00:00:{number:02}Z"))
    names = [entry["manager"] for entry in entries(item)]
    assert len(names) == 10
    assert "ancient-changes" in names


def test_pods_of_one_template_share_their_sets() -> None:
    one, two = (noted(None, pod(containers=[{"name": "c", "image": image}]), Write("m")) for image in "xy")
    assert entries(one)[0]["fieldsV1"] is entries(two)[0]["fieldsV1"]


def test_duplicates_in_a_list_with_keys_count_as_one() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    created = noted(None, pod(containers=[{"name": "c", "env": env}]), Write("one"))
    inside = entries(created)[0]["fieldsV1"]["f:spec"]["f:containers"]['k:{"name":"c"}']
    assert inside["f:env"] == {".": {}, 'k:{"name":"A"}': {}}


def test_structs_that_go_always_writes_belong_to_nobody_but_come_with_an_element() -> None:
    made = noted(None, pod(containers=[{"name": "a", "resources": {}}]), Write("kubectl"))
    container: Item = {".": {}, "f:name": {}, "f:resources": {}}
    owned = made["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]
    assert owned == {"f:containers": {'k:{"name":"a"}': container}}
