"""The catalogue has every field that the official client knows, as the client has it, and describes kinds."""

from __future__ import annotations

import re
from typing import Any

import pytest
from kubernetes import client

from nominee.apiserver.kind import Kind
from nominee.apiserver.kinds import BUILTIN
from nominee.apiserver.schema.catalogue import CATALOGUE
from nominee.apiserver.schema.type import Free, ListOf, MapOf, Scalar, Struct, Type

# Types of the same name in several groups bear the group's in the client.
QUALIFIED = {
    "io.k8s.api.core.v1.Event": "CoreV1Event",
    "io.k8s.api.core.v1.EventSeries": "CoreV1EventSeries",
    "io.k8s.api.core.v1.EndpointPort": "CoreV1EndpointPort",
    "io.k8s.api.core.v1.ResourceClaim": "CoreV1ResourceClaim",
    "io.k8s.api.events.v1.Event": "EventsV1Event",
    "io.k8s.api.events.v1.EventSeries": "EventsV1EventSeries",
    "io.k8s.api.discovery.v1.EndpointPort": "DiscoveryV1EndpointPort",
    "io.k8s.api.rbac.v1.Subject": "RbacV1Subject",
    "io.k8s.api.storage.v1.TokenRequest": "StorageV1TokenRequest",
    "io.k8s.api.authentication.v1.TokenRequest": "AuthenticationV1TokenRequest",
    "io.k8s.api.resource.v1.ResourceClaim": "ResourceV1ResourceClaim",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference": (
        "ApiextensionsV1ServiceReference"
    ),
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig": (
        "ApiextensionsV1WebhookClientConfig"
    ),
}


def model_of(name: str) -> Any:
    """The client's class for a type, or None if it has none."""
    version, short = name.split(".")[-2:]
    return getattr(client, QUALIFIED.get(name, f"V{version[1:]}{short}"), None)


KNOWN = [name for name in CATALOGUE.names() if model_of(name) is not None]


def test_nearly_every_type_is_compared() -> None:
    missing = sorted(set(CATALOGUE.names()) - set(KNOWN))
    assert len(missing) < 60, missing
    assert len(KNOWN) > 350


SCALARS = {
    "bool": "bool",
    "bytes": "bytes",
    "int32": "int",
    "int64": "int",
    "float64": "float",
    "time": "datetime",
    "microtime": "datetime",
    "int-or-string": "object",
}


def as_client(type_: Type) -> str:
    """What the client calls a type."""
    if isinstance(type_, Scalar):
        return SCALARS.get(type_.name, "str")
    if isinstance(type_, ListOf):
        return f"List[{as_client(type_.element)}]"
    if isinstance(type_, MapOf):
        return f"Dict[str, {as_client(type_.element)}]"
    model = model_of(type_.name) if isinstance(type_, Struct) else None
    return model.__name__ if model else "object"


def generation(kind: str) -> str:
    """The client's generator has changed its brackets and its bytes over the years."""
    kind = kind.replace("list[", "List[").replace("dict(str, ", "Dict[str, ").replace(")", "]")
    return kind.replace("bytes", "str")


def test_fields_and_their_types_are_those_of_the_client() -> None:
    differences = {}
    for name in KNOWN:
        model = model_of(name)
        ours = {field.name: as_client(field.type) for field in CATALOGUE.type(name).fields.values()}
        for attribute, kind in model.openapi_types.items():
            key = model.attribute_map[attribute]
            if generation(ours.get(key, "nothing")) != generation(kind):
                differences[f"{name}.{key}"] = (ours.get(key), kind)
    assert not differences


def test_lists_have_the_form_that_all_lists_have() -> None:
    pods = CATALOGUE.type("io.k8s.api.core.v1.PodList")
    assert list(pods.fields) == ["apiVersion", "kind", "metadata", "items"]
    assert pods.kind == ("", "v1", "PodList")


@pytest.mark.parametrize(
    "name", ["io.k8s.api.core.v1.Nothing", "nothing", "io.k8s.api.core.v1.ContainerList"]
)
def test_unknown_names_are_not_there(name: str) -> None:
    assert name not in CATALOGUE


def every_struct() -> list[Struct]:
    return [CATALOGUE.type(name) for name in CATALOGUE.names()]


def test_every_type_can_be_read_and_its_parts_too() -> None:
    for struct in every_struct():
        for field in struct.fields.values():
            inner = field.type
            while isinstance(inner, ListOf | MapOf):
                inner = inner.element
            assert isinstance(inner, Scalar | Free) or CATALOGUE.type(inner.name) is inner


def test_the_keys_of_lists_are_fields_of_their_elements() -> None:
    for struct in every_struct():
        for field in struct.fields.values():
            if not isinstance(field.type, ListOf):
                continue
            keys = {*field.type.keys, *([field.merge_key] if field.merge_key else [])}
            if keys:
                assert isinstance(field.type.element, Struct)
                assert keys <= field.type.element.fields.keys(), (struct, field.name)


def test_descriptions_are_sentences_or_empty() -> None:
    for struct in every_struct():
        for text in [struct.description, *(field.description for field in struct.fields.values())]:
            assert not text or re.fullmatch(r"\S.*[.!?)]", text), text


@pytest.mark.parametrize("kind", BUILTIN, ids=lambda kind: kind.names.resource)
def test_every_kind_is_described(kind: Kind) -> None:
    assert CATALOGUE.type(kind.schema).description
