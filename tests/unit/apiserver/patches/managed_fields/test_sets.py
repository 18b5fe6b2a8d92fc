"""Sets of fields: their algebra on the form that objects carry, and how people read them."""

from __future__ import annotations

import pytest

from nominee.apiserver.patches.managed_fields.sets import (
    Fields,
    canonical,
    difference,
    intersection,
    paths,
    recursive_difference,
    union,
)

A: Fields = {"f:spec": {"f:replicas": {}, "f:template": {".": {}, "f:name": {}}}}
B: Fields = {"f:spec": {"f:template": {"f:name": {}, "f:other": {}}}, "f:status": {}}


def test_union_has_what_either_has() -> None:
    assert union(A, B) == {
        "f:spec": {"f:replicas": {}, "f:template": {".": {}, "f:name": {}, "f:other": {}}},
        "f:status": {},
    }


def test_intersection_has_what_both_have() -> None:
    assert intersection(A, B) == {"f:spec": {"f:template": {"f:name": {}}}}


def test_difference_keeps_a_parent_when_its_child_goes_and_the_other_way_round() -> None:
    assert difference(A, B) == {"f:spec": {"f:replicas": {}, "f:template": {}}}
    assert difference(A, {"f:spec": {"f:template": {}}}) == {
        "f:spec": {"f:replicas": {}, "f:template": {"f:name": {}}}
    }


def test_recursive_difference_takes_what_is_below_too() -> None:
    assert recursive_difference(A, {"f:spec": {"f:template": {}}}) == {"f:spec": {"f:replicas": {}}}
    assert recursive_difference(A, {"f:spec": {}}) == {}


def test_a_difference_that_takes_nothing_is_the_same_tree() -> None:
    assert difference(A, {"f:status": {}}) is A


def test_paths_read_as_in_conflicts() -> None:
    fields = {
        "f:spec": {
            "f:containers": {'k:{"name":"a"}': {".": {}, "f:image": {}}},
            "f:finalizers": {'v:"x"': {}},
            "f:replicas": {},
        },
        "f:ports": {'k:{"containerPort":80,"protocol":"TCP"}': {}},
    }
    assert list(paths(fields)) == [
        '.ports[containerPort=80,protocol="TCP"]',
        ".spec.replicas",
        '.spec.containers[name="a"]',
        '.spec.containers[name="a"].image',
        '.spec.finalizers[="x"]',
    ]


def test_sets_of_clients_get_the_keys_as_we_write_them() -> None:
    written: Fields = {'k:{"protocol": "TCP", "containerPort": 80}': {".": {}}, "x:unknown": {}}
    assert canonical(written) == {'k:{"containerPort":80,"protocol":"TCP"}': {".": {}}}


@pytest.mark.parametrize("fields", [[], {"name": {}}, {"k:[]": {}}, {"v:{": {}}, {"f:a": 1}])
def test_what_is_no_set_is_told(fields: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        canonical(fields)
