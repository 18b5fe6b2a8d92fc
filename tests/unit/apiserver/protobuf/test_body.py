from typing import Any

import pytest

from nominee.apiserver.protobuf.body import read_protobuf
from nominee.apiserver.protobuf.numbers import messages
from nominee.apiserver.protobuf.wire import BrokenError
from nominee.apiserver.schema.catalogue import CATALOGUE


def varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def message(*fields: tuple[int, Any]) -> bytes:
    """A message as Go would write it: texts, bytes and messages with their length, numbers as varints."""
    parts = []
    for number, value in fields:
        if isinstance(value, int):
            parts.append(varint(number << 3) + varint(value))
        else:
            data = value.encode() if isinstance(value, str) else value
            parts.append(varint(number << 3 | 2) + varint(len(data)) + data)
    return b"".join(parts)


def envelope(api_version: str, kind: str, raw: bytes) -> bytes:
    return b"k8s\x00" + message((1, message((1, api_version), (2, kind))), (2, raw), (3, ""), (4, ""))


def read(api_version: str, kind: str, *fields: tuple[int, Any]) -> Any:
    return read_protobuf(envelope(api_version, kind, message(*fields)))


def test_an_object_is_read_along_its_type() -> None:
    metadata = message((1, "a"), (3, ""), (11, message((1, "k"), (2, "v"))), (8, b""))
    container = message((1, "c"), (2, "image"), (7, message((1, "E"), (2, ""))))
    pod = read("v1", "Pod", (1, metadata), (2, message((2, container), (10, ""))))
    assert pod == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "labels": {"k": "v"}},
        "spec": {"containers": [{"name": "c", "image": "image", "env": [{"name": "E"}]}]},
    }


def test_messages_in_line_are_part_of_their_parent() -> None:
    reference = message((1, "cm"))
    source = message((19, message((1, reference))))
    volume = message((1, "v"), (2, source))
    spec = read("v1", "Pod", (2, message((1, volume))))["spec"]
    assert spec == {"volumes": [{"name": "v", "configMap": {"name": "cm"}}]}


def test_a_zero_is_kept_where_it_says_something() -> None:
    deployment = read("apps/v1", "Deployment", (2, message((1, 0), (5, 0))))
    assert deployment["spec"] == {"replicas": 0}


def test_quantities_times_bytes_and_ports_have_their_notations() -> None:
    limits = message((1, "cpu"), (2, message((1, "500m"))))
    probe = message((1, message((2, message((2, message((1, 0), (2, 8080))))))))
    container = message((8, message((1, limits))), (10, probe))
    pod = read("v1", "Pod", (1, message((9, message((1, 86400))))), (2, message((2, container))))
    assert pod["metadata"]["deletionTimestamp"] == "1970-01-02T00:00:00Z"
    read_container = pod["spec"]["containers"][0]
    assert read_container["resources"] == {"limits": {"cpu": "500m"}}
    assert read_container["livenessProbe"] == {"httpGet": {"port": 8080}}
    secret = read("v1", "Secret", (2, message((1, "k"), (2, b"\xff"))))
    assert secret["data"] == {"k": "/w=="}


def test_negative_numbers_and_text_ports() -> None:
    port = message((4, message((1, 1), (2, 0), (3, "http"))))
    service = read("v1", "Service", (2, message((1, port))))
    assert service["spec"]["ports"] == [{"targetPort": "http"}]
    assert read("scheduling.k8s.io/v1", "PriorityClass", (2, -5))["value"] == -5


def test_delete_options_belong_to_every_group() -> None:
    read_options = read("policy/v1", "DeleteOptions", (1, 0), (4, "Background"))
    assert (read_options["gracePeriodSeconds"], read_options["propagationPolicy"]) == (0, "Background")


def test_what_nobody_knows_is_no_object() -> None:
    assert read("example.com/v1", "Thing") is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"k8s\x00\xff",
        b"k8s\x00\x0a\x7f",
        envelope("v1", "Pod", b"\x0a"),
        envelope("v1", "Pod", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        envelope("v1", "Pod", message((1, 5))),
        envelope("v1", "Pod", message((1, message((1, b"\xff"))))),
        envelope("v1", "Pod", b"\x03"),
    ],
)
def test_broken_bytes_are_told(body: bytes) -> None:
    with pytest.raises(BrokenError):
        read_protobuf(body)


def test_every_field_that_has_a_number_has_a_type() -> None:
    unknown = []
    for name, numbers in messages().items():
        if name not in CATALOGUE:
            continue  # a part of another message, in line
        fields = CATALOGUE.type(name).fields
        unknown += [f"{name}.{n.name}" for n in numbers.values() if n.name and n.name not in fields]
    assert unknown == []
