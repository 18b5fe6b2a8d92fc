"""What is there in every cluster before anybody has created anything."""

from __future__ import annotations

from nominee.apiserver.rest import Rest
from nominee.store.ports import JsonObject

MANAGER = "kube-apiserver"
NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
SERVICE = "default/kubernetes"
SERVICE_ADDRESS = "10.96.0.1"


def bootstrap(rest: Rest) -> None:
    """Create what is missing; what somebody has changed stays as it is."""
    for name in NAMESPACES:
        _create(rest, "namespaces", "", {"metadata": {"name": name}})
    for priority_class in _PRIORITY_CLASSES:
        _create(rest, "priorityclasses.scheduling.k8s.io", "", priority_class)
    _create(rest, "services", "default", kubernetes_service())


def _create(rest: Rest, resource: str, namespace: str, item: JsonObject) -> None:
    name = item["metadata"]["name"]
    if resource in rest.registry and rest.store.get(resource, f"{namespace}/{name}".lstrip("/")) is None:
        rest.create(resource, namespace, item, rest.context(MANAGER))


def _priority_class(name: str, value: int, whose: str) -> JsonObject:
    return {
        "metadata": {"name": name},
        "value": value,
        "description": f"Used for system critical pods that must {whose}.",
    }


_PRIORITY_CLASSES = (
    _priority_class("system-node-critical", 2_000_001_000, "not be moved from their current node"),
    _priority_class(
        "system-cluster-critical", 2_000_000_000, "run in the cluster, but can be moved to another node"
    ),
)
"""Reproduces SystemPriorityClasses (pkg/apis/scheduling/v1/helpers.go, v1.37)."""


def kubernetes_service() -> JsonObject:
    """The way to this server from within; there is no network, but people and tools look for it."""
    return {
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"},
        },
        "spec": {
            "type": "ClusterIP",
            "clusterIP": SERVICE_ADDRESS,
            "clusterIPs": [SERVICE_ADDRESS],
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "sessionAffinity": "None",
            "ports": [{"name": "https", "protocol": "TCP", "port": 443, "targetPort": 6443}],
        },
    }
