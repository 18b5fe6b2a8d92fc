"""Conditions of objects: found, set, and dated when their status changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Condition = Mapping[str, Any]


def find(conditions: Sequence[Condition], kind: str) -> Condition | None:
    """The condition of a type."""
    for condition in conditions:
        if condition.get("type") == kind:
            return condition
    return None


def with_condition(conditions: Sequence[Condition], condition: dict[str, Any], now: str) -> list[Condition]:
    """The conditions with one set; its transition is now unless its status stays as it was.

    Reproduces UpdatePodCondition of pkg/api/pod/util.go, v1.37: what the condition said besides is gone.
    """
    before = find(conditions, condition["type"])
    since = now
    if before and before.get("status") == condition["status"]:
        since = before.get("lastTransitionTime") or now
    new = {**condition, "lastTransitionTime": since}
    if before is None:
        return [*conditions, new]
    return [new if one is before else one for one in conditions]


def is_true(conditions: Sequence[Condition], kind: str) -> bool:
    """Whether there is a condition of this type and its status is True."""
    found = find(conditions, kind)
    return found is not None and found.get("status") == "True"
