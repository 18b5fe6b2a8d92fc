"""Which volumes each node has, kept up to date row by row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from nominee.framework import (
    ClusterView,
    Ints,
    NodeView,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
    VolumeAttachment,
)
from nominee.plugins.node_volume_limits.volumes import CsiVolume, mounts, volumes_of_pods

_KINDS = (PersistentVolumeClaim, PersistentVolume, VolumeAttachment)


class Attached:
    """The distinct volumes of every node, by row.

    A volume counts once a node, whoever uses it: pods placed there, or just an attachment to the
    node. Only rows are read again whose pods, claims, volumes or attachments changed.
    """

    def __init__(self) -> None:
        self._counts: dict[str, Ints] = {}  # by driver
        self._volumes: dict[int, set[CsiVolume]] = {}  # by row, those of pods
        self._rows: defaultdict[CsiVolume, set[int]] = defaultdict(set)
        self._readers: defaultdict[tuple[type, str], set[int]] = defaultdict(set)  # rows by object
        self._node_of: dict[str, str] = {}  # attachment to node name
        self._placements = -1
        self._classes = -1
        self._seen: dict[type, int] = dict.fromkeys(_KINDS, -1)
        self._size = 0

    def count(self, driver: str) -> Ints:
        """(n,) int64: how many volumes of the driver each node has."""
        counts = self._counts.get(driver)
        if counts is None or counts.size < self._size:
            grown = np.zeros(self._size, np.int64)
            if counts is not None:
                grown[: counts.size] = counts
            counts = self._counts[driver] = grown
        return counts

    def rows_of(self, volume: CsiVolume) -> Iterable[int]:
        """The rows whose pods use the volume."""
        return self._rows.get(volume, ())

    def refresh(self, nodes: NodeView, cluster: ClusterView) -> None:
        """Bring everything up to the present; `nodes` is the view over all nodes."""
        dirty = self._dirty(nodes, cluster)
        self._size = len(nodes)
        self._placements = cluster.placements
        self._classes = cluster.version(StorageClass)
        self._seen = {kind: cluster.version(kind) for kind in _KINDS}
        for row in dirty:
            self._read(row, nodes, cluster)

    def _dirty(self, nodes: NodeView, cluster: ClusterView) -> Iterable[int]:
        everything = range(len(nodes))
        if self._placements < 0 or self._classes != cluster.version(StorageClass):
            return everything
        rows = cluster.rows_changed_since(self._placements)
        changes = {kind: cluster.changes_since(kind, self._seen[kind]) for kind in _KINDS}
        if rows is None or None in changes.values():
            return everything
        dirty = set(rows.tolist())
        for kind in _KINDS:
            for key in changes[kind] or ():
                dirty |= self._readers.pop((kind, key), set())  # who still reads it will say so again
        for key in changes[VolumeAttachment] or ():
            item = cluster.get(VolumeAttachment, key)
            for name in {self._node_of.get(key, ""), node_of(item) if item is not None else ""}:
                node = cluster.node_named(name)
                if node is not None:
                    dirty.add(node.row)
            self._note(key, item)
        return dirty

    def _note(self, key: str, item: VolumeAttachment | None) -> None:
        if item is None:
            self._node_of.pop(key, None)
        else:
            self._node_of[key] = node_of(item)

    def _read(self, row: int, nodes: NodeView, cluster: ClusterView) -> None:
        self._clear(row)
        if not nodes.valid[row]:
            return
        name = nodes.name(row)
        volumes = self._read_pods(row, cluster.pods_on(name), cluster)
        for item in cluster.grouped(VolumeAttachment, node_of, name):
            self._note(item.key, item)
            self._readers[PersistentVolume, item.spec.source.persistent_volume_name or ""].add(row)
        held = volumes | self.attachments(name, cluster)
        for driver, count in Counter(volume.driver for volume in held).items():
            self.count(driver)[row] = count

    def _read_pods(self, row: int, pods: list[Pod], cluster: ClusterView) -> set[CsiVolume]:
        volumes = set()
        mounting = [pod for pod in pods if pod.memo(mounts, mounts)]
        for claim, volume_name, use in volumes_of_pods(mounting, cluster):
            self._readers[PersistentVolumeClaim, claim].add(row)
            self._readers[PersistentVolume, volume_name].add(row)
            if use is not None:
                volumes.add(use.volume)
                self._rows[use.volume].add(row)
        if volumes:
            self._volumes[row] = volumes
        return volumes

    def _clear(self, row: int) -> None:
        for volume in self._volumes.pop(row, ()):
            self._rows[volume].discard(row)
            if not self._rows[volume]:
                del self._rows[volume]
        for counts in self._counts.values():
            if row < counts.size:
                counts[row] = 0

    @staticmethod
    def attachments(node_name: str, cluster: ClusterView) -> set[CsiVolume]:
        """The volumes that are attached to the node, or about to be.

        Reproduces getNodeVolumeAttachmentInfo (plugins/nodevolumelimits/csi.go, v1.37).
        """
        found = set()
        for item in cluster.grouped(VolumeAttachment, node_of, node_name):
            name = item.spec.source.persistent_volume_name
            volume = cluster.get(PersistentVolume, name) if name and item.spec.attacher else None
            if volume is not None and volume.spec.csi is not None:
                found.add(CsiVolume(item.spec.attacher, volume.spec.csi.volume_handle))
        return found


def node_of(item: VolumeAttachment) -> str:
    """The node it attaches a volume to."""
    return item.spec.node_name


def attached_now(nodes: NodeView, cluster: ClusterView) -> Attached:
    """What is attached as of now, shared by all pods; `nodes` is the view over all nodes."""
    attached = cluster.memo_at(Attached, 0, Attached)
    attached.refresh(nodes, cluster)
    return attached
