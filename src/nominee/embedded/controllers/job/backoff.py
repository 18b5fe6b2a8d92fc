"""How long a job waits before it tries again what has failed.

Reproduces pkg/controller/job/backoff_utils.go, v1.37: 10 s, doubling up to 10 minutes, until a pod succeeds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nominee.embedded.controllers.pods import condition
from nominee.model.timestamps import parse_time
from nominee.store.ports import JsonObject

FIRST = 10.0
LONGEST = 600.0


@dataclass(frozen=True, slots=True)
class Record:
    """How often it has failed since it succeeded last, and when last."""

    failures: int = 0
    last: float = 0.0

    def after(self, succeeded: Iterable[JsonObject], failed: Iterable[JsonObject]) -> Record:
        """What is to be remembered once these pods are over."""
        failures = sorted(finish_time(pod) for pod in failed)
        success = max((finish_time(pod) for pod in succeeded), default=None)
        if success is None:
            return Record(self.failures + len(failures), failures[-1]) if failures else self
        since = [moment for moment in failures if moment > success]
        return Record(len(since), since[-1]) if since else Record()

    def wait(self, now: float) -> float:
        """For how many seconds no new pod is to be made."""
        if not self.failures:
            return 0.0
        delay = min(FIRST * 2.0 ** min(self.failures - 1, 30), LONGEST)
        return max(0.0, self.last + delay - now)


def finish_time(pod: JsonObject) -> float:
    """When a pod was over, as well as can be told."""
    ends = _ends_of_containers(pod)
    if ends:
        return max(ends)
    unready = condition(pod, "Ready")
    if unready is not None and unready.get("status") == "False" and unready.get("lastTransitionTime"):
        return parse_time(unready["lastTransitionTime"])
    metadata = pod["metadata"]
    if "deletionTimestamp" in metadata:
        grace: int = metadata.get("deletionGracePeriodSeconds", 0)
        return parse_time(metadata["deletionTimestamp"]) - grace
    return parse_time(metadata["creationTimestamp"])


def _ends_of_containers(pod: JsonObject) -> list[float]:
    """When its containers ended; nothing unless all have."""
    ends = []
    for item in (pod.get("status") or {}).get("containerStatuses") or ():
        end = ((item.get("state") or {}).get("terminated") or {}).get("finishedAt")
        if not end:
            return []
        ends.append(parse_time(end))
    return ends
