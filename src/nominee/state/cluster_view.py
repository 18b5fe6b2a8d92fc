"""What plugins look up of the cluster beyond the columns of nodes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar, cast

from nominee.state.arrays import Rows
from nominee.state.placed_terms import TermKind
from nominee.state.view import Node, NodeView

if TYPE_CHECKING:
    from nominee.model.meta import NamedObject
    from nominee.state.cluster import ClusterState
    from nominee.state.shapes import Pod
    from nominee.state.terms import AffinityTerm
    from nominee.state.waiting import WaitingPod

T = TypeVar("T")
K = TypeVar("K", bound="NamedObject")

_MEMO_SIZE = 128  # answers about the cluster; one is as long as a few columns


class ClusterView:
    """What a plugin may look up beyond the columns: other objects, namespaces, placed pods' terms."""

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        self._memo: OrderedDict[Hashable, tuple[Hashable, object]] = OrderedDict()
        self._lasting: dict[Callable[[], object], object] = {}
        self._waiting: Callable[[], Iterable[WaitingPod]] = tuple

    @property
    def all_nodes(self) -> NodeView:
        """Every row, for what has to be counted over the whole cluster whatever view is asked about."""
        return self._cluster.all_nodes()

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self._cluster.nodes)

    def waiting_pods(self) -> Iterable[WaitingPod]:
        """The pods that Permit plugins let wait, the longest waiting first; none outside a scheduler."""
        return self._waiting()

    def find_waiting_pods(self, find: Callable[[], Iterable[WaitingPod]]) -> None:
        """Whoever lets pods wait says how they are found."""
        self._waiting = find

    def get(self, kind: type[K], key: str) -> K | None:
        """The object with that `namespace/name` (or name, for objects of the cluster)."""
        return self._cluster.objects.get(kind, key)

    def all(self, kind: type[K]) -> Iterable[K]:
        """Every object of the kind."""
        return self._cluster.objects.all(kind)

    def version(self, kind: type[NamedObject]) -> int:
        """Changes whenever an object of the kind does: a key for answers worth remembering."""
        return self._cluster.objects.version(kind)

    def changes_since(self, kind: type[NamedObject], version: int) -> list[str] | None:
        """The keys of the kind's objects that changed since that version; None if nobody remembers."""
        return self._cluster.objects.changes_since(kind, version)

    def stored(self, kind: type[K], key: str) -> K | None:
        """The object as the API server last showed it, whatever is assumed of it."""
        return self._cluster.objects.stored(kind, key)

    def grouped(self, kind: type[K], group_of: Callable[[K], Hashable], group: Hashable) -> list[K]:
        """The objects for which `group_of` (a function of a module: it is a key) gives `group`."""
        return self._cluster.objects.grouped(kind, group_of, group)

    def assume(self, item: NamedObject) -> None:
        """From Reserve: act as if the object were this one already, until the server says anything new."""
        self._cluster.objects.assume(item)

    def touch(self, kind: type[NamedObject], key: str) -> None:
        """Void what is remembered of the kind: more is known of the object than the object says."""
        self._cluster.objects.touch(kind, key)

    def restore(self, item: NamedObject) -> None:
        """From Unreserve: undo that; nothing happens if the object was superseded meanwhile."""
        self._cluster.objects.restore(item)

    @property
    def placements(self) -> int:
        """Where the log of changed rows ends: a version for `rows_changed_since`."""
        return self._cluster.nodes.usage_log.end

    def rows_changed_since(self, placements: int) -> Rows | None:
        """The rows whose node or pods changed since; None if too much did."""
        nodes = self._cluster.nodes
        return nodes.usage_log.since(placements, nodes.size // 4 + 1)

    @property
    def nodes_version(self) -> int:
        """Changes whenever a node comes, goes or is written anew, and when the columns are laid out anew."""
        nodes = self._cluster.nodes
        return nodes.object_log.end + nodes.layout  # both only ever grow

    def memo_at(self, key: Hashable, version: Hashable, compute: Callable[[], T]) -> T:
        """What `compute` makes of the cluster, kept until `version` differs: for shapes to share.

        Columns about all nodes belong here rather than into a shape's memo: pods of many shapes may ask
        the same, and only the answers that were used last are kept.
        """
        held = self._memo.get(key)
        if held is not None and held[0] == version:
            self._memo.move_to_end(key)
            return cast("T", held[1])
        value = compute()
        self._memo[key] = (version, value)
        self._memo.move_to_end(key)
        if len(self._memo) > _MEMO_SIZE:
            self._memo.popitem(last=False)
        return value

    def lasting(self, kind: Callable[[], T]) -> T:
        """The one object of a kind that lives as long as the cluster: what attempts note for each other.

        Whatever the profile and the attempt, it is the same one; `kind()` makes it on first use.
        """
        held = self._lasting.get(kind)
        if held is None:
            held = self._lasting[kind] = kind()
        return cast("T", held)

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """The labels of a namespace; none where it is not known."""
        return self._cluster.namespace_labels(name)

    def placed_terms(self, kind: TermKind) -> list[AffinityTerm]:
        """The distinct affinity terms of one kind on placed pods."""
        return self._cluster.placed_terms.distinct(kind)

    def placed_terms_version(self, kind: TermKind) -> int:
        """Changes whenever `placed_terms` of the kind do."""
        return self._cluster.placed_terms.version[kind]

    @property
    def placed_terms_clock(self) -> int:
        """Changes whenever a term of any kind comes or goes: the cheapest thing to compare."""
        return self._cluster.placed_terms.clock

    def placed_terms_since(self, kind: TermKind, version: int) -> list[AffinityTerm] | None:
        """The terms that joined or left `placed_terms` since that version; None if nobody remembers.

        A term that came and went is there twice.
        """
        return self._cluster.placed_terms.changes_since(kind, version)

    def image_nodes(self, name: str) -> int:
        """How many nodes have the image."""
        return len(self._cluster.images.sizes(name))

    @property
    def images_version(self) -> int:
        """Changes whenever an image comes to a node or leaves it."""
        return self._cluster.images.version

    def node_named(self, name: str) -> Node | None:
        """The node of that name, if there is one."""
        row = self._cluster.nodes.row_of.get(name)
        return Node(self._cluster, row) if row is not None else None

    def pods_on(self, node_name: str) -> list[Pod]:
        """The pods that stand on a node, assumed ones included."""
        return self._cluster.pods_on(node_name)

    def is_placed(self, uid: str) -> bool:
        """Whether a pod stands on a node as far as decisions go."""
        return self._cluster.is_placed(uid)
