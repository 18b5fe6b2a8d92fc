"""From a pending pod to the node it shall have, or to the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nominee.framework import Diagnosis, Mask, Pod
from nominee.profile.profile import Profile
from nominee.profile.ranking import Ranking
from nominee.profile.search import Search
from nominee.scheduler.metrics import SUCCESS, UNRESOLVABLE, UNSCHEDULABLE, Lap, no_lap
from nominee.state.cluster import ClusterState
from nominee.state.what_if import WhatIf

MIN_FEASIBLE_NODES = 100


@dataclass(slots=True)
class Selection:
    """What a search ended with: a row to place the pod on, or a diagnosis.

    evaluated  how many nodes were looked at
    feasible   how many of these could take the pod
    """

    search: Search
    row: int | None = None
    diagnosis: Diagnosis | None = None
    evaluated: int = 0
    feasible: int = 0


def select_node(  # noqa: PLR0913 - two of them, by name, for the scheduler alone
    profile: Profile,
    cluster: ClusterState,
    pod: Pod,
    now: float,
    offset: int,
    *,
    nominated_first: bool = True,
    lap: Lap = no_lap,
) -> Selection:
    """Find the best node. The pod's nominated node, if it still fits, is the best without comparison.

    `offset` is the row from which on the first of several equally good nodes is taken, and the first
    nodes when the profile has a percentageOfNodesToScore.
    Reproduces schedulePod (pkg/scheduler/schedule_one.go, v1.37), except that all nodes are evaluated
    where upstream would sample them unless told otherwise.
    """
    search = Search(profile, cluster, pod, now, offset)
    lap("PreFilter", verdict(search))
    if nominated_first and search.rejection is None:
        row = nominated_row(cluster, pod)
        if row is not None and search.fits(row):
            lap("Filter", SUCCESS)
            return Selection(search, row, None, 1, 1)
    found = search.run()
    lap("Filter", SUCCESS)
    if not found:
        return Selection(search, None, search.diagnosis(), len(cluster.nodes))
    feasible = search.feasible
    if profile.percentage_of_nodes_to_score is not None:
        feasible = sampled(feasible, profile.percentage_of_nodes_to_score, len(cluster.nodes), offset)
    row = Ranking(search, feasible).choose(offset)
    lap("Score", SUCCESS)
    return Selection(search, row, None, len(cluster.nodes), int(np.count_nonzero(feasible)))


def verdict(search: Search) -> str:
    """The status code of PreFilter as a whole."""
    if search.rejection is None:
        return SUCCESS
    return UNRESOLVABLE if search.rejection[1].unresolvable else UNSCHEDULABLE


def could_fit(profile: Profile, cluster: ClusterState, pod: Pod, row: int, now: float) -> bool:
    """Whether one node could take the pod once all pods of lower priority had left it."""
    search = Search(profile, cluster, pod, now)
    if search.rejection is not None:
        return False
    emptied = WhatIf(search.nodes.take(np.array([row], np.intp)))
    leaving = [p.shape.id for p in cluster.pods_on(cluster.nodes.name(row)) if p.priority < pod.priority]
    if leaving:
        emptied.remove(np.zeros(len(leaving), np.intp), np.array(leaving, np.intp))
    return bool(search.verdicts(emptied, anew=True).passed[0])


def nominated_row(cluster: ClusterState, pod: Pod) -> int | None:
    """The row of the pod's nominated node, if that node exists."""
    nominated = cluster.nominations.node_of(pod.uid)
    return cluster.nodes.row_of.get(nominated) if nominated else None


def nodes_to_find(percentage: int, nodes: int) -> int:
    """How many feasible nodes are enough.

    Reproduces numFeasibleNodesToFind (pkg/scheduler/schedule_one.go, v1.37) for a percentage that is set.
    """
    if nodes < MIN_FEASIBLE_NODES:
        return nodes
    return max(nodes * percentage // 100, MIN_FEASIBLE_NODES)


def sampled(feasible: Mask, percentage: int, nodes: int, offset: int) -> Mask:
    """The first feasible rows from the offset on, all around, as many as are wanted."""
    rows = np.flatnonzero(feasible)
    wanted = nodes_to_find(percentage, nodes)
    if rows.size <= wanted:
        return feasible
    first = int(np.searchsorted(rows, offset % feasible.size))
    sample = np.zeros(feasible.size, np.bool_)
    sample[np.roll(rows, -first)[:wanted]] = True
    return sample
