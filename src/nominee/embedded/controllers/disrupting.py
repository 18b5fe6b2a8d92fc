"""Pods that controllers take away: why is written into their status before."""

from __future__ import annotations

from nominee.store.ports import JsonObject

DISRUPTION_TARGET = "DisruptionTarget"


def marked(pod: JsonObject, reason: str, message: str, moment: str) -> JsonObject:
    """The pod with the condition that it is about to be taken away."""
    status = pod.get("status") or {}
    condition = {
        "type": DISRUPTION_TARGET,
        "status": "True",
        "reason": reason,
        "message": message,
        "lastTransitionTime": moment,
    }
    others = [item for item in status.get("conditions") or () if item.get("type") != DISRUPTION_TARGET]
    return {**pod, "status": {**status, "conditions": [*others, condition]}}
