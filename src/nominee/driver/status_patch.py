"""Patches of pods/status, as JSON values."""

from __future__ import annotations

from typing import Any

from nominee.framework import Pod
from nominee.model.meta import Condition
from nominee.model.timestamps import format_time


def status_patch(
    pod: Pod, nominated_node_name: str | None, condition: Condition | None, wall: float
) -> dict[str, Any]:
    """A strategic merge patch that says which pod is meant; "" takes the nomination out."""
    status: dict[str, Any] = {}
    if nominated_node_name is not None:
        status["nominatedNodeName"] = nominated_node_name or None
    if condition is not None:
        status["conditions"] = [_condition(condition, wall)]
    return {"metadata": {"uid": pod.uid}, "status": status}


def _condition(condition: Condition, wall: float) -> dict[str, Any]:
    """It changed to this status now, unless it is known since when it has had it."""
    written: dict[str, Any] = {
        "type": condition.type,
        "status": condition.status,
        "lastTransitionTime": condition.last_transition_time or format_time(wall),
        "reason": condition.reason,
        "message": condition.message,
    }
    if condition.observed_generation:
        written["observedGeneration"] = condition.observed_generation
    return written
