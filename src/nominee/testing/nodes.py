"""Nodes for tests: `make_node("a").capacity(cpu="4", memory="8Gi").zone("z1").taint("k", "v")`."""

from __future__ import annotations

from typing import Any, Self

from nominee.model.base import RawQuantity
from nominee.model.meta import Condition, ObjectMeta
from nominee.model.node import ContainerImage, Node, Taint
from nominee.testing.builder import Builder, changed, quantities

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"


class NodeBuilder(Builder[Node]):
    """A node under construction, in Kubernetes' words."""

    __slots__ = ()

    def capacity(
        self, cpu: RawQuantity = 0, memory: RawQuantity = 0, pods: RawQuantity = 110, **scalars: RawQuantity
    ) -> Self:
        """What it has, all of it allocatable; replaces what was said before."""
        amounts = quantities({"cpu": cpu, "memory": memory, "pods": pods, **scalars})
        return self.status(capacity=amounts, allocatable=amounts)

    def allocatable(self, **amounts: RawQuantity) -> Self:
        """Where less (or other) than the capacity is allocatable."""
        return self.status(allocatable={**self.obj.status.allocatable, **quantities(amounts)})

    def zone(self, zone: str, region: str = "") -> Self:
        """The labels of zone and, if given, region."""
        return self.labels({ZONE: zone, **({REGION: region} if region else {})})

    def taint(self, key: str, value: str = "", effect: str = "NoSchedule") -> Self:
        """A taint more."""
        return self.spec(taints=(*self.obj.spec.taints, Taint(key=key, value=value, effect=effect)))

    def unschedulable(self) -> Self:
        """It is cordoned."""
        return self.spec(unschedulable=True)

    def image(self, name: str, size: int) -> Self:
        """An image in its store, `size` in bytes."""
        more = ContainerImage(names=(name,), size_bytes=size)
        return self.status(images=(*self.obj.status.images, more))

    def declared_feature(self, name: str) -> Self:
        """A feature that its kubelet declares."""
        return self.status(declared_features=(*self.obj.status.declared_features, name))

    def condition(self, kind: str, status: str = "True", reason: str = "") -> Self:
        """A condition more, such as `condition("Ready")`."""
        more = Condition(type=kind, status=status, reason=reason)
        return self.status(conditions=(*self.obj.status.conditions, more))

    def spec(self, **fields: Any) -> Self:
        """Fields of the spec, by their names in the struct."""
        return self.having(spec=changed(self.obj.spec, **fields))

    def status(self, **fields: Any) -> Self:
        """Fields of the status, by their names in the struct."""
        return self.having(status=changed(self.obj.status, **fields))


def make_node(name: str) -> NodeBuilder:
    """A node with room for 110 pods in 4 cores and 32 GiB, labelled with its name as hostname."""
    node = Node(metadata=ObjectMeta(name=name, uid=name, labels={HOSTNAME: name}))
    return NodeBuilder(node).capacity(cpu="4", memory="32Gi")
