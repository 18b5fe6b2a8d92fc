"""What a plugin must leave alone, and what it must not look at without saying so."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import msgspec

from nominee.framework.results import Reject
from nominee.model.meta import NamedObject
from nominee.state.cluster import ClusterState
from nominee.state.cluster_view import ClusterView
from nominee.testing.checks.case import SKIPS, Case

K = TypeVar("K", bound=NamedObject)


class Unchanged:
    """The pods and nodes of a case as they are now: plugins share them with everybody else."""

    def __init__(self, case: Case) -> None:
        self._before = _written(case)

    def check(self, case: Case) -> None:
        text = "it changes the pod or a node that it is shown: labels and the like are everybody's"
        case.need(_written(case) == self._before, text)


def _written(case: Case) -> tuple[bytes, bytes]:
    encode = msgspec.msgpack.encode
    placed = [pod.shape.example for name in case.cluster.nodes.row_of for pod in case.cluster.pods_on(name)]
    return encode(case.cluster.nodes.objects), encode([case.pod.shape.example, *placed])


def check_lookups(case: Case) -> None:
    """A node-local plugin is asked again only when an object changes of a kind that it watches."""
    if not getattr(case.plugin, "node_local", False):
        return
    seen = _Noting(case.cluster)
    nodes = case.cluster.all_nodes()
    cycle, answer = case.begin(seen)
    if not isinstance(answer, (Reject, *SKIPS)):
        case.verdicts(nodes, cycle)
    prepared = case.prepared_to_score(seen)
    if prepared is not None:
        case.scores(nodes, prepared)
    missing = sorted(kind.__name__ for kind in seen.kinds - set(getattr(case.plugin, "watches", ())))
    text = f"it looks up {', '.join(missing)}, which must stand in its `watches`"
    case.need(not missing, text)


class _Noting(ClusterView):
    """Notes which kinds of objects are looked up."""

    def __init__(self, cluster: ClusterState) -> None:
        super().__init__(cluster)
        self.kinds: set[type[NamedObject]] = set()

    def get(self, kind: type[K], key: str) -> K | None:
        self.kinds.add(kind)
        return super().get(kind, key)

    def all(self, kind: type[K]) -> Iterable[K]:
        self.kinds.add(kind)
        return super().all(kind)

    def stored(self, kind: type[K], key: str) -> K | None:
        self.kinds.add(kind)
        return super().stored(kind, key)

    def grouped(self, kind: type[K], group_of: Callable[[K], Hashable], group: Hashable) -> list[K]:
        self.kinds.add(kind)
        return super().grouped(kind, group_of, group)

    def version(self, kind: type[Any]) -> int:
        self.kinds.add(kind)
        return super().version(kind)
