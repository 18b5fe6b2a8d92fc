"""One plugin at work, without the profile around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from nominee.framework.cycle import Cycle
from nominee.framework.results import Narrow, Reject, Rejection, Skip, SkipWhile, Unresolvable
from nominee.state.arrays import Ints, Mask
from nominee.state.cluster import ClusterState
from nominee.state.shapes import Pod
from nominee.state.view import NodeView
from nominee.testing.clusters import AnyPod, make_cycle, pod_of


class Verdict(NamedTuple):
    """What a plugin said of a node it rejected; equal to the plain tuple `(code, reasons)`."""

    code: str
    reasons: tuple[str, ...]


UNSCHEDULABLE = "Unschedulable"
UNRESOLVABLE = "UnschedulableAndUnresolvable"


def filter_with(
    plugin: Any,
    pod: AnyPod,
    cluster: ClusterState,
    *,
    nodes: NodeView | None = None,
    cycle: Cycle | None = None,
) -> dict[str, Verdict]:
    """By node name, what the plugin rejects and why; nodes that pass are left out.

    PreFilter runs over all nodes first, the filter over `nodes` (all of them by default).
    """
    cycle = cycle or make_cycle(cluster)
    seen = pod_of(cluster, pod)
    nodes = cluster.all_nodes() if nodes is None else nodes
    answer = plugin.pre_filter(seen, cluster.all_nodes(), cycle) if hasattr(plugin, "pre_filter") else None
    if isinstance(answer, Skip | SkipWhile):
        return {}
    if isinstance(answer, Reject):
        code = "Pending" if answer.pending else _code(unresolvable=answer.unresolvable)
        return {nodes.name(i): Verdict(code, answer.reasons) for i in np.flatnonzero(nodes.valid).tolist()}
    considered = nodes.valid
    verdicts = {}
    if isinstance(answer, Narrow):
        considered = nodes.valid & nodes.named(answer.names)
        left_out = Verdict(UNRESOLVABLE, (f"node(s) didn't satisfy plugin(s) [{type(plugin).__name__}]",))
        verdicts = {nodes.name(i): left_out for i in np.flatnonzero(nodes.valid & ~considered).tolist()}
    for position, verdict in rejections(plugin, seen, nodes, cycle).items():
        if considered[position]:
            verdicts[nodes.name(position)] = verdict
    return verdicts


def score_with(
    plugin: Any,
    pod: AnyPod,
    cluster: ClusterState,
    *,
    feasible: Iterable[str] | None = None,
    cycle: Cycle | None = None,
    normalized: bool = True,
) -> dict[str, int]:
    """By node name, the plugin's score of each feasible node (all by default), unweighted.

    PreFilter (if the plugin has one) and PreScore run first; a plugin that skips scores nothing.
    """
    cycle = cycle or make_cycle(cluster)
    seen, nodes = pod_of(cluster, pod), cluster.all_nodes()
    if feasible is not None:
        cycle.feasible = nodes.valid & nodes.named(feasible)
    if hasattr(plugin, "pre_filter"):
        plugin.pre_filter(seen, nodes, cycle)
    if hasattr(plugin, "pre_score") and isinstance(plugin.pre_score(seen, nodes, cycle), Skip | SkipWhile):
        return {}
    scores = raw_scores(plugin, seen, nodes, cycle)
    rows = np.flatnonzero(cycle.feasible)
    if normalized and rows.size and hasattr(plugin, "normalize"):
        scores = plugin.normalize(scores, int(scores[rows].min()), int(scores[rows].max()))
    return {nodes.name(row): int(scores[row]) for row in rows.tolist()}


def rejections(plugin: Any, pod: Pod, nodes: NodeView, cycle: Cycle) -> dict[int, Verdict]:
    """By position, the rejected nodes; PreFilter is taken to have run in this cycle."""
    if hasattr(plugin, "filter_node"):
        return _one_by_one(plugin, pod, nodes, cycle)
    if not hasattr(plugin, "filter"):
        return {}
    said = list(plugin.filter(pod, nodes, cycle))
    return {
        position: _collected(said, position)
        for position in np.flatnonzero(nodes.valid & _any_rejected(said, len(nodes))).tolist()
    }


def raw_scores(plugin: Any, pod: Pod, nodes: NodeView, cycle: Cycle) -> Ints:
    """By position, what the plugin answers before it is normalised; 0 where there is no node."""
    if hasattr(plugin, "score_node"):
        scores = np.zeros(len(nodes), np.int64)
        for position in np.flatnonzero(nodes.valid).tolist():
            scores[position] = plugin.score_node(pod, nodes.node(position), cycle)
        return scores
    answer: Ints = plugin.score(pod, nodes, cycle)
    return answer


def _one_by_one(plugin: Any, pod: Pod, nodes: NodeView, cycle: Cycle) -> dict[int, Verdict]:
    verdicts = {}
    for position in np.flatnonzero(nodes.valid).tolist():
        answer = plugin.filter_node(pod, nodes.node(position), cycle)
        if isinstance(answer, Unresolvable):
            verdicts[position] = Verdict(UNRESOLVABLE, (answer.reason,))
        elif answer is not None:
            verdicts[position] = Verdict(UNSCHEDULABLE, (answer,))
    return verdicts


def _any_rejected(said: list[Rejection], length: int) -> Mask:
    rejected = np.zeros(length, np.bool_)
    for rejection in said:
        rejected |= rejection.rows
    return rejected


def _collected(said: list[Rejection], position: int) -> Verdict:
    mine = [rejection for rejection in said if rejection.rows[position]]
    hopeless = any(np.broadcast_to(r.unresolvable, r.rows.shape)[position] for r in mine)
    return Verdict(_code(unresolvable=bool(hopeless)), tuple(r.reason for r in mine))


def _code(*, unresolvable: bool) -> str:
    return UNRESOLVABLE if unresolvable else UNSCHEDULABLE
