"""The machine's time, for the scheduler."""

from __future__ import annotations

import time
from typing import Protocol


class Stopwatch(Protocol):
    """A reading in seconds, of which only differences mean something."""

    def __call__(self) -> float: ...


class SystemClock:
    """Seconds since the epoch that never go back.

    The wall clock is read once; from then on the monotonic one counts. Somebody who sets the machine's
    clock thus neither wakes pods early nor lets them sleep for hours. Times that are written down for
    others (`wall`) follow the wall clock.
    """

    def __init__(self) -> None:
        self._ahead = time.time() - time.monotonic()

    def now(self) -> float:
        return self._ahead + time.monotonic()

    @staticmethod
    def wall() -> float:
        """The time to write into objects."""
        return time.time()

    @staticmethod
    def stopwatch() -> float:
        """For durations."""
        return time.perf_counter()
