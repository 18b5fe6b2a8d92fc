"""DefaultPreemption: the face of this layer among the plugins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nominee.framework import (
    Action,
    ClusterView,
    Consult,
    Cycle,
    Diagnosis,
    EventHint,
    Nomination,
    Pod,
    Resource,
)
from nominee.preemption.advice import ADVICE, advised
from nominee.preemption.evaluation import evaluate
from nominee.preemption.memory import PreemptionMemory
from nominee.preemption.messages import NO_CANDIDATE, prefixed


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultPreemption:
    """Makes room for a pod by evicting pods of lower priority from one node.

    It decides and names the victims; the scheduler evicts them. Both arguments are upstream's bounds
    on how many candidate nodes to look at; here all are looked at.
    Reproduces PostFilter of
    pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go, v1.37.
    """

    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100
    _memory: PreemptionMemory = field(default_factory=PreemptionMemory, init=False, repr=False, compare=False)

    def post_filter(self, pod: Pod, diagnosis: Diagnosis, cycle: Cycle) -> Nomination | Consult:
        """Nominate the best candidate, or say why there is none."""
        evaluation = evaluate(pod, diagnosis, diagnosis.cluster, remembered=self._memory)
        candidates = evaluation.candidates
        if not len(candidates):
            stands = evaluation.failed or not evaluation.eligibility.eligible
            return Nomination(None if stands else "", evaluation.message, reject=True)
        advice = cycle.get(ADVICE)
        if advice is not None:
            if not advice.given:
                return Consult(candidates.by_node())
            if advice.error is not None:
                return Nomination(None, prefixed(advice.error), reject=True)
            candidates = advised(diagnosis.cluster, advice)
            if not len(candidates):
                return Nomination(None, prefixed(NO_CANDIDATE), reject=True)
        row = candidates.choose(cycle.offset % len(diagnosis.nodes))
        node, victims = diagnosis.cluster.nodes.name(row), tuple(candidates.victims(row))
        message = (
            f"preemption: found a potential placement for pod on node {node}, "
            f"preempting {len(victims)} victims"
        )
        return Nomination(node, message, victims=victims, pdb_violations=candidates.violations(row))

    def events_to_register(self) -> Sequence[EventHint]:
        """Only so that a preemptor's gate is looked at again when a victim goes; no event helps by itself."""
        return (EventHint(Resource.ASSIGNED_POD, Action.DELETE, helps_nobody),)


def helps_nobody(pod: Pod, old: Any, new: Any, cluster: ClusterView) -> bool:  # noqa: ARG001
    """The hint of whoever is only to be looked at again."""
    return False
