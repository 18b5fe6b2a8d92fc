"""The constraints of pods that have none, and the selector deduced for them."""

from __future__ import annotations

from nominee.framework import (
    ClusterView,
    LabelSelector,
    ReplicaSet,
    ReplicationController,
    Selector,
    Service,
    Shape,
    StatefulSet,
    TopologySpreadConstraint,
    label_selector,
    map_selector,
)
from nominee.plugins.pod_topology_spread.constraints import SOFT

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"

SYSTEM_DEFAULTS = (
    TopologySpreadConstraint(max_skew=3, topology_key=HOSTNAME, when_unsatisfiable=SOFT),
    TopologySpreadConstraint(max_skew=5, topology_key=ZONE, when_unsatisfiable=SOFT),
)
"""Reproduces systemDefaultConstraints (podtopologyspread/plugin.go, v1.37)."""


def selectors_version(cluster: ClusterView) -> int:
    """Changes with every object that `default_selector` may depend on: each version only ever grows."""
    version = cluster.version
    return version(Service) + version(ReplicationController) + version(ReplicaSet) + version(StatefulSet)


def default_selector(shape: Shape, cluster: ClusterView) -> Selector:
    """What the pod's services and its controller select, all at once; empty if there are none.

    Reproduces DefaultSelector (pkg/scheduler/framework/plugins/helper/spread.go, v1.37).
    """
    labels = _service_labels(shape, cluster)
    owner = shape.owner
    if owner is None:
        return map_selector(labels)
    key = f"{shape.namespace}/{owner.name}"
    match owner.api_version, owner.kind:
        case "v1", "ReplicationController":
            controller = cluster.get(ReplicationController, key)
            # Where it and a service disagree about a label, which no healthy cluster has, it wins.
            return map_selector({**labels, **controller.spec.selector} if controller else labels)
        case "apps/v1", "ReplicaSet":
            replica_set = cluster.get(ReplicaSet, key)
            return _narrowed(map_selector(labels), replica_set.spec.selector if replica_set else None)
        case "apps/v1", "StatefulSet":
            stateful_set = cluster.get(StatefulSet, key)
            return _narrowed(map_selector(labels), stateful_set.spec.selector if stateful_set else None)
    return map_selector(labels)


def _service_labels(shape: Shape, cluster: ClusterView) -> dict[str, str]:
    """The labels that the services in front of the pod ask for: they cannot contradict each other."""
    labels: dict[str, str] = {}
    for service in cluster.all(Service):
        wanted = service.spec.selector
        if service.metadata.namespace == shape.namespace and wanted.items() <= shape.labels.items():
            labels.update(wanted)
    return labels


def _narrowed(selector: Selector, controller: LabelSelector | None) -> Selector:
    return selector & label_selector(controller) if controller is not None else selector
