"""Roles and bindings: what is wrong with them."""

from __future__ import annotations

from typing import Any

from nominee.apiserver.kind import Kind
from nominee.apiserver.kinds.rbac import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, GROUP, ROLE_BINDINGS, ROLES
from tests.unit.apiserver.kinds.checking import made, metadata, told

REFERENCE = {"kind": "ClusterRole", "name": "view"}


def faults(kind: Kind, **item: Any) -> list[str]:
    return told(kind.validate(made(kind, {"metadata": metadata(), **item})))


def test_a_rule_says_what_may_be_done_to_what() -> None:
    assert faults(ROLES, rules=[{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]) == []
    assert faults(ROLES, rules=[{}]) == [
        "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
        "rules[0].resources: Required value: resource rules must supply at least one resource",
        "rules[0].verbs: Required value",
    ]


def test_paths_are_for_the_cluster() -> None:
    rules = [{"verbs": ["get"], "nonResourceURLs": ["/healthz"]}]
    assert faults(CLUSTER_ROLES, rules=rules) == []
    assert faults(ROLES, rules=rules) == [
        (
            'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: '
            "namespaced rules cannot apply to non-resource URLs"
        )
    ]


def test_a_binding_names_a_role_and_subjects() -> None:
    subjects = [{"kind": "User", "name": "ann"}, {"kind": "ServiceAccount", "name": "build"}]
    assert faults(ROLE_BINDINGS, roleRef=REFERENCE, subjects=subjects) == []
    assert faults(CLUSTER_ROLE_BINDINGS, roleRef={"kind": "Role"}, subjects=subjects) == [
        'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
        "roleRef.name: Required value",
        "subjects[1].namespace: Required value",
    ]


def test_groups_of_users_and_roles_are_filled_in() -> None:
    item = {"metadata": metadata(), "roleRef": REFERENCE, "subjects": [{"kind": "Group", "name": "devs"}]}
    filled = made(ROLE_BINDINGS, item)
    assert (filled["roleRef"]["apiGroup"], filled["subjects"][0]["apiGroup"]) == (GROUP, GROUP)
