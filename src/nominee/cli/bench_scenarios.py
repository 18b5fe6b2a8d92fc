"""The clusters and pods that benchmarks run on; the shapes are those of the arena's scenarios."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from nominee.model.codec import decode
from nominee.model.meta import NamedObject
from nominee.model.node import Node
from nominee.model.pod import Pod

NAMESPACE = "default"
ZONES = 3
ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"
VICTIMS_PER_NODE = 4
HIGH_PRIORITY = 1000


@dataclass(frozen=True, slots=True)
class Scenario:
    """`standing(nodes)` are placed beforehand, `pending(pods)` are to be scheduled.

    `objects(nodes, pods)` are what the pods refer to.
    """

    name: str
    about: str
    pending: Callable[[int], Iterator[Pod]]
    standing: Callable[[int], Iterator[Pod]] = lambda _: iter(())
    objects: Callable[[int, int], Iterator[NamedObject]] = lambda _nodes, _pods: iter(())


def make_nodes(count: int) -> Iterator[Node]:
    """Nodes of 4 CPUs and 32 GiB in three zones."""
    capacity = {"cpu": "4", "memory": "32Gi", "pods": "110"}
    for i in range(count):
        name = f"node-{i:05d}"
        labels = {HOSTNAME: name, ZONE: f"zone-{i % ZONES}", "size": "small" if i % 2 else "large"}
        yield decode(
            Node,
            {
                "metadata": {"name": name, "labels": labels},
                "status": {"capacity": capacity, "allocatable": capacity},
            },
        )


def make_pod(
    name: str,
    cpu: str,
    memory: str,
    *,
    labels: dict[str, str] | None = None,
    **spec: Any,
) -> Pod:
    """A pod of one container."""
    container = {
        "name": "pause",
        "image": "registry.k8s.io/pause:3.10",
        "resources": {"requests": {"cpu": cpu, "memory": memory}},
    }
    metadata = {"name": name, "namespace": NAMESPACE, "uid": name, "labels": labels or {"app": "bench"}}
    return decode(Pod, {"metadata": metadata, "spec": {"containers": [container], **spec}})


def _alike(count: int, labels: dict[str, str] | None = None, **spec: Any) -> Iterator[Pod]:
    return (make_pod(f"p-{i}", "100m", "500Mi", labels=labels, **spec) for i in range(count))


def _mixed(count: int) -> Iterator[Pod]:
    sizes = ((f"{50 + (i * 37) % 150}m", f"{100 + (i * 91) % 700}Mi") for i in range(count))
    return (make_pod(f"p-{i}", cpu, memory) for i, (cpu, memory) in enumerate(sizes))


def shaped(shapes: int) -> Callable[[int], Iterator[Pod]]:
    """Pods of so many different sizes, one after the other; 0 makes every pod another one."""

    def pending(count: int) -> Iterator[Pod]:
        for i in range(count):
            k = i % shapes if shapes else i
            yield make_pod(f"p-{i}", f"{50 + k % 150}m", f"{100 + k}Mi")

    return pending


def _spread(count: int) -> Iterator[Pod]:
    constraint = {
        "maxSkew": 5,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "spread"}},
    }
    return _alike(count, {"app": "spread"}, topologySpreadConstraints=[constraint])


def _anti_affinity(count: int) -> Iterator[Pod]:
    term = {"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {"color": "green"}}}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return _alike(count, {"color": "green"}, affinity=affinity)


def _preferred_affinity(count: int) -> Iterator[Pod]:
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"color": "blue"}}}
    wish = {"weight": 1, "podAffinityTerm": term}
    affinity = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [wish]}}
    return _alike(count, {"color": "blue"}, affinity=affinity)


def _node_affinity(count: int) -> Iterator[Pod]:
    expression = {"key": ZONE, "operator": "In", "values": ["zone-0", "zone-1"]}
    selector = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}
    return _alike(count, affinity=affinity)


def _victims(nodes: int) -> Iterator[Pod]:
    for i in range(VICTIMS_PER_NODE * nodes):
        yield make_pod(f"low-{i}", "900m", "500Mi", nodeName=f"node-{i % nodes:05d}")


def _preemptors(count: int) -> Iterator[Pod]:
    return (make_pod(f"p-{i}", "3", "500Mi", priority=HIGH_PRIORITY) for i in range(count))


SCENARIOS = {
    s.name: s
    for s in (
        Scenario("basic", "identical pods", _alike),
        Scenario("mixed", "300 sizes in turn", _mixed),
        Scenario("spread", "at most 5 more in one zone than in another (DoNotSchedule)", _spread),
        Scenario("antiaffinity", "no two on one node (required)", _anti_affinity),
        Scenario("preferredaffinity", "preferably in the zone of the others", _preferred_affinity),
        Scenario("nodeaffinity", "only in two of the three zones (required)", _node_affinity),
        Scenario(
            "preempt",
            "four low-priority pods a node; each pod needs three gone",
            _preemptors,
            _victims,
        ),
    )
}


def by_shapes(shapes: int) -> Scenario:
    """How much is there to remember? Pods of 1, 10, 100 … different sizes, or (0) all different."""
    return Scenario(f"shapes-{shapes or 'all'}", f"{shapes or 'all'} pod sizes", partial(shaped(shapes)))
