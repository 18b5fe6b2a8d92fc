"""Where a decision differs from the expected one, in words. A field that is absent equals an empty one."""

from collections.abc import Iterator
from typing import Any

Answer = dict[str, Any]


def differences(got: Answer, want: Answer) -> list[str]:
    """A line for each aspect in which the two differ."""
    ours, theirs = dict(_aspects(got)), dict(_aspects(want))
    lines = [line for name in theirs for line in _unequal(name, ours[name], theirs[name])]
    allowed, picks = set(want.get("preemptionPicks", ())), set(got.get("preemptionPicks", ()))
    if allowed and not (picks and picks <= allowed):
        lines.append(f"preemptionPicks: {sorted(picks)} must be among {sorted(allowed)}")
    return lines


def _aspects(answer: Answer) -> Iterator[tuple[str, Any]]:
    yield "feasible", sorted(answer.get("feasible", ()))
    yield "preFilter", _verdict(answer.get("preFilter"))
    yield "preFilterNodes", answer.get("preFilterNodes")
    yield "filter", {node: _verdict(v) for node, v in answer.get("filter", {}).items()}
    yield "scores", {p: scores for p, scores in answer.get("scores", {}).items() if any(scores.values())}
    yield "totals", answer.get("totals", {})
    yield "message", answer.get("message", "")
    yield "eligibleToPreempt", answer.get("eligibleToPreempt")
    yield "ineligibleReason", answer.get("ineligibleReason", "")
    yield "preemptionCandidates", answer.get("preemptionCandidates", {})
    yield "error", answer.get("error")


def _verdict(verdict: Answer | None) -> Any:
    return verdict and (verdict["code"], verdict["plugin"], sorted(verdict["reasons"]))


def _unequal(name: str, got: Any, want: Any) -> Iterator[str]:
    if isinstance(got, dict) and isinstance(want, dict):
        for key in sorted(got.keys() | want.keys()):
            yield from _unequal(f"{name}[{key}]", got.get(key), want.get(key))
    elif got != want:
        yield f"{name}: got {got!r}, want {want!r}"
