"""ImageLocality: nodes that have a pod's images already start it sooner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nominee.framework import ClusterView, Cycle, Ints, NodeView, Pod, Shape, SkipWhile

_MIB = 1 << 20
_LEAST = 23 * _MIB
_MOST_PER_IMAGE = 1000 * _MIB


@dataclass(frozen=True, slots=True)
class ImageLocality:
    """Reproduces pkg/scheduler/framework/plugins/imagelocality/image_locality.go, v1.37.

    Not node-local: an image counts the more, the more nodes have it.
    """

    def pre_score(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> SkipWhile | None:
        # Without a known image every node would get the same 0.
        cluster = cycle.cluster
        return None if _known_images(pod, cycle.cluster) else SkipWhile(lambda: cluster.images_version)

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Ints:
        if len(nodes) < cycle.feasible.size:
            return _scores(pod, nodes, cycle.cluster)
        cluster = cycle.cluster
        version = cluster.images_version, cluster.node_count, len(nodes)
        by_row = pod.memo_at(_scores_by_row, version, lambda _: _scores_by_row(pod, nodes, cluster))
        return by_row[nodes.rows]


def _known_images(pod: Pod, cluster: ClusterView) -> tuple[str, ...]:
    """The pod's images that some node has, as often as the pod has them."""
    return pod.memo_at(
        _known_images,
        cluster.images_version,
        lambda _: tuple(name for name in pod.memo(_images, _images) if cluster.image_nodes(name)),
    )


def _images(shape: Shape) -> tuple[str, ...]:
    """Every image of the pod, by the name a node would give it."""
    spec = shape.spec
    containers = (*spec.init_containers, *spec.containers)
    mounted = (volume.image.reference for volume in spec.volumes if volume.image is not None)
    return tuple(_full_name(image) for image in (*(c.image for c in containers), *mounted))


def _full_name(image: str) -> str:
    """With a tag. A colon before the last slash belongs to the port of a registry."""
    return f"{image}:latest" if image.rfind(":") <= image.rfind("/") else image


def _scores_by_row(pod: Pod, nodes: NodeView, cluster: ClusterView) -> Ints:
    """The scores of all nodes, `nodes` being all of them in whatever order."""
    by_row = np.zeros(len(nodes), np.int64)
    by_row[nodes.rows] = _scores(pod, nodes, cluster)
    return by_row


def _scores(pod: Pod, nodes: NodeView, cluster: ClusterView) -> Ints:
    total = np.zeros(len(nodes), np.int64)
    for name in _known_images(pod, cluster):
        # Upstream multiplies the size by the share in float64 and cuts off; so do we, to the bit.
        share = cluster.image_nodes(name) / cluster.node_count
        total += (nodes.image_size(name) * share).astype(np.int64)
    most = _MOST_PER_IMAGE * len(pod.memo(_images, _images))
    return 100 * (np.clip(total, _LEAST, most) - _LEAST) // (most - _LEAST)
