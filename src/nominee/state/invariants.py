"""Whether the columns are what they would be, had they been computed just now from the objects.

For tests and for debugging: `check` costs as much as building the cluster anew. Each function below
derives one thing from nodes and pods in the plainest way and says where the columns differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from nominee.errors import InternalError
from nominee.model.requests import node_allocatable
from nominee.state.arrays import Ints
from nominee.state.cluster import ClusterState
from nominee.state.facts import ABSENT, FactColumn
from nominee.state.nodes import NO_POD
from nominee.state.nominations import NO_ROW
from nominee.state.placed_terms import TERM_KINDS, terms_of
from nominee.state.pods import NEVER
from nominee.state.ports import HostPort, host_ports
from nominee.state.shapes import Pod, Shape

_MOST_SAID = 20


def check(cluster: ClusterState) -> None:
    """Raise InternalError, naming what differs, unless every column is what its objects make it."""
    wrong = list(differences(cluster))
    if wrong:
        more = [f"and {len(wrong) - _MOST_SAID} more"] if len(wrong) > _MOST_SAID else []
        raise InternalError("; ".join(wrong[:_MOST_SAID] + more))


def differences(cluster: ClusterState) -> Iterator[str]:
    """What `check` finds, one text each."""
    yield from _rows_of_nodes(cluster)
    yield from _rows_of_pods(cluster)
    yield from _chains(cluster)
    yield from _amounts(cluster)
    for fact, column in cluster.nodes.facts.items():
        yield from (f"fact {fact!r}: {text}" for text in _fact(cluster, column))
    yield from _tallies(cluster)
    yield from _ports(cluster)
    yield from _images(cluster)
    yield from _placed_terms(cluster)
    yield from _nominations(cluster)
    yield from _orphans(cluster)
    yield from _shapes(cluster)
    yield from _views(cluster)


def _unequal(what: str, is_: object, should_be: object) -> Iterator[str]:
    if is_ != should_be:
        yield f"{what} is {is_!r}, not {should_be!r}"


def _rows_of_nodes(cluster: ClusterState) -> Iterator[str]:
    nodes = cluster.nodes
    taken = {node.metadata.name: row for row, node in nodes}
    yield from _unequal("row_of of nodes", nodes.row_of, taken)
    yield from _unequal("valid", np.flatnonzero(nodes.valid).tolist(), sorted(taken.values()))
    yield from _unequal("size", nodes.size, len(nodes.objects))
    free = sorted(set(range(nodes.size)) - set(taken.values()))
    yield from _unequal("free rows of nodes", sorted(nodes._free_rows), free)
    for name in ("allocatable", "requested", "free", "nonzero", "valid", "first_pod"):
        yield from _unequal(f"length of {name}", getattr(nodes, name).shape[-1], nodes.capacity)


def _rows_of_pods(cluster: ClusterState) -> Iterator[str]:
    pods = cluster.pods
    taken = {pod.uid: row for row, pod in enumerate(pods.pods) if pod is not None}
    yield from _unequal("row_of of pods", pods.row_of, taken)
    free = sorted(set(range(len(pods.pods))) - set(taken.values()))
    yield from _unequal("free rows of pods", sorted(pods._free_rows), free)
    for uid, row in taken.items():
        pod = pods[row]
        start = NEVER if pod.start_time is None else pod.start_time
        should_be = (pod.node_name, pod.shape.id, start, pod.terminating)
        node = cluster.nodes.name(int(pods.node_row[row]))
        is_ = (node, int(pods.shape_id[row]), float(pods.start_time[row]), bool(pods.terminating[row]))
        yield from _unequal(f"row of pod {uid!r}", is_, should_be)


def _chains(cluster: ClusterState) -> Iterator[str]:
    nodes, pods = cluster.nodes, cluster.pods
    on_row: dict[int, set[int]] = {}
    for row in pods.row_of.values():
        on_row.setdefault(int(pods.node_row[row]), set()).add(row)
    for node_row in range(nodes.capacity):
        chain: list[int] = []
        previous, row = NO_POD, int(nodes.first_pod[node_row])
        while row != NO_POD and len(chain) <= len(pods):
            yield from _unequal(f"pod before pod row {row}", int(pods.previous[row]), previous)
            chain.append(row)
            previous, row = row, int(pods.next[row])
        yield from _unequal(
            f"chain of node row {node_row}", Counter(chain), Counter(on_row.get(node_row, ()))
        )


def _amounts(cluster: ClusterState) -> Iterator[str]:
    nodes, names = cluster.nodes, cluster.resources.names
    on_row: dict[int, list[Pod]] = {}
    for row, pod in _placed(cluster):
        on_row.setdefault(row, []).append(pod)
    for row in range(nodes.capacity):
        node = nodes.objects[row] if row < nodes.size else None
        placed = on_row.get(row, [])
        has = Counter(node_allocatable(node) if node is not None else {})
        wants: Counter[str] = Counter()
        for pod in placed:
            wants.update({**pod.shape.placed_requests, "pods": 1})
        free = {name: has[name] - wants[name] for name in {*has, *wants}}
        for what, amounts in (("allocatable", has), ("requested", wants), ("free", free)):
            should_be = {name: amount for name, amount in amounts.items() if amount}
            yield from _unequal(
                f"{what} of row {row}", _named(getattr(nodes, what)[:, row], names), should_be
            )
        nonzero = [sum(pod.shape.nonzero[i] for pod in placed) for i in (0, 1)]
        yield from _unequal(f"nonzero of row {row}", nodes.nonzero[:, row].tolist(), nonzero)


def _named(amounts: Any, names: list[str]) -> dict[str, int]:
    return {
        names[i] if i < len(names) else f"column {i}": amount
        for i, amount in enumerate(amounts.tolist())
        if amount
    }


def _placed(cluster: ClusterState) -> Iterable[tuple[int, Pod]]:
    """(node row, pod) of all placed pods, found without the chains."""
    return [(int(cluster.pods.node_row[row]), cluster.pods[row]) for row in cluster.pods.row_of.values()]


def _fact(cluster: ClusterState, column: FactColumn[Any]) -> Iterator[str]:
    nodes = cluster.nodes
    uses: Counter[Any] = Counter()
    yield from _unequal("length", column.ids.size, nodes.capacity)
    for row in range(column.ids.size):
        node = nodes.objects[row] if row < nodes.size else None
        value = column._fact.of(node) if node is not None else None
        yield from _unequal(f"value of row {row}", column.values[column.ids[row]], value)
        if value is not None:
            uses[value] += 1
    yield from _unequal("value without the fact", column.values[ABSENT], None)
    ids = {value: i for i, value in enumerate(column.values) if value is not None}
    yield from _unequal("ids by value", column._id_of, ids)
    yield from _unequal("uses by value", {value: column._uses[i] for value, i in ids.items()}, dict(uses))
    unused = sorted(set(range(1, len(column.values))) - set(ids.values()))
    yield from _unequal("free ids", sorted(column._free), unused)


def _tallies(cluster: ClusterState) -> Iterator[str]:
    yield from _unequal("capacity of tallies", cluster.tallies.capacity, cluster.nodes.capacity)
    for tally, column in cluster.tallies.items():
        counts = [0] * cluster.nodes.capacity
        for row, pod in _placed(cluster):
            if not (tally.alive_only and pod.terminating):
                counts[row] += tally.of(pod.shape)
        yield from _unequal(f"tally {tally!r}", column.tolist(), counts)


def _ports(cluster: ClusterState) -> Iterator[str]:
    users: dict[tuple[str, int], dict[int, Counter[HostPort]]] = {}
    for row, pod in _placed(cluster):
        for port in host_ports(pod.shape):
            rows = users.setdefault((port.protocol, port.port), {})
            rows.setdefault(row, Counter())[port] += 1
    yield from _unequal("host ports", cluster.ports._users, users)
    for key, columns in cluster.ports._columns.items():
        for wanted, column in columns.items():
            conflicts = {
                row: sum(uses[port] for port in uses if wanted.conflicts(port))
                for row, uses in users.get(key, {}).items()
            }
            yield from _unequal(f"conflicts with {wanted!r}", _nonzero(column), _without_zeros(conflicts))
    yield from _unequal(
        "ports with columns but no users", cluster.ports._columns.keys() - users.keys(), set()
    )


def _images(cluster: ClusterState) -> Iterator[str]:
    sizes: dict[str, dict[int, int]] = {}
    for row, node in cluster.nodes:
        for image in reversed(node.status.images):
            for name in image.names:
                sizes.setdefault(name, {})[row] = image.size_bytes
    yield from _unequal("images", cluster.images._sizes, sizes)
    for name, column in cluster.images._columns.items():
        yield from _unequal(f"sizes of {name!r}", _nonzero(column), _without_zeros(sizes.get(name, {})))


def _nonzero(column: Ints) -> dict[int, int]:
    return {row: int(column[row]) for row in np.flatnonzero(column).tolist()}


def _without_zeros(amounts: dict[int, int]) -> dict[int, int]:
    return {row: amount for row, amount in amounts.items() if amount}


def _placed_terms(cluster: ClusterState) -> Iterator[str]:
    for kind in TERM_KINDS:
        terms = Counter(term for _, pod in _placed(cluster) for term, _ in terms_of(pod.shape, kind))
        yield from _unequal(f"placed terms of {kind}", cluster.placed_terms._pods[kind], terms)


def _nominations(cluster: ClusterState) -> Iterator[str]:
    held = cluster.nominations
    yield from _unequal("slots", held._slot_of, {pod.uid: slot for slot, pod in enumerate(held.pods)})
    on_node: dict[str, set[str]] = {}
    for pod, name in zip(held.pods, held.names, strict=True):
        on_node.setdefault(name, set()).add(pod.uid)
    filed = {name: set(uids) for name, uids in held._on_node.items()}
    yield from _unequal("nominations by node", filed, on_node)
    rows = [cluster.nodes.row_of.get(name, NO_ROW) for name in held.names]
    yield from _unequal("rows of nominations", held.rows.tolist(), rows)
    priority = [pod.shape.priority for pod in held.pods]
    yield from _unequal("priority of nominations", held.priority.tolist(), priority)
    yield from _unequal("shapes of nominations", held.shape_ids.tolist(), [p.shape.id for p in held.pods])


def _orphans(cluster: ClusterState) -> Iterator[str]:
    filed = {}
    for name, pods in cluster.orphans.items():
        filed.update(dict.fromkeys(pods, name))
        if not pods or name in cluster.nodes.row_of:
            yield f"orphans of {name!r} are {list(pods)!r}, though there are none or the node exists"
        for uid, pod in pods.items():
            yield from _unequal(f"orphan {uid!r}", (pod.uid, pod.node_name), (uid, name))
    yield from _unequal("nodes of orphans", cluster._orphaned, filed)
    both = sorted(filed.keys() & cluster.pods.row_of.keys())
    yield from _unequal("pods both placed and orphaned", both, [])
    lost = [uid for uid in cluster.assumed if not cluster.is_placed(uid)]
    yield from _unequal("assumed pods that stand nowhere", lost, [])


def _shapes(cluster: ClusterState) -> Iterator[str]:
    table, names = cluster.shapes, cluster.resources.names
    alive: dict[int, Shape] = {}
    for shape_id, reference in enumerate(table._by_id):
        shape = reference() if reference is not None else None
        if shape is not None:
            alive[shape_id] = shape
    yield from _unequal("shapes by key", {s.id for s in table._by_key.values()}, set(alive))
    yield from _unequal(
        "free ids of shapes", sorted(table._free), sorted(set(range(len(table._by_id))) - set(alive))
    )
    for shape_id, shape in alive.items():
        takes = {name: amount for name, amount in shape.placed_requests.items() if amount}
        is_ = (shape.id, _named(table.amounts[:, shape_id], names), table.nonzero[:, shape_id].tolist())
        yield from _unequal(f"shape {shape_id}", is_, (shape_id, {**takes, "pods": 1}, list(shape.nonzero)))
        yield from _unequal(f"priority of shape {shape_id}", int(table.priority[shape_id]), shape.priority)
    held = [*cluster.nominations.pods, *(pod for _, pod in _placed(cluster))]
    strangers = [pod.uid for pod in held if alive.get(pod.shape.id) is not pod.shape]
    yield from _unequal("pods whose shape is not in the table", strangers, [])


def _views(cluster: ClusterState) -> Iterator[str]:
    nodes, view = cluster.nodes, cluster.all_nodes()
    yield from _unequal("length of the view", len(view), nodes.size)
    yield from _unequal("height of the view covers", len(view.free) >= len(cluster.resources), True)
    for name in ("allocatable", "requested", "free", "nonzero", "valid"):
        column = getattr(view, name)
        if not np.shares_memory(column, getattr(nodes, name)) and column.size:
            yield f"the view's {name} is not the table's"
        if column.flags.writeable:
            yield f"the view's {name} can be written"
