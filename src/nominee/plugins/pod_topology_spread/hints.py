"""Which events may help a pod that was rejected.

Reproduces isSchedulableAfterPodChange and isSchedulableAfterNodeChange
(pkg/scheduler/framework/plugins/podtopologyspread/plugin.go, v1.37). Upstream knows the feature gates
there; a hint does not, and takes them to be at their defaults.
"""

from __future__ import annotations

from nominee.framework import NodeObject, Pod
from nominee.plugins.pod_topology_spread.constraints import Constraint

Each = tuple[Constraint, ...]


def pod_change_helps(pod: Pod, old: Pod | None, new: Pod | None, each: Each) -> bool:
    """A pod came, went, or changed what counts it; or the rejected pod tolerates other taints now."""
    if any(other is not None and not _is_involved(other, pod) for other in (old, new)):
        return False
    if old is None or new is None:
        other = new or old
        return other is not None and any(c.selector.matches(other.labels) for c in each)
    if pod.uid == new.uid and old.tolerations != new.tolerations and any(c.honors_taints for c in each):
        return True
    if old.labels == new.labels:
        return False
    return any(c.selector.matches(old.labels) != c.selector.matches(new.labels) for c in each)


def node_change_helps(old: NodeObject | None, new: NodeObject | None, each: Each) -> bool:
    """A node with all the keys came, went, or is now in another domain or has other taints."""
    before, after = _has_keys(old, each), _has_keys(new, each)
    if old is None or new is None:
        return before or after
    if before != after:
        return True
    return after and (_domains(old, each) != _domains(new, each) or old.spec.taints != new.spec.taints)


def _is_involved(other: Pod, pod: Pod) -> bool:
    placed = other.node_name or other.nominated_node_name
    return other.uid == pod.uid or (bool(placed) and other.namespace == pod.namespace)


def _has_keys(node: NodeObject | None, each: Each) -> bool:
    return node is not None and all(c.topology_key in node.metadata.labels for c in each)


def _domains(node: NodeObject, each: Each) -> list[str | None]:
    return [node.metadata.labels.get(c.topology_key) for c in each]
