"""A plugin asked about one pod in one cluster, with its answers checked for form."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from nominee.framework.cycle import Cycle
from nominee.framework.results import Narrow, Reject, Rejection, Skip, SkipWhile
from nominee.state.arrays import Ints
from nominee.state.cluster import ClusterState
from nominee.state.cluster_view import ClusterView
from nominee.state.shapes import Pod
from nominee.state.view import NodeView
from nominee.testing.clusters import make_cycle
from nominee.testing.running import Verdict, raw_scores, rejections

SKIPS = (Skip, SkipWhile)


class PluginCheckError(AssertionError):
    """A plugin breaks the contract; the text says which part of it, and where it was seen."""


@dataclass(slots=True)
class Case:
    """One plugin, one pod, one cluster. Each method asks anew, in a cycle of its own."""

    plugin: Any
    pod: Pod
    cluster: ClusterState

    def __str__(self) -> str:
        return f"pod {self.pod.key!r} among {len(self.cluster.nodes)} nodes"

    def fail(self, text: str) -> PluginCheckError:
        return PluginCheckError(f"{type(self.plugin).__name__}: {text} ({self})")

    def need(self, holds: bool, text: str) -> None:  # noqa: FBT001 - reads as an assertion
        if not holds:
            raise self.fail(text)

    @contextmanager
    def asking(self, method: str) -> Iterator[None]:
        """Whatever goes wrong in a plugin's method is a broken check, NumPy's warnings included."""
        try:
            with np.errstate(divide="raise", invalid="raise"):
                yield
        except PluginCheckError:
            raise
        except FloatingPointError as error:
            hint = "positions where `nodes.valid` is False hold zeros"
            raise self.fail(f"{method} made NumPy warn: {error}; {hint}") from error
        except Exception as error:
            raise self.fail(f"{method} raised {error!r}") from error

    def begin(self, view: ClusterView | None = None) -> tuple[Cycle, Any]:
        """A cycle in which PreFilter has run, and what it answered; it looks things up in `view`."""
        cycle = make_cycle(self.cluster)
        cycle.cluster = view or cycle.cluster
        if not hasattr(self.plugin, "pre_filter"):
            return cycle, None
        with self.asking("pre_filter"):
            answer = self.plugin.pre_filter(self.pod, self.cluster.all_nodes(), cycle)
        typed = answer is None or isinstance(answer, (Narrow, Reject, *SKIPS))
        self.need(typed, f"pre_filter must answer with Narrow, Skip, Reject or None, not {answer!r}")
        if isinstance(answer, Reject):
            self.need(_texts(answer.reasons), f"the reasons of a Reject are texts, not {answer.reasons!r}")
        if isinstance(answer, Narrow):
            self.need(_texts(answer.names), f"the names of a Narrow are texts, not {answer.names!r}")
        return cycle, answer

    def verdicts(self, nodes: NodeView, cycle: Cycle) -> dict[int, Verdict]:
        """By position, what the filter rejects."""
        if hasattr(self.plugin, "filter"):
            with self.asking("filter"):
                said = list(self.plugin.filter(self.pod, nodes, cycle))
            for rejection in said:
                self._check_rejection(rejection, len(nodes))
        with self.asking("filter"):
            found = rejections(self.plugin, self.pod, nodes, cycle)
        for verdict in found.values():
            self.need(_texts(verdict.reasons), f"a reason is a text, not {verdict.reasons!r}")
        return found

    def filtered(self) -> tuple[Any, dict[str, Verdict]]:
        """What PreFilter answered, and by node name what is rejected; nothing when it skips."""
        nodes = self.cluster.all_nodes()
        cycle, answer = self.begin()
        if isinstance(answer, (Reject, *SKIPS)):
            return _comparable(answer), {}
        return answer, {nodes.name(i): verdict for i, verdict in self.verdicts(nodes, cycle).items()}

    def prepared_to_score(self, view: ClusterView | None = None) -> Cycle | None:
        """A cycle in which PreScore has run; None when the plugin has nothing to score."""
        if not (hasattr(self.plugin, "score") or hasattr(self.plugin, "score_node")):
            return None
        cycle, _ = self.begin(view)
        if hasattr(self.plugin, "pre_score"):
            with self.asking("pre_score"):
                answer = self.plugin.pre_score(self.pod, self.cluster.all_nodes(), cycle)
            typed = answer is None or isinstance(answer, SKIPS)
            self.need(typed, f"pre_score must answer with Skip or None, not {answer!r}")
            if answer is not None:
                return None
        return cycle

    def scores(self, nodes: NodeView, cycle: Cycle) -> Ints:
        """By position, the raw scores."""
        if hasattr(self.plugin, "score_node"):
            for node in nodes:
                with self.asking("score_node"):
                    answer = self.plugin.score_node(self.pod, node, cycle)
                self.need(type(answer) is int, f"score_node must answer with an int, not {answer!r}")
        with self.asking("score"):
            scores = raw_scores(self.plugin, self.pod, nodes, cycle)
        self.check_column("score", scores, len(nodes))
        return scores

    def scored(self) -> dict[str, int] | None:
        """By node name, the raw scores."""
        cycle, nodes = self.prepared_to_score(), self.cluster.all_nodes()
        if cycle is None:
            return None
        scores = self.scores(nodes, cycle)
        return {nodes.name(i): int(scores[i]) for i in np.flatnonzero(nodes.valid).tolist()}

    def check_column(self, method: str, column: Any, length: int) -> None:
        good = isinstance(column, np.ndarray) and column.dtype == np.int64 and column.shape == (length,)
        found = f"{getattr(column, 'dtype', type(column).__name__)} {getattr(column, 'shape', '')}"
        self.need(good, f"{method} must answer with an int64 array of {length}, not {found}")

    def _check_rejection(self, rejection: Any, length: int) -> None:
        good = isinstance(rejection, Rejection)
        self.need(good, f"filter must yield Rejection, not {rejection!r}")
        self.need(_is_mask(rejection.rows, length), f"rows of a rejection must be a bool mask of {length}")
        hopeless = rejection.unresolvable
        good = isinstance(hopeless, bool | np.bool_) or _is_mask(hopeless, length)
        self.need(good, f"unresolvable must be a bool or a bool mask of {length}")
        self.need(isinstance(rejection.reason, str), f"a reason is a text, not {rejection.reason!r}")


def _comparable(answer: Any) -> Any:
    """SkipWhile carries a function, and no two of these are equal."""
    return SkipWhile if isinstance(answer, SkipWhile) else answer


def _is_mask(rows: Any, length: int) -> bool:
    return isinstance(rows, np.ndarray) and rows.dtype == np.bool_ and rows.shape == (length,)


def _texts(values: Any) -> bool:
    return not isinstance(values, str) and all(isinstance(value, str) for value in values)
