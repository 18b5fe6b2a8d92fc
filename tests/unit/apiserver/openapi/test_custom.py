"""Documents show a custom resource as its definition describes it."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.apiserver.crd.custom_kind import CustomKind, custom_kind
from nominee.apiserver.openapi.documented import documented
from nominee.apiserver.openapi.schemas import Schemas
from nominee.apiserver.schema.catalogue import CATALOGUE

SPEC = {
    "type": "object",
    "description": "What the boat should be.",
    "required": ["colour"],
    "properties": {
        "colour": {"type": "string", "enum": ["red", "blue"]},
        "oars": {"type": "integer", "default": 2, "maximum": 8},
        "cargo": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "length": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
    },
}


@pytest.fixture
def boats() -> CustomKind:
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC}}},
    }
    spec = {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "boats", "kind": "Boat"},
        "versions": [version],
    }
    kind = custom_kind({"metadata": {"name": "boats.example.com"}, "spec": spec})
    assert kind is not None
    return kind


def shown(kind: CustomKind, schemas: Schemas) -> dict[str, Any]:
    """Its schema in a document, in which all that is referred to must be."""
    dict(documented(schemas, kind, ("example.com", "v1"), CATALOGUE.type))
    return schemas.found["com.example.v1.Boat"]


def test_the_schema_is_shown_as_it_was_given(boats: CustomKind) -> None:
    assert shown(boats, Schemas())["properties"]["spec"] == SPEC


def test_what_all_objects_have_is_added(boats: CustomKind) -> None:
    assert {"apiVersion", "kind", "metadata", "spec"} == set(shown(boats, Schemas())["properties"])


def test_clients_find_it_by_its_kind(boats: CustomKind) -> None:
    [found] = shown(boats, Schemas())["x-kubernetes-group-version-kind"]
    assert found == {"group": "example.com", "version": "v1", "kind": "Boat"}


def test_its_list_is_there(boats: CustomKind) -> None:
    schemas = Schemas()
    shown(boats, schemas)
    items = schemas.found["com.example.v1.BoatList"]["properties"]["items"]
    assert items["items"] == {"$ref": "#/components/schemas/com.example.v1.Boat"}


def test_version_2_leaves_open_what_it_can_not_say(boats: CustomKind) -> None:
    spec = shown(boats, Schemas(place="#/definitions/", plain=True))["properties"]["spec"]
    assert spec["required"] == ["colour"]
    assert spec["properties"]["colour"] == {"type": "string", "enum": ["red", "blue"]}
    assert spec["properties"]["oars"] == {"type": "integer"}
    assert "type" not in spec["properties"]["cargo"]
    assert "type" not in spec["properties"]["length"]
    assert "anyOf" not in spec["properties"]["length"]
