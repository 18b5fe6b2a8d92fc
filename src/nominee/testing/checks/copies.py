"""The same pod in another cluster, one node of a cluster by itself."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from nominee.model.pod import Pod as PodObject
from nominee.model.timestamps import format_micro_time
from nominee.state.cluster import ClusterState
from nominee.state.shapes import Pod

_OTHER_NOTES = {"example.com/other": "annotation"}


def source_of(pod: Pod) -> PodObject:
    """An API object of which the same pod could have been made."""
    example = pod.shape.example
    meta = replace(
        example.metadata,
        name=pod.name,
        uid=pod.uid,
        annotations=dict(pod.annotations),
        creation_timestamp=format_micro_time(pod.created) if pod.created else "",
        deletion_timestamp=format_micro_time(0) if pod.terminating else None,
    )
    spec = replace(example.spec, node_name=pod.node_name)
    return replace(example, metadata=meta, spec=spec, status=pod.status)


def renamed(source: PodObject, name: str) -> PodObject:
    """A pod of the same shape with other name, uid and annotations."""
    meta = replace(source.metadata, name=name, uid=f"uid-of-{name}", annotations=_OTHER_NOTES)
    return replace(source, metadata=meta)


def alone(cluster: ClusterState, name: str, pods: Iterable[PodObject] = ()) -> ClusterState:
    """A cluster of one of the nodes, with these pods on it; objects of other kinds stay."""
    copy = ClusterState()
    for objects in cluster.objects._kinds.values():  # noqa: SLF001 - copies the whole table
        for item in objects.values():
            copy.put_object(item)
    node = cluster.nodes.objects[cluster.nodes.row_of[name]]
    if node is not None:
        copy.add_node(node)
    for pod in pods:
        copy.add_pod(copy.pod(replace(pod, spec=replace(pod.spec, node_name=name))))
    return copy
