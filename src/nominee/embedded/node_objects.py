"""Simulated nodes, as API objects."""

from __future__ import annotations

from nominee.driver.simulated.wishes import SIMULATED
from nominee.store.ports import JsonObject

ZONES = ("zone-a", "zone-b", "zone-c")
REGION = "region-1"
KUBELET_VERSION = "v1.37.0"
CAPACITY = {"cpu": "32", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "110"}
LEASE_SECONDS = 40
NOT_READY = "node.kubernetes.io/not-ready"

_HEALTHY = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)


def new_node(number: int) -> JsonObject:
    """The node of a number, in one of the zones in turn."""
    name = f"node-{number}"
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "node.kubernetes.io/instance-type": "simulated",
                "topology.kubernetes.io/region": REGION,
                "topology.kubernetes.io/zone": ZONES[(number - 1) % len(ZONES)],
                SIMULATED: "true",
            },
        },
        "spec": {},
        "status": {"capacity": CAPACITY, "allocatable": CAPACITY},
    }


def ready_status(node: JsonObject, address: str, now: str) -> JsonObject:
    """The status of a node that has come up: what it says of itself stays, what is missing is added."""
    status = node.get("status", {})
    capacity = status.get("capacity") or status.get("allocatable") or CAPACITY
    before = {each["type"]: each for each in status.get("conditions") or ()}
    kept = [each for name, each in before.items() if name not in {said[0] for said in _HEALTHY}]
    addresses = [
        {"type": "InternalIP", "address": address},
        {"type": "Hostname", "address": node["metadata"]["name"]},
    ]
    return {
        **status,
        "capacity": capacity,
        "allocatable": status.get("allocatable") or capacity,
        "conditions": [*kept, *(_condition(said, before.get(said[0]), now) for said in _HEALTHY)],
        "addresses": status.get("addresses") or addresses,
        "daemonEndpoints": status.get("daemonEndpoints") or {"kubeletEndpoint": {"Port": 10250}},
        "nodeInfo": _node_info(node),
    }


def is_up(node: JsonObject) -> bool:
    """Whether there is nothing left to do for a node to be used."""
    status = node.get("status", {})
    conditions = {each["type"]: each["status"] for each in status.get("conditions") or ()}
    return (
        conditions.get("Ready") == "True"
        and bool(status.get("allocatable"))
        and not any(taint["key"] == NOT_READY for taint in _taints(node))
    )


def _taints(node: JsonObject) -> list[JsonObject]:
    return node.get("spec", {}).get("taints") or []


def without_not_ready(node: JsonObject) -> JsonObject:
    """The node without the taints of nodes that are not ready."""
    taints = _taints(node)
    kept = [taint for taint in taints if taint["key"] != NOT_READY]
    if len(kept) == len(taints):
        return node
    spec = {name: value for name, value in node["spec"].items() if name != "taints"}
    return {**node, "spec": {**spec, "taints": kept} if kept else spec}


def new_lease(node: JsonObject, now: str) -> JsonObject:
    """The lease by which a node says that it is alive, and which goes when it goes."""
    metadata = node["metadata"]
    owner = {"apiVersion": "v1", "kind": "Node", "name": metadata["name"], "uid": metadata["uid"]}
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": metadata["name"],
            "namespace": "kube-node-lease",
            "ownerReferences": [owner],
        },
        "spec": {
            "holderIdentity": metadata["name"],
            "leaseDurationSeconds": LEASE_SECONDS,
            "renewTime": now,
        },
    }


def _condition(said: tuple[str, str, str, str], before: JsonObject | None, now: str) -> JsonObject:
    kind, status, reason, message = said
    since = before["lastTransitionTime"] if before and before["status"] == status else now
    return {
        "type": kind,
        "status": status,
        "lastHeartbeatTime": now,
        "lastTransitionTime": since,
        "reason": reason,
        "message": message,
    }


def _node_info(node: JsonObject) -> JsonObject:
    said = {name: value for name, value in node.get("status", {}).get("nodeInfo", {}).items() if value}
    uid = node["metadata"]["uid"]
    return {
        "machineID": uid,
        "systemUUID": uid,
        "bootID": uid,
        "kernelVersion": "simulated",
        "osImage": "Simulated",
        "containerRuntimeVersion": f"simulated://{KUBELET_VERSION[1:]}",
        "kubeletVersion": KUBELET_VERSION,
        "kubeProxyVersion": "",
        "operatingSystem": "linux",
        "architecture": "amd64",
        **said,
    }
