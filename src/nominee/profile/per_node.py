"""Plugins that look at one node at a time, made to look like the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nominee.framework import (
    Cycle,
    FilterNode,
    Ints,
    NodeView,
    Pod,
    Rejection,
    Rows,
    ScoreNode,
    Unresolvable,
)


class FilterEachNode:
    """A `filter_node` as a `filter`."""

    def __init__(self, plugin: FilterNode) -> None:
        self._ask = plugin.filter_node

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Iterator[Rejection]:
        rejected: dict[tuple[str, bool], list[int]] = {}
        for position in _positions(nodes).tolist():
            answer = self._ask(pod, nodes.node(position), cycle)
            if answer is None:
                continue
            hard = isinstance(answer, Unresolvable)
            reason: object = answer.reason if isinstance(answer, Unresolvable) else answer
            if not isinstance(reason, str):
                msg = f"filter_node must answer with a reason or None, not {answer!r}"
                raise TypeError(msg)
            rejected.setdefault((reason, hard), []).append(position)
        for (reason, hard), positions in rejected.items():
            rows = np.zeros(len(nodes), np.bool_)
            rows[positions] = True
            yield Rejection(rows, reason, unresolvable=hard)


class ScoreEachNode:
    """A `score_node` as a `score`."""

    def __init__(self, plugin: ScoreNode) -> None:
        self._ask = plugin.score_node

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Ints:
        scores = np.zeros(len(nodes), np.int64)
        for position in _positions(nodes).tolist():
            scores[position] = self._ask(pod, nodes.node(position), cycle)
        return scores


def _positions(nodes: NodeView) -> Rows:
    return np.flatnonzero(nodes.valid)
