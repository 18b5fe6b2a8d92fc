"""Which pods go first when there are too many.

Reproduces ActivePodsWithRanks of pkg/controller/controller_utils.go, v1.37.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cmp_to_key

from nominee.embedded.controllers.pods import active, node_of, phase, ready, ready_since, restarts
from nominee.model.timestamps import parse_time
from nominee.store.ports import JsonObject

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


def victims(
    pods: Sequence[JsonObject], related: Iterable[JsonObject], count: int, now: float
) -> list[JsonObject]:
    """The pods to delete; `related` are all whose crowding of nodes counts."""
    if count >= len(pods):
        return list(pods)
    crowd = Counter(node_of(pod) for pod in related if active(pod))

    def compare(one: JsonObject, other: JsonObject) -> int:
        return _compare(one, other, crowd, now)

    return sorted(pods, key=cmp_to_key(compare))[:count]


def _compare(one: JsonObject, other: JsonObject, crowd: Counter[str], now: float) -> int:
    left, right = _standing(one, crowd), _standing(other, crowd)
    if left != right:
        return -1 if left < right else 1
    order = _younger(ready_since(one), ready_since(other), one, other, now)
    if order:
        return order
    if restarts(one) != restarts(other):
        return -1 if restarts(one) > restarts(other) else 1
    return _younger(_created(one), _created(other), one, other, now)


def _standing(pod: JsonObject, crowd: Counter[str]) -> tuple[bool, int, bool, int, int]:
    """Unassigned first, then by phase, unready, cheap to delete, on a crowded node."""
    is_ready = ready(pod)
    return (
        bool(node_of(pod)),
        PHASES.get(phase(pod), 0),
        is_ready,
        _cost(pod),
        -crowd[node_of(pod)],
    )


def _younger(
    since: float | None, other_since: float | None, one: JsonObject, other: JsonObject, now: float
) -> int:
    """The younger first, where ages of one power of two are the same and leave it to the uid."""
    if since is None or other_since is None or since == other_since:
        return 0
    rank, other_rank = _rank(now - since), _rank(now - other_since)
    if rank != other_rank:
        return -1 if rank < other_rank else 1
    return -1 if one["metadata"]["uid"] < other["metadata"]["uid"] else 1


def _rank(seconds: float) -> int:
    return math.floor(math.log2(seconds)) if seconds > 0 else -1


def _created(pod: JsonObject) -> float | None:
    timestamp = pod["metadata"].get("creationTimestamp")
    return parse_time(timestamp) if timestamp else None


def _cost(pod: JsonObject) -> int:
    text = (pod["metadata"].get("annotations") or {}).get(DELETION_COST, "0")
    try:
        cost = int(text)
    except ValueError:
        return 0
    return cost if -(2**31) <= cost < 2**31 else 0
