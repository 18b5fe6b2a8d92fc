"""How long a pod runs, as its annotation says."""

from __future__ import annotations

from nominee.config.duration import Duration
from nominee.errors import InputError
from nominee.model.pod import Pod

DURATION = "nominee.dev/duration"
"""The annotation that says how long a pod runs, as in 90s or 1h30m; without it, for ever."""


def run_time(pod: Pod) -> float | None:
    """Seconds from its start to its end; raises InputError naming the field."""
    text = pod.metadata.annotations.get(DURATION)
    if text is None:
        return None
    try:
        seconds = Duration.parse(text).seconds
    except ValueError as error:
        raise _wrong(f"{error}: expected a duration like '90s' or '1h30m'") from None
    if seconds < 0:
        raise _wrong(f"a duration can not be negative, got {text!r}")
    return seconds


def _wrong(problem: str) -> InputError:
    return InputError(problem, field=f"metadata.annotations[{DURATION}]")
