"""Remembered answers: what a node-local plugin said of every node, asked again only of changed rows."""

from __future__ import annotations

import numpy as np

from nominee.errors import PluginError
from nominee.framework import Cycle, Ints, Mask, NodeView, Pod, Rows
from nominee.profile.ask import ask
from nominee.profile.codes import StatusCodes
from nominee.profile.entries import FilterEntry, ScoreEntry
from nominee.state.view import AllNodes

MAX_SCORE = 100
_NO_SCORES: Ints = np.zeros(0, np.int64)


class FilterColumn:
    """By row, the code of what the filter said; 0 where the node passed."""

    __slots__ = ("__weakref__", "codes", "entry", "rejects", "seen", "statuses")

    def __init__(self, entry: FilterEntry) -> None:
        self.entry = entry
        self.statuses = StatusCodes()
        self.codes: Ints = np.zeros(0, np.int64)
        self.rejects = False  # whether it may have rejected any node; False means it certainly has not
        self.seen = -1  # position in the log of changes, for columns that plans share

    def fill(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> None:
        codes = self._ask(pod, nodes, cycle)
        self.rejects = codes is not None
        self.codes = np.zeros(len(nodes), np.int64) if codes is None else codes

    @property
    def array(self) -> Ints:
        return self.codes

    def update(
        self, pod: Pod, nodes: NodeView, rows: Rows, cycle: Cycle, everything: NodeView
    ) -> Ints | None:
        """Ask again for `rows`, which `nodes` is the view of; gives their codes, None when all passed."""
        codes = self._ask(pod, nodes, cycle)
        if codes is None:
            self.codes[rows] = 0
        else:
            self.rejects = True
            self.codes[rows] = codes
        return codes

    def probe(self, pod: Pod, nodes: NodeView, cycle: Cycle, *, anew: bool = False) -> Ints | None:
        """The codes of any view, what-ifs too; nothing is remembered. None when all pass.

        Only where other pods make a difference, what-ifs have to be asked about; `anew` asks always.
        """
        if anew:
            return self._ask(pod, nodes, cycle)
        if not self.rejects and (isinstance(nodes, AllNodes) or not self.entry.reads_pods):
            return None
        if isinstance(nodes, AllNodes):
            return self.codes
        if not self.entry.reads_pods:
            return self.codes[nodes.rows]
        return self._ask(pod, nodes, cycle)

    def _ask(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Ints | None:
        rejections = ask(self.entry.name, "filter", self.entry.rejections, pod, nodes, cycle)
        if not rejections:
            return None
        return ask(self.entry.name, "filter", self.statuses.encode, rejections, len(nodes))


class ScoreColumn:
    """By row, the raw score. `constant` holds when all are equal: then nothing depends on it.

    `sound` holds when no score is out of range where it is final. One that is costs the attempt of a
    pod that could go there; of nodes that cannot take the pod, kube-scheduler asks for none.
    """

    __slots__ = ("__weakref__", "constant", "entry", "raw", "seen", "sound")

    def __init__(self, entry: ScoreEntry) -> None:
        self.entry = entry
        self.raw: Ints = np.zeros(0, np.int64)
        self.constant = False
        self.sound = True
        self.seen = -1

    def fill(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> None:
        # A copy: the plugin's answer may be one of the cluster's own columns.
        self.raw = raw_scores(self.entry, pod, nodes, cycle).copy()
        self.sound = self.entry.normalize is not None or not outside(self.raw, nodes.valid).size
        self._look(nodes.valid)

    @property
    def array(self) -> Ints:
        return self.raw

    def update(self, pod: Pod, nodes: NodeView, rows: Rows, cycle: Cycle, everything: NodeView) -> Ints:
        """Ask again for `rows`, which `nodes` is the view of; gives their raw scores."""
        raw = self.raw[rows] = raw_scores(self.entry, pod, nodes, cycle)
        if self.entry.normalize is not None:
            self._look(everything.valid)
        elif self.sound:
            self.sound = not outside(raw, nodes.valid).size
        return raw

    def check(self, feasible: Mask) -> None:
        """Raise if a final score of any of these rows is out of range."""
        if not self.sound:
            check_range(self.entry, self.raw, feasible)

    def _look(self, valid: Mask) -> None:
        """A final score's own size counts, a normalised one's place between the extremes."""
        if self.entry.normalize is None:
            return
        raw = self.raw[valid]
        self.constant = bool(raw.size == 0 or (raw == raw[0]).all())


Column = FilterColumn | ScoreColumn


def raw_scores(entry: ScoreEntry, pod: Pod, nodes: NodeView, cycle: Cycle) -> Ints:
    """What the plugin scores the nodes of the view, as int64."""
    scores: object = ask(entry.name, "score", entry.score, pod, nodes, cycle)
    if type(scores) is not np.ndarray:
        raise _nonsense(entry, f"score gave {type(scores).__name__}, not an array of int64")
    if scores.shape != (len(nodes),) or scores.dtype != np.int64:
        raise _nonsense(entry, f"score gave {scores.dtype} {scores.shape}, not int64 ({len(nodes)},)")
    return scores


def outside(scores: Ints, rows: Mask) -> Ints:
    """The scores of these rows that are not in 0 to 100."""
    if scores.size == 1:  # the usual cycle, in which one row changed
        suspicious = not 0 <= int(scores[0]) <= MAX_SCORE
    else:
        suspicious = scores.size > 0 and int(scores.view(np.uint64).max()) > MAX_SCORE
    return scores[rows & ((scores < 0) | (scores > MAX_SCORE))] if suspicious else _NO_SCORES


def check_range(entry: ScoreEntry, scores: Ints, rows: Mask) -> None:
    """Raise unless the scores of all these rows are in 0 to 100."""
    wrong = outside(scores, rows)
    if wrong.size:
        raise _nonsense(
            entry,
            f'plugin "{entry.name}" returns an invalid score {int(wrong[0])}, '
            "it should in the range of [0, 100] after normalizing",
        )


def normalized(entry: ScoreEntry, raw: Ints, among: Mask) -> Ints:
    """The final scores, normalised by the extremes among these rows; others are meaningless."""
    if entry.normalize is None:
        check_range(entry, raw, among)
        return raw
    low, high = extremes(raw, among)
    # A copy: the plugin may well compute in place.
    scores: object = ask(entry.name, "normalize", entry.normalize, raw.copy(), low, high)
    if type(scores) is not np.ndarray or scores.shape != raw.shape or scores.dtype != np.int64:
        raise _nonsense(entry, "normalize must give an int64 for every score it was given")
    check_range(entry, scores, among)
    return scores


def extremes(raw: Ints, among: Mask) -> tuple[int, int]:
    """The lowest and the highest score among these rows; zeros without any."""
    chosen = raw[among]
    return (int(chosen.min()), int(chosen.max())) if chosen.size else (0, 0)


def _nonsense(entry: ScoreEntry, message: str) -> PluginError:
    error = PluginError(entry.name, "score")
    error.__cause__ = ValueError(message)
    return error
