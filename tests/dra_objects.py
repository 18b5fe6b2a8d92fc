"""What the tests of DynamicResources have in common."""

from __future__ import annotations

from collections.abc import Iterable

from nominee.framework import AllocatedDevices, DeviceTaintRule, ResourceClaim, ResourceSlice
from nominee.model.dra import DeviceClass
from nominee.model.meta import NamedObject
from nominee.plugins.dynamic_resources import DynamicResources
from nominee.plugins.dynamic_resources.allocator import Allocator
from nominee.plugins.dynamic_resources.demands import demand_of
from nominee.plugins.dynamic_resources.pools import PoolIndex
from nominee.plugins.dynamic_resources.usage import Features
from nominee.state.cluster import ClusterState
from nominee.testing import filter_with, make_cluster, make_device_class, make_node, make_pod

PLUGIN = DynamicResources()
STEPS = 100_000

Picked = list[list[tuple[str, str]]]
"""For each claim, (request, device) in the order in which they were found."""


def allocate(
    slices: Iterable[ResourceSlice],
    *claims: ResourceClaim,
    allocated: Iterable[ResourceClaim] = (),
    classes: Iterable[DeviceClass] = (),
    rules: Iterable[DeviceTaintRule] = (),
    node: str = "n",
    features: Features | None = None,
    steps: int = STEPS,
) -> Picked | None:
    """Search on one node, and name what was found."""
    by_name = {c.name: c for c in classes or (make_device_class(),)}
    taken = AllocatedDevices()
    for claim in allocated:
        taken.count(claim.status.allocation, 1)
    pools = PoolIndex(slices, rules).node_pools(make_node(node).obj).pools
    demands = [demand_of(claim, by_name.get) for claim in claims]
    solution = Allocator(demands, pools, taken, features or Features(), steps).search()
    if solution is None:
        return None
    return [
        [(a.name, pools[p].slices[s].devices[d].device.name) for a, (p, s, d), _ in picks]
        for picks in solution.picks
    ]


def devices(found: Picked | None) -> list[str] | None:
    """The names of the devices of a single claim."""
    return None if found is None else [name for _, name in found[0]]


def cluster_of(
    *objects: NamedObject, nodes: Iterable[str] = ("a", "b"), classes: Iterable[DeviceClass] | None = None
) -> ClusterState:
    """Nodes, a class of all devices, and these objects."""
    given = [make_device_class()] if classes is None else classes
    rows = [make_node(n).capacity(cpu="8", memory="8Gi", pods="32") for n in nodes]
    return make_cluster(nodes=rows, objects=[*given, *objects])


def rejected(cluster: ClusterState, *claims: str) -> dict[str, str]:
    """By node name, why a pod with these claims is rejected."""
    pod = make_pod("p").uid("p")
    for claim in claims:
        pod = pod.claim(claim)
    verdicts = filter_with(PLUGIN, pod, cluster)
    assert {v.code for v in verdicts.values()} <= {"UnschedulableAndUnresolvable"}
    return {name: ", ".join(v.reasons) for name, v in verdicts.items()}
