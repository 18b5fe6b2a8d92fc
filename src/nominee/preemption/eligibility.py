"""Whether a pod may preempt others at all."""

from __future__ import annotations

from dataclasses import dataclass

from nominee.framework.diagnosis import Diagnosis
from nominee.preemption.messages import NEVER_PREEMPTS, WAITS_FOR_VICTIM
from nominee.state.cluster import ClusterState
from nominee.state.shapes import Pod


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Whether a pod may preempt others, and if not, why."""

    eligible: bool
    reason: str = ""


ELIGIBLE = Eligibility(eligible=True)


def may_preempt(pod: Pod, diagnosis: Diagnosis, cluster: ClusterState) -> Eligibility:
    """Refuse pods that must not preempt, and those for which victims are on their way out already.

    Reproduces PodEligibleToPreemptOthers
    (pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go, v1.37). A nomination
    counts from the moment it is recorded here, before the API server has confirmed it: the same
    victims are not chosen a second time over a slow patch.
    """
    if pod.spec.preemption_policy == "Never":
        return Eligibility(eligible=False, reason=NEVER_PREEMPTS)
    nominated = pod.nominated_node_name or cluster.nominations.node_of(pod.uid)
    row = cluster.nodes.row_of.get(nominated)
    if row is None:
        return ELIGIBLE
    status = diagnosis.status(row)
    if status is not None and status.unresolvable:
        return ELIGIBLE
    if any(_makes_way(other) and other.priority < pod.priority for other in cluster.pods_on(nominated)):
        return Eligibility(eligible=False, reason=WAITS_FOR_VICTIM)
    return ELIGIBLE


def _makes_way(pod: Pod) -> bool:
    """Whether the pod is terminating because the scheduler preempted it."""
    if not pod.terminating:
        return False
    disruption = next((c for c in pod.status.conditions if c.type == "DisruptionTarget"), None)
    return (
        disruption is not None
        and disruption.status == "True"
        and disruption.reason == "PreemptionByScheduler"
    )
