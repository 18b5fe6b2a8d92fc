"""For tests, yours and ours: builders, a clock you move by hand, one plugin at work, checks of plugins.

Builders never change in place: each call returns a new one whose `obj` is the API object, and every
function here takes builders and API objects alike.
"""

from __future__ import annotations

from nominee.testing.clock import ManualClock
from nominee.testing.clusters import make_cluster, make_cycle, nodes_named, pod_of, what_if
from nominee.testing.devices import (
    make_allocated_claim,
    make_claim,
    make_device,
    make_device_class,
    make_slice,
)
from nominee.testing.nodes import HOSTNAME, REGION, ZONE, NodeBuilder, make_node
from nominee.testing.objects import (
    make_namespace,
    make_pdb,
    make_replicaset,
    make_replication_controller,
    make_service,
    make_statefulset,
)
from nominee.testing.pods import PodBuilder, make_pod
from nominee.testing.running import Verdict, filter_with, raw_scores, rejections, score_with
from nominee.testing.selectors import pod_term, selector
from nominee.testing.volumes import make_csi_node, make_pv, make_pvc, make_storage_class

__all__ = [
    "HOSTNAME",
    "REGION",
    "ZONE",
    "ManualClock",
    "NodeBuilder",
    "PodBuilder",
    "Verdict",
    "filter_with",
    "make_allocated_claim",
    "make_claim",
    "make_cluster",
    "make_csi_node",
    "make_cycle",
    "make_device",
    "make_device_class",
    "make_namespace",
    "make_node",
    "make_pdb",
    "make_pod",
    "make_pv",
    "make_pvc",
    "make_replicaset",
    "make_replication_controller",
    "make_service",
    "make_slice",
    "make_statefulset",
    "make_storage_class",
    "nodes_named",
    "pod_of",
    "pod_term",
    "raw_scores",
    "rejections",
    "score_with",
    "selector",
    "what_if",
]
