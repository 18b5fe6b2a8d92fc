"""Objects of the tests as JSON trees: short to write, with what every test would have to say anyway."""

from __future__ import annotations

from typing import Any

from tests.e2e.harness.api import KINDS, Object

IMAGE = "pause"


def make(kind: str, name: str, *, namespace: str = "", **fields: Any) -> Object:
    """Any object: `make("Namespace", "web")`; fields as they are in the API."""
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {}) | fields.pop("metadata", {})
    return {"apiVersion": KINDS[kind][0], "kind": kind, "metadata": metadata, **fields}


def node(name: str, *, cpu: str = "4", memory: str = "8Gi", pods: int = 110, **options: Any) -> Object:
    """A ready node. Options: labels, taints, unschedulable, and `extended={"example.com/gpu": 2}`."""
    capacity = {"cpu": cpu, "memory": memory, "pods": str(pods)} | _text(options.pop("extended", {}))
    labels = {"kubernetes.io/hostname": name} | options.pop("labels", {})
    status = {
        "capacity": capacity,
        "allocatable": capacity,
        "conditions": [{"type": "Ready", "status": "True"}],
    }
    return make("Node", name, metadata={"labels": labels}, spec=options, status=status)


def taint(key: str, effect: str = "NoSchedule", value: str = "") -> Object:
    return {"key": key, "effect": effect, "value": value}


def pod(
    name: str,
    *,
    cpu: str = "100m",
    memory: str = "",
    priority: str = "",
    on: str = "",
    grace: int = 0,
    labels: dict[str, str] | None = None,
    finalizers: tuple[str, ...] = (),
    **spec: Any,
) -> Object:
    """A pod with one container; `priority` names a class, further fields are those of its spec."""
    requests = _requests(cpu, memory) | _text(spec.pop("extended", {}))
    container = {"name": "main", "image": IMAGE, "resources": {"requests": requests, "limits": {}}}
    if any("/" in resource for resource in requests):  # extended resources: limits equal requests
        container["resources"] = {"requests": requests, "limits": _extended(requests)}
    spec = {"terminationGracePeriodSeconds": grace, "containers": [container]} | spec
    if priority:
        spec["priorityClassName"] = priority
    if on:
        spec["nodeName"] = on
    return make("Pod", name, metadata={"labels": labels or {}, "finalizers": list(finalizers)}, spec=spec)


def priority_class(name: str, value: int) -> Object:
    return make("PriorityClass", name, value=value)


def budget(name: str, labels: dict[str, str], *, min_available: int = 0) -> Object:
    """A PodDisruptionBudget; nobody computes its status, so the test writes `disruptionsAllowed` itself."""
    return make(
        "PodDisruptionBudget",
        name,
        spec={"minAvailable": min_available, "selector": {"matchLabels": labels}},
    )


def spread(key: str, labels: dict[str, str], *, when: str = "DoNotSchedule", skew: int = 1) -> Object:
    selector = {"matchLabels": labels}
    return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": selector}


def required_node(key: str, *values: str) -> Object:
    """Affinity for nodes whose label is one of these."""
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def pod_terms(kind: str, labels: dict[str, str], key: str = "kubernetes.io/hostname") -> Object:
    """Required `podAffinity` or `podAntiAffinity` to pods with these labels."""
    term = {"topologyKey": key, "labelSelector": {"matchLabels": labels}}
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def claim(name: str, storage_class: str, size: str = "1Gi") -> Object:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": storage_class,
        "resources": {"requests": {"storage": size}},
    }
    return make("PersistentVolumeClaim", name, spec=spec)


def waiting_class(name: str, provisioner: str = "example.com/slow") -> Object:
    """A storage class whose volumes are provisioned when the first consumer has a node."""
    return make("StorageClass", name, provisioner=provisioner, volumeBindingMode="WaitForFirstConsumer")


def claim_volume(claim_name: str) -> Object:
    return {"name": claim_name, "persistentVolumeClaim": {"claimName": claim_name}}


def _requests(cpu: str, memory: str) -> dict[str, str]:
    return ({"cpu": cpu} if cpu else {}) | ({"memory": memory} if memory else {})


def _extended(requests: dict[str, str]) -> dict[str, str]:
    return {resource: amount for resource, amount in requests.items() if "/" in resource}


def _text(amounts: dict[str, Any]) -> dict[str, str]:
    return {resource: str(amount) for resource, amount in amounts.items()}
