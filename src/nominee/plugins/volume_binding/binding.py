"""Writing down at the API server which volumes were taken, and waiting until they are bound."""

from __future__ import annotations

from typing import Any, TypeVar

from nominee.framework import (
    BOUND_BY_CONTROLLER,
    IN_TREE_NAMED,
    SELECTED_NODE,
    Api,
    ClusterView,
    CSINode,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    affinity_terms,
    in_tree_plugin,
    is_fully_bound,
    migrated_plugins,
    migrated_terms,
)
from nominee.plugins.volume_binding.reserving import Binding, Provisioning, Reserved

_INTERVAL = 1  # seconds
T = TypeVar("T", PersistentVolume, PersistentVolumeClaim)


class BindingError(Exception):
    """The volumes of a pod can not be bound; its text is upstream's."""


async def write(reserved: Reserved, api: Api) -> None:
    """Volumes first, then claims. What was written stays, even if the next write fails.

    Reproduces bindAPIUpdate (plugins/volumebinding/binder.go, v1.37). Objects are read again before
    they are written, for they have fields that the scheduler does not know; they must still be the
    ones that it decided about.
    """
    for binding in reserved.bindings:
        binding.version = await _write_volume(binding, api)
    for provisioning in reserved.provisionings:
        provisioning.version = await _write_claim(provisioning, api)


async def wait_until_bound(
    reserved: Reserved, pod: Pod, node: Node, cluster: ClusterView, api: Api, seconds: int
) -> None:
    """Look every second whether all volumes are bound.

    Reproduces BindPodVolumes (plugins/volumebinding/binder.go, v1.37).
    """
    for _ in range(0, seconds, _INTERVAL):
        await api.sleep(_INTERVAL)
        try:
            if all_are_bound(reserved, pod, node, cluster):
                return
        except BindingError as error:
            msg = f"binding volumes: {error}"
            raise BindingError(msg) from None
    msg = "binding volumes: context deadline exceeded"
    raise BindingError(msg)


async def _write_volume(binding: Binding, api: Api) -> str:
    volume, ref = binding.volume, binding.volume.spec.claim_ref
    item = await _unchanged("PersistentVolume", volume, api)
    if ref is not None:
        item["spec"]["claimRef"] = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": ref.namespace,
            "name": ref.name,
            "uid": ref.uid,
            "resourceVersion": ref.resource_version,
        }
    if BOUND_BY_CONTROLLER in volume.metadata.annotations:
        _annotate(item, BOUND_BY_CONTROLLER, volume.metadata.annotations[BOUND_BY_CONTROLLER])
    return _version(await api.update("PersistentVolume", item))


async def _write_claim(provisioning: Provisioning, api: Api) -> str:
    claim = provisioning.claim
    item = await _unchanged("PersistentVolumeClaim", claim, api)
    _annotate(item, SELECTED_NODE, claim.metadata.annotations[SELECTED_NODE])
    return _version(await api.update("PersistentVolumeClaim", item))


async def _unchanged(kind: str, seen: PersistentVolume | PersistentVolumeClaim, api: Api) -> dict[str, Any]:
    item = await api.get(kind, seen.key)
    if _version(item) != seen.metadata.resource_version:
        resource = "persistentvolumes" if kind == "PersistentVolume" else "persistentvolumeclaims"
        msg = (
            f'Operation cannot be fulfilled on {resource} "{seen.name}": the object has been modified; '
            "please apply your changes to the latest version and try again"
        )
        raise BindingError(msg)
    return item


def _annotate(item: dict[str, Any], key: str, value: str) -> None:
    item["metadata"].setdefault("annotations", {})[key] = value


def _version(item: dict[str, Any]) -> str:
    return str(item["metadata"].get("resourceVersion", ""))


# -- looking whether it is done -----------------------------------------------------------------


def all_are_bound(reserved: Reserved, pod: Pod, node: Node, cluster: ClusterView) -> bool:
    """Whether every claim has its volume; raises when one never will on this node.

    Reproduces checkBindings (plugins/volumebinding/binder.go, v1.37).
    """
    if cluster.node_named(node.name) is None:
        msg = f'failed to get node "{node.name}": node "{node.name}" not found'
        raise BindingError(msg)
    if not cluster.is_placed(pod.uid):
        msg = f'pod does not exist any more: pod "{pod.name}" not found'
        raise BindingError(msg)
    return all(_is_bound(b, node, cluster) for b in reserved.bindings) and all(
        _is_provisioned(p, node, cluster) for p in reserved.provisionings
    )


def _is_bound(binding: Binding, node: Node, cluster: ClusterView) -> bool:
    volume = _stored(PersistentVolume, binding.volume.key, "failed to check binding", cluster)
    claim = _stored(PersistentVolumeClaim, binding.claim.key, "failed to check binding", cluster)
    if _is_behind(volume, binding.version):
        return False
    _check_affinity(volume, node, cluster)
    if volume.spec.claim_ref is None or not volume.spec.claim_ref.uid:
        msg = f'ClaimRef got reset for pv "{volume.name}"'
        raise BindingError(msg)
    return is_fully_bound(claim)


def _is_provisioned(provisioning: Provisioning, node: Node, cluster: ClusterView) -> bool:
    key = provisioning.claim.key
    claim = _stored(PersistentVolumeClaim, key, "failed to check provisioning pvc", cluster)
    if _is_behind(claim, provisioning.version):
        return False
    if not claim.metadata.annotations:
        msg = f'selectedNode annotation reset for PVC "{claim.name}"'
        raise BindingError(msg)
    if claim.metadata.annotations.get(SELECTED_NODE) != node.name:
        msg = f'provisioning failed for PVC "{claim.name}"'
        raise BindingError(msg)
    if claim.spec.volume_name:
        volume = cluster.stored(PersistentVolume, claim.spec.volume_name)
        if volume is None:
            return False
        _check_affinity(volume, node, cluster)
    return is_fully_bound(claim)


def _stored(kind: type[T], key: str, doing: str, cluster: ClusterView) -> T:
    found = cluster.stored(kind, key)
    if found is None:
        msg = f'{doing}: could not find {kind.__name__.lower()} "{key}"'
        raise BindingError(msg)
    return found


def _is_behind(seen: PersistentVolume | PersistentVolumeClaim, written: str | None) -> bool:
    """Whether our own write has not come back yet: versions are numbers that grow."""
    version = seen.metadata.resource_version
    return bool(written and written.isdigit() and version.isdigit() and int(version) < int(written))


def _check_affinity(volume: PersistentVolume, node: Node, cluster: ClusterView) -> None:
    terms, plugin = affinity_terms(volume.spec.node_affinity), in_tree_plugin(volume.spec)
    if plugin is not None and IN_TREE_NAMED[plugin.name].counts:
        csi_node = cluster.get(CSINode, node.name)
        if csi_node is not None and plugin.name in migrated_plugins(csi_node):
            terms = migrated_terms(volume, plugin)
    if terms is not None and not terms.matches(node.labels, ""):
        msg = (
            f'pv "{volume.name}" node affinity doesn\'t match node "{node.name}": '
            "no matching NodeSelectorTerms"
        )
        raise BindingError(msg)
