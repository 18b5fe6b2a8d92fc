"""On which nodes a daemon set's pods belong.

Reproduces nodeShouldRunDaemonPod of pkg/controller/daemon/daemon_controller.go, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from nominee.model.meta import NodeSelector
from nominee.model.node import Taint
from nominee.model.pod import Toleration
from nominee.model.selectors import NodeTerms, Selector, map_selector, node_selector
from nominee.model.taints import NO_EXECUTE, find_untolerated
from nominee.store.ports import JsonObject

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
EVERYWHERE = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
ON_HOST_NETWORK = ("node.kubernetes.io/network-unavailable", "NoSchedule")


def tolerations_of(spec: JsonObject) -> list[JsonObject]:
    """What a daemon set's pods put up with, as they are to have it (AddOrUpdateDaemonPodTolerations)."""
    wanted = [*EVERYWHERE, *([ON_HOST_NETWORK] if spec.get("hostNetwork") else ())]
    added = [{"key": key, "operator": "Exists", "effect": effect} for key, effect in wanted]
    own = [item for item in spec.get("tolerations") or () if item not in added]
    return [*own, *added]


@dataclass(frozen=True, slots=True)
class Fit:
    """Says of nodes whether pods of a daemon set are to be there."""

    node_name: str
    labels: Selector
    terms: NodeTerms | None
    tolerations: tuple[Toleration, ...]

    def wanted(self, node: JsonObject) -> tuple[bool, bool]:
        """Whether a pod is to be made there, and whether one that is there may stay."""
        name = node["metadata"]["name"]
        if self.node_name and self.node_name != name:
            return False, False
        labels = node["metadata"].get("labels") or {}
        if not self.labels.matches(labels):
            return False, False
        if self.terms is not None and not self.terms.matches(labels, name):
            return False, False
        taints = msgspec.convert((node.get("spec") or {}).get("taints") or (), tuple[Taint, ...])
        if find_untolerated(taints, self.tolerations) is None:
            return True, True
        return False, find_untolerated(taints, self.tolerations, {NO_EXECUTE}) is None


def fit_of(template: JsonObject) -> Fit:
    """The rule of a template."""
    spec = template["spec"]
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(REQUIRED)
    terms = None
    if required is not None:
        terms = node_selector(msgspec.convert(required, NodeSelector), strict=False)
    return Fit(
        spec.get("nodeName") or "",
        map_selector(spec.get("nodeSelector") or {}),
        terms,
        msgspec.convert(tolerations_of(spec), tuple[Toleration, ...]),
    )


def pinned(affinity: JsonObject | None, node: str) -> JsonObject:
    """The affinity with which a pod can only go to this node (ReplaceDaemonSetPodNodeNameNodeAffinity)."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    affinity = affinity or {}
    near = affinity.get("nodeAffinity") or {}
    required = {**(near.get(REQUIRED) or {}), "nodeSelectorTerms": [term]}
    return {**affinity, "nodeAffinity": {**near, REQUIRED: required}}


def pinned_to(pod: JsonObject) -> str:
    """The node on which a pod is, or to which alone it can go."""
    spec = pod["spec"]
    if spec.get("nodeName"):
        return str(spec["nodeName"])
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(REQUIRED) or {}
    for term in required.get("nodeSelectorTerms") or ():
        for item in term.get("matchFields") or ():
            if item.get("key") == "metadata.name" and item.get("operator") == "In" and item.get("values"):
                return str(item["values"][0])
    return ""
