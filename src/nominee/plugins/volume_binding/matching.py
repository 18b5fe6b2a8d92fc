"""Which existing volume each claim would get on each node: greedily, the smallest that fits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nominee.framework import (
    ClusterView,
    Ints,
    Mask,
    NodeView,
    PersistentVolume,
    PersistentVolumeClaim,
    affinity_terms,
    is_reserved_for,
    rows_reached,
)
from nominee.plugins.volume_binding.pool import Pools, claimed_by, pools_of, requested, wish_of

NO_VOLUME = -1


class Matching:
    """The volumes for some claims, node by node.

    chosen  per claim: the number of a volume for each row, NO_VOLUME where none fits

    Reproduces findMatchingVolumes and FindMatchingVolume (plugins/volumebinding/binder.go and
    component-helpers storage/volume/pv_helpers.go, v1.37); of volumes of equal size it takes the
    first by name, where upstream leaves that open.
    """

    def __init__(self, nodes: NodeView, cluster: ClusterView) -> None:
        self._nodes = nodes
        self._cluster = cluster
        self._pools: Pools | None = None
        self.claims: list[PersistentVolumeClaim] = []
        self.chosen: list[Ints] = []

    def match(self, claims: Sequence[PersistentVolumeClaim]) -> None:
        """Find volumes for these, the smallest claim first; what one takes the next can not have."""
        self._pools = pools_of(self._nodes, self._cluster)
        for claim in sorted(claims, key=requested):
            chosen = self._choose(claim, self._pools)
            self.claims.append(claim)
            self.chosen.append(chosen)

    def volume(self, number: int) -> PersistentVolume:
        """The volume that a number in `chosen` means."""
        found = self._cluster.get(PersistentVolume, self._pools.name(number)) if self._pools else None
        if found is None:
            msg = f"no volume has the number {number}"
            raise LookupError(msg)
        return found

    def amounts(self, chosen: Ints) -> Ints:
        """By row, how much the chosen volume holds; of no use where there is none."""
        return self._pools.amounts[chosen] if self._pools else chosen

    def _choose(self, claim: PersistentVolumeClaim, pools: Pools) -> Ints:
        chosen = np.full(len(self._nodes), NO_VOLUME, np.int64)
        open_rows = np.ones(len(self._nodes), np.bool_)
        for volume in self._reserved(claim):
            self._settle(volume, pools.number(volume), chosen, open_rows)
            if not open_rows.any():
                return chosen
        return np.where(open_rows, self._smallest_free(claim, pools), chosen)

    def _settle(self, volume: PersistentVolume, number: int, chosen: Ints, open_rows: Mask) -> None:
        """A volume kept for the claim is the one, and where it can not be reached there is none."""
        settled = open_rows.copy()
        for taken in self.chosen:
            settled &= taken != number
        reached = np.zeros(len(settled), np.bool_)
        reached[rows_reached(affinity_terms(volume.spec.node_affinity), self._nodes, self._cluster)] = True
        chosen[settled & reached] = number
        open_rows &= ~settled

    def _smallest_free(self, claim: PersistentVolumeClaim, pools: Pools) -> Ints:
        """On each row the smallest free volume that no claim before this one takes there."""
        pool = pools.pool(wish_of(claim), self._nodes, self._cluster)
        rows, numbers = pool.smallest(per_group=len(self.chosen) + 1)  # the others can take no more
        for taken in self.chosen:
            untaken = taken[rows] != numbers
            rows, numbers = rows[untaken], numbers[untaken]
        chosen = np.full(len(self._nodes), NO_VOLUME, np.int64)
        chosen[rows] = numbers  # where several are for one row the last one, the smallest, stays
        return chosen

    def _reserved(self, claim: PersistentVolumeClaim) -> list[PersistentVolume]:
        wish = wish_of(claim)
        group = (wish.storage_class, claim.key)
        volumes = self._cluster.grouped(PersistentVolume, claimed_by, group)
        return [v for v in volumes if is_reserved_for(v, claim) and wish.grants(v)]
