"""When a nomination follows its pod, and when it does not."""

from __future__ import annotations

from collections.abc import Callable

from nominee.state.cluster import ClusterState
from nominee.state.shapes import Pod


class Nominator:
    """Keeps `ClusterState.nominations` in step with the pods that wait.

    `is_pending` asks what is known of the pod elsewhere: one that is gone, or bound, is not nominated.
    Whether the node exists nobody asks.

    Reproduces pkg/scheduler/backend/queue/nominator.go, v1.37.
    """

    def __init__(self, cluster: ClusterState, is_pending: Callable[[Pod], bool] | None = None) -> None:
        self._cluster = cluster
        self._is_pending = is_pending

    def add(self, pod: Pod, node_name: str | None = None) -> None:
        """Nominate to a node, "" for none, or by default to what the pod's status says."""
        cluster = self._cluster
        name = pod.nominated_node_name if node_name is None else node_name
        if name and (self._is_pending is None or self._is_pending(pod)):
            cluster.nominate(pod, name)
        else:
            cluster.nominations.remove(pod.uid)

    def update(self, old: Pod, new: Pod) -> None:
        """Follow the pod, unless it never knew of its nomination.

        An update may have been under way when the scheduler nominated the pod: with neither the old nor
        the new status naming a node, what is remembered stands.
        """
        held = ""
        if not old.nominated_node_name and not new.nominated_node_name:
            held = self._cluster.nominations.node_of(new.uid)
        self.add(new, held or None)

    def remove(self, uid: str) -> None:
        self._cluster.nominations.remove(uid)
