"""What plugins see of nodes: read-only columns over all of them, over some, or over what-ifs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from nominee.errors import InternalError
from nominee.state.arrays import Ints, Mask, Rows
from nominee.state.facts import Fact, FactColumn

if TYPE_CHECKING:
    from nominee.model.node import Node as NodeObject
    from nominee.model.node import Taint
    from nominee.state.cluster import ClusterState
    from nominee.state.ports import HostPort
    from nominee.state.shapes import Pod, Shape
    from nominee.state.tallies import Tally

T = TypeVar("T")
W = TypeVar("W", bound=Hashable)

_FEW = 16  # nodes: to ask about each is cheaper than to ask about all


class lazy(Generic[T]):  # noqa: N801 - reads as the decorator it is
    """An attribute computed on first use and then kept in the instance.

    functools.cached_property takes a lock and half a microsecond for the same.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> T | lazy[T]:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


class NodeView:
    """Nodes as columns; position i of every column is the same node.

    The view over all nodes also has positions that are no node at the moment (`valid` is False
    there); whatever a plugin says of those is ignored.
    """

    _cluster: ClusterState  # the writer itself, for views alone

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Node]:
        """The nodes one at a time, for rules that have no columnar form."""
        return map(self.node, np.flatnonzero(self.valid).tolist())

    # Each of these is a lazy attribute in the subclasses.
    rows: Rows
    valid: Mask
    allocatable: Ints
    requested: Ints
    free: Ints
    nonzero: Ints

    @property
    def resources(self) -> list[str]:
        """The resource of each column: `resources[2]` is what `free[2]` counts."""
        return self._cluster.resources.names

    def column(self, resource: str) -> int | None:
        """The index of a resource in `allocatable`, `requested` and `free`; None if nobody has it."""
        return self._cluster.resources.column(resource)

    def ids(self, fact: Fact[Any]) -> Rows:
        """An id per distinct value of the fact, 0 where a node lacks it."""
        raise NotImplementedError

    def values(self, fact: Fact[W]) -> FactColumn[W]:
        """The distinct values behind `ids`."""
        return self._cluster.nodes.fact(fact)

    def where(self, fact: Fact[W], holds: Callable[[W | None], bool]) -> Mask:
        """The nodes whose value of the fact satisfies `holds`, asked once per distinct value."""
        ids = self.ids(fact)
        return self.values(fact).where(holds)[ids]

    def named(self, names: Iterable[str]) -> Mask:
        """The nodes with one of these names."""
        row_of = self._cluster.nodes.row_of
        return np.isin(self.rows, [row_of[name] for name in names if name in row_of])

    def tally(self, tally: Tally) -> Ints:
        """How much the placed pods of each node count for the tally, what-ifs left out."""
        raise NotImplementedError

    def moved(self, tally: Tally) -> Ints | None:
        """How the tally of each node differs in this what-if; None where nothing is supposed.

        Every position is a world of its own: on position i only node i's pods are other than they
        are. Whether a pod is terminating plays no part here (as in upstream's AddPod, RemovePod).
        """
        return None

    def moved_shapes(self) -> Iterable[Shape]:
        """In a what-if, the shapes of the pods supposed to have come or gone, anywhere in it."""
        return ()

    def port_conflicts(self, wanted: HostPort) -> Mask:
        """The nodes where a pod already has this host port."""
        raise NotImplementedError

    def port_moves(self) -> Mapping[int, Mapping[HostPort, bool]]:
        """In a what-if, by position: host ports that are taken (True) or free (False) other than in fact."""
        return {}

    def shape_moves(self, position: int) -> Mapping[int, int]:
        """In a what-if, how many more (or fewer) pods of each shape, by its id, a node has."""
        return {}

    def image_size(self, name: str) -> Ints:
        """The image's size on each node, 0 where it is not."""
        return self._cluster.images.sizes_on(name, self.rows, self._cluster.nodes.size)

    def take(self, positions: Rows | Mask) -> NodeView:
        """The same for some of the nodes."""
        chosen: Rows = np.flatnonzero(positions) if positions.dtype == np.bool_ else np.asarray(positions)
        if chosen.size == 1 and isinstance(self, AllNodes):
            return OneNode(self, chosen)
        return TakenNodes(self, chosen)

    def node(self, position: int) -> Node:
        """The node at a position, by itself."""
        return Node(self._cluster, int(self.rows[position]))

    def name(self, position: int) -> str:
        """The name of the node at a position."""
        return self._cluster.nodes.name(int(self.rows[position]))


def _sealed(array: T) -> T:
    array.flags.writeable = False  # type: ignore[attr-defined]
    return array


class AllNodes(NodeView):
    """Every row of the cluster; current until the table's layout changes or a new resource is named."""

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        nodes = cluster.nodes
        nodes.widen()
        self.layout = nodes.layout
        size = nodes.size
        self.valid = _sealed(nodes.valid[:size])
        self._height = height = len(cluster.resources)
        self.allocatable = _sealed(nodes.allocatable[:height, :size])
        self.requested = _sealed(nodes.requested[:height, :size])
        self.free = _sealed(nodes.free[:height, :size])
        self.nonzero = _sealed(nodes.nonzero[:, :size])

    @lazy
    def rows(self) -> Rows:
        return np.arange(self.valid.size, dtype=np.intp)

    def __len__(self) -> int:
        return self.valid.size

    @property
    def is_current(self) -> bool:
        nodes = self._cluster.nodes
        return self.layout == nodes.layout and len(self._cluster.resources) == self._height

    def ids(self, fact: Fact[Any]) -> Rows:
        return self._cluster.nodes.fact(fact).ids[: self.valid.size]

    def tally(self, tally: Tally) -> Ints:
        return self._cluster.tally(tally)[: self.valid.size]

    def port_conflicts(self, wanted: HostPort) -> Mask:
        return self._cluster.ports.conflicting(wanted, self.valid.size)


