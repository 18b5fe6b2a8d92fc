"""A run in a few figures."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from nominee.sim.scenario.run import Run

_RULES = re.compile(r"\s+")


def summarize(run: Run) -> dict[str, Any]:
    """What the report and the terminal show; everything in it follows from the inputs and the seed."""
    chronicle, sim = run.chronicle, run.sim
    return {
        "seed": run.seed,
        "virtual_seconds": round(sim.now, 3),
        "nodes": len(sim.world.nodes),
        "pods": {
            "created": chronicle.created,
            "placed": chronicle.placed,
            "finished": chronicle.finished,
            "pending": chronicle.pending,
        },
        "pending_because": _reasons(run),
        "preemptions": len(chronicle.preemptors),
        "evictions": chronicle.evictions,
        "time_to_place_s": {
            "p50": _quantile(chronicle.waits, 0.5),
            "p99": _quantile(chronicle.waits, 0.99),
            "max": _quantile(chronicle.waits, 1.0),
        },
        "use": {"cpu": _use(run, "cpu"), "memory": _use(run, "memory")},
        "api_calls": dict(sim.calls.made),
        "failures": run.failures,
    }


def exit_code(run: Run) -> int:
    """0 when every pod found its place, or as many pend as the scenario expects, and all came true."""
    expected, pending = run.scenario.expect_pending, run.chronicle.pending
    if run.failures:
        return 1
    if expected is True:
        return 0
    return 0 if pending == int(expected) else 1


def _reasons(run: Run) -> dict[str, int]:
    """How many pods pend for each message, the most frequent first."""
    reasons: Counter[str] = Counter()
    for pod in run.sim.world.pods.values():
        if not pod.spec.node_name:
            condition = next((c for c in pod.status.conditions if c.type == "PodScheduled"), None)
            if pod.spec.scheduling_gates:
                message = "held by its scheduling gates"
            else:
                message = condition.message if condition is not None else "not tried yet"
            reasons[_RULES.sub(" ", message)] += 1
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))


def _quantile(values: list[float], share: float) -> float | None:
    """The smallest value that so large a share does not exceed."""
    if not values:
        return None
    ordered = sorted(values)
    return round(ordered[max(0, -int(-share * len(ordered) // 1) - 1)], 6)


def _use(run: Run, resource: str) -> dict[str, float]:
    """The share of the nodes' capacity: at the end, at most, and on average over time."""
    chronicle = run.chronicle
    there = chronicle.cpu_there if resource == "cpu" else chronicle.memory_there
    points = chronicle.series.points
    amounts = [getattr(point, resource) for point in points]
    if not there or not points:
        return {"end": 0.0, "peak": 0.0, "mean": 0.0}
    ends = [point.time for point in points[1:]] + [max(run.sim.now, points[-1].time)]
    total = sum(amount * (end - p.time) for amount, p, end in zip(amounts, points, ends, strict=True))
    span = ends[-1] - points[0].time
    mean = total / span if span else amounts[-1]
    now = chronicle.cpu if resource == "cpu" else chronicle.memory
    return {
        "end": round(now / there, 4),
        "peak": round(max(amounts) / there, 4),
        "mean": round(mean / there, 4),
    }
