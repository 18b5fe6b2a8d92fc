"""Device classes as extended resources: which class stands behind a resource, and how many devices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from nominee.framework.device_claims import ClaimLedger, DeviceID
from nominee.framework.node_affinity import nodes_in_terms
from nominee.model.cel import CelError
from nominee.model.device_selectors import DeviceFacts, all_match
from nominee.model.devices import Device, ResourceSlice
from nominee.model.dra import DeviceClass
from nominee.model.meta import NodeSelector
from nominee.model.requests import is_extended_resource_name
from nominee.model.selectors import node_selector
from nominee.state.arrays import Ints, Mask
from nominee.state.cluster_view import ClusterView
from nominee.state.view import NodeView

DEVICE_CLASS_PREFIX = "deviceclass.resource.kubernetes.io/"


def may_be_devices(resource: str) -> bool:
    """Whether devices can stand behind a resource of that name.

    Reproduces IsDRAExtendedResourceName (pkg/scheduler/util/utils.go, v1.37).
    """
    return is_extended_resource_name(resource) or resource.startswith(DEVICE_CLASS_PREFIX)


def device_classes(cluster: ClusterView) -> Mapping[str, DeviceClass]:
    """By extended resource, the class behind it: the newest that names it, then the first by name.

    Each class stands behind a resource of its own name, too.
    Reproduces ExtendedResourceCache (staging/src/k8s.io/dynamic-resource-allocation/deviceclass/
    extendedresourcecache/extendedresourcecache.go, v1.37), whatever the order classes came in.
    """
    version = cluster.version(DeviceClass)
    return cluster.memo_at(device_classes, version, lambda: _by_resource(cluster))


def _by_resource(cluster: ClusterView) -> Mapping[str, DeviceClass]:
    found: dict[str, DeviceClass] = {}
    by_name = sorted(cluster.all(DeviceClass), key=lambda c: c.metadata.name, reverse=True)
    for device_class in sorted(by_name, key=lambda c: c.metadata.creation_timestamp or ""):
        found[DEVICE_CLASS_PREFIX + device_class.metadata.name] = device_class
        if device_class.spec.extended_resource_name:
            found[device_class.spec.extended_resource_name] = device_class
    return found


class DeviceTotals(NamedTuple):
    """By row of the view over all nodes: how many devices there are, and how many are taken."""

    capacity: Ints
    allocated: Ints


def device_totals(cluster: ClusterView, resource: str) -> DeviceTotals | None:
    """The devices behind a resource on each node; None if no class stands behind it.

    Pools count whether complete or not, as upstream.
    Reproduces calculateDRAResourceTotals
    (pkg/scheduler/framework/plugins/noderesources/resource_allocation.go, v1.37).
    """
    device_class = device_classes(cluster).get(resource) if may_be_devices(resource) else None
    if device_class is None:
        return None
    version = (
        cluster.nodes_version,
        cluster.version(DeviceClass),
        cluster.version(ResourceSlice),
        ClaimLedger.of(cluster).clock,
    )
    key = (device_totals, device_class.metadata.name)
    return cluster.memo_at(key, version, lambda: _totals(cluster, device_class))


def _totals(cluster: ClusterView, device_class: DeviceClass) -> DeviceTotals:
    nodes = cluster.all_nodes
    allocated = ClaimLedger.of(cluster).devices
    totals = DeviceTotals(np.zeros(len(nodes), np.int64), np.zeros(len(nodes), np.int64))
    for resource_slice in cluster.all(ResourceSlice):
        for devices, place in _places(resource_slice, nodes):
            try:
                found = _of_class(cluster, resource_slice, devices, device_class)
            except CelError:  # upstream counts nothing on such a node
                found = []
            taken = sum(device in allocated for device in found)
            totals.capacity[place] += len(found)
            totals.allocated[place] += taken
    return totals


def read_devices(
    cluster: ClusterView, nodes: NodeView, resource: str, capacity: Ints, used: Ints, *, adding: int
) -> None:
    """Put devices in where nodes have none of a resource themselves.

    capacity  (n,) int64: what each node has of it, changed in place
    used      (n,) int64: what would be used of it with `adding` more, likewise
    Reproduces calculateResourceAllocatableRequest of the same file.
    """
    totals = device_totals(cluster, resource)
    if totals is None:
        return
    devices = totals.capacity[nodes.rows]
    here = (capacity == 0) & (devices > 0)
    capacity[here] = devices[here]
    used[here] = totals.allocated[nodes.rows][here] + adding


def _of_class(
    cluster: ClusterView, within: ResourceSlice, devices: tuple[Device, ...], device_class: DeviceClass
) -> list[DeviceID]:
    facts = cluster.memo_at(
        ("facts of devices", within.metadata.name),
        cluster.version(ResourceSlice),
        lambda: {d.name: DeviceFacts(within.spec.driver, d) for d in within.spec.devices},
    )
    chosen = (d for d in devices if all_match(facts[d.name], device_class.spec.selectors))
    return [DeviceID(within.spec.driver, within.spec.pool.name, d.name) for d in chosen]


def _places(within: ResourceSlice, nodes: NodeView) -> Iterator[tuple[tuple[Device, ...], Mask]]:
    """Groups of the slice's devices, and on which nodes each is."""
    spec = within.spec
    if not spec.per_device_node_selection:
        everywhere = bool(spec.all_nodes) or not (spec.node_name or spec.node_selector)
        yield spec.devices, _place(nodes, spec.node_name, spec.node_selector, everywhere=everywhere)
        return
    for device in spec.devices:
        place = _place(nodes, device.node_name, device.node_selector, everywhere=bool(device.all_nodes))
        yield (device,), place


def _place(
    nodes: NodeView, node_name: str | None, selector: NodeSelector | None, *, everywhere: bool
) -> Mask:
    if everywhere:
        return nodes.valid.copy()
    if node_name:
        return nodes.named((node_name,))
    if selector is not None:
        return nodes_in_terms(nodes, node_selector(selector))
    return np.zeros(len(nodes), np.bool_)