def _gathered(columns: Ints, positions: Rows) -> Ints:
    """These positions of every column. As `columns[:, positions]`, at less than half the price."""
    return columns.take(positions, axis=1, mode="clip")  # positions are in range: clipping changes none


class TakenNodes(NodeView):
    """Some positions of another view; columns are gathered when first used."""

    def __init__(self, parent: NodeView, positions: Rows) -> None:
        self._cluster = parent._cluster
        self._parent = parent
        self._positions = positions

    def __len__(self) -> int:
        return self._positions.size

    @lazy
    def rows(self) -> Rows:
        return self._positions if isinstance(self._parent, AllNodes) else self._parent.rows[self._positions]

    @lazy
    def valid(self) -> Mask:
        return self._parent.valid[self._positions]

    @lazy
    def allocatable(self) -> Ints:
        return _gathered(self._parent.allocatable, self._positions)

    @lazy
    def requested(self) -> Ints:
        return _gathered(self._parent.requested, self._positions)

    @lazy
    def free(self) -> Ints:
        return _gathered(self._parent.free, self._positions)

    @lazy
    def nonzero(self) -> Ints:
        return _gathered(self._parent.nonzero, self._positions)

    def ids(self, fact: Fact[Any]) -> Rows:
        return self._parent.ids(fact)[self._positions]

    def tally(self, tally: Tally) -> Ints:
        return self._parent.tally(tally)[self._positions]

    def moved(self, tally: Tally) -> Ints | None:
        moved = self._parent.moved(tally)
        return moved[self._positions] if moved is not None else None

    def moved_shapes(self) -> Iterable[Shape]:
        return self._parent.moved_shapes()

    def port_conflicts(self, wanted: HostPort) -> Mask:
        if len(self) <= _FEW and isinstance(self._parent, AllNodes):
            return self._cluster.ports.conflicting_on(wanted, self.rows)
        return self._parent.port_conflicts(wanted)[self._positions]

    def port_moves(self) -> Mapping[int, Mapping[HostPort, bool]]:
        moves = self._parent.port_moves()
        return {i: moves[p] for i, p in enumerate(self._positions.tolist()) if p in moves} if moves else moves

    def shape_moves(self, position: int) -> Mapping[int, int]:
        return self._parent.shape_moves(int(self._positions[position]))

    def node(self, position: int) -> Node:
        return self._parent.node(int(self._positions[position]))


class OneNode(TakenNodes):
    """One row of all: the usual case, since a placement changes one. Columns are cut out, not gathered."""

    def __init__(self, parent: AllNodes, positions: Rows) -> None:
        super().__init__(parent, positions)
        row = int(positions[0])
        self._cut = slice(row, row + 1)

    @lazy
    def valid(self) -> Mask:
        return self._parent.valid[self._cut]

    @lazy
    def allocatable(self) -> Ints:
        return self._parent.allocatable[:, self._cut]

    @lazy
    def requested(self) -> Ints:
        return self._parent.requested[:, self._cut]

    @lazy
    def free(self) -> Ints:
        return self._parent.free[:, self._cut]

    @lazy
    def nonzero(self) -> Ints:
        return self._parent.nonzero[:, self._cut]


class Node:
    """One node as per-node plugins see it."""

    __slots__ = ("_cluster", "object", "row")

    def __init__(self, cluster: ClusterState, row: int) -> None:
        source = cluster.nodes.objects[row]
        if source is None:
            msg = f"row {row} is no node"
            raise InternalError(msg)
        self._cluster = cluster
        self.row = row
        self.object: NodeObject = source

    def __repr__(self) -> str:
        return f"<Node {self.name}>"

    @property
    def name(self) -> str:
        """`metadata.name`."""
        return self.object.metadata.name

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels: everybody's, and to be left as they are."""
        return self.object.metadata.labels

    @property
    def annotations(self) -> Mapping[str, str]:
        """Its annotations: everybody's, and to be left as they are."""
        return self.object.metadata.annotations

    @property
    def taints(self) -> tuple[Taint, ...]:
        """`spec.taints`."""
        return self.object.spec.taints

    @property
    def unschedulable(self) -> bool:
        """Whether it is cordoned."""
        return self.object.spec.unschedulable

    @property
    def allocatable(self) -> dict[str, int]:
        """Millicores of cpu, bytes of memory and storage, else counts."""
        return self._by_name(self._cluster.nodes.allocatable[:, self.row])

    @property
    def requested(self) -> dict[str, int]:
        """What the pods placed here have asked for."""
        return self._by_name(self._cluster.nodes.requested[:, self.row])

    @property
    def free(self) -> dict[str, int]:
        """What is allocatable and not requested; below 0 where more is requested than there is."""
        return self._by_name(self._cluster.nodes.free[:, self.row])

    @property
    def pods(self) -> list[Pod]:
        """The pods placed here, in no particular order."""
        return self._cluster.pods_on(self.name)

    def _by_name(self, amounts: Ints) -> dict[str, int]:
        return dict(zip(self._cluster.resources.names, amounts.tolist(), strict=False))  # spare columns
