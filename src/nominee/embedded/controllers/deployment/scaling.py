"""How many pods each replica set gets when a deployment changes its size.

Reproduces scale of pkg/controller/deployment/sync.go, v1.37: in proportion, while there are several.
"""

from __future__ import annotations

from nominee.embedded.controllers.deployment.spec import (
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    annotated_number,
    by_age,
    counted,
    max_surge,
    replicas,
    rolls,
)
from nominee.store.ports import JsonObject

Sizes = list[tuple[JsonObject, int]]


def active_ones(replica_sets: list[JsonObject]) -> list[JsonObject]:
    """The replica sets that ask for pods."""
    return [item for item in replica_sets if replicas(item) > 0]


def total(replica_sets: list[JsonObject]) -> int:
    """How many pods they ask for."""
    return sum(replicas(item) for item in replica_sets)


def resized(deployment: JsonObject, new: JsonObject | None, old: list[JsonObject]) -> Sizes:
    """Which replica sets get which size."""
    wanted = replicas(deployment)
    only = _only_active_or_latest(new, old)
    if only is not None:
        return [(only, wanted)] if replicas(only) != wanted else []
    if new is not None and _saturated(deployment, new):
        return [(item, 0) for item in active_ones(old)]
    if not rolls(deployment):
        return []
    return _in_proportion(deployment, active_ones([*old, *([new] if new else [])]))


def _only_active_or_latest(new: JsonObject | None, old: list[JsonObject]) -> JsonObject | None:
    everyone = [*old, *([new] if new else [])]
    active = active_ones(everyone)
    if len(active) > 1 or not everyone:
        return None
    if active:
        return active[0]
    return new if new is not None else max(old, key=by_age)


def _saturated(deployment: JsonObject, replica_set: JsonObject) -> bool:
    wanted = replicas(deployment)
    return (
        replicas(replica_set) == wanted
        and annotated_number(replica_set, DESIRED_REPLICAS) == wanted
        and counted(replica_set, "availableReplicas") == wanted
    )


def _in_proportion(deployment: JsonObject, active: list[JsonObject]) -> Sizes:
    wanted = replicas(deployment)
    allowed = wanted + max_surge(deployment) if wanted > 0 else 0
    missing = allowed - total(active)
    active = sorted(active, key=by_age, reverse=missing > 0)
    active.sort(key=replicas, reverse=True)
    sizes, added = [], 0
    for item in active:
        share = _share(deployment, item, missing, added)
        sizes.append((item, replicas(item) + share))
        added += share
    if missing and sizes:
        first, size = sizes[0]
        sizes[0] = (first, max(0, size + missing - added))
    return sizes


def _share(deployment: JsonObject, replica_set: JsonObject, missing: int, added: int) -> int:
    """What one replica set gets of what is missing, or gives of what is too much."""
    if not replicas(replica_set) or not missing or missing == added:
        return 0
    fraction, left = _fraction(deployment, replica_set), missing - added
    return min(fraction, left) if missing > 0 else max(fraction, left)


def _fraction(deployment: JsonObject, replica_set: JsonObject) -> int:
    """GetReplicaSetFraction of pkg/controller/deployment/util/deployment_util.go, v1.37."""
    wanted, size = replicas(deployment), replicas(replica_set)
    if wanted == 0:
        return -size
    before = annotated_number(replica_set, MAX_REPLICAS)
    if not before:
        before = counted(deployment, "replicas")
    if not before:
        return 0
    return _rounded(size * (wanted + max_surge(deployment)), before) - size


def _rounded(dividend: int, divisor: int) -> int:
    """To the nearest, halves up."""
    return (2 * dividend + divisor) // (2 * divisor)
