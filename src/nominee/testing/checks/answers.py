"""Whether filter and score answer consistently, whatever view they are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from nominee.framework.results import Reject
from nominee.state.arrays import Ints
from nominee.state.ports import host_ports
from nominee.state.shapes import Pod
from nominee.state.view import NodeView
from nominee.testing.checks.case import SKIPS, Case
from nominee.testing.checks.copies import alone, renamed, source_of
from nominee.testing.clusters import Supposition

MAX_SCORE = 100


def check_filter(case: Case) -> int:
    """Same answers when asked twice, and about some of the nodes only; says how many it rejects."""
    if not hasattr(case.plugin, "filter") and not hasattr(case.plugin, "filter_node"):
        case.begin()
        return 0
    first, again = case.filtered(), case.filtered()
    case.need(first == again, f"asked twice, it answered {first!r} and then {again!r}")
    cycle, answer = case.begin()
    if isinstance(answer, (Reject, *SKIPS)):
        return 0
    nodes = case.cluster.all_nodes()
    full = case.verdicts(nodes, cycle)
    for positions in _choices(nodes):
        part = case.verdicts(nodes.take(positions), cycle)
        should_be = {i: full[p] for i, p in enumerate(positions.tolist()) if p in full}
        text = f"about positions {positions.tolist()} alone it says {part!r}, among all nodes {should_be!r}"
        case.need(part == should_be, text)
    return len(full)


def check_score(case: Case) -> None:
    """Scores are int64, repeatable, and within 0 to 100 once normalised, element by element."""
    cycle, nodes = case.prepared_to_score(), case.cluster.all_nodes()
    if cycle is None:
        return
    scores = case.scores(nodes, cycle)
    first, again = case.scored(), case.scored()
    case.need(first == again, f"asked twice, it scored {first!r} and then {again!r}")
    if getattr(case.plugin, "node_local", False):
        for positions in _choices(nodes):
            part = case.scores(nodes.take(positions), cycle)
            valid = nodes.valid[positions]
            text = (
                f"about positions {positions.tolist()} alone it scores {part}, among all {scores[positions]}"
            )
            case.need(bool((part == scores[positions])[valid].all()), text)
    if nodes.valid.any():
        _check_range(case, _normalised(case, scores[nodes.valid]))


def _choices(nodes: NodeView) -> Sequence[Ints]:
    """Each position by itself, every other one, and none."""
    every = np.arange(len(nodes))
    return [every[i : i + 1] for i in range(len(nodes))] + [every[::2], every[:0]]


def _normalised(case: Case, scores: Ints) -> Ints:
    if not hasattr(case.plugin, "normalize"):
        return scores
    lowest, highest = int(scores.min()), int(scores.max())

    def normalise(part: Ints) -> Ints:
        given = part.copy()
        with case.asking("normalize"):
            answer = case.plugin.normalize(given, lowest, highest)
        case.check_column("normalize", answer, len(part))
        case.need(bool((given == part).all()), "normalize must not write into the scores it is given")
        return answer.copy()  # type: ignore[no-any-return]

    together = normalise(scores)
    by_themselves = np.array([normalise(scores[i : i + 1])[0] for i in range(scores.size)])
    text = f"normalize is not elementwise: {together} of all, {by_themselves} one by one"
    case.need(bool((together == by_themselves).all()), text)
    return together


def _check_range(case: Case, scores: Ints) -> None:
    good = bool(((scores >= 0) & (scores <= MAX_SCORE)).all())
    case.need(good, f"scores must be 0 to {MAX_SCORE} in the end, not {scores.min()} to {scores.max()}")


def check_what_ifs(case: Case) -> None:
    """On each node a pod gone, or a pod like the incoming one more: the filter copes, as with facts."""
    nodes = case.cluster.all_nodes()
    if isinstance(case.begin()[1], (Reject, *SKIPS)):
        return
    for sign in (-1, 1):
        cycle, _ = case.begin()
        supposed = Supposition(nodes.take(np.flatnonzero(nodes.valid)))
        for position in range(len(supposed)):
            pods = case.cluster.pods_on(supposed.name(position))
            for pod in [case.pod] if sign > 0 else _removable(pods):
                supposed.suppose(position, pod, sign)
        said = case.verdicts(supposed, cycle)
        case.need(
            said == case.verdicts(supposed, cycle), "asked twice about a what-if, it answers differently"
        )
        if getattr(case.plugin, "node_local", False):
            for position in range(len(supposed)):
                _compare_with_fact(case, supposed, position, said.get(position))


def _removable(pods: list[Pod]) -> list[Pod]:
    """One of them; not one that shares a host port, as a what-if then counts the port as free."""
    uses = Counter(port for pod in pods for port in set(host_ports(pod.shape)))
    return [pod for pod in pods if all(uses[port] == 1 for port in host_ports(pod.shape))][:1]


def _compare_with_fact(case: Case, supposed: Supposition, position: int, said: object) -> None:
    """A node-local plugin says of a what-if what it says when that is so."""
    node = supposed.node(position)
    pods = [renamed(source_of(pod), f"copy-{i}") for i, pod in enumerate(node.pods)]
    fact = alone(case.cluster, node.name, pods)
    there = Case(case.plugin, fact.pod(source_of(case.pod)), fact)
    should_be = there.filtered()[1].get(node.name)
    text = f"of a what-if about node {node.name!r} it says {said!r}, of the same in fact {should_be!r}"
    case.need(said == should_be, text)
