"""PodTopologyLabels: a pod on a node carries the node's zone, region and so on among its labels.

Reproduces plugin/pkg/admission/podtopologylabels/admission.go, v1.37.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nominee.apiserver.admission.plugin import Request

if TYPE_CHECKING:
    from nominee.apiserver.rest.rest import Rest

_LABELS = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")


def copy_labels(request: Request) -> None:
    """Copy the labels onto a pod that is on its node already."""
    node = (request.item.get("spec") or {}).get("nodeName")
    labels = topology_labels(request.rest, node) if node else {}
    if labels:
        metadata = request.item["metadata"]
        metadata["labels"] = {**(metadata.get("labels") or {}), **labels}


def topology_labels(rest: Rest, node: str) -> dict[str, str]:
    """The labels of a node that its pods get; none if there is no such node, or the gate is off."""
    stored = rest.store.get("nodes", node) if rest.features.get("PodTopologyLabelsAdmission", True) else None
    labels = stored.object["metadata"].get("labels") if stored else None
    return {key: labels[key] for key in _LABELS if key in labels} if labels else {}
