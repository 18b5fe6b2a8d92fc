"""The single writer of the cluster's columns."""

from __future__ import annotations

import numpy as np

from nominee.errors import InternalError
from nominee.model.meta import NamedObject
from nominee.model.node import Node
from nominee.model.pod import Pod as PodObject
from nominee.model.requests import COUNT_ALL, Counting
from nominee.model.workload import Namespace
from nominee.state.arrays import Ints
from nominee.state.cluster_view import ClusterView
from nominee.state.images import ImageTable
from nominee.state.intern import ResourceIndex
from nominee.state.nodes import NodeTable
from nominee.state.nominations import Nominations
from nominee.state.objects import ObjectTable
from nominee.state.placed_terms import PlacedTerms
from nominee.state.pods import PodTable
from nominee.state.ports import PortTable
from nominee.state.shapes import Pod, Shape, ShapeTable, rewrite
from nominee.state.tallies import Tally, TallyTable
from nominee.state.terms import NO_TERMS
from nominee.state.view import AllNodes


class ClusterState:
    """Nodes, placed and assumed pods, nominations, and the objects that plugins look up.

    Everything that changes a column is a method of this class; everybody else reads. A pod is
    *placed* when it stands on a node as far as decisions go; it is *assumed* from the moment the
    scheduler chose its node until the API server confirms that (`add_pod`) or the attempt is
    undone (`forget`). A pod whose node is not known is an *orphan*: it plays no part until the
    node comes.
    """

    def __init__(self, counting: Counting = COUNT_ALL) -> None:
        self.resources = ResourceIndex()
        self.shapes = ShapeTable(self.resources, counting)
        self.nodes = NodeTable(self.resources)
        self.pods = PodTable()
        self.ports = PortTable()
        self.images = ImageTable()
        self.tallies = TallyTable(self.nodes.capacity)
        self.placed_terms = PlacedTerms()
        self.nominations = Nominations(self.nodes.row_of.get)
        self.objects = ObjectTable()
        self.assumed: dict[str, Pod] = {}
        self.orphans: dict[str, dict[str, Pod]] = {}  # by node name, then uid
        self._orphaned: dict[str, str] = {}  # uid to the node name it is filed under
        self.view = ClusterView(self)
        self._all_nodes = AllNodes(self)

    # -- pods ---------------------------------------------------------------------------------

    def pod(self, source: PodObject) -> Pod:
        """The pod as plugins see it; changes nothing that anybody can see."""
        return self.shapes.pod(source)

    def add_pod(self, pod: Pod) -> None:
        """The API server says that the pod stands on `pod.node_name`; confirms an assumption too."""
        row = self.pods.row_of.get(pod.uid)
        if row is not None and self._weighs_the_same(row, pod):
            self.assumed.pop(pod.uid, None)
            if self.pods.renew(row, pod):
                self.nodes.usage_log.append(int(self.pods.node_row[row]))
            return
        if self.is_placed(pod.uid):
            self.remove_pod(pod.uid)
        self._place(pod)

    def _weighs_the_same(self, row: int, pod: Pod) -> bool:
        """Whether a placed pod means to its node what it meant before; most updates are about its status."""
        before, node_row = self.pods[row], self.nodes.row_of.get(pod.node_name)
        same_place = self.pods.node_row[row] == node_row
        return bool(same_place and before.shape is pod.shape and before.terminating == pod.terminating)

    def update_pod(self, pod: Pod) -> None:
        """A placed pod changed: its resources, labels, node, or it is being deleted."""
        self.add_pod(pod)

    def remove_pod(self, uid: str) -> Pod | None:
        """The pod is gone (or no longer where it was); None if it was not placed."""
        self.assumed.pop(uid, None)
        row = self.pods.row_of.get(uid)
        if row is None:
            return self._remove_orphan(uid)
        node_row = int(self.pods.node_row[row])
        terminating = bool(self.pods.terminating[row])
        pod = self.pods.remove(row, self.nodes.first_pod)
        self._count(pod.shape, node_row, -1, terminating=terminating)
        return pod

    def assume(self, pod: Pod, node_name: str) -> None:
        """Act as if the pod already stood on the node; its nomination has served its purpose."""
        if self.is_placed(pod.uid):
            msg = f"pod {pod.key!r} is assumed twice"
            raise InternalError(msg)
        rewrite(pod, node_name=node_name)
        self._place(pod)
        self.assumed[pod.uid] = pod
        self.nominations.remove(pod.uid)

    def forget(self, uid: str) -> None:
        """Undo `assume`."""
        pod = self.assumed.get(uid)
        if pod is not None:
            self.remove_pod(uid)
            rewrite(pod, node_name="")

    def is_assumed(self, uid: str) -> bool:
        return uid in self.assumed

    def is_placed(self, uid: str) -> bool:
        return uid in self.pods.row_of or uid in self._orphaned

    def placed(self, uid: str) -> Pod | None:
        """The pod as it stands on its node, if it does and the node exists."""
        row = self.pods.row_of.get(uid)
        return self.pods[row] if row is not None else None

    def known_pod(self, uid: str) -> Pod | None:
        """The same, or as an orphan."""
        name = self._orphaned.get(uid)
        return self.placed(uid) if name is None else self.orphans[name][uid]

    def pods_on(self, node_name: str) -> list[Pod]:
        row = self.nodes.row_of.get(node_name)
        if row is None:
            return list(self.orphans.get(node_name, {}).values())
        return [self.pods[r] for r in self.pods.chain(self.nodes.first_pod, row)]

    def _place(self, pod: Pod) -> None:
        node_row = self.nodes.row_of.get(pod.node_name)
        if node_row is None:
            self._orphan(pod, pod.node_name)
            return
        self.pods.add(pod, node_row, self.nodes.first_pod)
        self._count(pod.shape, node_row, 1, terminating=pod.terminating)

    def _orphan(self, pod: Pod, node_name: str) -> None:
        self.orphans.setdefault(node_name, {})[pod.uid] = pod
        self._orphaned[pod.uid] = node_name

    def _remove_orphan(self, uid: str) -> Pod | None:
        name = self._orphaned.pop(uid, None)
        if name is None:
            return None
        pods = self.orphans[name]
        pod = pods.pop(uid)
        if not pods:
            del self.orphans[name]
        return pod

    def _count(self, shape: Shape, row: int, sign: int, *, terminating: bool) -> None:
        """Add (+1) or subtract (-1) what a pod of this shape means to its node."""
        nodes = self.nodes
        height = len(nodes.requested)
        if height < len(self.resources):
            nodes.widen()
            height = len(nodes.requested)
        amounts = shape.table_amounts(height, sign)
        nodes.requested[:, row] += amounts
        nodes.free[:, row] -= amounts
        # As arrays, because these wrap around as upstream's sums do, where scalars would warn.
        nonzero = self.shapes.nonzero[:, shape.id]
        nodes.nonzero[:, row] += nonzero if sign > 0 else -nonzero
        self.tallies.count(shape, row, sign, terminating=terminating)
        if shape.terms is not NO_TERMS:
            self.placed_terms.count(shape, sign)
        if shape.has_host_ports:
            self.ports.count(shape, row, sign)
        nodes.usage_log.append(row)

    # -- nodes --------------------------------------------------------------------------------

    def add_node(self, node: Node) -> None:
        """Add a node, or replace what is known of it."""
        name = node.metadata.name
        row = self.nodes.row_of.get(name)
        if row is not None:
            self.images.replace(row, self.nodes.objects[row], node)
            self.nodes.replace(row, node)
            return
        row = self.nodes.add(node)
        if self.nodes.capacity != self.tallies.capacity:
            self.tallies.grow(self.nodes.capacity)
        self.images.replace(row, None, node)
        self.nominations.node_changed(name)
        for pod in self.orphans.pop(name, {}).values():
            del self._orphaned[pod.uid]
            self._place(pod)

    def remove_node(self, name: str) -> None:
        """The node is gone; pods still on it become orphans."""
        row = self.nodes.row_of.get(name)
        if row is None:
            return
        for pod in self.pods_on(name):
            assumed = self.assumed.get(pod.uid)
            self.remove_pod(pod.uid)
            self._orphan(pod, name)
            if assumed is not None:
                self.assumed[pod.uid] = assumed
        self.images.replace(row, self.nodes.objects[row], None)
        self.nodes.remove(row)
        self.nominations.node_changed(name)

    # -- everything else ----------------------------------------------------------------------

    def nominate(self, pod: Pod, node_name: str) -> None:
        """Record that the pod expects this node; "" takes the nomination back."""
        if node_name:
            self.nominations.add(pod, node_name)
        else:
            self.nominations.remove(pod.uid)

    def put_object(self, item: NamedObject) -> None:
        self.objects.put(item)

    def drop_object(self, item: NamedObject) -> None:
        self.objects.drop(item)

    def namespace_labels(self, name: str) -> dict[str, str]:
        namespace = self.objects.get(Namespace, name)
        return namespace.metadata.labels if namespace is not None else {}

    def all_nodes(self) -> AllNodes:
        """The read-only view over every row."""
        if not self._all_nodes.is_current:
            self._all_nodes = AllNodes(self)
        return self._all_nodes

    def tally(self, tally: Tally) -> Ints:
        """The column of a tally, by row; counted now if nobody asked before."""
        column = self.tallies.get(tally)
        if column is None:
            column = self.count_tally(tally)
            self.tallies.put(tally, column)
        return column

    def count_tally(self, tally: Tally) -> Ints:
        """A tally counted from nothing."""
        pods, column = self.pods, np.zeros(self.nodes.capacity, np.int64)
        rows = pods.rows()
        if tally.alive_only:
            rows = rows[~pods.terminating[rows]]
        shape_ids = pods.shape_id[rows]
        worth = np.zeros(self.shapes.priority.size, np.int64)
        for shape_id in np.unique(shape_ids):
            worth[shape_id] = tally.of(self.shapes[shape_id])
        np.add.at(column, pods.node_row[rows], worth[shape_ids])
        return column
