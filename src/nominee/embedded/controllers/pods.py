"""What controllers ask about pods.

The predicates of pkg/api/v1/pod/util.go and pkg/controller/controller_utils.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable

from nominee.embedded.controllers.ownership import being_deleted
from nominee.model.timestamps import parse_time
from nominee.store.ports import JsonObject


def phase(pod: JsonObject) -> str:
    """The pod's phase; one without is pending."""
    return (pod.get("status") or {}).get("phase") or "Pending"


def node_of(pod: JsonObject) -> str:
    """The node to which the pod is bound, or nothing."""
    return pod["spec"].get("nodeName") or ""


def terminated(pod: JsonObject) -> bool:
    """Whether all is over in a pod."""
    return phase(pod) in ("Succeeded", "Failed")


def active(pod: JsonObject) -> bool:
    """Whether a pod counts as a replica: neither over nor on its way out."""
    return not terminated(pod) and not being_deleted(pod)


def condition(pod: JsonObject, kind: str) -> JsonObject | None:
    """One of the pod's conditions."""
    for item in (pod.get("status") or {}).get("conditions") or ():
        if item.get("type") == kind:
            return item  # type: ignore[no-any-return]
    return None


def ready(pod: JsonObject) -> bool:
    """Whether the pod is ready."""
    found = condition(pod, "Ready")
    return found is not None and found.get("status") == "True"


def ready_since(pod: JsonObject) -> float | None:
    """When the pod became ready; None if it is not, or nobody says when."""
    found = condition(pod, "Ready")
    if found is None or found.get("status") != "True" or not found.get("lastTransitionTime"):
        return None
    return parse_time(found["lastTransitionTime"])


def available(pod: JsonObject, min_ready_seconds: int, now: float) -> bool:
    """Whether the pod has been ready for long enough."""
    if not ready(pod):
        return False
    if not min_ready_seconds:
        return True
    since = ready_since(pod)
    return since is not None and since + min_ready_seconds <= now


def next_availability(pods: Iterable[JsonObject], min_ready_seconds: int, now: float) -> float | None:
    """In how many seconds the next of these ready pods becomes available."""
    waits = [
        since + min_ready_seconds - now
        for since in (ready_since(pod) for pod in pods)
        if since is not None and since + min_ready_seconds > now
    ]
    return min(waits, default=None)


def restarts(pod: JsonObject) -> int:
    """How often the container that was restarted most was restarted."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return max((item.get("restartCount", 0) for item in statuses), default=0)
