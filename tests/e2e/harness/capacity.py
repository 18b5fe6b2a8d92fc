"""Whether a cluster's nodes hold more than they have, computed from all objects as they are."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

from tests.e2e.harness.api import Api, Object
from tests.e2e.harness.world import node_of

SUFFIXES = {"m": "0.001", "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "k": 10**3, "M": 10**6, "G": 10**9}


def amount(quantity: str) -> Decimal:
    """The number a quantity of these tests stands for."""
    for suffix, factor in SUFFIXES.items():
        if quantity.endswith(suffix):
            return Decimal(quantity.removesuffix(suffix)) * Decimal(str(factor))
    return Decimal(quantity)


async def assert_no_node_over_committed(api: Api) -> None:
    """Every pod that has a node has one that exists, and all of them together fit it."""
    nodes = {node["metadata"]["name"]: node for node in await api.all("Node")}
    used: dict[str, Counter[str]] = {name: Counter() for name in nodes}
    for pod in await api.all("Pod"):
        if node_of(pod) and pod["status"].get("phase") not in {"Succeeded", "Failed"}:
            used[node_of(pod)].update(requests_of(pod))
    excess = [line for name, sums in used.items() for line in _excess(nodes[name], sums)]
    assert not excess, excess[:5]


def requests_of(pod: Object) -> Counter[str]:
    """What the pod asks for, and one of `pods`, in milli-units."""
    total = Counter({"pods": 1000})
    for container in pod["spec"]["containers"]:
        for resource, quantity in container["resources"].get("requests", {}).items():
            total[resource] += int(amount(quantity) * 1000)
    return total


def _excess(node: Object, used: Counter[str]) -> list[str]:
    allocatable = node["status"]["allocatable"]
    return [
        f"{node['metadata']['name']}: {units / 1000} {resource} of {allocatable.get(resource, '0')}"
        for resource, units in used.items()
        if units > amount(allocatable.get(resource, "0")) * 1000
    ]
