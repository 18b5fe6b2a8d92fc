"""A decision in full: what every plugin says of every node, and whom preemption would evict.

The scheduler itself stops as soon as it knows the node; this is the same search and ranking, asked
for everything. It changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nominee.framework import Diagnosis, Mask, Pod, Reject, Status
from nominee.preemption import Evaluation, evaluate
from nominee.profile.profile import Profile
from nominee.profile.ranking import Ranking
from nominee.profile.search import Search
from nominee.scheduler.cycle import NO_NODES
from nominee.state.cluster import ClusterState

DEFAULT_PREEMPTION = "DefaultPreemption"


@dataclass(frozen=True, slots=True)
class Victims:
    """Whom preemption would evict from one node, the most important first."""

    pods: tuple[Pod, ...]
    pdb_violations: int


@dataclass(frozen=True, slots=True)
class Preemption:
    """What preemption could do: the candidates by node name, and between which it would draw lots."""

    eligible: bool
    reason: str
    message: str
    candidates: dict[str, Victims]
    picks: list[str]

    def as_expected(self) -> dict[str, Any]:
        parts: dict[str, Any] = {"eligibleToPreempt": self.eligible}
        if self.reason:
            parts["ineligibleReason"] = self.reason
        if self.candidates:
            parts["preemptionCandidates"] = {
                node: {"pods": [pod.key for pod in v.pods], "pdbViolations": v.pdb_violations}
                for node, v in self.candidates.items()
            }
            parts["preemptionPicks"] = self.picks
        return parts


@dataclass(slots=True)
class Decision:
    """What would happen to one pod, node by node.

    scores    plugin name to node name to weighted score, for the feasible nodes
    node      the choice: the pod's own nominated node if that is feasible, else one of the best
    """

    pod: Pod
    node_count: int
    feasible: list[str] = field(default_factory=list)
    rejection: tuple[str, Reject] | None = None
    narrowed_to: list[str] | None = None
    rejected: dict[str, Status] = field(default_factory=dict)
    scores: dict[str, dict[str, int]] = field(default_factory=dict)
    weights: dict[str, int] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    node: str | None = None
    message: str | None = None
    preemption: Preemption | None = None

    def as_expected(self) -> dict[str, Any]:
        """The format of the vectors' `expected`: a field that does not apply is absent."""
        parts: dict[str, Any] = {"feasible": self.feasible}
        if self.rejection is not None:
            plugin, reject = self.rejection
            parts["preFilter"] = _verdict(Status(plugin, reject.reasons, reject.unresolvable))
        if self.narrowed_to is not None:
            parts["preFilterNodes"] = self.narrowed_to
        if self.rejected:
            parts["filter"] = {name: _verdict(status) for name, status in self.rejected.items()}
        if self.scores:
            parts["scores"] = self.scores
        if self.totals:
            parts["totals"] = self.totals
        if self.message is not None:
            parts["message"] = self.message
        return parts | (self.preemption.as_expected() if self.preemption is not None else {})


def decide(profile: Profile, cluster: ClusterState, pod: Pod, now: float) -> Decision:
    """Decide about a pending pod, with all the reasons; without nodes no plugin is asked."""
    if not len(cluster.nodes):
        return Decision(pod, 0, message=NO_NODES)
    search = Search(profile, cluster, pod, now)
    found = search.run()
    decision = Decision(pod, len(cluster.nodes))
    if search.narrowed is not None:
        decision.narrowed_to = sorted(search.narrowed[1].names)
    if search.rejection is None:
        _list_rejected(decision, search)
    if found:
        _rank(decision, search)
    else:
        _diagnose(decision, search.diagnosis(), profile, cluster)
    return decision


def _list_rejected(decision: Decision, search: Search) -> None:
    nodes, verdicts = search.nodes, search.verdicts(search.nodes)
    considered: Mask = nodes.valid
    if search.narrowed is not None:
        considered = considered & nodes.named(search.narrowed[1].names)
    for status, rows in verdicts.groups(considered):
        decision.rejected |= {nodes.name(row): status for row in rows.tolist()}
    decision.feasible = sorted(nodes.name(row) for row in np.flatnonzero(search.feasible).tolist())


def _rank(decision: Decision, search: Search) -> None:
    ranking = Ranking(search)
    rows = np.flatnonzero(ranking.feasible).tolist()
    names = [search.nodes.name(row) for row in rows]
    totals = np.zeros(len(rows), np.int64)
    for entry, scores in ranking.scores():
        chosen = scores[rows]
        totals += chosen
        decision.scores[entry.name] = dict(zip(names, chosen.tolist(), strict=True))
        decision.weights[entry.name] = entry.weight
    decision.totals = dict(zip(names, totals.tolist(), strict=True))
    nominated = decision.pod.nominated_node_name
    decision.node = nominated if nominated in names else search.nodes.name(ranking.choose(0))


def _diagnose(decision: Decision, diagnosis: Diagnosis, profile: Profile, cluster: ClusterState) -> None:
    decision.rejection = diagnosis.rejection
    decision.message = diagnosis.message
    if DEFAULT_PREEMPTION in profile.plugins:
        decision.preemption = _foresee(evaluate(decision.pod, diagnosis, cluster), cluster)


def _verdict(status: Status) -> dict[str, Any]:
    return {"code": status.code, "plugin": status.plugin, "reasons": sorted(status.reasons)}


def _foresee(evaluation: Evaluation, cluster: ClusterState) -> Preemption:
    found = evaluation.candidates
    candidates = {
        cluster.nodes.name(row): Victims(tuple(found.victims(row)), found.violations(row))
        for row in found.rows.tolist()
    }
    picks = sorted(cluster.nodes.name(row) for row in found.picks().tolist()) if candidates else []
    eligible = evaluation.eligibility
    return Preemption(eligible.eligible, eligible.reason, evaluation.message, candidates, picks)
