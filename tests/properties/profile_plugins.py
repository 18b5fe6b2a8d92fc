"""Third-party plugins for the test of the profile: each does something that is easy to get wrong.

`FAULTS` names what is to raise at the moment: "Wordy.filter" and the like.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nominee.framework import (
    Cycle,
    Ints,
    Label,
    Node,
    NodeView,
    Pod,
    Rejection,
    Service,
    Skip,
    Unresolvable,
)

FAULTS: set[str] = set()


class FaultError(Exception):
    """What the plugins raise here."""


def fault(place: str) -> None:
    if place in FAULTS:
        raise FaultError(place)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Of the node object alone, one node at a time, answers shared among pods of an app."""

    node_local: ClassVar[bool] = True
    reads_pods: ClassVar[bool] = False

    def reads(self, pod: Pod) -> Hashable:
        fault("Shelf.reads")
        return pod.labels.get("app")

    def filter_node(self, pod: Pod, node: Node, cycle: Cycle) -> str | Unresolvable | None:
        fault("Shelf.filter")
        if node.labels.get("shelf") == "broken":
            return Unresolvable("node(s) had a broken shelf")
        return "node(s) had no web shelf" if self._unwanted(pod, node) else None

    def score_node(self, pod: Pod, node: Node, cycle: Cycle) -> int:
        fault("Shelf.score")
        return len(node.labels.get("shelf", "")) * (3 if pod.labels.get("app") == "web" else -2)

    def normalize(self, scores: Ints, lowest: int, highest: int) -> Ints:
        fault("Shelf.normalize")
        scores -= lowest  # in place: the array is the plugin's to change
        return scores * 100 // max(1, highest - lowest)

    def _unwanted(self, pod: Pod, node: Node) -> bool:
        return pod.labels.get("app") == "web" and node.labels.get("shelf") == "db"


@dataclass(frozen=True, slots=True)
class Wordy:
    """Of the pods on the node too; with more reasons than an integer has bits."""

    node_local: ClassVar[bool] = True

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Skip | None:
        fault("Wordy.pre_filter")
        return None if "picky" in pod.labels else Skip.THIS_SHAPE

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Iterator[Rejection]:
        fault("Wordy.filter")
        used = nodes.requested[1]
        for amount in np.unique(used[used > 0]).tolist():
            yield Rejection(used == amount, f"node(s) had {amount} bytes in use", amount % 2 == 1)
        crowded = nodes.requested[3] > 2
        if crowded.any():
            yield Rejection(crowded, "node(s) were crowded")

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Ints:
        """A column of the cluster itself, not a copy."""
        fault("Wordy.score")
        used: Ints = nodes.requested[1]
        return used

    def normalize(self, scores: Ints, lowest: int, highest: int) -> Ints:
        fault("Wordy.normalize")
        normal: Ints = (scores - lowest) * 100 // max(1, highest - lowest)
        return normal


@dataclass(frozen=True, slots=True)
class Sums:
    """Of the node's sums alone; with more reasons than an integer has bits."""

    node_local: ClassVar[bool] = True
    amounts_only: ClassVar[bool] = True

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Skip | None:
        return None if "exact" in pod.labels else Skip.THIS_SHAPE

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Iterator[Rejection]:
        fault("Sums.filter")
        used = nodes.requested[1]
        for amount in np.unique(used[used % 3 == 1]).tolist():
            yield Rejection(used == amount, f"node(s) had an odd sum of {amount}")

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Ints:
        fault("Sums.score")
        placed: Ints = np.minimum(nodes.requested[3], 100)
        return placed


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Across nodes, one node at a time: looks at the pods of a whole shelf."""

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Skip | None:
        fault("Neighbours.pre_filter")
        return None if "shy" in pod.labels else Skip.THIS_SHAPE

    def filter_node(self, pod: Pod, node: Node, cycle: Cycle) -> str | None:
        fault("Neighbours.filter")
        return "node(s) had a noisy neighbour" if any("noisy" in p.labels for p in node.pods) else None

    def score_node(self, pod: Pod, node: Node, cycle: Cycle) -> int:
        fault("Neighbours.score")
        return len(node.pods)

    def normalize(self, scores: Ints, lowest: int, highest: int) -> Ints:
        fault("Neighbours.normalize")
        return 100 - (scores - lowest) * 100 // max(1, highest - lowest)


@dataclass(frozen=True, slots=True)
class Freeze:
    """Node-local but for the services it watches."""

    node_local: ClassVar[bool] = True
    reads_pods: ClassVar[bool] = False
    watches: ClassVar[tuple[type, ...]] = (Service,)

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Iterator[Rejection]:
        fault("Freeze.filter")
        if cycle.cluster.get(Service, f"{pod.namespace}/frozen"):
            frozen = nodes.where(Label("shelf"), lambda shelf: shelf is None)
            if frozen.any():
                yield Rejection(frozen, "node(s) were frozen", unresolvable=True)


@dataclass(frozen=True, slots=True)
class Average:
    """Across nodes: the score depends on which nodes compete."""

    def pre_score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Skip | None:
        fault("Average.pre_score")
        return None if cycle.feasible.sum() > 2 else Skip.THIS_CYCLE

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Ints:
        fault("Average.score")
        pods = nodes.requested[3]
        mean = int(pods[cycle.feasible].sum()) // int(cycle.feasible.sum())
        scores: Ints = 100 - np.minimum(np.abs(pods - mean), 100)
        return scores


PLUGINS: tuple[type, ...] = (Shelf, Wordy, Sums, Neighbours, Freeze, Average)
POINTS_THAT_RAISE = (
    *("Shelf.filter", "Shelf.score", "Shelf.normalize", "Shelf.reads"),
    *("Wordy.pre_filter", "Wordy.filter", "Wordy.score", "Wordy.normalize"),
    *("Sums.filter", "Sums.score"),
    *("Neighbours.pre_filter", "Neighbours.filter", "Neighbours.score", "Neighbours.normalize"),
    *("Freeze.filter", "Average.pre_score", "Average.score"),
)
