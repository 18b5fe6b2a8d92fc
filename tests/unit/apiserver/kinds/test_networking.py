"""Ingresses, network policies and endpoints: what is wrong with them, and how they are shown."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.apiserver.kind import Kind
from nominee.apiserver.kinds.endpoints import ENDPOINTS
from nominee.apiserver.kinds.networking import INGRESS_CLASSES, INGRESSES, NETWORK_POLICIES
from tests.unit.apiserver.kinds.checking import made, metadata, told

BACKEND = {"service": {"name": "web", "port": {"number": 80}}}


def faults(kind: Kind, **item: Any) -> list[str]:
    return told(kind.validate(made(kind, {"metadata": metadata(), **item})))


def ingress(**path: Any) -> dict[str, Any]:
    paths = [{"path": "/", "pathType": "Prefix", "backend": BACKEND, **path}]
    return {"spec": {"rules": [{"host": "a.example", "http": {"paths": paths}}]}}


def test_what_is_whole_is_taken() -> None:
    assert faults(INGRESSES, **ingress()) == []
    assert faults(INGRESS_CLASSES, spec={"controller": "example.com/ingress"}) == []
    assert faults(NETWORK_POLICIES, spec={"podSelector": {}}) == []
    assert faults(ENDPOINTS, subsets=[{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 80}]}]) == []


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ({"pathType": None}, "pathType: Required value: pathType must be specified"),
        ({"path": "x"}, 'path: Invalid value: "x": must be an absolute path'),
        ({"path": "/a//b"}, "path: Invalid value: \"/a//b\": must not contain '//'"),
        ({"backend": {}}, 'backend: Invalid value: "": resource or service backend is required'),
        (
            {"backend": {"service": {"name": "web"}}},
            "backend: Required value: port name or number is required",
        ),
    ],
)
def test_paths_are_looked_at(path: dict[str, Any], fault: str) -> None:
    assert faults(INGRESSES, **ingress(**path)) == [f"spec.rules[0].http.paths[0].{fault}"]


def test_a_policy_names_its_peers_in_one_way() -> None:
    both = {"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}}
    assert faults(NETWORK_POLICIES, spec={"ingress": [{"from": [both, {}]}]}) == [
        "spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer",
        "spec.ingress[0].from[1]: Required value: must specify a peer",
    ]


def test_a_policy_is_about_what_it_has_rules_for() -> None:
    spec = made(NETWORK_POLICIES, {"metadata": metadata(), "spec": {"egress": [{}]}})["spec"]
    assert (spec["policyTypes"], spec["podSelector"]) == (["Ingress", "Egress"], {})


def test_a_range_of_ports_begins_with_a_number() -> None:
    ports = [{"port": "http", "endPort": 90}, {"port": 91, "endPort": 90}]
    assert faults(NETWORK_POLICIES, spec={"ingress": [{"ports": ports}]}) == [
        (
            "spec.ingress[0].ports[0].endPort: Invalid value: 90: "
            "may not be specified when `port` is non-numeric"
        ),
        "spec.ingress[0].ports[1].endPort: Invalid value: 90: must be greater than or equal to `port`",
    ]


def test_endpoints_have_addresses() -> None:
    assert faults(ENDPOINTS, subsets=[{"ports": [{"port": 80}, {"name": "a", "port": 0}]}]) == [
        "subsets[0].ports[0].name: Required value",
        "subsets[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive",
        "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
    ]
