"""What preemption could do for a pod: on which nodes, and who would have to go. Nothing is done yet."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from nominee.errors import PluginError
from nominee.framework.diagnosis import Diagnosis, histogram
from nominee.preemption.candidates import Candidates
from nominee.preemption.dry_run import DryRun
from nominee.preemption.eligibility import ELIGIBLE, Eligibility, may_preempt
from nominee.preemption.memory import PreemptionMemory
from nominee.preemption.messages import (
    NO_NODES,
    NOT_HELPFUL,
    filter_failed,
    joined,
    no_victim_on,
    prefixed,
)
from nominee.preemption.trials import FITS_ANYWAY, Trials
from nominee.state.arrays import Mask
from nominee.state.cluster import ClusterState
from nominee.state.shapes import Pod


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What preemption could do for a pod.

    message  why nothing, with the prefix; "" when there are candidates
    failed   nothing because of an error: a nomination of the pod stands. It stands too when the pod
             is not eligible, and falls when there simply is no candidate.
    """

    eligibility: Eligibility
    candidates: Candidates
    message: str = ""
    failed: bool = False


def evaluate(
    pod: Pod, diagnosis: Diagnosis, cluster: ClusterState, *, remembered: PreemptionMemory | None = None
) -> Evaluation:
    """Try every node on which evicting pods of lower priority might help.

    Reproduces Evaluator.Preempt up to the choice of candidates
    (pkg/scheduler/framework/preemption/preemption.go, v1.37), except that upstream stops at a share
    of the nodes (minCandidateNodesPercentage, minCandidateNodesAbsolute): here all are evaluated
    and those arguments decide nothing. A pod without a start time counts as started later than any
    other, so that no clock is needed.
    """
    memory = remembered if remembered is not None else PreemptionMemory()
    eligible = may_preempt(pod, diagnosis, cluster)
    if not eligible.eligible:
        return _nothing(cluster, eligible.reason, eligible)
    if not cluster.nodes:
        return _nothing(cluster, NO_NODES, failed=True)
    tried = diagnosis.preemptable
    trials = memory.trials(pod, diagnosis.filters, cluster)
    untried = np.flatnonzero(tried & trials.untried)
    failures: list[PluginError] = []
    if untried.size:
        dry_run = DryRun(cluster, diagnosis.nodes, diagnosis.filters, memory.budgets(cluster), trials)
        failures = dry_run.run(pod.priority, untried)
    candidates = Candidates(np.flatnonzero(tried & trials.candidates), trials, cluster)
    if len(candidates):
        return Evaluation(ELIGIBLE, candidates)
    contradicted = np.flatnonzero(tried & (trials.outcomes == FITS_ANYWAY))
    errors = [filter_failed(failure) for failure in failures]
    errors += [no_victim_on(cluster.nodes.name(row)) for row in contradicted.tolist()]
    if errors:
        return _nothing(cluster, joined(errors), failed=True)
    return _nothing(cluster, _fit_error(diagnosis, trials, tried))


def _fit_error(diagnosis: Diagnosis, trials: Trials, tried: Mask) -> str:
    """How many nodes fail for which reason, those included that were not worth a try."""
    valid = diagnosis.nodes.valid
    counts: Counter[str] = Counter({NOT_HELPFUL: int((valid & ~tried).sum())})
    for outcome, nodes in enumerate(np.bincount(trials.outcomes[tried]).tolist()):
        for reason in trials.reasons(outcome):
            counts[reason] += nodes
    return histogram(f"0/{int(valid.sum())} nodes are available:", counts)


def _nothing(
    cluster: ClusterState, reason: str, eligible: Eligibility = ELIGIBLE, *, failed: bool = False
) -> Evaluation:
    none = Candidates(np.zeros(0, np.intp), Trials(0), cluster)
    return Evaluation(eligible, none, prefixed(reason), failed)
