"""The free volumes that would do for claims of one kind, remembered from pod to pod."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from nominee.framework import (
    ClusterView,
    Ints,
    Mask,
    NodeTerms,
    NodeView,
    PersistentVolume,
    PersistentVolumeClaim,
    Rows,
    Selector,
    affinity_terms,
    claim_class,
    label_selector,
    nano_value,
    rows_reached,
    volume_class,
    whole_value,
)

_POOLS = 32  # kinds of claims to remember
_NAMES = 1 << 17  # volumes to number before all is forgotten


class Wish(NamedTuple):
    """What of a claim decides which free volumes would do; equal for all claims of one template."""

    storage_class: str
    size: int
    access_modes: frozenset[str]
    volume_mode: str
    attributes_class: str
    selector: Selector | None

    def grants(self, volume: PersistentVolume) -> bool:
        """What even a volume that is kept for the claim must fulfil."""
        spec = volume.spec
        return (
            capacity(volume) >= self.size
            and (spec.volume_mode or "Filesystem") == self.volume_mode
            and (spec.volume_attributes_class_name or "") == self.attributes_class
            and not volume.terminating
        )

    def takes(self, volume: PersistentVolume) -> bool:
        """Whether the volume is free and would do."""
        return (
            volume.status.phase == "Available"
            and claimed_by(volume) == (self.storage_class, "")
            and self.access_modes.issubset(volume.spec.access_modes)
            and self.grants(volume)
            and (self.selector is None or self.selector.matches(volume.labels))
        )


def wish_of(claim: PersistentVolumeClaim) -> Wish:
    """What the claim wants of an existing volume."""
    spec = claim.spec
    return Wish(
        claim_class(claim),
        requested(claim),
        frozenset(spec.access_modes),
        spec.volume_mode or "Filesystem",
        spec.volume_attributes_class_name or "",
        label_selector(spec.selector) if spec.selector is not None else None,
    )


def claimed_by(volume: PersistentVolume) -> tuple[str, str]:
    """The volume's class and the claim it refers to, "" if it is free."""
    ref = volume.spec.claim_ref
    return volume_class(volume), f"{ref.namespace}/{ref.name}" if ref is not None else ""


def requested(claim: PersistentVolumeClaim) -> int:
    """How much storage the claim asks for, exactly."""
    return nano_value(claim.spec.resources.requests.get("storage", 0))


def capacity(volume: PersistentVolume) -> int:
    """How much storage the volume has, exactly."""
    return nano_value(volume.spec.capacity.get("storage", 0))


class Pool:
    """The volumes that would do, the smallest first; of equal ones the first by name.

    numbers  (volumes,) int64: what each volume is called in the arrays of all pools
    free     (volumes,) bool: not taken since the pool was made
    group    (volumes,) int64: volumes with the same affinity are in one group
    The rows that a group can be reached from are `rows[starts[g] : starts[g] + sizes[g]]`.
    """

    def __init__(self, wish: Wish, pools: Pools, nodes: NodeView, cluster: ClusterView) -> None:
        self._wish = wish
        candidates = cluster.grouped(PersistentVolume, claimed_by, (wish.storage_class, ""))
        fitting = sorted((v for v in candidates if wish.takes(v)), key=lambda v: (capacity(v), v.name))
        self._volumes = fitting
        self._index = {volume.name: i for i, volume in enumerate(fitting)}
        self._seen = cluster.version(PersistentVolume)
        self.numbers: Ints = np.array([pools.number(v) for v in fitting], np.int64)
        self.free: Mask = np.ones(len(fitting), np.bool_)
        groups: dict[NodeTerms | None, int] = {}
        affinities = [affinity_terms(volume.spec.node_affinity) for volume in fitting]
        self.group: Ints = np.array([groups.setdefault(a, len(groups)) for a in affinities], np.int64)
        reached: list[Rows] = [rows_reached(terms, nodes, cluster) for terms in groups]
        self.sizes: Rows = np.array([rows.size for rows in reached], np.intp)
        self.starts: Rows = np.cumsum(self.sizes) - self.sizes
        self.rows: Rows = np.concatenate(reached) if reached else np.zeros(0, np.intp)

    def refresh(self, cluster: ClusterView) -> bool:
        """Take note of volumes that were taken or given back; False if others came, or too much changed."""
        keys = cluster.changes_since(PersistentVolume, self._seen)
        self._seen = cluster.version(PersistentVolume)
        return keys is not None and all(self._note(key, cluster) for key in set(keys))

    def _note(self, name: str, cluster: ClusterView) -> bool:
        volume, index = cluster.get(PersistentVolume, name), self._index.get(name)
        fits = volume is not None and self._wish.takes(volume)
        if index is None or volume is None:
            if index is not None:
                self.free[index] = False
            return not fits
        before = self._volumes[index]
        self.free[index] = fits
        same = before.spec.node_affinity == volume.spec.node_affinity and capacity(before) == capacity(volume)
        return same or not fits

    def smallest(self, per_group: int) -> tuple[Rows, Ints]:
        """Rows, and the numbers of volumes to be had there: the smallest free ones of each group.

        From the largest to the smallest, so that whoever writes them in turn ends with the smallest.
        """
        left = np.flatnonzero(self.free)
        kept = []
        for _ in range(per_group):
            _, first = np.unique(self.group[left], return_index=True)
            kept.append(left[first])
            left = np.delete(left, first)
        chosen = np.sort(np.concatenate(kept))[::-1]
        sizes = self.sizes[self.group[chosen]]
        ends = np.cumsum(sizes)
        within = np.arange(ends[-1] if ends.size else 0) - np.repeat(ends - sizes, sizes)
        rows = self.rows[np.repeat(self.starts[self.group[chosen]], sizes) + within]
        return rows, np.repeat(self.numbers[chosen], sizes)


class Pools:
    """All pools of a cluster, and the numbers of the volumes; good for as long as no node changes."""

    def __init__(self) -> None:
        self._pools: OrderedDict[Wish, Pool] = OrderedDict()
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self.amounts: Ints = np.zeros(64, np.int64)  # by number: how much the volume holds, in bytes

    def number(self, volume: PersistentVolume) -> int:
        """What the volume is called in arrays."""
        number = self._numbers.setdefault(volume.name, len(self._names))
        if number == len(self._names):
            self._names.append(volume.name)
            if number >= self.amounts.size:
                self.amounts = np.concatenate((self.amounts, np.zeros_like(self.amounts)))
        self.amounts[number] = whole_value(volume.spec.capacity.get("storage", 0))
        return number

    def name(self, number: int) -> str:
        """The name of the volume with that number."""
        return self._names[number]

    @property
    def full(self) -> bool:
        """Whether so many volumes came by that it is better to begin anew."""
        return len(self._names) >= _NAMES

    def pool(self, wish: Wish, nodes: NodeView, cluster: ClusterView) -> Pool:
        """The volumes that would do now."""
        pool = self._pools.get(wish)
        if pool is None or not pool.refresh(cluster):
            pool = self._pools[wish] = Pool(wish, self, nodes, cluster)
        self._pools.move_to_end(wish)
        if len(self._pools) > _POOLS:
            self._pools.popitem(last=False)
        return pool


def pools_of(nodes: NodeView, cluster: ClusterView) -> Pools:
    """What is remembered; `nodes` is the view over all nodes."""
    version = cluster.nodes_version, len(nodes)
    pools = cluster.memo_at(Pools, version, Pools)
    # Replaced rather than emptied: attempts under way still read the numbers they were given.
    return cluster.memo_at(Pools, (*version, "anew"), Pools) if pools.full else pools
