"""Decoding: what it leaves out, what it rewrites, and how it complains."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.apiserver.schema.catalogue import CATALOGUE
from nominee.apiserver.schema.conforming import conforms
from nominee.apiserver.schema.decoding import decode, decode_or_refuse, strict_refusal
from nominee.apiserver.schema.type import STRING, Field, Struct
from nominee.errors import ApiError

POD = CATALOGUE.type("io.k8s.api.core.v1.Pod")
DEPLOYMENT = CATALOGUE.type("io.k8s.api.apps.v1.Deployment")
SECRET = CATALOGUE.type("io.k8s.api.core.v1.Secret")
SERVICE = CATALOGUE.type("io.k8s.api.core.v1.Service")
LEASE = CATALOGUE.type("io.k8s.api.coordination.v1.Lease")

TEXT_INTO = "json: cannot unmarshal string into Go struct field"
OBJECT_INTO = "json: cannot unmarshal object into Go struct field"
NUMBER_INTO = "json: cannot unmarshal number into Go struct field"
BAD_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def pod(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}


def test_what_conforms_comes_back_itself() -> None:
    item = pod(containers=[{"name": "c", "resources": {"requests": {"cpu": "100m"}}}], priority=7)
    assert conforms(item, POD)
    assert decode(item, POD).item is item


def test_unknown_fields_go_and_are_told_with_their_places() -> None:
    item = pod(containers=[{"name": "c"}, {"name": "d", "imag": "x"}], foo=1, nodeSelector={"any": "key"})
    item["bar"] = {}
    decoded = decode(item, POD)
    assert decoded.unknown == (
        'unknown field "spec.containers[1].imag"',
        'unknown field "spec.foo"',
        'unknown field "bar"',
    )
    assert decoded.item == pod(containers=[{"name": "c"}, {"name": "d"}], nodeSelector={"any": "key"})
    assert "foo" in item["spec"], "the given object stays as it is"


def test_nulls_go_where_go_would_leave_a_field_empty_and_are_zero_elsewhere() -> None:
    item = pod(containers=[None], nodeName=None, nodeSelector={"a": None}, overhead={"cpu": None})
    assert decode(item, POD).item["spec"] == {
        "containers": [{}],
        "nodeSelector": {"a": ""},
        "overhead": {"cpu": "0"},
    }


@pytest.mark.parametrize(
    ("written", "kept"),
    [("1000m", "1"), ("0.5", "500m"), ("1.5Gi", "1536Mi"), (2, "2"), (0.1, "100m"), ("1e3", "1e3")],
)
def test_quantities_become_canonical(written: Any, kept: str) -> None:
    assert decode(pod(overhead={"cpu": written}), POD).item["spec"]["overhead"] == {"cpu": kept}


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05.9+02:00", "2026-01-02T01:04:05Z"),
    ],
)
def test_times_become_utc_to_the_second(written: str, kept: str) -> None:
    item = {"metadata": {"creationTimestamp": written}}
    assert decode(item, POD).item == {"metadata": {"creationTimestamp": kept}}


def test_micro_times_keep_six_digits() -> None:
    item = {"spec": {"renewTime": "2026-01-02T03:04:05.123456789Z"}}
    assert decode(item, LEASE).item == {"spec": {"renewTime": "2026-01-02T03:04:05.123456Z"}}


@pytest.mark.parametrize(
    ("struct", "item", "why"),
    [
        (
            DEPLOYMENT,
            {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": "3"}},
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            POD,
            pod(containers=[{"ports": [{"containerPort": "80"}]}]),
            f"{TEXT_INTO} ContainerPort.spec.containers.ports.containerPort of type int32",
        ),
        (
            POD,
            pod(containers={}),
            f"{OBJECT_INTO} PodSpec.spec.containers of type []v1.Container",
        ),
        (
            POD,
            pod(restartPolicy=5),
            f"{NUMBER_INTO} PodSpec.spec.restartPolicy of type v1.RestartPolicy",
        ),
        (
            POD,
            pod(priority=1.5),
            "json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32",
        ),
        (
            POD,
            pod(volumes=[{"emptyDir": "x"}]),
            f"{TEXT_INTO} Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource",
        ),
        (
            POD,
            {"metadata": {"labels": {"a": True}}},
            "json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string",
        ),
        (
            POD,
            pod(overhead={"cpu": "much"}),
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (
            POD,
            {"metadata": {"creationTimestamp": "soon"}},
            'parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"',
        ),
        (
            POD,
            {"metadata": {"creationTimestamp": "2026-02-31T00:00:00Z"}},
            'parsing time "2026-02-31T00:00:00Z": day out of range',
        ),
        (
            SERVICE,
            {"spec": {"ports": [{"targetPort": True}]}},
            "json: cannot unmarshal bool into Go value of type int32",
        ),
        (SECRET, {"data": {"a": "%%%"}}, "illegal base64 data at input byte 0"),
    ],
)
def test_values_of_a_wrong_type_are_refused_in_the_words_of_go(
    struct: Struct, item: dict[str, Any], why: str
) -> None:
    with pytest.raises(ApiError) as refused:
        decode_or_refuse(item, struct)
    kind = struct.short_name
    assert refused.value.status == 400
    assert refused.value.reason == f'{kind} in version "v1" cannot be handled as a {kind}: {why}'


def test_a_strict_refusal_lists_every_complaint() -> None:
    error = strict_refusal(pod(), POD, ('unknown field "a"', 'duplicate field "b"'))
    assert error.reason == (
        'Pod in version "v1" cannot be handled as a Pod: strict decoding error: '
        'unknown field "a", duplicate field "b"'
    )


def test_no_more_than_a_hundred_unknown_fields_are_told() -> None:
    assert len(decode({f"x{n}": n for n in range(300)}, POD).unknown) == 100


def test_an_open_struct_keeps_what_nobody_declared() -> None:
    box = Struct("x.Box", lambda: {"a": Field("a", STRING)}, open=True)
    item = {"a": "1", "b": {"c": None}}
    assert decode(item, box).item is item
    assert decode({"a": None, "b": 1}, box).item == {"b": 1}


def test_an_empty_scalar_says_nothing_where_go_would_leave_it_out() -> None:
    container = {"name": "c", "image": "", "tty": False, "env": [{"name": "A", "value": ""}]}
    item = pod(containers=[container], hostNetwork=False, schedulerName="")
    assert decode(item, POD).item["spec"] == {"containers": [{"name": "c", "env": [{"name": "A"}]}]}


def test_what_go_points_to_may_be_zero() -> None:
    item = pod(terminationGracePeriodSeconds=0, enableServiceLinks=False, containers=[{"name": "c"}])
    assert decode(item, POD).item is item


def test_go_writes_some_scalars_though_nobody_has_set_them() -> None:
    item = {**pod(), "status": {"containerStatuses": [{"name": "c"}]}}
    assert decode(item, POD).item["status"]["containerStatuses"] == [
        {"name": "c", "image": "", "imageID": "", "ready": False, "restartCount": 0}
    ]
