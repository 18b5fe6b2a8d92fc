"""Potential victims: all pods of lower priority on the nodes in question, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nominee.state.arrays import Floats, Ids, Ints, Rows
from nominee.state.cluster import ClusterState
from nominee.state.nodes import NO_POD

_MANY = 8  # nodes from which on it pays to follow all their chains at once


@dataclass(frozen=True, slots=True)
class PotentialVictims:
    """The pods that may have to go, node after node, the most important of each node first.

    By position of a node that has any:
      rows        (n,) the node's row
      counts      (n,) how many pods it has here
      starts      (n,) where they begin in the columns below
    By pod:
      positions   the position of its node
      pod_rows    int32, its row in the table of placed pods
      shape_ids
      priority    int64
      start_time  float64; one that has not started is later than any that has
    """

    rows: Rows
    counts: Rows
    starts: Rows
    positions: Rows
    pod_rows: Ids
    shape_ids: Rows
    priority: Ints
    start_time: Floats

    def __len__(self) -> int:
        return self.pod_rows.size


def potential_victims(cluster: ClusterState, rows: Rows, below: int) -> PotentialVictims:
    """The placed pods with a priority below this on the nodes of these rows, in order of importance.

    Importance is that of MoreImportantVictim (pkg/scheduler/framework/preemption/util.go, v1.37):
    the higher priority, then the earlier start. Where both are equal, upstream's order is that of
    its node's list of pods; here the one that came first is the more important.
    """
    pods = cluster.pods
    gather = _lower_pods_of_few if rows.size < _MANY else _lower_pods
    positions, pod_rows = gather(cluster, rows, below)
    shape_ids, start_time = pods.shape_id[pod_rows].astype(np.intp), pods.start_time[pod_rows]
    priority = cluster.shapes.priority[shape_ids]
    order = np.lexsort((start_time, -priority, positions))
    counts = np.bincount(positions, minlength=rows.size)
    having = np.flatnonzero(counts)
    counts = counts[having]
    return PotentialVictims(
        rows=rows[having],
        counts=counts,
        starts=np.cumsum(counts) - counts,
        positions=np.repeat(np.arange(having.size), counts),
        pod_rows=pod_rows[order],
        shape_ids=shape_ids[order],
        priority=priority[order],
        start_time=start_time[order],
    )


def _lower_pods_of_few(cluster: ClusterState, rows: Rows, below: int) -> tuple[Rows, Ids]:
    """The same as `_lower_pods`, pod by pod: a few pods take less time than a call of NumPy."""
    pods, priority = cluster.pods, cluster.shapes.priority
    chains = [list(pods.chain(cluster.nodes.first_pod, row)) for row in rows.tolist()]
    found = [
        (position, pod_row)
        for position, chain in enumerate(chains)
        for pod_row in reversed(chain)
        if priority[pods.shape_id[pod_row]] < below
    ]
    positions, pod_rows = zip(*found, strict=True) if found else ((), ())
    return np.array(positions, np.intp), np.array(pod_rows, np.int32)


def _lower_pods(cluster: ClusterState, rows: Rows, below: int) -> tuple[Rows, Ids]:
    """(position in `rows`, pod row) of every pod of lower priority, those placed first at the front.

    Follows the chains of all nodes at once, a link at a time; chains begin with the latest pod.
    """
    pods, priority = cluster.pods, cluster.shapes.priority
    positions, current = np.arange(rows.size), cluster.nodes.first_pod[rows]
    links: list[tuple[Rows, Ids]] = []
    while True:
        linked = current != NO_POD
        if not linked.all():
            positions, current = positions[linked], current[linked]
        if not current.size:
            break
        lower = priority[pods.shape_id[current]] < below
        links.append((positions[lower], current[lower]))
        current = pods.next[current]
    if not links:
        return np.zeros(0, np.intp), np.zeros(0, np.int32)
    found, pod_rows = zip(*reversed(links), strict=True)
    return np.concatenate(found), np.concatenate(pod_rows)
