"""What a deployment asks for, and what its replica sets say of it in annotations."""

from __future__ import annotations

from nominee.embedded.controllers.amounts import fenceposts
from nominee.store.ports import JsonObject

REVISION = "deployment.kubernetes.io/revision"
REVISION_HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS = "deployment.kubernetes.io/max-replicas"
TEMPLATE_HASH = "pod-template-hash"
NOT_COPIED = frozenset(
    (
        "kubectl.kubernetes.io/last-applied-configuration",
        REVISION,
        REVISION_HISTORY,
        DESIRED_REPLICAS,
        MAX_REPLICAS,
        "deprecated.deployment.rollback.to",
    )
)
NO_LIMIT = 2**31 - 1


def replicas(item: JsonObject) -> int:
    """How many pods a deployment or a replica set asks for."""
    count: int = item["spec"].get("replicas", 1)
    return count


def counted(item: JsonObject, name: str) -> int:
    """A number of its status."""
    return (item.get("status") or {}).get(name) or 0


def annotations_of(item: JsonObject) -> dict[str, str]:
    """Its annotations."""
    return item["metadata"].get("annotations") or {}


def rolls(deployment: JsonObject) -> bool:
    """Whether it replaces its pods little by little."""
    strategy: str = deployment["spec"]["strategy"]["type"]
    return strategy == "RollingUpdate"


def max_surge(deployment: JsonObject) -> int:
    """How many pods it may have on top while it rolls."""
    return _fenceposts(deployment)[0] if rolls(deployment) else 0


def max_unavailable(deployment: JsonObject) -> int:
    """How many pods may be missing while it rolls."""
    wanted = replicas(deployment)
    if not rolls(deployment) or not wanted:
        return 0
    return min(_fenceposts(deployment)[1], wanted)


def _fenceposts(deployment: JsonObject) -> tuple[int, int]:
    rolling = deployment["spec"]["strategy"].get("rollingUpdate") or {}
    return fenceposts(rolling.get("maxSurge", 0), rolling.get("maxUnavailable", 0), replicas(deployment))


def has_deadline(deployment: JsonObject) -> bool:
    """Whether it is to be told when it makes no progress."""
    seconds: int = deployment["spec"].get("progressDeadlineSeconds", NO_LIMIT)
    return seconds != NO_LIMIT


def revision_of(item: JsonObject) -> int:
    """The revision that an object is of; 0 if it does not say, or says nonsense."""
    text = annotations_of(item).get(REVISION, "0")
    return int(text) if text.isascii() and text.isdecimal() else 0


def annotated_number(item: JsonObject, name: str) -> int | None:
    """A number in an annotation."""
    text = annotations_of(item).get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and int(text) <= NO_LIMIT else None


def by_age(item: JsonObject) -> tuple[str, str]:
    """Sorts the older before the younger."""
    metadata = item["metadata"]
    return metadata.get("creationTimestamp", ""), metadata["name"]
