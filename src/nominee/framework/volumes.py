"""Claims and volumes: what a pod claims, which volume a claim has, where a volume can be reached.

Follows k8s.io/component-helpers storage/volume/{helpers,pv_helpers}.go and storage/ephemeral, v1.37.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from nominee.framework.node_affinity import nodes_in_terms
from nominee.model.meta import NodeSelector
from nominee.model.selectors import NodeTerm, NodeTerms, node_selector
from nominee.model.storage import PersistentVolume, PersistentVolumeClaim, VolumeNodeAffinity
from nominee.state.arrays import Rows
from nominee.state.cluster_view import ClusterView
from nominee.state.shapes import Pod, Shape
from nominee.state.view import NodeView

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
NO_PROVISIONER = "kubernetes.io/no-provisioner"
WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"
_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"

_REMEMBERED = 16384  # selectors of nodes


class PodClaim(NamedTuple):
    """A claim by name; an ephemeral one is made for the pod and must be owned by it."""

    name: str
    ephemeral: bool


def has_claims(shape: Shape) -> bool:
    """Whether pods of the shape use any claim."""
    return any(v.persistent_volume_claim or v.ephemeral for v in shape.spec.volumes)


def pod_claims(pod: Pod) -> list[PodClaim]:
    """The pod's claims, volume by volume; an ephemeral one is called after pod and volume."""
    claims = []
    for volume in pod.spec.volumes:
        if volume.persistent_volume_claim is not None:
            claims.append(PodClaim(volume.persistent_volume_claim.claim_name, ephemeral=False))
        elif volume.ephemeral is not None:
            claims.append(PodClaim(f"{pod.name}-{volume.name}", ephemeral=True))
    return claims


def uses_claim(pod: Pod, claim: PersistentVolumeClaim) -> bool:
    """Whether the claim is one of the pod's, going by its name."""
    return claim.namespace == pod.namespace and any(c.name == claim.name for c in pod_claims(pod))


def made_for(claim: PersistentVolumeClaim, pod: Pod) -> bool:
    """Whether the pod controls the claim, as it must an ephemeral one."""
    owners = (owner for owner in claim.metadata.owner_references if owner.controller)
    return any(owner.uid == pod.uid for owner in owners)


def not_made_for(claim: PersistentVolumeClaim, pod: Pod) -> str:
    """What to say if it does not."""
    return f"PVC {claim.key} was not created for pod {pod.key} (pod is not owner)"


def claim_class(claim: PersistentVolumeClaim) -> str:
    """The name of the claim's storage class, "" without one."""
    return claim.metadata.annotations.get(_CLASS_ANNOTATION, claim.spec.storage_class_name or "")


def volume_class(volume: PersistentVolume) -> str:
    """The name of the volume's storage class, "" without one."""
    return volume.metadata.annotations.get(_CLASS_ANNOTATION, volume.spec.storage_class_name)


def is_fully_bound(claim: PersistentVolumeClaim) -> bool:
    """Whether the claim has its volume for good."""
    return bool(claim.spec.volume_name) and BIND_COMPLETED in claim.metadata.annotations


def is_reserved_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume refers to this very claim."""
    ref = volume.spec.claim_ref
    if ref is None or (ref.namespace, ref.name) != (claim.namespace, claim.name):
        return False
    return not ref.uid or ref.uid == claim.uid


def affinity_terms(affinity: VolumeNodeAffinity | None) -> NodeTerms | None:
    """The labels of nodes from which a volume can be reached; None: from all of them."""
    if affinity is None or affinity.required is None:
        return None
    return _labels_only(affinity.required)


@lru_cache(maxsize=_REMEMBERED)
def _labels_only(required: NodeSelector) -> NodeTerms:
    """The selector as CheckNodeAffinity reads it: what its terms say of names counts for nothing.

    It tells no name of the node, and then nodeSelectorTerm.match (component-helpers
    scheduling/corev1/nodeaffinity/nodeaffinity.go, v1.37) looks at the labels alone.
    """
    terms = node_selector(required, strict=False).terms
    return NodeTerms(tuple(NodeTerm(term.labels) for term in terms))


def rows_reached(terms: NodeTerms | None, nodes: NodeView, cluster: ClusterView) -> Rows:
    """The rows of `nodes`, which are all nodes, that match; remembered for as long as no node changes.

    Many volumes share few terms, or each has its own that few nodes match: lists of rows suit both.
    """
    if terms is None:
        return nodes.rows
    version = cluster.nodes_version, len(nodes)
    known: dict[NodeTerms, Rows] = cluster.memo_at(rows_reached, version, dict)
    rows = known.get(terms)
    if rows is None:
        if len(known) >= _REMEMBERED:
            known.clear()
        rows = known[terms] = np.flatnonzero(nodes_in_terms(nodes, terms))
    return rows
