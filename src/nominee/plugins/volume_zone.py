"""VolumeZone: a pod goes where the zone and region labels of its volumes say they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nominee.framework import (
    BETA_REGION,
    BETA_ZONE,
    REGION,
    WAIT_FOR_FIRST_CONSUMER,
    ZONE,
    ZONES_SEPARATOR,
    Action,
    ClusterView,
    Cycle,
    EventHint,
    NodeObject,
    NodeView,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    Reject,
    Rejection,
    Resource,
    Shape,
    Skip,
    SkipWhile,
    Slot,
    StorageClass,
    claim_class,
)

_NO_ZONE = "node(s) had no available volume zone"
_LABELS = (BETA_ZONE, BETA_REGION, ZONE, REGION)
_SUCCESSOR = {BETA_ZONE: ZONE, BETA_REGION: REGION}  # asked where a node lacks the beta label

Place = tuple[str, frozenset[str]]
"""A label and the values of it that a volume can be reached with."""

NodeLabels = tuple[str | None, ...]
PLACES: Slot[frozenset[Place]] = Slot("VolumeZone")


@dataclass(frozen=True, slots=True)
class TopologyLabels:
    """Fact of a node: its zone and region labels in the order of `_LABELS`; None without any."""

    def of(self, node: NodeObject, /) -> NodeLabels | None:
        labels = node.metadata.labels
        found = tuple(labels.get(key) for key in _LABELS)
        return None if found == (None,) * len(_LABELS) else found


@dataclass(frozen=True, slots=True)
class VolumeZone:
    """Reproduces pkg/scheduler/framework/plugins/volumezone/volume_zone.go, v1.37.

    Ephemeral volumes are not looked at, here as there.
    """

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Skip | SkipWhile | Reject | None:
        names = pod.memo(_claim_names, _claim_names)
        if not names:
            return Skip.THIS_SHAPE
        places: set[Place] = set()
        for name in names:
            found = _volume_of(name, pod.namespace, cycle.cluster)
            if isinstance(found, Reject):
                return found
            if found is not None:
                places |= _places(found)
        if not places:
            return SkipWhile(_versions(cycle.cluster))
        cycle[PLACES] = frozenset(places)
        return None

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Iterator[Rejection]:
        places = cycle[PLACES]
        elsewhere = nodes.where(TopologyLabels(), lambda labels: not _reaches(labels, places))
        if elsewhere.any():
            yield Rejection(elsewhere, _NO_ZONE, unresolvable=True)

    def events_to_register(self) -> Sequence[EventHint]:
        add_or_update = Action.ADD | Action.UPDATE
        return (
            EventHint(Resource.STORAGE_CLASS, Action.ADD, self._after_class_added),
            EventHint(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL),
            EventHint(Resource.PERSISTENT_VOLUME_CLAIM, add_or_update, self._after_claim_change),
            EventHint(Resource.PERSISTENT_VOLUME, add_or_update, self._after_volume_change),
        )

    def _after_class_added(self, pod: Pod, old: None, new: StorageClass, cluster: ClusterView) -> bool:
        """Claims of the class are bound only once their pod has a node."""
        return new.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER

    def _after_claim_change(
        self, pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim, cluster: ClusterView
    ) -> bool:
        """The claim is one of the pod's."""
        return new.namespace == pod.namespace and new.name in pod.memo(_claim_names, _claim_names)

    def _after_volume_change(
        self, pod: Pod, old: PersistentVolume | None, new: PersistentVolume, cluster: ClusterView
    ) -> bool:
        """A volume came, or is said to be elsewhere now."""
        return old is None or _places(old) != _places(new)


def _claim_names(shape: Shape) -> tuple[str, ...]:
    return tuple(
        v.persistent_volume_claim.claim_name for v in shape.spec.volumes if v.persistent_volume_claim
    )


def _volume_of(name: str, namespace: str, cluster: ClusterView) -> PersistentVolume | Reject | None:
    """The volume a claim is bound to; None for one that is bound when its pod has a node."""
    if not name:
        return _reject("PersistentVolumeClaim had no name")
    claim = cluster.get(PersistentVolumeClaim, f"{namespace}/{name}")
    if claim is None:
        return _reject(f'persistentvolumeclaim "{name}" not found')
    if not claim.spec.volume_name:
        return _why_unbound(claim, cluster)
    volume = cluster.get(PersistentVolume, claim.spec.volume_name)
    return volume or _reject(f'persistentvolume "{claim.spec.volume_name}" not found')


def _why_unbound(claim: PersistentVolumeClaim, cluster: ClusterView) -> Reject | None:
    name = claim_class(claim)
    if not name:
        return _reject("PersistentVolumeClaim had no pv name and storageClass name")
    storage_class = cluster.get(StorageClass, name)
    if storage_class is None:
        return _reject(f'storageclass.storage.k8s.io "{name}" not found')
    if storage_class.volume_binding_mode is None:
        return _reject(f'VolumeBindingMode not set for StorageClass "{name}"')
    if storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER:
        return None
    return _reject("PersistentVolume had no name")


def _reject(reason: str) -> Reject:
    return Reject((reason,), unresolvable=True)


def _versions(cluster: ClusterView) -> Callable[[], Hashable]:
    kinds = (PersistentVolumeClaim, PersistentVolume, StorageClass)
    return lambda: tuple(cluster.version(kind) for kind in kinds)


def _places(volume: PersistentVolume) -> set[Place]:
    """Where the volume says it is; labels that do not parse are overlooked."""
    labels = volume.labels
    parsed = {(key, _zones(labels[key])) for key in _LABELS if key in labels}
    return {place for place in parsed if place[1]}


@lru_cache(maxsize=1024)
def _zones(label: str) -> frozenset[str]:
    """`a__b` means either; nothing if a part is empty."""
    zones = frozenset(zone.strip() for zone in label.split(ZONES_SEPARATOR))
    return frozenset() if "" in zones else zones


def _reaches(labels: NodeLabels | None, places: frozenset[Place]) -> bool:
    """A node without any such label passes: it may be a cluster of one zone."""
    if labels is None:
        return True
    known = {key: value for key, value in zip(_LABELS, labels, strict=True) if value is not None}
    return all(known.get(key, known.get(_SUCCESSOR.get(key, key))) in values for key, values in places)
