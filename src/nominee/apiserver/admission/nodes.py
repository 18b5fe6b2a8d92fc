"""TaintNodesByCondition: nobody is placed on a node before it is known to be ready.

Reproduces plugin/pkg/admission/nodetaint/admission.go, v1.37.
"""

from __future__ import annotations

from nominee.apiserver.admission.plugin import Request

NOT_READY = "node.kubernetes.io/not-ready"


def taint_not_ready(request: Request) -> None:
    """Give a new node the taint that whoever sees it ready takes away."""
    spec = request.item.setdefault("spec", {})
    taints = spec.get("taints") or []
    if not any(one.get("key") == NOT_READY and one.get("effect") == "NoSchedule" for one in taints):
        spec["taints"] = [*taints, {"key": NOT_READY, "effect": "NoSchedule"}]
