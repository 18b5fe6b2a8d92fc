"""Objects decode by kind, and every mistake is named with its field."""

from typing import Any

import msgspec
import pytest

from nominee.errors import InputError
from nominee.model.codec import KINDS, decode, decode_object, decode_objects, encode_object
from nominee.model.meta import NamedObject
from nominee.model.node import Node
from nominee.model.pod import Pod


def _pod(**parts: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, **parts}


def _spec(**container: Any) -> dict[str, Any]:
    return {"containers": [{"name": "ok"}, {"name": "c", **container}]}


def test_acronyms_keep_their_spelling() -> None:
    spec = {
        "containers": [{"ports": [{"hostIP": "10.0.0.1", "hostPort": 80}]}],
        "hostPID": True,
        "volumes": [{"awsElasticBlockStore": {"volumeID": "v"}}, {"gcePersistentDisk": {"pdName": "p"}}],
    }
    pod = decode(Pod, {"spec": spec})
    assert pod.spec.containers[0].ports[0].host_ip == "10.0.0.1"
    assert pod.spec.host_pid
    assert pod.spec.volumes[0].aws_elastic_block_store is not None
    assert pod.spec.volumes[0].aws_elastic_block_store.volume_id == "v"
    assert pod.spec.volumes[1].gce_persistent_disk is not None
    assert pod.spec.volumes[1].gce_persistent_disk.pd_name == "p"
    assert encode_object(pod)["spec"] == spec


def test_unknown_fields_are_ignored() -> None:
    assert decode_object(_pod(spec={"hostname": "x", "containers": [{"command": ["a"]}]})).name == "web"


@pytest.mark.parametrize("as_bytes", [False, True])
def test_null_is_empty_as_in_go(as_bytes: bool) -> None:
    data: Any = {
        "metadata": {"name": "web", "labels": {"a": None}, "creationTimestamp": None, "finalizers": None},
        "spec": {
            "nodeName": None,
            "containers": [{"resources": {"requests": {"cpu": None}, "limits": None}}],
        },
    }
    pod = decode(Pod, msgspec.json.encode(data) if as_bytes else data)
    assert pod.labels == {"a": ""}
    assert pod.spec.node_name == ""
    assert pod.spec.containers[0].resources.requests == {"cpu": "0"}


def test_a_pod_without_a_namespace_belongs_to_default_and_a_node_to_none() -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    assert decode_object(_pod()).key == "default/web"
    assert decode_object(node).key == "n"


@pytest.mark.parametrize("struct", KINDS.values(), ids=KINDS)
def test_every_kind_survives_a_round_trip(struct: type[NamedObject]) -> None:
    data = {
        "apiVersion": struct.API_VERSION,
        "kind": struct.KIND,
        "metadata": {"name": "a", "namespace": "b"},
    }
    item = decode_object(data)
    assert isinstance(item, struct)
    assert encode_object(item) == data


