"""Whether a plugin keeps what it promises with `node_local`, `reads_pods` and `reads`.

Remembered answers are only as good as these promises: a plugin that breaks one is right when first
asked and wrong later, which no ordinary test of it would show.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from nominee.framework.results import Skip
from nominee.state.cluster import ClusterState
from nominee.testing.checks.case import Case
from nominee.testing.checks.copies import alone, renamed, source_of


def check_promises(case: Case) -> None:
    """Other names, other nodes and (with `reads_pods` False) placed pods make no difference."""
    if not getattr(case.plugin, "node_local", False):
        return
    said = _said(case)
    twin = Case(case.plugin, case.cluster.pod(renamed(source_of(case.pod), "twin")), case.cluster)
    _compare(case, said, _said(twin), None, "the pod's name, uid and annotations changed")
    reads_pods = getattr(case.plugin, "reads_pods", True)
    for name in case.cluster.nodes.row_of:
        pods = [source_of(pod) for pod in case.cluster.pods_on(name)]
        there = _in(alone(case.cluster, name, pods), case)
        _compare(case, said, _said(there), name, "all other nodes and their pods were gone")
        if not reads_pods:
            there = _in(alone(case.cluster, name), case)
            _compare(case, said, _said(there), name, "the pods on it were gone, against reads_pods = False")


def check_reads(cases: Sequence[Case]) -> None:
    """Pods of one cluster with equal `reads` get equal answers."""
    first: dict[Hashable, tuple[Case, Any]] = {}
    for case in cases:
        if not hasattr(case.plugin, "reads"):
            return
        with case.asking("reads"):
            key = case.plugin.reads(case.pod)
            hash(key)
        other, said = first.setdefault(key, (case, _said(case)))
        now = _said(case)
        text = f"reads gives {key!r} for pod {other.pod.key!r} too, which got {said!r}, not {now!r}"
        case.need(said == now, text)


class SkippedShapes:
    """Whether Skip.THIS_SHAPE is answered in every cluster, once it is: nobody asks a second time."""

    def __init__(self) -> None:
        self._said: dict[tuple[str, str], tuple[bool, Case]] = {}

    def check(self, case: Case) -> None:
        if getattr(case.plugin, "watches", ()):
            return  # asked again whenever such an object changes
        for method in ("pre_filter", "pre_score"):
            if not hasattr(case.plugin, method):
                continue
            with case.asking(method):
                cycle, answer = case.begin()
                if method == "pre_score":
                    answer = case.plugin.pre_score(case.pod, case.cluster.all_nodes(), cycle)
            now = answer is Skip.THIS_SHAPE
            before, first = self._said.setdefault((method, case.pod.uid), (now, case))
            text = f"{method} answers Skip.THIS_SHAPE in one cluster and not in another: {first}"
            case.need(now == before, text)


def _in(cluster: ClusterState, case: Case) -> Case:
    return Case(case.plugin, cluster.pod(source_of(case.pod)), cluster)


def _said(case: Case) -> tuple[Any, dict[str, Any], dict[str, int] | None]:
    answer, rejected = case.filtered()
    return answer, rejected, case.scored()


def _compare(case: Case, before: Any, after: Any, name: str | None, change: str) -> None:
    subject = "the pod" if name is None else f"node {name!r}"
    for was, is_, what in zip(
        _of(before, name), _of(after, name), ("PreFilter", "the filter", "the score"), strict=True
    ):
        text = f"it claims node_local, but {what} said of {subject} {was!r}, and {is_!r} once {change}"
        case.need(was == is_, text)


def _of(said: Any, name: str | None) -> tuple[Any, Any, Any]:
    """What was said of one node, or of all."""
    if name is None:
        return said  # type: ignore[no-any-return]
    answer, rejected, scores = said
    return answer, rejected.get(name), None if scores is None else scores.get(name)
