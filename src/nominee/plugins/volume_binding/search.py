"""Where a pod can have its volumes: by row, what is wrong, and which volumes it would get."""

from __future__ import annotations

import numpy as np

from nominee.framework import (
    IN_TREE_NAMED,
    SELECTED_NODE,
    ClusterView,
    Ints,
    Mask,
    NodeView,
    PersistentVolume,
    PersistentVolumeClaim,
    affinity_terms,
    csi_nodes,
    in_tree_plugin,
    migrated_terms,
    rows_reached,
)
from nominee.plugins.volume_binding.claims import Claims
from nominee.plugins.volume_binding.matching import NO_VOLUME, Matching
from nominee.plugins.volume_binding.provisioning import UNKNOWN, Provision, provision

AFFINITY_MISMATCH = "node(s) didn't match PersistentVolume's node affinity"
NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind"
NO_SPACE = "node(s) did not have enough free storage"
VOLUME_MISSING = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


class Search:
    """What holds of all nodes in one attempt; nothing of it depends on pods.

    mismatched, unmatched, cramped, missing  (n,) bool: why a row is rejected; one row may be in several
    matching      existing volumes for the claims that can have one
    provisions    volumes to be made: for which claim, on which rows
    Reproduces FindPodVolumes (plugins/volumebinding/binder.go, v1.37), for all nodes at once.
    """

    def __init__(self, claims: Claims, nodes: NodeView, cluster: ClusterView) -> None:
        self._nodes = nodes
        self._cluster = cluster
        self.claims = claims
        none = np.zeros(len(nodes), np.bool_)
        self.mismatched, self.missing = none, none
        self.unmatched, self.cramped = none, none
        self.matching = Matching(nodes, cluster)
        self.provisions: list[tuple[Provision, Mask]] = []
        if claims.bound:
            self._check_bound()
        if claims.delayed:
            self._place_delayed()

    def reasons(self) -> list[tuple[Mask, str]]:
        """The rejected rows by reason; only reasons that hold somewhere."""
        found = (
            (self.mismatched, AFFINITY_MISMATCH),
            (self.unmatched, NOTHING_TO_BIND),
            (self.cramped, NO_SPACE),
            (self.missing, VOLUME_MISSING),
        )
        return [(rows, reason) for rows, reason in found if rows.any()]

    # -- claims that have their volume ----------------------------------------------------------

    def _check_bound(self) -> None:
        """Reproduces checkBoundClaims: the first claim that fails a node decides what is said of it."""
        open_rows = np.ones(len(self._nodes), np.bool_)
        self.mismatched = np.zeros(len(self._nodes), np.bool_)
        for claim in self.claims.bound:
            volume = self._cluster.get(PersistentVolume, claim.spec.volume_name)
            if volume is None:
                self.missing = open_rows
                return
            if volume.spec.node_affinity is None and in_tree_plugin(volume.spec) is None:
                continue
            reached = self._reached(volume)
            self.mismatched |= open_rows & ~reached
            open_rows = open_rows & reached

    def _reached(self, volume: PersistentVolume) -> Mask:
        reached = self._mask(rows_reached(affinity_terms(volume.spec.node_affinity), *self._world))
        plugin = in_tree_plugin(volume.spec)
        if plugin is not None and IN_TREE_NAMED[plugin.name].counts:
            migrated = csi_nodes(*self._world).migrated(plugin.name)
            if migrated.any():
                there = self._mask(rows_reached(migrated_terms(volume, plugin), *self._world))
                reached = np.where(migrated, there, reached)
        return reached

    # -- claims that get one now ----------------------------------------------------------------

    def _place_delayed(self) -> None:
        """A claim that was promised to a node goes there; the others take what exists or is made."""
        promised = [c for c in self.claims.delayed if SELECTED_NODE in c.metadata.annotations]
        others = [c for c in self.claims.delayed if SELECTED_NODE not in c.metadata.annotations]
        open_rows = np.ones(len(self._nodes), np.bool_)
        for claim in promised:
            open_rows &= self._nodes.named((claim.metadata.annotations[SELECTED_NODE],))
        self.unmatched = ~open_rows
        self.cramped = np.zeros(len(self._nodes), np.bool_)
        if not open_rows.any():
            return
        self.matching.match(others)
        wanted = [(claim, open_rows) for claim in promised]
        wanted += [
            (claim, open_rows & (chosen == NO_VOLUME))
            for claim, chosen in zip(self.matching.claims, self.matching.chosen, strict=True)
        ]
        self._provision(wanted, open_rows)

    def _provision(self, wanted: list[tuple[PersistentVolumeClaim, Mask]], open_rows: Mask) -> None:
        """The first volume that can not be made on a node decides what is said of it."""
        for claim, everywhere in wanted:
            rows = everywhere & open_rows
            if not rows.any():
                continue
            made = provision(claim, *self._world)
            forbidden = rows & ~made.allowed
            self.unmatched |= forbidden
            rows &= made.allowed
            if made.capacity is not None:
                cramped = rows & (made.capacity == UNKNOWN)
                self.cramped |= cramped
                forbidden |= cramped
                rows &= ~cramped
            open_rows = open_rows & ~forbidden
            self.provisions.append((made, rows))

    # -- what one node gets ---------------------------------------------------------------------

    def bindings(self, row: int) -> list[tuple[PersistentVolume, PersistentVolumeClaim]]:
        """The existing volumes that the claims get on this row."""
        pairs = zip(self.matching.claims, self.matching.chosen, strict=True)
        return [
            (self.matching.volume(int(chosen[row])), claim)
            for claim, chosen in pairs
            if chosen[row] != NO_VOLUME
        ]

    def to_provision(self, row: int) -> list[PersistentVolumeClaim]:
        """The claims for which a volume is made on this row."""
        return [made.claim for made, rows in self.provisions if rows[row]]

    @property
    def _world(self) -> tuple[NodeView, ClusterView]:
        return self._nodes, self._cluster

    def _mask(self, rows: Ints) -> Mask:
        mask = np.zeros(len(self._nodes), np.bool_)
        mask[rows] = True
        return mask
