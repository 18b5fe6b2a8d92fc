from typing import Any

from nominee.apiserver.kind import JsonObject, Kind
from nominee.apiserver.kinds.config_maps import CONFIG_MAPS
from nominee.apiserver.kinds.leases import LEASES
from nominee.apiserver.kinds.metadata import validate_metadata, validate_metadata_update
from nominee.apiserver.kinds.namespaces import NAMESPACES
from nominee.apiserver.kinds.nodes import NODES
from tests.unit.apiserver.kinds.checking import metadata, told

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
KEY = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


def errors_of(kind: Kind = CONFIG_MAPS, **fields: Any) -> list[str]:
    item: JsonObject = {"apiVersion": "v1", "metadata": metadata(**fields)}
    if not kind.names.namespaced:
        del item["metadata"]["namespace"]
    return told(validate_metadata(item, kind))


def errors_of_update(old: JsonObject | None = None, **fields: Any) -> list[str]:
    before = metadata(**(old or {}))
    item = {"apiVersion": "v1", "metadata": metadata(resourceVersion="7", **fields)}
    return told(validate_metadata_update(item, {"metadata": before}))


def test_plain_metadata_is_good() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}
    assert errors_of(labels={"a.b/c": "D"}, annotations={"a": "b\n"}, ownerReferences=[owner]) == []


def test_names_are_subdomains_mostly() -> None:
    assert errors_of(name="a.b-c") == []
    assert errors_of(name="A_b") == [f'metadata.name: Invalid value: "A_b": {SUBDOMAIN}']
    assert errors_of(name="a" * 254) == [
        f'metadata.name: Invalid value: "{"a" * 254}": must be no more than 253 characters'
    ]


def test_names_of_namespaces_are_labels() -> None:
    assert errors_of(NAMESPACES, name="a.b") == ['metadata.name: Invalid value: "a.b": must not contain dots']
    assert errors_of(NAMESPACES, name="a_b") == [f'metadata.name: Invalid value: "a_b": {LABEL}']


def test_an_object_without_a_name_needs_one() -> None:
    assert errors_of(name="") == ["metadata.name: Required value: name or generateName is required"]


def test_a_name_that_goes_on_may_end_in_a_dash() -> None:
    assert errors_of(generateName="web-", name="web-abcde") == []
    assert errors_of(generateName="web_", name="web-abcde") == [
        f'metadata.generateName: Invalid value: "web_": {SUBDOMAIN}'
    ]


def test_only_objects_in_namespaces_have_one() -> None:
    item = {"apiVersion": "v1", "metadata": {"name": "a", "namespace": "b"}}
    assert told(validate_metadata(item, NODES)) == ["metadata.namespace: Forbidden: not allowed on this type"]
    item = {"apiVersion": "v1", "metadata": {"name": "a"}}
    assert told(validate_metadata(item, CONFIG_MAPS)) == ["metadata.namespace: Required value"]


def test_labels_have_qualified_keys_and_short_values() -> None:
    assert errors_of(labels={"a b": "c"}) == [f'metadata.labels: Invalid value: "a b": name part {KEY}']
    assert errors_of(labels={"/b": "c"}) == [
        'metadata.labels: Invalid value: "/b": prefix part must be non-empty'
    ]
    assert errors_of(labels={"b": "c" * 64}) == [
        f'metadata.labels: Invalid value: "{"c" * 64}": must be no more than 63 bytes'
    ]


def test_annotations_have_qualified_keys_of_any_case() -> None:
    assert errors_of(annotations={"Example.com/A": "x"}) == []
    assert errors_of(annotations={"a/b/c": ""})[0].startswith(
        'metadata.annotations: Invalid value: "a/b/c": a valid label key must consist of'
    )


def test_annotations_have_a_quarter_of_a_mebibyte() -> None:
    assert errors_of(annotations={"a": "x" * (256 * 1024 - 1)}) == []
    assert errors_of(annotations={"a": "ü" * (128 * 1024)}) == [
        "metadata.annotations: Too long: may not be more than 262144 bytes"
    ]


def test_owners_are_named_in_full_and_one_controls() -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": True}
    version = "must be <group>/<version> or <version>"
    assert errors_of(ownerReferences=[{"apiVersion": "a/b/c"}]) == [
        f'metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": {version}',
        "metadata.ownerReferences[0].kind: Required value: must not be empty",
        "metadata.ownerReferences[0].name: Required value: must not be empty",
        "metadata.ownerReferences[0].uid: Required value: must not be empty",
    ]
    assert (
        'Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q'
        in (errors_of(ownerReferences=[owner, {**owner, "name": "q"}])[0])
    )


def test_finalizers_of_core_objects_have_a_domain() -> None:
    plain = "name is neither a standard finalizer name nor is it fully qualified"
    assert errors_of(finalizers=["example.com/f", "foregroundDeletion"]) == []
    assert errors_of(finalizers=["mine"]) == [f'metadata.finalizers[0]: Invalid value: "mine": {plain}']
    assert errors_of(LEASES, finalizers=["mine"]) == []


def test_an_update_changes_neither_name_nor_uid() -> None:
    assert errors_of_update({"uid": "1"}, uid="2", name="b") == [
        'metadata.name: Invalid value: "b": field is immutable',
        'metadata.uid: Invalid value: "2": field is immutable',
    ]


def test_an_update_must_say_what_it_updates() -> None:
    item = {"apiVersion": "v1", "metadata": metadata()}
    assert told(validate_metadata_update(item, {"metadata": metadata()})) == [
        'metadata.resourceVersion: Invalid value: "": must be specified for an update'
    ]


def test_what_is_being_deleted_gets_no_more_finalizers() -> None:
    gone = {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a.b/c"]}
    errors = errors_of_update(gone, deletionTimestamp="2026-01-01T00:00:00Z", finalizers=["a.b/c", "a.b/d"])
    why = "no new finalizers can be added if the object is being deleted, found new finalizers"
    assert errors == [f'metadata.finalizers: Forbidden: {why} []string{{"a.b/d"}}']


def test_managed_fields_are_of_one_operation() -> None:
    path = "metadata.managedFields[0].operation"
    assert errors_of(managedFields=[{"operation": ""}]) == [f"{path}: Required value: must not be empty"]
    assert errors_of(managedFields=[{"operation": "Create"}]) == [
        f'{path}: Unsupported value: "Create": supported values: "Apply", "Update"'
    ]
