"""Pools of devices: which slices belong together, which are current, and what a node can reach of them.

Reproduces GatherPools
(staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go, v1.37).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from nominee.framework import (
    AllocatedDevices,
    CounterSet,
    DeviceTaintRule,
    NodeObject,
    NodeSelector,
    PoolKey,
    ResourceSlice,
    node_selector,
)
from nominee.plugins.dynamic_resources.entries import Look, Looks, SliceEntry, entry_of
from nominee.plugins.dynamic_resources.taints import rules_for


@dataclass(slots=True, eq=False)
class Pool:
    """A pool as one node sees it.

    slices       with devices for the node, by name; empty if the pool is incomplete or invalid
    elsewhere    the pool's other slices with devices, which may draw from the same counters
    unreachable  devices in `slices` that are for other nodes
    look         equal for pools that make no difference to a search, None for one shared by nodes
    """

    driver: str
    name: str
    incomplete: bool = False
    invalid: bool = False
    slices: tuple[SliceEntry, ...] = ()
    elsewhere: tuple[SliceEntry, ...] = ()
    counter_sets: tuple[CounterSet, ...] = ()
    unreachable: frozenset[str] = frozenset()
    look: Hashable = None

    @property
    def key(self) -> PoolKey:
        return (self.driver, self.name)

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"


@dataclass(slots=True, eq=False)
class NodePools:
    """All pools that one node can reach, in the order in which they are searched."""

    node: NodeObject
    pools: tuple[Pool, ...]
    look: Look

    def situation(self, allocated: AllocatedDevices) -> Hashable:
        """Equal for nodes on which every search ends the same."""
        return self.look, tuple([allocated.occupancy(pool.key) for pool in self.pools])


class PoolIndex:
    """All slices, filed by node and by pool; what a node can reach is put together when first asked for."""

    def __init__(
        self,
        slices: Iterable[ResourceSlice],
        rules: Iterable[DeviceTaintRule] = (),
        before: PoolIndex | None = None,
    ) -> None:
        rules = sorted(rules, key=lambda rule: rule.name)
        self.entries: dict[str, SliceEntry] = {}
        self._of_pool: dict[PoolKey, list[SliceEntry]] = {}
        self._on_node: dict[str, list[SliceEntry]] = {}
        self._shared: list[SliceEntry] = []
        self._node_pools: dict[str, NodePools] = {}
        self._looks: dict[Look, Look] = {}
        known = before.entries if before is not None else {}
        looks = Looks()
        for source in slices:
            self._file(entry_of(source, rules_for(source, rules), known.get(source.name), looks))

    def _file(self, entry: SliceEntry) -> None:
        spec = entry.source.spec
        self.entries[entry.source.name] = entry
        self._of_pool.setdefault((spec.driver, spec.pool.name), []).append(entry)
        if spec.node_name:
            self._on_node.setdefault(spec.node_name, []).append(entry)
        else:
            self._shared.append(entry)

    def node_pools(self, node: NodeObject) -> NodePools:
        """What the node can reach."""
        known = self._node_pools.get(node.name)
        if known is None or known.node is not node:
            pools = self._gathered(node)
            look = Look(tuple(pool if pool.look is None else pool.look for pool in pools))
            known = NodePools(node, pools, self._looks.setdefault(look, look))
            self._node_pools[node.name] = known
        return known

    def _gathered(self, node: NodeObject) -> tuple[Pool, ...]:
        found: dict[PoolKey, list[SliceEntry]] = {}
        for entry in (*self._on_node.get(node.name, ()), *self._shared):
            if _concerns(entry.source, node):
                _newest(found.setdefault((entry.source.spec.driver, entry.source.spec.pool.name), []), entry)
        pools = [pool for key, slices in found.items() if (pool := self._pool(key, slices, node))]
        return tuple(sorted(pools, key=lambda pool: (_binds_late(pool), pool.driver, pool.name)))

    def _pool(self, key: PoolKey, slices: list[SliceEntry], node: NodeObject) -> Pool | None:
        """The pool, None if it is out of date: a newer generation has nothing for the node."""
        generation, count = (
            slices[0].source.spec.pool.generation,
            slices[0].source.spec.pool.resource_slice_count,
        )
        if len(slices) == count:
            return build_pool(key, slices, (), node)
        everywhere = self._of_pool[key]
        if any(entry.source.spec.pool.generation > generation for entry in everywhere):
            return None
        current = [entry for entry in everywhere if entry.source.spec.pool.generation == generation]
        if len(current) != count:
            return Pool(*key, incomplete=True, look=(key[0], "incomplete"))
        here = {entry.source.name for entry in slices}
        return build_pool(key, slices, [e for e in current if e.source.name not in here], node)


def _newest(slices: list[SliceEntry], entry: SliceEntry) -> None:
    """Keep only what is of the newest generation."""
    if slices:
        newest = slices[0].source.spec.pool.generation
        if entry.source.spec.pool.generation < newest:
            return
        if entry.source.spec.pool.generation > newest:
            slices.clear()
    slices.append(entry)


def build_pool(
    key: PoolKey, slices: Iterable[SliceEntry], others: Iterable[SliceEntry], node: NodeObject
) -> Pool:
    """Put a complete pool together; one that contradicts itself is invalid."""
    here = sorted(slices, key=lambda entry: entry.source.name)
    counters = [e for e in (*here, *others) if e.source.spec.shared_counters]
    devices = tuple(e for e in here if not e.source.spec.shared_counters)
    elsewhere = tuple(e for e in others if not e.source.spec.shared_counters)
    counter_sets = tuple(c for e in counters for c in e.source.spec.shared_counters)
    names = [entry.device.name for e in devices for entry in e.devices]
    sets = [counter_set.name for counter_set in counter_sets]
    invalid = len(set(names)) != len(names) or len(set(sets)) != len(sets)
    if invalid or not _counters_exist(counter_sets, (*devices, *elsewhere)):
        return Pool(*key, invalid=True, look=(key[0], "invalid"))
    return Pool(
        *key,
        slices=devices,
        elsewhere=elsewhere,
        counter_sets=counter_sets,
        unreachable=frozenset(_unreachable(devices, node)),
        look=_look(key, here, elsewhere),
    )


def _counters_exist(counter_sets: tuple[CounterSet, ...], slices: tuple[SliceEntry, ...]) -> bool:
    counters = {counter_set.name: counter_set.counters for counter_set in counter_sets}
    consumptions = (c for e in slices for entry in e.devices for c in entry.device.consumes_counters)
    return all(
        c.counter_set in counters and counters[c.counter_set].keys() >= c.counters.keys()
        for c in consumptions
    )


def _look(key: PoolKey, slices: list[SliceEntry], elsewhere: tuple[SliceEntry, ...]) -> Hashable:
    """Only a pool that has all its slices on one node looks like those of other nodes."""
    if elsewhere or any(not entry.source.spec.node_name for entry in slices):
        return None
    return (key[0], *(entry.look for entry in slices))


def _unreachable(slices: tuple[SliceEntry, ...], node: NodeObject) -> Iterable[str]:
    for within in slices:
        if within.source.spec.per_device_node_selection:
            for entry in within.devices:
                d = entry.device
                if not node_matches(node, d.node_name, d.node_selector, everywhere=bool(d.all_nodes)):
                    yield d.name


def _binds_late(pool: Pool) -> bool:
    """Pools with devices that have binding conditions are the last resort."""
    return any(entry.device.binding_conditions for within in pool.slices for entry in within.devices)


def _concerns(source: ResourceSlice, node: NodeObject) -> bool:
    spec = source.spec
    if spec.node_name or spec.all_nodes or spec.node_selector is not None:
        return node_matches(node, spec.node_name, spec.node_selector, everywhere=bool(spec.all_nodes))
    return bool(spec.per_device_node_selection) and any(
        node_matches(node, d.node_name, d.node_selector, everywhere=bool(d.all_nodes)) for d in spec.devices
    )


def node_matches(
    node: NodeObject, node_name: str | None, selector: NodeSelector | None, *, everywhere: bool
) -> bool:
    """Reproduces NodeMatches of the same file."""
    if node_name:
        return node.name == node_name
    if everywhere:
        return True
    return selector is not None and node_selector(selector).matches(node.metadata.labels, node.name)
