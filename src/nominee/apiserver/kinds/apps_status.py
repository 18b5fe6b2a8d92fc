"""Statuses of workloads: counters that are not negative, and what can not be more than what."""

from __future__ import annotations

from collections.abc import Iterable

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.apps_shared import nonnegative
from nominee.apiserver.kinds.field_errors import invalid
from nominee.apiserver.status import FieldError

Ceiling = tuple[str, str, str]
"""A counter, the one that it may not exceed, and how that is called in the message."""


def _ceilings(*counters: str, ready: str = "readyReplicas") -> tuple[Ceiling, ...]:
    below = tuple((counter, "replicas", "status.replicas") for counter in counters)
    return (*below, ("availableReplicas", "readyReplicas", ready))


CEILINGS: dict[str, tuple[Ceiling, ...]] = {
    "deployment": _ceilings("updatedReplicas", "readyReplicas", "availableReplicas"),
    "replica set": _ceilings("fullyLabeledReplicas", "readyReplicas", "availableReplicas"),
    "stateful set": _ceilings(
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
        ready="status.readyReplicas",
    ),
}


def validate_counters(
    status: JsonObject, counters: Iterable[str], ceilings: Iterable[Ceiling] = ()
) -> list[FieldError]:
    """What is wrong with the numbers of a status.

    Reproduces the Validate…Status functions of pkg/apis/apps/validation/validation.go, v1.37.
    """
    errors = [error for counter in counters for error in nonnegative(status, counter, "status")]
    for counter, ceiling, called in ceilings:
        if status.get(counter, 0) > status.get(ceiling, 0):
            errors.append(
                invalid(f"status.{counter}", status.get(counter, 0), f"cannot be greater than {called}")
            )
    return errors


def validate_not_decremented(status: JsonObject, old: JsonObject) -> list[FieldError]:
    """The count of name collisions only grows."""
    count = status.get("collisionCount")
    if old.get("collisionCount") is None or (count or 0) >= old["collisionCount"]:
        return []
    return [invalid("status.collisionCount", count or 0, "cannot be decremented")]
