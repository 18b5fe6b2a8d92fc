"""How far the new replica set may grow, and how far the old ones must shrink, in one step.

Reproduces pkg/controller/deployment/rolling.go, v1.37.
"""

from __future__ import annotations

from nominee.embedded.controllers.deployment.scaling import Sizes, total
from nominee.embedded.controllers.deployment.spec import (
    by_age,
    counted,
    max_surge,
    max_unavailable,
    replicas,
    rolls,
)
from nominee.store.ports import JsonObject


def room_for_new(deployment: JsonObject, old: list[JsonObject], new: JsonObject) -> int:
    """The size that the new replica set may have now (NewRSNewReplicas)."""
    wanted, size = replicas(deployment), replicas(new)
    if not rolls(deployment):
        return wanted
    room = wanted + max_surge(deployment) - total(old) - size
    return size if room <= 0 else size + min(room, wanted - size)


def grown(deployment: JsonObject, new: JsonObject, old: list[JsonObject]) -> Sizes:
    """The new replica set with its next size, if that is another."""
    wanted, size = replicas(deployment), replicas(new)
    if size == wanted:
        return []
    target = wanted if size > wanted else room_for_new(deployment, old, new)
    return [(new, target)] if target != size else []


def shrunk(deployment: JsonObject, new: JsonObject, old: list[JsonObject]) -> Sizes:
    """Old replica sets with their next sizes: unhealthy pods go first, then what can be spared."""
    old = sorted((item for item in old if replicas(item) > 0), key=by_age)
    least = replicas(deployment) - max_unavailable(deployment)
    unavailable = replicas(new) - counted(new, "availableReplicas")
    may_go = total(old) + replicas(new) - least - unavailable
    if not old or may_go <= 0:
        return []
    sizes = _without_unhealthy(old, may_go)
    available = sum(counted(item, "availableReplicas") for item in [*old, new])
    spare = available - least
    for position, (item, size) in enumerate(sizes):
        gone = min(size, max(0, spare))
        spare -= gone
        sizes[position] = (item, size - gone)
    return [(item, size) for item, size in sizes if size != replicas(item)]


def _without_unhealthy(old: list[JsonObject], may_go: int) -> Sizes:
    sizes = []
    for item in old:
        unhealthy = replicas(item) - counted(item, "availableReplicas")
        gone = max(0, min(unhealthy, may_go))
        may_go -= gone
        sizes.append((item, replicas(item) - gone))
    return sizes
