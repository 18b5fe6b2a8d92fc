"""NodeDeclaredFeatures: a pod goes only where the kubelet declares what its spec needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nominee.framework import (
    Action,
    ClusterView,
    Cycle,
    DeclaredFeatures,
    EventHint,
    NodeObject,
    NodeView,
    Pod,
    PodSpec,
    Rejection,
    Resource,
    Shape,
    Skip,
)

_DECLARED = DeclaredFeatures()
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class NodeDeclaredFeatures:
    """Reproduces plugins/nodedeclaredfeatures/nodedeclaredfeatures.go, v1.37."""

    node_local: ClassVar[bool] = True
    reads_pods: ClassVar[bool] = False

    def reads(self, pod: Pod) -> frozenset[str]:
        return required_features(pod)

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Skip | None:
        return None if required_features(pod) else Skip.THIS_SHAPE

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Iterator[Rejection]:
        required = required_features(pod)
        rejected = nodes.where(_DECLARED, lambda declared: not required <= (declared or _NONE))
        if rejected.any():
            yield Rejection(rejected, "node(s) didn't match Pod's required features", unresolvable=True)

    def events_to_register(self) -> Sequence[EventHint]:
        return (
            EventHint(
                Resource.NODE, Action.ADD | Action.UPDATE_NODE_DECLARED_FEATURE, self._after_node_change
            ),
            EventHint(Resource.TARGET_POD, Action.UPDATE, self._after_pod_update),
        )

    def _after_node_change(
        self, pod: Pod, old: NodeObject | None, new: NodeObject, cluster: ClusterView
    ) -> bool:
        return old is None or old.status.declared_features != new.status.declared_features

    def _after_pod_update(self, pod: Pod, old: Pod, new: Pod, cluster: ClusterView) -> bool:
        return required_features(old) != required_features(new)


def required_features(pod: Pod) -> frozenset[str]:
    """The features a node must declare to run the pod.

    Of the features that k8s.io/component-helpers/nodedeclaredfeatures knows in v1.37, these are the
    ones inferred for scheduling; the others matter when a pod is updated, if at all.
    """
    return pod.memo(_infer, _infer)


def _infer(shape: Shape) -> frozenset[str]:
    inferred = {
        "RestartAllContainersOnContainerExits": _restarts_all_containers(shape.spec),
        "UserNamespacesHostNetworkSupport": shape.spec.host_network and shape.spec.host_users is False,
        "VolumeBindMountOptions": _has_bind_mount_options(shape.spec),
    }
    return frozenset(name for name, needed in inferred.items() if needed)


def _restarts_all_containers(spec: PodSpec) -> bool:
    containers = (*spec.containers, *spec.init_containers)
    return any(rule.action == "RestartAllContainers" for c in containers for rule in c.restart_policy_rules)


def _has_bind_mount_options(spec: PodSpec) -> bool:
    mounts = [c.volume_mounts for c in (*spec.containers, *spec.init_containers)]
    mounts += [c.volume_mounts for c in spec.ephemeral_containers]
    return any(mount.bind_mount_options for of_container in mounts for mount in of_container)