def test_lists_are_taken_apart() -> None:
    items = list(decode_objects({"kind": "List", "items": [_pod(), _pod()]}))
    assert [type(item) for item in items] == [Pod, Pod]
    with pytest.raises(InputError, match=r"items\[1\]\.kind: unknown kind"):
        list(decode_objects({"kind": "List", "items": [_pod(), {"kind": "Pot"}]}))


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ({"kind": "Pot"}, "kind"),
        ({"kind": None}, "kind"),
        ({"kind": ["Pod"]}, "kind"),
        ({"apiVersion": "apps/v1"}, "apiVersion"),
        ({"metadata": {}}, "metadata.name"),
        ({"metadata": {"name": 3}}, "metadata.name"),
        ({"metadata": {"name": "a", "labels": {"x": "y", "z": 1}}}, "metadata.labels[z]"),
        ({"metadata": {"name": "a", "deletionTimestamp": "soon"}}, "metadata.deletionTimestamp"),
        ({"spec": {"tolerations": "all"}}, "spec.tolerations"),
        ({"spec": _spec(ports=[{"hostPort": "80"}])}, "spec.containers[1].ports[0].hostPort"),
        (
            {"spec": _spec(resources={"requests": {"cpu": "1", "memory": True}})},
            "spec.containers[1].resources.requests[memory]",
        ),
        ({"spec": _spec(resources={"limits": {"cpu": "x"}})}, "spec.containers[1].resources.limits[cpu]"),
        (
            {"spec": _spec(resources={"requests": {"cpu": "-1"}})},
            "spec.containers[1].resources.requests[cpu]",
        ),
        ({"spec": {"overhead": {"cpu": "1c"}}}, "spec.overhead[cpu]"),
        ({"spec": {"resources": {"requests": {"cpu": "1c"}}}}, "spec.resources.requests[cpu]"),
        ({"status": {"allocatedResources": {"cpu": "1c"}}}, "status.allocatedResources[cpu]"),
        (
            {"status": {"containerStatuses": [{"resources": {"requests": {"cpu": "1c"}}}]}},
            "status.containerStatuses[0].resources.requests[cpu]",
        ),
        ({"status": {"startTime": "now"}}, "status.startTime"),
        ({"spec": {"topologySpreadConstraints": [{}]}}, "spec.topologySpreadConstraints[0].topologyKey"),
    ],
)
def test_a_mistake_is_named_with_its_field(parts: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as error:
        decode_object(_pod(**parts), "pods.yaml")
    assert (error.value.source, error.value.field) == ("pods.yaml", field)


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_BAD = {"matchExpressions": [{"key": "a", "operator": "Is"}]}


@pytest.mark.parametrize(
    ("affinity", "field"),
    [
        (
            {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [_BAD]}}},
            f"nodeAffinity.{_REQUIRED}.nodeSelectorTerms[0]",
        ),
        ({"nodeAffinity": {_PREFERRED: [{"preference": _BAD}]}}, f"nodeAffinity.{_PREFERRED}[0].preference"),
        (
            {"podAffinity": {_REQUIRED: [{"labelSelector": _BAD, "topologyKey": "z"}]}},
            f"podAffinity.{_REQUIRED}[0].labelSelector",
        ),
        (
            {"podAntiAffinity": {_PREFERRED: [{"podAffinityTerm": {"namespaceSelector": _BAD}}]}},
            f"podAntiAffinity.{_PREFERRED}[0].podAffinityTerm.namespaceSelector",
        ),
    ],
)  # fmt: skip
def test_a_bad_selector_is_named_with_its_field(affinity: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as error:
        decode_object(_pod(spec={"affinity": affinity}))
    assert error.value.field == f"spec.affinity.{field}.matchExpressions[0].operator"


@pytest.mark.parametrize(
    ("version", "kind", "parts", "field"),
    [
        ("v1", "Node", {"status": {"allocatable": {"cpu": "4 cores"}}}, "status.allocatable[cpu]"),
        ("v1", "PersistentVolume", {"spec": {"capacity": {"storage": "1Gb"}}}, "spec.capacity[storage]"),
        (
            "v1",
            "PersistentVolume",
            {"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [_BAD]}}}},
            "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].operator",
        ),
        (
            "v1",
            "PersistentVolumeClaim",
            {"spec": {"resources": {"requests": {"storage": "1Gb"}}}},
            "spec.resources.requests[storage]",
        ),
        ("storage.k8s.io/v1", "CSIStorageCapacity", {"capacity": "lots"}, "capacity"),
    ],
)
def test_other_kinds_are_checked_too(version: str, kind: str, parts: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as error:
        decode_object({"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, **parts})
    assert error.value.field == field


def test_an_unknown_kind_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="unknown kind 'Deployment': expected one of CSIDriver, CSINode, "):
        decode_object({"apiVersion": "apps/v1", "kind": "Deployment"})


@pytest.mark.parametrize("data", [b"{", b"\xff", b"[]"])
def test_what_is_not_an_object_is_an_input_error(data: bytes) -> None:
    with pytest.raises(InputError) as error:
        decode(Node, data, "node.json")
    assert error.value.source == "node.json"
