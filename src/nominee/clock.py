"""The one way in which time enters the scheduler.

The core never reads a clock: the driver passes ``now`` into each step. Drivers take theirs from
a `Clock`, so that the live driver runs on the machine's time, a simulation on a heap of future
events, and a test on a clock it moves by hand.
"""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Tells the time; never waits."""

    def now(self) -> float:
        """Return the seconds since the Unix epoch, as timestamps of API objects count them.

        Two calls may return the same value; a later call never returns a smaller one.
        """
        ...
