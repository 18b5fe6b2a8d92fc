"""What people ask of simulated nodes and pods: annotations under nominee.dev/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nominee.config.duration import Duration

SIMULATED = "nominee.dev/simulated"
"""Label or annotation of a node that nobody but us runs pods on: "true"."""

START_DELAY = "nominee.dev/start-delay"
"""From being bound to running; on a node it counts for all its pods that do not say otherwise."""

DURATION = "nominee.dev/duration"
"""How long a pod runs, as in 90s or 1h30m; without it, for ever."""

EXIT_CODE = "nominee.dev/exit-code"
"""What its containers end with after that."""

TERMINATION_DELAY = "nominee.dev/termination-delay"
"""From being deleted to being gone, at most the grace period; on a node for all its pods, too."""

Annotations = Mapping[str, str]


def is_simulated(labels: Mapping[str, str], annotations: Annotations) -> bool:
    """Whether a node is ours to run."""
    return labels.get(SIMULATED) == "true" or annotations.get(SIMULATED) == "true"


@dataclass(frozen=True, slots=True)
class Wishes:
    """Of one pod, in seconds; what makes no sense is as if it were not there."""

    start: float = 0.0
    duration: float | None = None
    exit_code: int = 0
    termination: float | None = None


NO_WISHES = Wishes()


def wishes_of(pod: Annotations, node: Annotations) -> Wishes:
    """What a pod's annotations say, and those of its node where they say nothing."""
    if not pod and not node:
        return NO_WISHES
    start = _either(START_DELAY, pod, node)
    return Wishes(
        start=0.0 if start is None else start,
        duration=_seconds(pod.get(DURATION)),
        exit_code=_exit_code(pod.get(EXIT_CODE)),
        termination=_either(TERMINATION_DELAY, pod, node),
    )


def _either(name: str, pod: Annotations, node: Annotations) -> float | None:
    own = _seconds(pod.get(name))
    return _seconds(node.get(name)) if own is None else own


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = Duration.parse(text).seconds
    except ValueError:
        return None
    return seconds if seconds >= 0 else None


def _exit_code(text: str | None) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) <= 3 else 0
