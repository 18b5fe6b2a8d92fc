"""The points around filter and score: their answers are typed, and reserving can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nominee.framework.results import Allow, PreFlight, Reject, Wait
from nominee.state.shapes import Pod
from nominee.testing.checks.case import Case
from nominee.testing.clusters import make_cycle

_ANSWERS: dict[str, tuple[type, ...]] = {
    "reserve": (Reject, type(None)),
    "permit": (Allow, Wait, Reject),
    "pre_bind_pre_flight": (PreFlight,),
}


def check_others(case: Case) -> None:
    """PreEnqueue, Reserve, Permit and the pre-flight of PreBind."""
    for method, also in (("pre_enqueue", ()), ("pre_enqueue_in_cluster", (case.cluster.view,))):
        if hasattr(case.plugin, method):
            with case.asking(method):
                answer = getattr(case.plugin, method)(case.pod, *also)
            text = f"{method} must answer with a text or None, not {answer!r}"
            case.need(answer is None or isinstance(answer, str), text)
    for name in case.cluster.nodes.row_of:
        _check_on_node(case, name)


def _check_on_node(case: Case, name: str) -> None:
    node = case.cluster.view.node_named(name)
    for method, types in _ANSWERS.items():
        if hasattr(case.plugin, method):
            if method == "reserve":
                _check_reserve(case, name)
                continue
            with case.asking(method):
                answer = getattr(case.plugin, method)(case.pod, node, make_cycle(case.cluster))
            expected = ", ".join(kind.__name__ for kind in types)
            case.need(isinstance(answer, types), f"{method} must answer with {expected}, not {answer!r}")
            if isinstance(answer, Wait):
                case.need(answer.seconds >= 0, f"permit must not wait for {answer.seconds!r} seconds")


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A pod in the queue, as `sort_key` sees it."""

    pod: Pod
    timestamp: float = 0.0
    attempts: int = 1


def check_order(cases: Sequence[Case]) -> None:
    """The keys of QueueSort are tuples that compare with one another."""
    if not cases or not hasattr(cases[0].plugin, "sort_key"):
        return
    keys = []
    for case in cases:
        with case.asking("sort_key"):
            keys.append(case.plugin.sort_key(_Waiting(case.pod)))
        case.need(isinstance(keys[-1], tuple), f"sort_key must answer with a tuple, not {keys[-1]!r}")
    with cases[0].asking("comparing what sort_key answers"):
        sorted(keys)


def _check_reserve(case: Case, name: str) -> None:
    """`unreserve` undoes `reserve`, and bears being called in vain and twice."""
    plugin, node = case.plugin, case.cluster.view.node_named(name)
    before = case.filtered()
    cycle, _ = case.begin()
    with case.asking("unreserve, called in vain,"):
        plugin.unreserve(case.pod, node, cycle)
    answers = []
    for _ in range(2):
        with case.asking("reserve"):
            answer = plugin.reserve(case.pod, node, cycle)
        good = answer is None or isinstance(answer, Reject)
        case.need(good, f"reserve must answer with Reject or None, not {answer!r}")
        answers.append(answer)
        with case.asking("unreserve"):
            plugin.unreserve(case.pod, node, cycle)
        with case.asking("unreserve, called a second time,"):
            plugin.unreserve(case.pod, node, cycle)
    text = f"after unreserve, reserve on node {name!r} answered {answers[1]!r}, at first {answers[0]!r}"
    case.need(answers[0] == answers[1], text)
    after = case.filtered()
    text = f"reserve and unreserve on node {name!r} left a trace: the filter said {before!r}, now {after!r}"
    case.need(before == after, text)
